// Thread starts and ends to be reported in the next dump. Any thread; bounded: beyond the bound
// starts are dropped. A thread whose start is not reported has no end, either: the agent's own ones
// are not known as such any more when they end.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace ddm {

struct HprofThreadEvent {
  std::int64_t id = 0;
  bool start = false;
  std::string name;  // for a start; the name as JVMTI returns it
  std::string group;
};

class HprofThreads {
 public:
  HprofThreads(jvmtiEnv* jvmti, JNIEnv* jni);  // in the live phase

  // Adds the running threads, once started() and ended() are being called.
  void list(JNIEnv* jni);

  void started(JNIEnv* jni, jthread thread);
  void ended(JNIEnv* jni, jthread thread);

  std::vector<HprofThreadEvent> take();

 private:
  static constexpr std::size_t kMostEvents = 65536;

  // Null: one of the agent's own.
  std::optional<HprofThreadEvent> start_of(JNIEnv* jni, jthread thread) const;

  jvmtiEnv* const jvmti_;
  const jfieldID id_field_;  // null: no thread is reported
  std::mutex mutex_;
  std::vector<HprofThreadEvent> events_;
  std::unordered_set<std::int64_t> running_;  // ids of threads whose start was added
};

}  // namespace ddm
