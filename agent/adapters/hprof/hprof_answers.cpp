// The commands of net=. On the session's thread.
#include <bit>

#include "adapters/hprof/hprof_session.h"
#include "core/clocks.h"
#include "core/log.h"
#include "vm/jvmti_error.h"

namespace ddm {

void HprofSession::answer(JNIEnv* jni, const HprofCommand& command) {
  const std::lock_guard lock(mutex_);
  if (!command.known()) {
    log_warn("hprof: command {} with {} bytes is not known and is skipped", command.tag,
             command.length);
    return;
  }
  const HprofTag tag = command.known_tag();
  if (!binary_ && tag != HprofTag::kAllocSites && tag != HprofTag::kGc &&
      tag != HprofTag::kControl && tag != HprofTag::kExit) {
    log_warn("hprof: command {} has an answer with format=b only", command.tag);
    return;
  }
  switch (tag) {
    case HprofTag::kGc:
      force_gc();
      if (binary_) answer_with_totals(jni);
      return;
    case HprofTag::kDumpHeap:
      return put_heap_dump(jni);
    case HprofTag::kAllocSites:
      return answer_sites(jni, command);
    case HprofTag::kHeapSummary:
      return answer_with_totals(jni);
    case HprofTag::kDumpTraces:
      return answer_with_traces(jni);
    case HprofTag::kCpuSamples:
      return answer_with_samples(jni, command);
    case HprofTag::kControl:
      return control(jni, command);
    case HprofTag::kExit:
      log_warn("hprof: the program is ended by a command");
      return controls_.exit_program();
  }
}

void HprofSession::force_gc() {
  const jvmtiError error = jvmti_->ForceGarbageCollection();
  if (error != JVMTI_ERROR_NONE) {
    log_warn("hprof: ForceGarbageCollection: {}", jvmti_error_name(error));
  }
}

void HprofSession::answer_sites(JNIEnv* jni, const HprofCommand& command) {
  ByteReader fields(command.body);
  const std::uint16_t flags = fields.u2();
  const auto cutoff = std::bit_cast<float>(fields.u4());
  if (!fields.ok() || !(cutoff >= 0 && cutoff <= 1)) {
    log_warn("hprof: command 3 needs u2 flags and a cutoff from 0 to 1; it is skipped");
    return;
  }
  if ((flags & kHprofAfterGc) != 0) force_gc();
  HprofView wanted = view();
  wanted.cutoff = double{cutoff};
  if ((flags & kHprofByAllocation) != 0) wanted.order = HprofOrder::kAllocated;
  // Figures always cover the time since recording began, whatever was requested before.
  const auto data = reports_.report(jni, "command");
  if (data && reports_.has_figures()) put_sites(*data, wanted, flags & kHprofAfterGc);
}

void HprofSession::answer_with_samples(JNIEnv* jni, const HprofCommand& command) {
  ByteReader fields(command.body);
  fields.u2();
  const auto cutoff = std::bit_cast<float>(fields.u4());
  HprofView wanted = view();
  wanted.cutoff = fields.ok() && cutoff >= 0 && cutoff <= 1 ? double{cutoff} : 0;
  if (!samples_) log_warn("hprof: CPU samples are not taken: the answer has those there were");
  if (const auto data = reports_.report(jni, "command")) {
    ReportNames names(data->names);
    binary_->cpu_samples(HprofCosts(TimeStacks::of_samples(data->time), names, wanted), names,
                         data->summary.written_ms);
  }
  flush();
}

void HprofSession::answer_with_totals(JNIEnv* jni) {
  if (const auto data = reports_.report(jni, "command")) {
    ReportNames names(data->names);
    binary_->heap_summary(HprofSites(*data, names, view()).totals(), data->summary.written_ms);
  } else {
    binary_->heap_summary({}, epoch_ms());
  }
  flush();
}

void HprofSession::answer_with_traces(JNIEnv* jni) {
  if (const auto data = reports_.report(jni, "command")) {
    ReportNames names(data->names);
    HprofView all = view();
    all.cutoff = 0;
    binary_->traces(HprofSites(*data, names, all), names, data->summary.written_ms);
  }
  flush();
}

// Replies with the new settings.
void HprofSession::control(JNIEnv* jni, const HprofCommand& command) {
  ByteReader fields(command.body);
  const auto what = static_cast<HprofControl>(fields.u2());
  std::string error;
  if (!fields.ok()) error = "it needs u2 what";
  const auto track = [&](bool on) {
    if (tracking_ != nullptr && error.empty()) {
      error = on ? tracking_->start(jni) : tracking_->stop(jni);
    }
  };
  switch (what) {
    case HprofControl::kAllocTracesOn:
      track(true);
      break;
    case HprofControl::kAllocTracesOff:
      track(false);
      break;
    case HprofControl::kClearAllocSites:
      if (tracking_ != nullptr && tracking_->on()) {
        track(false);
        track(true);
      }
      break;
    case HprofControl::kSetDepth: {
      const std::uint16_t depth = fields.u2();
      if (fields.ok()) {
        depth_ = depth;
      } else {
        error = "it needs u2 depth";
      }
      break;
    }
    case HprofControl::kCpuSamplingOn:
    case HprofControl::kCpuSamplingOff: {
      const bool on = what == HprofControl::kCpuSamplingOn;
      if (on && fields.remaining() >= 4 && fields.u4() != 0) {
        log_warn("hprof: command 8: all threads are sampled, not one alone");
      }
      error = controls_.sample_cpu(jni, on);
      if (error.empty()) samples_ = on;
      break;
    }
    case HprofControl::kClearCpuSamples:
      reports_.forget_time();
      break;
    default:
      if (error.empty()) error = "what it asks for is not known";
      break;
  }
  if (!error.empty()) log_warn("hprof: command 8: {}", error);
  if (!binary_) return;
  binary_->settings(settings());
  flush();
}

}  // namespace ddm
