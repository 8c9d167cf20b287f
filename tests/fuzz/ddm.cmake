# ddm_fuzz: framing, dispatcher and every decoder of agent/ddm. The sources are built again here,
# with the fuzzer's instrumentation. Run: build/fuzz/bin/ddm_fuzz tests/corpus/ddm
file(GLOB _ddm_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/agent/ddm/*.cpp)
add_executable(ddm_fuzz ${CMAKE_CURRENT_LIST_DIR}/ddm_fuzz.cpp ${_ddm_sources})
target_include_directories(ddm_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/agent)
target_compile_options(ddm_fuzz PRIVATE -fsanitize=fuzzer,address,undefined
  -fno-sanitize-recover=all)
target_link_options(ddm_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
target_link_libraries(ddm_fuzz PRIVATE ddm_build_flags ZLIB::ZLIB Threads::Threads)
if(TARGET fuzzers)
  add_dependencies(fuzzers ddm_fuzz)
endif()
