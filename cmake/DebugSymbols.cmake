# memprof_split_debug_symbols(TARGET): the library keeps what a loader needs; its debug symbols lie beside it, in NAME.debug, where
# gdb, addr2line and `sparkmemprof symbolize` find them by the library's debug link.
function(memprof_split_debug_symbols target)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug $<TARGET_FILE:${target}> $<TARGET_FILE:${target}>.debug
    COMMAND ${CMAKE_STRIP} --strip-unneeded $<TARGET_FILE:${target}>
    COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=$<TARGET_FILE:${target}>.debug $<TARGET_FILE:${target}>
    VERBATIM)
endfunction()
