# The JVMTI and JNI headers come from a JDK 17 or newer; javac and jar from the same place.
# The oldest JDK found is taken, so that nothing newer than the supported minimum is used.
# Sets DDM_JDK_HOME and the INTERFACE target ddm_jni_headers.
if(NOT DDM_JDK_HOME)
  file(GLOB _headers /usr/lib/jvm/*/include/jvmti.h)
  list(SORT _headers COMPARE NATURAL)
  foreach(_header IN LISTS _headers)
    get_filename_component(_home ${_header}/../.. ABSOLUTE)
    get_filename_component(_home ${_home} REALPATH)
    if(NOT EXISTS ${_home}/release)
      continue()
    endif()
    file(STRINGS ${_home}/release _version REGEX "^JAVA_VERSION=")
    string(REGEX REPLACE "^JAVA_VERSION=\"([0-9]+).*" "\\1" _major "${_version}")
    if(_major GREATER_EQUAL 17 AND (NOT DDM_JDK_HOME OR _major LESS _best))
      set(DDM_JDK_HOME ${_home})
      set(_best ${_major})
    endif()
  endforeach()
endif()
if(NOT DDM_JDK_HOME)
  message(FATAL_ERROR "No JDK 17 or newer under /usr/lib/jvm; install openjdk-17-jdk-headless "
                      "or pass -DDDM_JDK_HOME=DIR")
endif()
message(STATUS "JDK headers and javac: ${DDM_JDK_HOME}")
add_library(ddm_jni_headers INTERFACE)
target_include_directories(ddm_jni_headers SYSTEM INTERFACE
  ${DDM_JDK_HOME}/include ${DDM_JDK_HOME}/include/linux)
