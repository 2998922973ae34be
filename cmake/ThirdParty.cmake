# Libraries that aren't ours. protobuf-lite, libunwind, libbacktrace, zlib, minizip's reader, fmt and what decompresses event logs come
# from cmake/build-third-party.sh (Debian's static ones lack -fPIC); nlohmann/json is headers.

# tools/setup.sh runs it before. Kept outside the checkout, by the hash of their recipe: another clone has them already.
file(SHA1 ${CMAKE_CURRENT_LIST_DIR}/build-third-party.sh recipe)
file(GLOB patches CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.patch)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/build-third-party.sh ${patches})
set(all)
foreach(patch IN LISTS patches)
  file(SHA1 ${patch} hash)
  string(APPEND all "${hash}\n")
endforeach()
string(SHA1 all "${all}")
string(SUBSTRING ${recipe} 0 12 recipe)
string(SUBSTRING ${all} 0 6 all)
set(caches $ENV{XDG_CACHE_HOME})
if(NOT caches)
  set(caches $ENV{HOME}/.cache)
endif()
set(MEMPROF_THIRD_PARTY ${caches}/sparkmemprof/third-party-${recipe}-${all})
if(NOT EXISTS ${MEMPROF_THIRD_PARTY}/.complete)
  message(FATAL_ERROR "third-party libraries are missing: run cmake/build-third-party.sh ${MEMPROF_THIRD_PARTY}")
endif()

find_program(PROTOC protoc REQUIRED)
find_path(MEMPROF_FMT_HEADERS fmt/format.h REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Threads REQUIRED)
find_package(Java 11 REQUIRED COMPONENTS Development)
file(REAL_PATH ${Java_JAVAC_EXECUTABLE} javac)
cmake_path(GET javac PARENT_PATH jdk)
cmake_path(GET jdk PARENT_PATH MEMPROF_JDK)
if(NOT EXISTS ${MEMPROF_JDK}/include/jvmti.h)
  message(FATAL_ERROR "no jvmti.h under ${MEMPROF_JDK}/include: apt-get install openjdk-17-jdk-headless")
endif()
find_program(MAVEN mvn REQUIRED)

add_library(protobuf_lite STATIC IMPORTED)
set_target_properties(protobuf_lite PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/libprotobuf-lite.a)
target_link_libraries(protobuf_lite INTERFACE Threads::Threads)

add_library(unwind STATIC IMPORTED)
set_target_properties(unwind PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/libunwind.a)
target_include_directories(unwind SYSTEM INTERFACE ${MEMPROF_THIRD_PARTY}/include)

add_library(backtrace STATIC IMPORTED)
set_target_properties(backtrace PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/libbacktrace.a)
target_include_directories(backtrace SYSTEM INTERFACE ${MEMPROF_THIRD_PARTY}/include)

add_library(zlib STATIC IMPORTED)
set_target_properties(zlib PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/libz.a)
target_include_directories(zlib SYSTEM INTERFACE ${MEMPROF_THIRD_PARTY}/include)

add_library(minizip_reader STATIC IMPORTED)
set_target_properties(minizip_reader PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/libminizip-reader.a)
target_include_directories(minizip_reader SYSTEM INTERFACE ${MEMPROF_THIRD_PARTY}/include)
target_link_libraries(minizip_reader INTERFACE zlib)

add_library(fmt STATIC IMPORTED)
set_target_properties(fmt PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/libfmt.a)
target_include_directories(fmt SYSTEM INTERFACE ${MEMPROF_FMT_HEADERS})

foreach(codec zstd-decoder lz4-block snappy lzf-decoder)  # of event logs
  string(REPLACE - _ target ${codec})
  add_library(${target} STATIC IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${MEMPROF_THIRD_PARTY}/lib/lib${codec}.a)
  target_include_directories(${target} SYSTEM INTERFACE ${MEMPROF_THIRD_PARTY}/include)
endforeach()

add_library(jni_headers INTERFACE)  # jni.h, jvmti.h
target_include_directories(jni_headers SYSTEM INTERFACE ${MEMPROF_JDK}/include ${MEMPROF_JDK}/include/linux)

if(NOT MEMPROF_PYBIND11)
  find_program(MEMPROF_TOOLS_PYTHON python3 PATHS ${CMAKE_SOURCE_DIR}/build/tools/bin NO_DEFAULT_PATH)
  if(MEMPROF_TOOLS_PYTHON)
    execute_process(COMMAND ${MEMPROF_TOOLS_PYTHON} -m pybind11 --includes OUTPUT_VARIABLE includes OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCHALL "-I[^ ]*pybind11/include" include "${includes}")
    string(REGEX REPLACE "^-I" "" include "${include}")
    set(MEMPROF_PYBIND11 "${include}" CACHE PATH "pybind11's include folder" FORCE)
  endif()
endif()
if(NOT EXISTS ${MEMPROF_PYBIND11}/pybind11/pybind11.h)
  message(FATAL_ERROR "pybind11 was not found: pip install pybind11 into build/tools, or set MEMPROF_PYBIND11 to its include folder")
endif()
