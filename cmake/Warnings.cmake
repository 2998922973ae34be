# Interface targets every own target links to: warnings as errors, and what differs between the hook room and ordinary code.

add_library(memprof_warnings INTERFACE)
target_compile_options(memprof_warnings INTERFACE -Wall -Wextra -Werror -Wshadow -Wno-missing-field-initializers)
if(MEMPROF_SANITIZE)
  target_compile_options(memprof_warnings INTERFACE -fsanitize=${MEMPROF_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(memprof_warnings INTERFACE -fsanitize=${MEMPROF_SANITIZE})
  if(MEMPROF_SANITIZE MATCHES "undefined")
    target_compile_options(memprof_warnings INTERFACE -fno-sanitize=vptr)  # asks for type information, which core has none of
  endif()
  if(MEMPROF_SANITIZE MATCHES "thread")
    target_compile_options(memprof_warnings INTERFACE -Wno-tsan)  # it does not follow fences; those in hooking/ are meant
  endif()
endif()

# Code that may run inside malloc, a GC callback or a forked child.
add_library(memprof_hook_rules INTERFACE)
target_compile_options(memprof_hook_rules INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
target_link_libraries(memprof_hook_rules INTERFACE memprof_warnings)

# What gets loaded into other people's processes: no dependency on their libstdc++, no symbol of ours in their way.
add_library(memprof_guest INTERFACE)
if(NOT MEMPROF_SANITIZE)
  target_link_options(memprof_guest INTERFACE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
endif()
