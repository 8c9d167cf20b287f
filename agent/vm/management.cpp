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
constexpr int kGetThreadInfo = 4;
constexpr int kGetMemoryPools = 5;
constexpr int kGetMemoryManagers = 6;
constexpr int kGetMemoryPoolUsage = 7;
// Indices relative to GetMemoryUsage: GetLongAttribute follows, then these two.
constexpr int kGetBoolBehindUsage = 2;
constexpr int kSetBoolBehindUsage = 3;
constexpr jint kContentionMonitoring = 23;  // JMM_THREAD_CONTENTION_MONITORING

using GetManagement = void*(JNICALL*)(jint version);
using GetVersion = jint(JNICALL*)(JNIEnv*);
using GetMemoryPools = jobjectArray(JNICALL*)(JNIEnv*, jobject manager);
using GetMemoryPoolUsage = jobject(JNICALL*)(JNIEnv*, jobject pool);
using GetMemoryUsage = jobject(JNICALL*)(JNIEnv*, jboolean heap);
using DumpHeap = jint(JNICALL*)(JNIEnv*, jstring path, jboolean live);
using ExecuteDiagnosticCommand = jstring(JNICALL*)(JNIEnv*, jstring command);
using GetThreadInfo = jint(JNICALL*)(JNIEnv*, jlongArray ids, jint depth, jobjectArray infos);
using GetMemoryManagers = jobjectArray(JNICALL*)(JNIEnv*, jobject pool);
using GetBool = jboolean(JNICALL*)(JNIEnv*, jint attribute);
using SetBool = jboolean(JNICALL*)(JNIEnv*, jint attribute, jboolean value);

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

// The VM's function at that index, or at that of its version; null: not available.
template <typename Function>
Function function_at(JNIEnv* jni, int index) {
  const auto& table = find_table(jni);
  return table ? table->at<Function>(index) : nullptr;
}
template <typename Function>
Function function_at(JNIEnv* jni, int TableLayout::*index, int behind = 0) {
  const auto& table = find_table(jni);
  return table ? table->at<Function>(table->layout.*index + behind) : nullptr;
}

// Clears the pending exception and returns its message; "" if there was none.
std::string take_exception_message(JNIEnv* jni) {
  const LocalRef<jthrowable> thrown(jni, jni->ExceptionOccurred());
  if (!thrown) return "";
  jni->ExceptionClear();
  return java_text_from(jni, thrown.get(), "getMessage").value_or("an exception without a message");
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

struct InfoFields {
  jfieldID id, blocked_count, blocked_ms, waited_count, waited_ms, lock, owner, owner_name;

  static std::optional<InfoFields> find(JNIEnv* jni, jclass type) {
    const auto field = [&](const char* name, const char* signature) {
      return jni->ExceptionCheck() ? nullptr : jni->GetFieldID(type, name, signature);
    };
    constexpr char kText[] = "Ljava/lang/String;";
    const InfoFields fields{field("threadId", "J"),    field("blockedCount", "J"),
                            field("blockedTime", "J"), field("waitedCount", "J"),
                            field("waitedTime", "J"),  field("lockName", kText),
                            field("lockOwnerId", "J"), field("lockOwnerName", kText)};
    if (clear_exception(jni)) return std::nullopt;
    return fields;
  }

  ThreadInfo read(JNIEnv* jni, jobject info) const {
    const LocalRef<jobject> lock_name(jni, jni->GetObjectField(info, lock));
    const LocalRef<jobject> owner_text(jni, jni->GetObjectField(info, owner_name));
    return {jni->GetLongField(info, id),
            jni->GetLongField(info, blocked_count),
            jni->GetLongField(info, blocked_ms),
            jni->GetLongField(info, waited_count),
            jni->GetLongField(info, waited_ms),
            java_text(jni, static_cast<jstring>(lock_name.get())),
            jni->GetLongField(info, owner),
            java_text(jni, static_cast<jstring>(owner_text.get()))};
  }
};

std::optional<Collector> read_collector(JNIEnv* jni, jobject manager) {
  const LocalRef<jclass> type(jni, jni->GetObjectClass(manager));
  const jmethodID count = jni->GetMethodID(type.get(), "getCollectionCount", "()J");
  if (clear_exception(jni) || count == nullptr)
    return {};  // a pool outside the Java heap, such as the code cache
  const jmethodID time = jni->GetMethodID(type.get(), "getCollectionTime", "()J");
  if (clear_exception(jni) || time == nullptr) return {};
  auto name = java_text_from(jni, manager, "getName");
  if (!name) return {};
  Collector collector;
  collector.name = std::move(*name);
  collector.count = jni->CallLongMethod(manager, count);
  if (clear_exception(jni)) return {};
  collector.ms = jni->CallLongMethod(manager, time);
  if (clear_exception(jni)) return {};
  return collector;
}

}  // namespace

