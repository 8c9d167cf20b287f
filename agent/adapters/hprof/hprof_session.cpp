#include "adapters/hprof/hprof_session.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "adapters/hprof/heap_sizes.h"
#include "adapters/hprof/monitor_dump.h"
#include "core/clocks.h"
#include "core/exit_limits.h"
#include "core/log.h"
#include "report/hprof/hprof_heap_text.h"
#include "report/hprof/hprof_text.h"
#include "vm/jvmti_error.h"

namespace ddm {

bool loaded_as_hprof() {
  Dl_info info{};
  const bool known = dladdr(reinterpret_cast<const void*>(&loaded_as_hprof), &info) != 0;
  const std::string_view path = known && info.dli_fname != nullptr ? info.dli_fname : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);  // npos + 1 = 0
  return name.starts_with("libhprof.") || name == "libhprof";
}

HprofSession::HprofSession(jvmtiEnv* jvmti, JNIEnv* jni, const VmFacts& facts, HprofOptions options,
                           Tracking* tracking, Stacks& stacks, ReportAssembly& reports,
                           Controls controls)
    : jvmti_(jvmti),
      options_(std::move(options)),
      tracking_(tracking),
      stacks_(stacks),
      reports_(reports),
      threads_(jvmti, jni),
      facts_(facts),
      controls_(std::move(controls)),
      thread_(jvmti, "ddmagent-hprof"),
      heap_dumper_(jvmti),
      depth_(options_.depth),
      samples_(options_.samples) {}

// Thread events are being reported by now.
void HprofSession::opened(JNIEnv* jni, bool late) {
  listen_to(JVMTI_EVENT_DATA_DUMP_REQUEST, *this);
  const jvmtiError refused =
      jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_DATA_DUMP_REQUEST, nullptr);
  if (refused != JVMTI_ERROR_NONE) {
    log_error("hprof: no dump on SIGQUIT: {}", jvmti_error_name(refused));
  }
  for (const std::string& sentence : options_.not_served) {
    log_warn("hprof: {}", sentence);
  }
  const bool open = output_.open(options_, facts_.pid, [this](HprofCommand command) {
    thread_.post([this, command = std::move(command)](JNIEnv* on_thread) {
      struct Done {
        HprofOutput& output;
        ~Done() { output.command_done(); }
      } const done{output_};
      answer(on_thread, command);
    });
  });
  if (!open) return;
  threads_.list(jni);
  begin_stream(late);
  if (const std::string error = thread_.start(jni); !error.empty()) {
    log_error("hprof: starting the agent's thread: {}", error);
  }
}

void HprofSession::begin_stream(bool late) {
  const std::lock_guard lock(mutex_);
  if (options_.binary) {
    binary_.emplace(epoch_ms());
    output_.put(binary_->header());
    // Tracking starts shortly afterwards.
    HprofSettings first = settings();
    first.alloc_traces = options_.sites || options_.dump;
    binary_->settings(first);
    return flush();
  }
  std::string explained =
      "Written by libddmagent under hprof's name, in hprof's layout. A TRACE is a stack,\n"
      "innermost method first; tables name it by its number, which is never cut to\n"
      "32 bits, nor is any other.\n\n";
  if (options_.sites) {
    explained += fmt::format(
        "A site is a class and the stack that allocated it. \"alloc'ed\" is everything\n"
        "since {}, \"live\" what the last garbage collection has not found\n"
        "dead, and what was allocated after it.\n\n",
        late ? "the library was loaded" : "the program began");
  }
  if (options_.dump) {
    explained += "An object's trace in HEAP DUMP is the stack that allocated it.\n\n";
  }
  if (options_.samples) {
    explained +=
        fmt::format("A sample of CPU SAMPLES is {} ms of CPU of a thread that was met running.\n\n",
                    options_.interval_ms);
  }
  if (options_.times != HprofTimes::kOff) {
    explained +=
        "CPU TIME is wall time in the methods of the program's own classes, each under\n"
        "those that called it; time in the JDK is its caller's.\n\n";
  }
  if (options_.monitor) {
    explained += "MONITOR TIME is waiting to enter synchronized code.\n\n";
  }
  ReportSummary summary;
  summary.pid = facts_.pid;
  summary.app = facts_.app;
  summary.vm = facts_.vm;
  explained += hprof_explanation(summary);
  explained += fmt::format("Stacks of {} frames; what is below {} of the whole is left out.\n\n",
                           depth_, options_.cutoff);
  output_.put(hprof_text_head(epoch_ms(), explained));
}

HprofView HprofSession::view() const {
  return {.depth = depth_,
          .lines = options_.lines,
          .threads = options_.threads,
          .cutoff = options_.cutoff};
}

void HprofSession::data_dump_request() {
  thread_.post([this](JNIEnv* jni) {
    dump(jni, "SIGQUIT");
    reports_.forget_time();
  });
}

bool HprofSession::write_final_reports(JNIEnv* jni, bool complete) {
  heap_dumper_.vm_dies();
  const bool idle = thread_.stop(exit_limits::kReportLimit);
  if (!idle) {
    log_error("hprof: the last dump is left out: another one is still being written");
  } else if (options_.dump_at_exit) {
    dump(jni, "exit");
  }
  heap_dumper_.close();
  output_.finish(exit_limits::kPeerStallLimit, exit_limits::kPeerLimit);
  return complete;
}

