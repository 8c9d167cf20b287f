# The target ddm_pugixml: pugixml as a static library. Debian's is position independent, so it goes
# into the agent, which must not need the shared one at load time.
find_path(PUGIXML_INCLUDE pugixml.hpp REQUIRED)
find_library(PUGIXML_STATIC libpugixml.a REQUIRED)
add_library(ddm_pugixml INTERFACE)
target_include_directories(ddm_pugixml SYSTEM INTERFACE ${PUGIXML_INCLUDE})
target_link_libraries(ddm_pugixml INTERFACE ${PUGIXML_STATIC})
