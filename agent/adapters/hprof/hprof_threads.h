// Threads that have started and ended, for the next dump to tell. Any thread; bounded: what is too
// much is left out.
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
  std::string name;  // of a start; as JVMTI gives names
  std::string group;
};

class HprofThreads {
 public:
  HprofThreads(jvmtiEnv* jvmti, JNIEnv* jni);  // in the live phase

  // Once started() and ended() are called: those that run already.
  void list(JNIEnv* jni);

  void started(JNIEnv* jni, jthread thread);
  void ended(JNIEnv* jni, jthread thread);

  std::vector<HprofThreadEvent> take();

 private:
  static constexpr std::size_t kMostEvents = 65536;

  std::optional<HprofThreadEvent> start_of(JNIEnv* jni, jthread thread) const;

  jvmtiEnv* const jvmti_;
  const jfieldID id_field_;  // null: no thread is told of
  std::mutex mutex_;
  std::vector<HprofThreadEvent> events_;
  std::unordered_set<std::int64_t> listed_;  // that have not said themselves that they start
};

}  // namespace ddm
