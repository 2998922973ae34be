# Every CPython 3.9-3.14 found on PATH or under pyenv: the shim is built once for each, into one package.
# Sets MEMPROF_PYTHONS to a list of tags (311 312 ...) and, per tag, MEMPROF_PYTHON_<tag>_{EXECUTABLE,INCLUDE,SUFFIX}.
# memprof_python_module(NAME PYTHONS … SOURCES … LIBRARIES …) makes one module target per CPython, NAME_<tag>, and puts it into the wheel.

set(MEMPROF_PYTHON_TAGS "39;310;311;312;313;314" CACHE STRING "CPython versions to build the shim for, where found")
set(MEMPROF_PYTHON_PACKAGE_DIR ${CMAKE_BINARY_DIR}/python/sparkmemprof)

set(MEMPROF_PYTHONS "")
set(_pyenv_root "$ENV{PYENV_ROOT}")
if(NOT _pyenv_root)
  set(_pyenv_root "$ENV{HOME}/.pyenv")
endif()
foreach(tag IN LISTS MEMPROF_PYTHON_TAGS)
  string(REGEX REPLACE "^3" "3." version ${tag})
  file(GLOB candidates ${_pyenv_root}/versions/${version}.*/bin/python${version})
  set(on_path)
  string(REPLACE ":" ";" path_entries "$ENV{PATH}")
  foreach(entry IN LISTS path_entries)
    if(EXISTS "${entry}/python${version}" AND NOT entry MATCHES "/shims$")
      list(APPEND on_path "${entry}/python${version}")
    endif()
  endforeach()
  foreach(candidate IN LISTS on_path candidates)
    execute_process(
      COMMAND ${candidate} -c
        "import sysconfig, os; i = sysconfig.get_path('include'); assert os.path.exists(i + '/Python.h'); assert not sysconfig.get_config_var('Py_GIL_DISABLED'); print(i, sysconfig.get_config_var('EXT_SUFFIX'), sep=';')"
      OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      list(GET found 0 MEMPROF_PYTHON_${tag}_INCLUDE)
      list(GET found 1 MEMPROF_PYTHON_${tag}_SUFFIX)
      set(MEMPROF_PYTHON_${tag}_EXECUTABLE ${candidate})
      list(APPEND MEMPROF_PYTHONS ${tag})
      break()
    endif()
  endforeach()
endforeach()
message(STATUS "CPythons with headers: ${MEMPROF_PYTHONS}")
if(NOT "311" IN_LIST MEMPROF_PYTHONS)
  message(FATAL_ERROR "no CPython 3.11 with headers on PATH or under pyenv: apt-get install python3-dev, or pyenv install 3.11")
endif()

function(memprof_python_module name)
  cmake_parse_arguments(module "" "" "PYTHONS;SOURCES;LIBRARIES" ${ARGN})
  foreach(tag IN LISTS module_PYTHONS)
    add_library(${name}_${tag} MODULE ${module_SOURCES})
    target_include_directories(${name}_${tag} SYSTEM PRIVATE ${MEMPROF_PYTHON_${tag}_INCLUDE} ${MEMPROF_PYBIND11})
    target_link_libraries(${name}_${tag} PRIVATE ${module_LIBRARIES} memprof_warnings memprof_guest)
    set_target_properties(${name}_${tag} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX ${MEMPROF_PYTHON_${tag}_SUFFIX}
      LIBRARY_OUTPUT_DIRECTORY ${MEMPROF_PYTHON_PACKAGE_DIR})
    memprof_split_debug_symbols(${name}_${tag})
    install(TARGETS ${name}_${tag} LIBRARY DESTINATION sparkmemprof COMPONENT wheel)
  endforeach()
endfunction()
