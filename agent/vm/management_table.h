// The function table behind management.h: jmm.h of the JDK, obtained from JVM_GetManagement.
#pragma once

#include <jni.h>

#include <optional>

namespace ddm::management {

// JMM_VERSION_4 (JDK 21 to 25) has one function more in the middle than JMM_VERSION_3 (17); the
// table of JDK 26 to 28, version 0x20050000, has the same functions. Other versions are not used.
struct TableLayout {
  jint version;
  int get_memory_usage;
  int dump_heap;
  int execute_diagnostic_command;
};

struct Table {
  void* const* functions;
  TableLayout layout;

  template <typename Function>
  Function at(int index) const {
    return reinterpret_cast<Function>(functions[index]);
  }
};

const std::optional<Table>& find_table(JNIEnv* jni);

}  // namespace ddm::management
