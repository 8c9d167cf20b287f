// Thread starts and ends to be reported in the next dump. Any thread; bounded: beyond the bound
// they are dropped.
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

  std::optional<HprofThreadEvent> start_of(JNIEnv* jni, jthread thread) const;

  jvmtiEnv* const jvmti_;
  const jfieldID id_field_;  // null: no thread is reported
  std::mutex mutex_;
  std::vector<HprofThreadEvent> events_;
  std::unordered_set<std::int64_t> listed_;  // running threads whose own start event has not come
};

}  // namespace ddm
