# Packs JAR from what CONTENTS lists. Same inputs, same bytes: names are sorted, times fixed.
#   org/..., META-INF/...        Maven's classes
#   linux-x86_64/libsparkmemprof.so
#   python/sparkmemprof/...      the package's sources, and _hooks.<tag>.so of each CPython
#   python/manifest.txt          the paths of those, relative to python/, one a line
include(${CONTENTS})
file(REMOVE_RECURSE ${STAGE})
file(MAKE_DIRECTORY ${STAGE}/${LIBRARY_FOLDER} ${STAGE}/python/sparkmemprof)
file(ARCHIVE_EXTRACT INPUT ${CLASSES_JAR} DESTINATION ${STAGE})

file(COPY_FILE ${LIBRARY} ${STAGE}/${LIBRARY_FOLDER}/libsparkmemprof.so)

set(manifest ${PYTHON_FILES})
foreach(path IN LISTS PYTHON_FILES)
  cmake_path(GET path PARENT_PATH folder)
  file(COPY ${PYTHON_ROOT}/${path} DESTINATION ${STAGE}/python/${folder})
endforeach()
foreach(module IN LISTS HOOKS)
  cmake_path(GET module FILENAME name)
  file(COPY_FILE ${module} ${STAGE}/python/sparkmemprof/${name})
  list(APPEND manifest sparkmemprof/${name})
endforeach()
list(SORT manifest)
list(JOIN manifest "\n" lines)
file(WRITE ${STAGE}/python/manifest.txt "${lines}\n")

file(GLOB_RECURSE members RELATIVE ${STAGE} ${STAGE}/*)
list(SORT members)
list(FILTER members EXCLUDE REGEX "^META-INF/MANIFEST.MF$")
list(PREPEND members META-INF/MANIFEST.MF) # where readers of a jar stream look for it
execute_process(
  COMMAND ${CMAKE_COMMAND} -E tar cf ${JAR}.new --format=zip "--mtime=2020-01-01 00:00:00 UTC" ${members}
  WORKING_DIRECTORY ${STAGE} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${JAR}.new ${JAR})
