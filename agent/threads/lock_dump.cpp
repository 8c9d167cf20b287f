#include "threads/lock_dump.h"

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/class_names.h"
#include "threads/thread_stacks.h"
#include "vm/java_text.h"
#include "vm/jvmti_memory.h"
#include "vm/management_table.h"

namespace ddm {
namespace {

constexpr int kDumpThreadsBehindDumpHeap = 4;
constexpr jint kDumpRefs = 32;

using DumpAllThreads = jobjectArray(JNICALL*)(JNIEnv*, jlongArray ids, jboolean monitors,
                                              jboolean synchronizers, jint depth);

constexpr char kStringType[] = "Ljava/lang/String;";

// Fields of the classes in a thread dump. The VM itself keeps these classes loaded.
struct DumpLayout {
  jfieldID name, id, state, lock, owner_id, owner, stack, monitors;  // ThreadInfo
  jfieldID lock_class, lock_hash;                                    // LockInfo
  jfieldID depth;                                                    // MonitorInfo
  jfieldID frame_class, method, file, line;                          // StackTraceElement
  jfieldID frame_class_object;  // its Class; null: this JDK has no such field
  jobject blocked;              // Thread.State.BLOCKED, a local reference

  static std::optional<DumpLayout> find(JNIEnv* jni) {
    const auto type = [&](const char* class_name) {
      return jni->ExceptionCheck() ? nullptr : jni->FindClass(class_name);
    };
    const jclass info = type("java/lang/management/ThreadInfo");
    const jclass lock = type("java/lang/management/LockInfo");
    const jclass monitor = type("java/lang/management/MonitorInfo");
    const jclass element = type("java/lang/StackTraceElement");
    const jclass states = type("java/lang/Thread$State");
    const auto field = [&](jclass of, const char* field_name, const char* signature) {
      return jni->ExceptionCheck() ? nullptr : jni->GetFieldID(of, field_name, signature);
    };
    DumpLayout found{};
    found.name = field(info, "threadName", kStringType);
    found.id = field(info, "threadId", "J");
    found.state = field(info, "threadState", "Ljava/lang/Thread$State;");
    found.lock = field(info, "lock", "Ljava/lang/management/LockInfo;");
    found.owner_id = field(info, "lockOwnerId", "J");
    found.owner = field(info, "lockOwnerName", kStringType);
    found.stack = field(info, "stackTrace", "[Ljava/lang/StackTraceElement;");
    found.monitors = field(info, "lockedMonitors", "[Ljava/lang/management/MonitorInfo;");
    found.lock_class = field(lock, "className", kStringType);
    found.lock_hash = field(lock, "identityHashCode", "I");
    found.depth = field(monitor, "stackDepth", "I");
    found.frame_class = field(element, "declaringClass", kStringType);
    found.method = field(element, "methodName", kStringType);
    found.file = field(element, "fileName", kStringType);
    found.line = field(element, "lineNumber", "I");
    const jfieldID blocked =
        jni->ExceptionCheck()
            ? nullptr
            : jni->GetStaticFieldID(states, "BLOCKED", "Ljava/lang/Thread$State;");
    if (clear_exception(jni)) return std::nullopt;
    found.blocked = jni->GetStaticObjectField(states, blocked);
    found.frame_class_object = field(element, "declaringClassObject", "Ljava/lang/Class;");
    clear_exception(jni);
    return found;
  }
};

class DumpReader {
 public:
  DumpReader(jvmtiEnv* jvmti, JNIEnv* jni, const DumpLayout& layout)
      : jvmti_(jvmti), jni_(jni), layout_(layout) {}

  std::optional<ThreadLocks::Thread> thread(jobject info) const {
    const LocalFrame frame(jni_, kDumpRefs);
    if (!frame.good()) return std::nullopt;
    ThreadLocks::Thread thread;
    thread.java_id = jni_->GetLongField(info, layout_.id);
    thread.name = text(info, layout_.name);
    read_frames(info, thread);
    read_held(info, thread);
    const jobject lock = jni_->GetObjectField(info, layout_.lock);
    if (lock == nullptr) return thread;
    thread.lock = lock_of(lock);
    // A carrier "parks" on the virtual thread that it runs.
    if (thread.lock.class_name == "java.lang.VirtualThread") return thread;
    thread.waits = waits_of(info, thread);
    const jlong owner = jni_->GetLongField(info, layout_.owner_id);
    if (owner > 0) {
      thread.owner_id = owner;
      thread.owner = text(info, layout_.owner);
    }
    return thread;
  }

 private:
  std::string text(jobject object, jfieldID field) const {
    const LocalRef<jobject> value(jni_, jni_->GetObjectField(object, field));
    return java_text(jni_, static_cast<jstring>(value.get()));
  }

  ThreadLocks::Lock lock_of(jobject lock) const {
    return {text(lock, layout_.lock_class),
            static_cast<std::uint32_t>(jni_->GetIntField(lock, layout_.lock_hash))};
  }