const std::optional<Table>& find_table(JNIEnv* jni) {
  static const std::optional<Table> table = search_table(jni);
  return table;
}

std::optional<std::string> run_diagnostic_command(JNIEnv* jni, const std::string& command) {
  const auto execute =
      function_at<ExecuteDiagnosticCommand>(jni, &TableLayout::execute_diagnostic_command);
  if (execute == nullptr) return std::nullopt;
  const LocalRef<jstring> text(jni, jni->NewStringUTF(command.c_str()));
  if (clear_exception(jni) || !text) return std::nullopt;
  const LocalRef<jstring> answer(jni, execute(jni, text.get()));
  if (clear_exception(jni) || !answer) return std::nullopt;
  return java_text(jni, answer.get());
}

jobjectArray memory_pools(JNIEnv* jni) {
  const auto get = function_at<GetMemoryPools>(jni, kGetMemoryPools);
  jobjectArray pools = get != nullptr ? get(jni, nullptr) : nullptr;
  return clear_exception(jni) ? nullptr : pools;
}

jobject memory_pool_usage(JNIEnv* jni, jobject pool) {
  const auto get = function_at<GetMemoryPoolUsage>(jni, kGetMemoryPoolUsage);
  jobject usage = get != nullptr ? get(jni, pool) : nullptr;
  return clear_exception(jni) ? nullptr : usage;
}

jobject heap_usage(JNIEnv* jni) {
  const auto get = function_at<GetMemoryUsage>(jni, &TableLayout::get_memory_usage);
  jobject usage = get != nullptr ? get(jni, JNI_TRUE) : nullptr;
  return clear_exception(jni) ? nullptr : usage;
}

std::string dump_heap(JNIEnv* jni, const std::string& path, jstring java_path, bool collects) {
  const auto dump = function_at<DumpHeap>(jni, &TableLayout::dump_heap);
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

std::vector<ThreadInfo> thread_infos(JNIEnv* jni, const std::vector<std::int64_t>& ids) {
  std::vector<ThreadInfo> result;
  const auto get = function_at<GetThreadInfo>(jni, kGetThreadInfo);
  const LocalFrame frame(jni, 16);
  if (get == nullptr || ids.empty() || !frame.good()) return result;
  // Missing in a VM without java.management.
  const jclass type = jni->FindClass("java/lang/management/ThreadInfo");
  if (clear_exception(jni) || type == nullptr) return result;
  const auto fields = InfoFields::find(jni, type);
  if (!fields) return result;
  const auto count = static_cast<jsize>(ids.size());
  const jlongArray wanted = jni->NewLongArray(count);
  const jobjectArray infos = wanted ? jni->NewObjectArray(count, type, nullptr) : nullptr;
  if (clear_exception(jni) || infos == nullptr) return result;
  jni->SetLongArrayRegion(wanted, 0, count, reinterpret_cast<const jlong*>(ids.data()));
  get(jni, wanted, 0, infos);
  if (clear_exception(jni)) return result;
  for (jsize i = 0; i < count; ++i) {
    const LocalRef<jobject> info(jni, jni->GetObjectArrayElement(infos, i));
    if (info) result.push_back(fields->read(jni, info.get()));
  }
  return result;
}

std::optional<bool> contention_timed(JNIEnv* jni) {
  const auto get = function_at<GetBool>(jni, &TableLayout::get_memory_usage, kGetBoolBehindUsage);
  if (get == nullptr) return {};
  const bool on = get(jni, kContentionMonitoring) == JNI_TRUE;
  return clear_exception(jni) ? std::nullopt : std::optional(on);
}

void time_contention(JNIEnv* jni, bool on) {
  const auto set = function_at<SetBool>(jni, &TableLayout::get_memory_usage, kSetBoolBehindUsage);
  if (set != nullptr) set(jni, kContentionMonitoring, on ? JNI_TRUE : JNI_FALSE);
  clear_exception(jni);
}

std::vector<Collector> collectors(JNIEnv* jni) {
  std::vector<Collector> result;
  const auto get = function_at<GetMemoryManagers>(jni, kGetMemoryManagers);
  const LocalFrame frame(jni, 32);
  if (get == nullptr || !frame.good()) return result;
  const jobjectArray managers = get(jni, nullptr);
  if (clear_exception(jni) || managers == nullptr) return result;
  const jsize count = jni->GetArrayLength(managers);
  for (jsize i = 0; i < count; ++i) {
    const LocalRef<jobject> manager(jni, jni->GetObjectArrayElement(managers, i));
    if (!manager) continue;
    if (auto collector = read_collector(jni, manager.get())) result.push_back(*collector);
  }
  return result;
}

}  // namespace ddm::management
