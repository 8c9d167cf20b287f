# One INTERFACE target that every target of the project links to: warnings and sanitizers.
add_library(ddm_build_flags INTERFACE)
target_compile_options(ddm_build_flags INTERFACE -Wall -Wextra -Wshadow)
if(DDM_WERROR)
  target_compile_options(ddm_build_flags INTERFACE -Werror)
endif()
if(DDM_SANITIZE)
  target_compile_options(ddm_build_flags INTERFACE
    -fsanitize=${DDM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ddm_build_flags INTERFACE -fsanitize=${DDM_SANITIZE})
endif()