void HprofSession::dump(JNIEnv* jni, const char* reason) {
  const std::lock_guard lock(mutex_);
  if (!output_.good()) return;
  put_threads();
  // The report is of the moment at which the dump numbers its stacks: its tables follow the dump
  // and use the same numbers.
  std::optional<ReportData> data;
  if (options_.dump) {
    put_heap_dump(jni, [&] {
      data = reports_.report(jni, reason);
      if (!data) return;
      ReportNames names(data->names);
      const std::int64_t now = data->summary.written_ms;
      if (options_.sites && reports_.has_figures()) {
        binary_->introduce(HprofSites(*data, names, view()), names, now);
      }
      if (!samples_) return;
      binary_->introduce(HprofCosts(TimeStacks::of_samples(data->time), names, view()), names, now);
    });
  }
  if (!data) data = reports_.report(jni, reason);
  if (options_.sites) {
    if (data && reports_.has_figures()) {
      put_sites(*data, view(), 0);
    } else {
      log_error("hprof: no sites are written: allocations are not recorded");
    }
  }
  if (data) put_time(*data);
  if (options_.monitor && jni == nullptr) {
    log_error("hprof: no monitor dump is written: the VM cannot be asked any more");
  } else if (options_.monitor) {
    output_.put(hprof_monitor_dump(jvmti_, jni, stacks_.naming(jni), view(), numbers_));
  }
  if (options_.verbose && output_.good()) {
    write_stderr(fmt::format("ddmagent: hprof: dumped to {} ({})\n", output_.name(), reason));
  }
}

void HprofSession::put_threads() {
  std::string text;
  for (const HprofThreadEvent& event : threads_.take()) {
    if (binary_ && event.start) {
      binary_->thread_start(event.id, event.name, event.group);
    } else if (binary_) {
      binary_->thread_end(event.id);
    } else {
      text += event.start ? hprof_thread_start(event.id, event.name, event.group)
                          : hprof_thread_end(event.id);
    }
  }
  if (binary_) return flush();
  output_.put(text);
}

void HprofSession::put_heap_dump(JNIEnv* jni, const std::function<void()>& introduce) {
  if (jni == nullptr) {
    log_error("hprof: no heap dump is written: the VM cannot be asked any more");
    return;
  }
  std::string stacks;  // in text
  if (binary_) flush();
  const auto stored = heap_dumper_.store(jni, [&](JNIEnv* held) {
    std::optional<DumpSites> sites;
    if (tracking_ != nullptr) sites = tracking_->hold(held);
    if (!sites && !binary_) return sites;
    if (!sites) sites.emplace();  // without stacks; the tables that follow still refer to classes
    sites->stacks.number = [&](std::span<const Frame> frames, ReportNames& names) {
      return number_stack(frames, names, stacks);
    };
    if (binary_) {
      sites->stacks.stream = &*binary_;
      sites->stacks.introduce = introduce;
    }
    return sites;
  });
  if (!binary_) {  // numbered stacks must be written even if the dump failed
    ReportNames none(nullptr);
    hprof_text_trace({}, 0, none, numbers_, stacks);
    output_.put(stacks);
  }
  if (!stored) {
    log_error("hprof: no heap dump is written: {}", stored.message());
    if (binary_) binary_->forget_written();
    return;
  }
  if (binary_) {
    output_.put(stored->data);
    return;
  }
  const std::string error =
      hprof_heap_text(stored->data->fd(), measure_heap_sizes(jvmti_, jni), epoch_ms(),
                      [this](std::string_view piece) { return output_.put(piece); });
  if (!error.empty()) log_error("hprof: the heap dump in text ends early: {}", error);
}

std::uint32_t HprofSession::number_stack(std::span<const Frame> frames, ReportNames& names,
                                         std::string& text) {
  const HprofView shown = view();
  const std::int64_t thread = shown.threads ? take_thread(frames) : 0;
  const std::vector<HprofFrame> stack = hprof_stack(frames, names, shown);
  if (binary_) return binary_->trace(stack, thread, names);
  hprof_text_trace(stack, thread, names, numbers_, text);
  return numbers_.trace(stack, thread).value;
}

void HprofSession::put_sites(const ReportData& data, const HprofView& view, std::uint16_t flags) {
  ReportNames names(data.names);
  const HprofSites sites(data, names, view);
  if (!binary_) {
    hprof_text_sites(sites, names, numbers_, data.summary.written_ms,
                     [this](std::string_view piece) { return output_.put(piece); });
    return;
  }
  if (sites.order() == HprofOrder::kAllocated) flags |= kHprofByAllocation;
  binary_->sites(sites, names, flags, static_cast<float>(view.cutoff), data.summary.written_ms);
  flush();
}

void HprofSession::put_time(const ReportData& data) {
  ReportNames names(data.names);
  const HprofView shown = view();
  const std::int64_t now = data.summary.written_ms;
  if (binary_) {
    if (!samples_) return;
    binary_->cpu_samples(HprofCosts(TimeStacks::of_samples(data.time), names, shown), names, now);
    return flush();
  }
  std::string text;
  if (options_.times == HprofTimes::kByCaller) {
    text += hprof_text_callers(TimeStacks::of_methods(data.time), names, shown);
  } else if (options_.times == HprofTimes::kByMethod) {
    text += hprof_text_costs(TimeStacks::of_methods(data.time), names, shown, numbers_, now);
  }
  if (samples_) {
    text += hprof_text_costs(TimeStacks::of_samples(data.time), names, shown, numbers_, now);
  }
  if (options_.monitor) {
    text += hprof_text_costs(TimeStacks::of_locks(data.time), names, shown, numbers_, now);
  }
  output_.put(text);
}

HprofSettings HprofSession::settings() const {
  return {tracking_ != nullptr && tracking_->on(), samples_, static_cast<std::uint16_t>(depth_)};
}

void HprofSession::flush() { output_.put(binary_->take()); }

}  // namespace ddm
