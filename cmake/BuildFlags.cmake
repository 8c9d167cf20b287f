# One INTERFACE target that every target of the project links to: warnings, sanitizers, and how much memory
# the compiler takes.
add_library(ddm_build_flags INTERFACE)
target_compile_options(ddm_build_flags INTERFACE -Wall -Wextra -Wshadow)
if(DDM_WERROR)
  target_compile_options(ddm_build_flags INTERFACE -Werror)
endif()
# gcc spends a seventh of its time on collecting its own garbage, to save a quarter of 2 GB.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(ddm_build_flags INTERFACE --param=ggc-min-heapsize=4000000)
endif()
# The linker leaves out what nothing calls.
if(NOT DDM_SANITIZE)
  target_compile_options(ddm_build_flags INTERFACE -ffunction-sections -fdata-sections)
  target_link_options(ddm_build_flags INTERFACE -Wl,--gc-sections)
endif()
if(DDM_SANITIZE)
  target_compile_options(ddm_build_flags INTERFACE
    -fsanitize=${DDM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ddm_build_flags INTERFACE -fsanitize=${DDM_SANITIZE})
  # The race detector does not follow fences. Those here order reads of the VM's own memory, which it
  # does not see either (vm/memory/heap_pauses.h).
  if(DDM_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(ddm_build_flags INTERFACE -Wno-tsan)
  endif()
endif()
