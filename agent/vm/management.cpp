#include "vm/management.h"

#include <unistd.h>

#include "vm/java_text.h"
#include "vm/jvmti_memory.h"
#include "vm/management_table.h"
#include "vm/vm_library.h"

namespace ddm::management {
namespace {

constexpr TableLayout kLayouts[] = {
    {0x20050000, 12, 30, 39}, {0x20040000, 12, 30, 39}, {0x20030000, 11, 29, 38}};
constexpr int kGetVersion = 2;
constexpr int kGetMemoryPools = 5;
constexpr int kGetMemoryPoolUsage = 7;

using GetManagement = void*(JNICALL*)(jint version);
using GetVersion = jint(JNICALL*)(JNIEnv*);
using GetMemoryPools = jobjectArray(JNICALL*)(JNIEnv*, jobject manager);
using GetMemoryPoolUsage = jobject(JNICALL*)(JNIEnv*, jobject pool);
using GetMemoryUsage = jobject(JNICALL*)(JNIEnv*, jboolean heap);
using DumpHeap = jint(JNICALL*)(JNIEnv*, jstring path, jboolean live);
using ExecuteDiagnosticCommand = jstring(JNICALL*)(JNIEnv*, jstring command);

std::optional<Table> search_table(JNIEnv* jni) {
  void* symbol = vm_library::symbol("JVM_GetManagement");
  if (symbol == nullptr) return std::nullopt;
  const auto get_management = reinterpret_cast<GetManagement>(symbol);
  for (const TableLayout& layout : kLayouts) {
    auto* const* functions = static_cast<void* const*>(get_management(layout.version));
    if (functions == nullptr) continue;
    const auto get_version = reinterpret_cast<GetVersion>(functions[kGetVersion]);
    if (get_version == nullptr || get_version(jni) != layout.version) continue;
    return Table{functions, layout};
  }
  return std::nullopt;
}

// Clears the pending exception and returns its message; "" if there was none.
std::string take_exception_message(JNIEnv* jni) {
  const LocalRef<jthrowable> thrown(jni, jni->ExceptionOccurred());
  if (!thrown) return "";
  jni->ExceptionClear();
  const LocalRef<jclass> type(jni, jni->GetObjectClass(thrown.get()));
  const jmethodID get_message = jni->GetMethodID(type.get(), "getMessage", "()Ljava/lang/String;");
  const LocalRef<jstring> message(
      jni, get_message == nullptr
               ? nullptr
               : static_cast<jstring>(jni->CallObjectMethod(thrown.get(), get_message)));
  const bool failed = clear_exception(jni);
  return failed || !message ? "an exception without a message" : java_text(jni, message.get());
}

// Requests the dump from com.sun.management.HotSpotDiagnosticMXBean. "" or the error.
std::string dump_by_bean(JNIEnv* jni, jstring path, bool live) {
  constexpr const char* kNone = "this VM offers no heap dumps";
  const LocalRef<jclass> type(jni, jni->FindClass("com/sun/management/HotSpotDiagnosticMXBean"));
  if (clear_exception(jni) || !type) return kNone;
  const LocalRef<jclass> factory(jni, jni->FindClass("java/lang/management/ManagementFactory"));
  if (clear_exception(jni) || !factory) return kNone;
  const jmethodID get =
      jni->GetStaticMethodID(factory.get(), "getPlatformMXBean",
                             "(Ljava/lang/Class;)Ljava/lang/management/PlatformManagedObject;");
  if (clear_exception(jni) || get == nullptr) return kNone;
  const jmethodID dump = jni->GetMethodID(type.get(), "dumpHeap", "(Ljava/lang/String;Z)V");
  if (clear_exception(jni) || dump == nullptr) return kNone;
  const LocalRef<jobject> bean(jni, jni->CallStaticObjectMethod(factory.get(), get, type.get()));
  if (clear_exception(jni) || !bean) return kNone;
  jni->CallVoidMethod(bean.get(), dump, path, static_cast<jboolean>(live ? JNI_TRUE : JNI_FALSE));
  return take_exception_message(jni);
}

}  // namespace

const std::optional<Table>& find_table(JNIEnv* jni) {
  static const std::optional<Table> table = search_table(jni);
  return table;
}

std::optional<std::string> run_diagnostic_command(JNIEnv* jni, const std::string& command) {
  const auto& table = find_table(jni);
  if (!table) return std::nullopt;
  const auto execute =
      table->at<ExecuteDiagnosticCommand>(table->layout.execute_diagnostic_command);
  if (execute == nullptr) return std::nullopt;
  const LocalRef<jstring> text(jni, jni->NewStringUTF(command.c_str()));
  if (clear_exception(jni) || !text) return std::nullopt;
  const LocalRef<jstring> answer(jni, execute(jni, text.get()));
  if (clear_exception(jni) || !answer) return std::nullopt;
  return java_text(jni, answer.get());
}

jobjectArray memory_pools(JNIEnv* jni) {
  const auto& table = find_table(jni);
  const auto get = table ? table->at<GetMemoryPools>(kGetMemoryPools) : nullptr;
  if (get == nullptr) return nullptr;
  jobjectArray pools = get(jni, nullptr);
  return clear_exception(jni) ? nullptr : pools;
}

jobject memory_pool_usage(JNIEnv* jni, jobject pool) {
  const auto& table = find_table(jni);
  const auto get = table ? table->at<GetMemoryPoolUsage>(kGetMemoryPoolUsage) : nullptr;
  if (get == nullptr) return nullptr;
  jobject usage = get(jni, pool);
  return clear_exception(jni) ? nullptr : usage;
}

jobject heap_usage(JNIEnv* jni) {
  const auto& table = find_table(jni);
  const auto get = table ? table->at<GetMemoryUsage>(table->layout.get_memory_usage) : nullptr;
  if (get == nullptr) return nullptr;
  jobject usage = get(jni, JNI_TRUE);
  return clear_exception(jni) ? nullptr : usage;
}

std::string dump_heap(JNIEnv* jni, const std::string& path, jstring java_path, bool collects) {
  const auto& table = find_table(jni);
  const auto dump = table ? table->at<DumpHeap>(table->layout.dump_heap) : nullptr;
  const LocalRef<jstring> text(jni,
                               java_path == nullptr ? jni->NewStringUTF(path.c_str()) : nullptr);
  if (java_path == nullptr) java_path = text.get();
  if (clear_exception(jni) || java_path == nullptr) return "no memory for the path";
  std::string thrown;
  if (dump == nullptr) {
    thrown = dump_by_bean(jni, java_path, collects);
  } else {
    dump(jni, java_path, collects ? JNI_TRUE : JNI_FALSE);
    thrown = take_exception_message(jni);
  }
  if (!thrown.empty()) return thrown;
  return access(path.c_str(), F_OK) == 0 ? "" : "the VM has written no file";
}

}  // namespace ddm::management
