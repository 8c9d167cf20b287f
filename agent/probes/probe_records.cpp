#include "probes/probe_records.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/reclamation.h"
#include "probes/plans/sinks.h"
#include "stack/shown_stack.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr std::size_t kFrameText = 128;  // bytes of a frame in an answer, about

// This thread is in opened() or kept(): hits of probes on code that these call are not recorded.
thread_local bool t_inside = false;
thread_local ThreadCpuClock t_cpu;

// The cost of a hit is measured as CPU time: waiting, for a processor too, costs nothing.
Ticks cpu_now() noexcept { return t_cpu.ticks(TickClock::now()); }

class Inside {
 public:
  Inside() : first_(!std::exchange(t_inside, true)) {}
  ~Inside() {
    if (first_) t_inside = false;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  bool first() const { return first_; }

 private:
  const bool first_;
};

}  // namespace

std::string ProbeRecords::open(jvmtiEnv* jvmti, JNIEnv* jni,
                               const std::optional<StackNaming>& naming) {
  TickClock::calibrate();
  if (std::string error = objects_.open(jvmti, jni); !error.empty()) return error;
  const std::lock_guard lock(mutex_);
  naming_.reset();
  if (naming) naming_.emplace(*naming);
  jvmti_ = jvmti;
  if (!threads_) threads_ = ThreadFields::find(jvmti, jni);
  return "";
}

void ProbeRecords::begin(JNIEnv* jni, Probe probe, ProbeSetId set, const ProbeRequest& request,
                         std::string kinds) {
  const std::lock_guard lock(mutex_);
  Recorded& recorded = probes_[probe];
  recorded.on = true;
  recorded.set = set;
  recorded.what = request.what;
  recorded.depth = request.depth.value_or(0);
  recorded.kinds = std::move(kinds);
  recorded.most = request.records;
  recorded.taken = 0;
  recorded.records.clear();
  limits_[set].probes.push_back(probe);
  cells_.want_values(jni, probe, recorded.most > 0);
}

void ProbeRecords::end(JNIEnv* jni, Probe probe) {
  const std::lock_guard lock(mutex_);
  const auto at = probes_.find(probe);
  if (at == probes_.end() || !at->second.on) return;
  at->second.on = false;
  cells_.want_values(jni, probe, false);
}

void ProbeRecords::forget(ProbeSetId set) {
  const std::lock_guard lock(mutex_);
  std::erase_if(records_, [&](const auto& entry) { return entry.second.set == set; });
  std::erase_if(probes_, [&](const auto& entry) { return entry.second.set == set; });
  limits_.erase(set);
}

std::string ProbeRecords::thread_name(JNIEnv* jni) const {
  LocalRef<jthread> thread(jni, nullptr);
  if (!threads_ || jvmti_->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE || !thread) return "";
  return threads_->name(jni, thread.get());
}

jint ProbeRecords::opened(JNIEnv* jni, jint probe) noexcept {
  const Inside inside;
  if (!inside.first()) return 0;
  const Ticks begun = cpu_now();
  try {
    std::optional<StackNaming> naming;
    {
      const std::lock_guard lock(mutex_);
      const auto at = probes_.find(probe);
      if (at == probes_.end() || !at->second.on) return 0;
      Recorded& recorded = at->second;
      if (recorded.taken >= recorded.most) {
        cells_.want_values(jni, probe, false);
        return 0;
      }
      Limit& limit = limits_[recorded.set];
      if (limit.text >= kMostText) {
        limit.full = true;
        for (const Probe full : limit.probes) cells_.want_values(jni, full, false);
        return 0;
      }
      ++recorded.taken;
      if ((recorded.what & kProbeStack) != 0 && naming_) naming.emplace(*naming_);
    }
    Record record;
    record.probe = probe;
    record.findings.thread = thread_name(jni);
    // Protects the captured names from reclamation until records_ refers to them.
    std::optional<Reclamation::Reading> reading;
    if (naming) {
      reading.emplace();
      ShownStack stack(TopFrames::kTracker, kMaxDepth);
      naming->stacks.capture(jni, stack);
      record.frames.assign(stack.frames().begin(), stack.frames().end());
    }
    const std::lock_guard lock(mutex_);
    const auto at = probes_.find(probe);
    if (at == probes_.end()) return 0;
    Recorded& recorded = at->second;
    recorded.ticks += cpu_now() - begun;
    ++recorded.calls;
    record.set = recorded.set;
    Limit& limit = limits_[recorded.set];
    limit.text +=
        sizeof(Record) + record.findings.thread.size() + record.frames.size() * kFrameText;
    last_ = last_ == INT32_MAX ? 1 : last_ + 1;
    record.findings.number = static_cast<std::uint64_t>(last_);
    record.findings.what = recorded.what & kProbeArguments;
    recorded.records.push_back(last_);
    records_[last_] = std::move(record);
    return last_;
  } catch (const std::exception&) {
    return 0;  // no memory: this hit is only counted
  }
}

