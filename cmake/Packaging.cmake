# What `cmake --install` puts where, and the packages that CPack makes of it (a .deb and a .tar.gz with
# checksums): `cpack --config build/release/CPackConfig.cmake`.
#
# The libraries go to lib/, not to lib/x86_64-linux-gnu: `java -agentlib:ddmagent` finds /usr/lib with any
# JDK, and the command looks for the library in ../lib of itself.

# A package is made of what is built, and builds nothing.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)

install(TARGETS ddm RUNTIME DESTINATION bin)
install(TARGETS ddmagent LIBRARY DESTINATION lib)
install(PROGRAMS ${CMAKE_BINARY_DIR}/lib/libhprof.so DESTINATION lib)
install(FILES ${CMAKE_BINARY_DIR}/lib/ddm-client.jar ${CMAKE_BINARY_DIR}/lib/ddm-test.jar
              ${CMAKE_BINARY_DIR}/lib/ddm-instrumenter.jar
        DESTINATION share/java)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/ddmagent)
install(DIRECTORY docs DESTINATION share/doc/ddmagent)
install(FILES LICENSE DESTINATION share/doc/ddmagent RENAME copyright)
install(FILES ${CMAKE_BINARY_DIR}/share/ddm.man DESTINATION share/man/man1 RENAME ddm.1)
install(FILES ${CMAKE_BINARY_DIR}/share/ddm.bash DESTINATION share/bash-completion/completions
        RENAME ddm)
# zsh looks into the first below /usr/local, Debian's into the second below /usr.
foreach(_site site-functions vendor-completions)
  install(FILES ${CMAKE_BINARY_DIR}/share/ddm.zsh DESTINATION share/zsh/${_site} RENAME _ddm)
endforeach()
# The symbols of what is stripped, in no package: `cmake --install build/release --component symbols`.
install(FILES ${CMAKE_BINARY_DIR}/lib/libddmagent.so.debug ${CMAKE_BINARY_DIR}/bin/ddm.debug
        DESTINATION lib/debug/ddmagent COMPONENT symbols EXCLUDE_FROM_ALL OPTIONAL)

set(CPACK_PACKAGE_NAME ddmagent)
set(CPACK_PACKAGE_VENDOR "ddmagent")
set(CPACK_PACKAGE_CONTACT "libddmagent maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME "ddmagent-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION java)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libunwind8")
find_program(DDM_SHLIBDEPS dpkg-shlibdeps)
find_program(DDM_FILE file)  # which CPack asks with it
if(DDM_SHLIBDEPS AND DDM_FILE)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36), libstdc++6 (>= 12), zlib1g, libpng16-16, libncursesw6, libtinfo6")
endif()
include(CPack)
