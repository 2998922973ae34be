# memprof_precompile(TARGET HEADER…): these headers are parsed once instead of once a file. memprof_precompile(TARGET REUSE OTHER):
# those of OTHER, which is compiled with the same flags. They are a matter of speed alone: each file includes what it uses, which
# preset asan proves, as it has none.
option(MEMPROF_PRECOMPILED_HEADERS "Parse the headers that most files include once" ON)

function(memprof_precompile target)
  if(NOT MEMPROF_PRECOMPILED_HEADERS)
    return()
  endif()
  cmake_parse_arguments(precompile "" "REUSE" "" ${ARGN})
  if(precompile_REUSE)
    target_precompile_headers(${target} REUSE_FROM ${precompile_REUSE})
  else()
    target_precompile_headers(${target} PRIVATE ${precompile_UNPARSED_ARGUMENTS})
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache wants it
endfunction()

# Of the standard library, what most of our files include.
set(MEMPROF_STANDARD_HEADERS
  <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <memory_resource> <mutex> <numeric> <optional> <set> <string>
  <string_view> <thread> <tuple> <unordered_map> <utility> <vector>)