char ProbeRecords::kind_of(jint record, jint number) const {
  const std::lock_guard lock(mutex_);
  const auto at = records_.find(record);
  if (at == records_.end() || number < 0) return 0;
  const std::string& kinds = probes_.at(at->second.probe).kinds;
  return static_cast<std::size_t>(number) < kinds.size() ? kinds[static_cast<std::size_t>(number)]
                                                         : '\0';
}

// 0 where the set has no room for more: the rest of the hit in progress is kept short.
int ProbeRecords::depth_of(jint record) const {
  const std::lock_guard lock(mutex_);
  const auto at = records_.find(record);
  if (at == records_.end() || limits_.at(at->second.set).text >= kMostText) return 0;
  return probes_.at(at->second.probe).depth;
}

void ProbeRecords::store_value(jint handle, jint number, std::string text, Ticks begun_cpu) {
  const std::lock_guard lock(mutex_);
  const auto at = records_.find(handle);
  if (at == records_.end() || at->second.complete) return;
  Record& record = at->second;
  Recorded& recorded = probes_.at(record.probe);
  const std::size_t most = 4 * (ObjectText::most(recorded.depth) + 1);  // bytes
  if (text.size() > most) text.resize(most);
  limits_[record.set].text += text.size();
  if (number > 0 || number == kThisObject) {
    if (number == kThisObject) record.findings.what |= kProbeThis;
    record.findings.arguments.push_back(std::move(text));
  } else {
    record.complete = true;
    if (number == kReturnedValue) {
      record.findings.what |= kProbeReturn;
      record.findings.returned = std::move(text);
    } else if (number == kThrownValue) {
      record.findings.what |= kProbeThrows;
      record.findings.thrown = std::move(text);
    }
  }
  recorded.ticks += cpu_now() - begun_cpu;
  ++recorded.calls;
}

void ProbeRecords::store_time(jint handle, jlong ns) noexcept {
  const std::lock_guard lock(mutex_);
  const auto at = records_.find(handle);
  if (at == records_.end() || at->second.complete) return;
  at->second.findings.ns = static_cast<std::uint64_t>(std::max<jlong>(ns, 0));
}

template <typename Text>
void ProbeRecords::store_text(jint record, jint number, Text text_of) noexcept {
  const Inside inside;
  if (!inside.first()) return;
  const Ticks begun_cpu = cpu_now();
  try {
    store_value(record, number, text_of(), begun_cpu);
  } catch (const std::exception&) {  // no memory: this value is not kept
  }
}

void ProbeRecords::kept(JNIEnv*, jint record, jint number, jlong value) noexcept {
  if (number == kTimeTaken) return store_time(record, value);
  store_text(record, number, [&] { return text_of_whole(value, kind_of(record, number)); });
}

void ProbeRecords::kept(JNIEnv*, jint record, jint number, jdouble value) noexcept {
  store_text(record, number, [&] { return text_of_real(value, kind_of(record, number)); });
}

void ProbeRecords::kept(JNIEnv* jni, jint record, jint number, jobject value) noexcept {
  store_text(record, number, [&] { return objects_.text_of(jni, value, depth_of(record)); });
}

std::vector<ProbeFindings::Frame> ProbeRecords::shown(const std::vector<Frame>& frames) const {
  std::vector<ProbeFindings::Frame> result;
  for (const Frame& frame : frames) {
    const MethodName& method = naming_->names.method(frame.method);
    result.push_back({method.class_name, method.method, method.file, line_of(method, frame.bci)});
  }
  return result;
}

std::vector<ProbeFindings::Record> ProbeRecords::found(Probe probe) const {
  std::vector<ProbeFindings::Record> found;
  const std::lock_guard lock(mutex_);
  const auto of_probe = probes_.find(probe);
  if (of_probe == probes_.end()) return found;
  found.reserve(of_probe->second.records.size());
  for (const jint handle : of_probe->second.records) {
    const auto at = records_.find(handle);
    if (at == records_.end() || at->second.probe != probe) continue;
    found.push_back(at->second.findings);
    if (naming_) found.back().stack = shown(at->second.frames);
  }
  std::ranges::sort(found, {}, &ProbeFindings::Record::number);
  return found;
}

ProbeRecords::Cost ProbeRecords::cost(Probe probe) const {
  const std::lock_guard lock(mutex_);
  const auto at = probes_.find(probe);
  if (at == probes_.end()) return {};
  return {static_cast<double>(TickClock::nanos(at->second.ticks)), at->second.calls};
}

ProbeRecords::Limit ProbeRecords::limit(ProbeSetId set) const {
  const std::lock_guard lock(mutex_);
  const auto at = limits_.find(set);
  return at != limits_.end() ? at->second : Limit();
}

void ProbeRecords::add_names(NamesInUse& used) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, record] : records_) {
    for (const Frame& frame : record.frames) used.methods.insert(frame.method);
  }
}

}  // namespace ddm
