// The table of functions behind management.h: jmm.h of the JDK, reached through JVM_GetManagement.
#pragma once

#include <jni.h>

#include <optional>
#include <string>

namespace ddm::management {

// jmm.h: a table of functions. JMM_VERSION_4 (JDK 21 to 25) has one function more in the middle than
// JMM_VERSION_3 (17); that of JDK 26 to 28, 0x20050000, has the same ones. A VM of yet another version
// gives no table.
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

// "" for null.
std::string to_string(JNIEnv* jni, jstring text);

}  // namespace ddm::management
