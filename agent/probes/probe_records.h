// The hits that probes record: `this`, arguments, return value or exception, and the stack.
// Bounded: the records of a probe, the characters of a value, and the bytes of text of a set.
//
// opened() and kept() run on the threads that hit a probe, and run no code of the program; a probe
// that is hit inside these two is only counted. Everything else on one attached thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "allocations/store/alloc_record.h"
#include "core/tick_clock.h"
#include "probes/object_text.h"
#include "probes/sinks_class.h"
#include "report/time_data.h"
#include "stack/stack_naming.h"
#include "vm/thread_fields.h"
#include "wire/chunks/probes.h"

namespace ddm {

class ProbeRecords final : public SinkReceiver {
 public:
  explicit ProbeRecords(const SinkCells& cells) : cells_(cells) {}

  // "" or the error. Called for every set, since the way to walk stacks may have changed since the
  // previous one.
  std::string open(jvmtiEnv* jvmti, JNIEnv* jni, const std::optional<StackNaming>& naming);

  using Probe = std::int32_t;  // its counter or timer
  using ProbeSetId = std::uint64_t;

  // Hits of the probe are recorded as long as there is room. `kinds`: the first letters of the
  // descriptors of the return value, then of each argument; "" for a probe on a field.
  void begin(JNIEnv* jni, Probe probe, ProbeSetId set, const ProbeRequest& request,
             std::string kinds);
  // Hits of the probe are no longer recorded; existing records stay until forget().
  void end(JNIEnv* jni, Probe probe);
  void forget(ProbeSetId set);

  std::vector<ProbeFindings::Record> found(Probe probe) const;
  // CPU that the native methods have used, in nanoseconds, and the number of their calls.
  struct Cost {
    double ns = 0;
    std::int64_t calls = 0;
  };
  Cost cost(Probe probe) const;
  struct Limit {
    std::size_t text = 0;  // bytes of the set's records, approximately
    bool full = false;     // there was no room for a hit; later ones are only counted
    std::vector<Probe> probes;
  };
  Limit limit(ProbeSetId set) const;

  void add_names(NamesInUse& used) const;

  // `number`: of the argument, from 1 on; or one of the others in sinks.h.
  jint opened(JNIEnv* jni, jint probe) noexcept override;
  void kept(JNIEnv* jni, jint record, jint number, jlong value) noexcept override;
  void kept(JNIEnv* jni, jint record, jint number, jdouble value) noexcept override;
  void kept(JNIEnv* jni, jint record, jint number, jobject value) noexcept override;

 private:
  static constexpr std::size_t kMostText = std::size_t{32} << 20;  // bytes, of a set

  struct Recorded {
    bool on = false;
    ProbeSetId set = 0;
    std::uint8_t what = 0;
    int depth = 0;
    std::uint32_t most = 0, taken = 0;
    std::string kinds;
    Ticks ticks = 0;
    std::int64_t calls = 0;
    std::vector<jint> records;  // keys of records_; those of earlier sets may be gone
  };
  struct Record {
    Probe probe = 0;
    ProbeSetId set = 0;
    bool complete = false;
    std::vector<Frame> frames;
    ProbeFindings::Record findings;
  };

  void store_value(jint record, jint number, std::string text, Ticks begun_cpu);
  void store_time(jint record, jlong ns) noexcept;
  template <typename Text>
  void store_text(jint record, jint number, Text text_of) noexcept;
  char kind_of(jint record, jint number) const;
  int depth_of(jint record) const;
  std::string thread_name(JNIEnv* jni) const;
  std::vector<ProbeFindings::Frame> shown(const std::vector<Frame>& frames) const;

  const SinkCells& cells_;
  jvmtiEnv* jvmti_ = nullptr;
  std::optional<ThreadFields> threads_;
  ObjectText objects_;

  mutable std::mutex mutex_;  // of all below
  std::optional<StackNaming> naming_;
  std::map<Probe, Recorded> probes_;
  std::map<ProbeSetId, Limit> limits_;
  std::unordered_map<jint, Record> records_;
  jint last_ = 0;
};

}  // namespace ddm
