# split_debug_info(TARGET): leaves what was linked without its debug information, which goes to a file
# of the same name with .debug behind it. The rest names that file (.gnu_debuglink), so that gdb, perf
# and addr2line find it beside the library, in .debug/ there, or under /usr/lib/debug.
#
# The symbol table goes with it: what is exported stays in .dynsym. Builds for debugging and with
# sanitizers stay whole.
function(split_debug_info target)
  if(NOT CMAKE_OBJCOPY OR NOT CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" OR DDM_SANITIZE OR DDM_FUZZERS)
    return()
  endif()
  set(_file $<TARGET_FILE:${target}>)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${_file} ${_file}.debug
    COMMAND ${CMAKE_OBJCOPY} --strip-all --add-gnu-debuglink=${_file}.debug ${_file}
    VERBATIM)
  set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES ${_file}.debug)
endfunction()