  ThreadLocks::Waits waits_of(jobject info, const ThreadLocks::Thread& thread) const {
    const LocalRef<jobject> state(jni_, jni_->GetObjectField(info, layout_.state));
    if (jni_->IsSameObject(state.get(), layout_.blocked)) return ThreadLocks::Waits::kEnter;
    const bool in_object =
        !thread.frames.empty() && thread.frames[0].class_name == "java.lang.Object";
    return in_object ? ThreadLocks::Waits::kWait : ThreadLocks::Waits::kPark;
  }

  // Calls sink(element) for each element of the array.
  template <typename Sink>
  void each(jobject owner, jfieldID field, Sink sink) const {
    const LocalRef<jobject> list(jni_, jni_->GetObjectField(owner, field));
    if (!list) return;
    const auto array = static_cast<jobjectArray>(list.get());
    const jsize count = jni_->GetArrayLength(array);
    for (jsize i = 0; i < count; ++i) {
      const LocalRef<jobject> element(jni_, jni_->GetObjectArrayElement(array, i));
      if (element) sink(element.get());
    }
  }

  void read_frames(jobject info, ThreadLocks::Thread& thread) const {
    each(info, layout_.stack, [&](jobject element) {
      thread.frames.push_back({text(element, layout_.frame_class), text(element, layout_.method),
                               file_of(element), jni_->GetIntField(element, layout_.line)});
    });
  }

  // The VM gives no file for a frame in an old version of a method, whose class was changed since.
  std::string file_of(jobject element) const {
    std::string name = text(element, layout_.file);
    if (!name.empty() || layout_.frame_class_object == nullptr) return name;
    const LocalRef<jobject> owner(jni_, jni_->GetObjectField(element, layout_.frame_class_object));
    JvmtiPtr<char> file(jvmti_);
    if (owner && jvmti_->GetSourceFileName(static_cast<jclass>(owner.get()), file.out()) ==
                     JVMTI_ERROR_NONE) {
      name = text_of(file);
    }
    return name;
  }

  void read_held(jobject info, ThreadLocks::Thread& thread) const {
    each(info, layout_.monitors, [&](jobject monitor) {
      thread.held.push_back({lock_of(monitor), jni_->GetIntField(monitor, layout_.depth)});
    });
  }

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  const DumpLayout& layout_;
};

// Of a lock that is a Class object (a static synchronized method) the VM tells only the identity
// hash code: it becomes that of the loaded class that has it.
void name_class_objects(jvmtiEnv* jvmti, JNIEnv* jni, ThreadLocks& locks) {
  std::unordered_map<jint, std::vector<ThreadLocks::Lock*>> unnamed;
  const auto look_at = [&](ThreadLocks::Lock& lock) {
    if (lock.class_name == kClassObject) unnamed[static_cast<jint>(lock.hash)].push_back(&lock);
  };
  for (ThreadLocks::Thread& thread : locks.threads) {
    look_at(thread.lock);
    for (ThreadLocks::Held& held : thread.held) look_at(held.lock);
  }
  if (unnamed.empty()) return;
  const LocalFrame frame(jni, kDumpRefs);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (!frame.good() || jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count && !unnamed.empty(); ++i) {
    jint hash = 0;
    if (jvmti->GetObjectHashCode(classes[i], &hash) != JVMTI_ERROR_NONE) continue;
    const auto found = unnamed.find(hash);
    if (found == unnamed.end()) continue;
    const ClassSignature signature(jvmti, classes[i]);
    if (!signature) continue;
    const std::string name = class_object_name(type_name_of(text_of(signature)));
    for (ThreadLocks::Lock* lock : found->second) lock->class_name = name;
    unnamed.erase(found);
  }
}

}  // namespace

Result<ThreadLocks> dump_locks(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LocalFrame frame(jni, kDumpRefs);
  const auto& table = management::find_table(jni);
  const auto dump =
      table ? table->at<DumpAllThreads>(table->layout.dump_heap + kDumpThreadsBehindDumpHeap)
            : nullptr;
  if (dump == nullptr || !frame.good()) return Error{"this VM has no management interface"};
  const auto layout = DumpLayout::find(jni);
  if (!layout) return Error{"this VM has no java.management"};
  const jobjectArray infos = dump(jni, nullptr, JNI_TRUE, JNI_FALSE, kMaxStackFrames);
  if (clear_exception(jni) || infos == nullptr) return Error{"the VM has dumped no threads"};
  const DumpReader reader(jvmti, jni, *layout);
  ThreadLocks locks;
  const jsize count = jni->GetArrayLength(infos);
  for (jsize i = 0; i < count; ++i) {
    const LocalRef<jobject> info(jni, jni->GetObjectArrayElement(infos, i));
    if (!info) continue;
    if (auto thread = reader.thread(info.get())) locks.threads.push_back(std::move(*thread));
  }
  name_class_objects(jvmti, jni, locks);
  return locks;
}

}  // namespace ddm
