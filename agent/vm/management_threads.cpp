// Threads, contention and collectors of management.h.
#include "vm/java_text.h"
#include "vm/jvmti_memory.h"
#include "vm/management.h"
#include "vm/management_table.h"

namespace ddm::management {
namespace {

constexpr int kGetThreadInfo = 4;
constexpr int kGetMemoryManagers = 6;
// Indices relative to GetMemoryUsage: GetLongAttribute follows, then these two.
constexpr int kGetBoolBehindUsage = 2;
constexpr int kSetBoolBehindUsage = 3;
constexpr jint kContentionMonitoring = 23;  // JMM_THREAD_CONTENTION_MONITORING

using GetThreadInfo = jint(JNICALL*)(JNIEnv*, jlongArray ids, jint depth, jobjectArray infos);
using GetMemoryManagers = jobjectArray(JNICALL*)(JNIEnv*, jobject pool);
using GetBool = jboolean(JNICALL*)(JNIEnv*, jint attribute);
using SetBool = jboolean(JNICALL*)(JNIEnv*, jint attribute, jboolean value);

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
  const jmethodID name =
      time ? jni->GetMethodID(type.get(), "getName", "()Ljava/lang/String;") : nullptr;
  if (clear_exception(jni) || name == nullptr) return {};
  Collector collector;
  const LocalRef<jstring> text(jni, static_cast<jstring>(jni->CallObjectMethod(manager, name)));
  if (clear_exception(jni)) return {};
  collector.name = java_text(jni, text.get());
  collector.count = jni->CallLongMethod(manager, count);
  if (clear_exception(jni)) return {};
  collector.ms = jni->CallLongMethod(manager, time);
  if (clear_exception(jni)) return {};
  return collector;
}

}  // namespace

std::vector<ThreadInfo> thread_infos(JNIEnv* jni, const std::vector<std::int64_t>& ids) {
  std::vector<ThreadInfo> result;
  const auto& table = find_table(jni);
  const auto get = table ? table->at<GetThreadInfo>(kGetThreadInfo) : nullptr;
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
  const auto& table = find_table(jni);
  if (!table) return {};
  const auto get = table->at<GetBool>(table->layout.get_memory_usage + kGetBoolBehindUsage);
  if (get == nullptr) return {};
  const bool on = get(jni, kContentionMonitoring) == JNI_TRUE;
  return clear_exception(jni) ? std::nullopt : std::optional(on);
}

void time_contention(JNIEnv* jni, bool on) {
  const auto& table = find_table(jni);
  if (!table) return;
  const auto set = table->at<SetBool>(table->layout.get_memory_usage + kSetBoolBehindUsage);
  if (set != nullptr) set(jni, kContentionMonitoring, on ? JNI_TRUE : JNI_FALSE);
  clear_exception(jni);
}

std::vector<Collector> collectors(JNIEnv* jni) {
  std::vector<Collector> result;
  const auto& table = find_table(jni);
  const auto get = table ? table->at<GetMemoryManagers>(kGetMemoryManagers) : nullptr;
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
