# The target ddm_fmt: fmt's headers and, compiled once, what they declare.
find_package(fmt REQUIRED)
add_library(ddm_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
get_target_property(_fmt_headers fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(ddm_fmt SYSTEM PUBLIC ${_fmt_headers})
target_link_libraries(ddm_fmt PRIVATE ddm_build_flags)
