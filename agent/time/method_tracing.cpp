#include "time/method_tracing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/class_names.h"
#include "core/clocks.h"
#include "core/log.h"
#include "time/calls/matched_calls.h"

namespace ddm {
namespace {

std::int64_t whole(std::uint64_t figure) { return static_cast<std::int64_t>(figure); }

// Those that need hooks.
MethodFilter methods_of(const TraceRequest& trace) {
  MethodFilter filter(trace.methods);
  if (!trace.below.empty()) filter.add(trace.below);
  return filter;
}

}  // namespace

std::string MethodTracing::prepare(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (!recorder_) {
    auto paths = CallPaths::create();
    if (!paths) return "no memory for the ways that calls go";
    recorder_ = std::make_unique<CallRecorder>(jvmti_, jni, std::move(paths), numbers_);
  }
  if (hooks_) return "";
  std::string error;
  hooks_ = MethodHooks::create(jni, numbers_, *recorder_, error);
  return error;
}

std::string MethodTracing::start_times(JNIEnv* jni, const std::string& patterns) {
  std::string error = MethodFilter::fault(patterns);
  if (!error.empty()) return error;
  const std::lock_guard switching(switching_);
  error = prepare(jni);
  if (!error.empty()) return error;
  {
    const std::lock_guard lock(mutex_);
    times_.reset();
    last_times_ = {};
  }
  error = change_hooks(jni, traced(), &patterns);
  const std::lock_guard lock(mutex_);
  if (error.empty()) {
    times_ = patterns;
    recorder_->forget_sums();
    times_span_.begin();
  }
  record();
  return error;
}

std::string MethodTracing::stop_times(JNIEnv* jni) {
  const std::lock_guard switching(switching_);
  {
    const std::lock_guard lock(mutex_);
    if (!times_) return "";
    last_times_ = read_times();
    times_.reset();
    times_span_.end();
  }
  const std::string error = change_hooks(jni, traced(), nullptr);
  const std::lock_guard lock(mutex_);
  record();
  return error;
}

std::string MethodTracing::times_nothing() {
  const std::lock_guard lock(mutex_);
  return no_times();
}

// Lock held.
std::string MethodTracing::no_times() const {
  if (!times_ || numbers_.count() != 0) return "";
  if (times_->empty()) return "no class but the JDK's was loaded; methods=java.util.* times theirs";
  return with_meant_pattern("no class with a method of methods=" + *times_ + " was loaded",
                            *times_);
}

std::string MethodTracing::start_trace(JNIEnv* jni, const TraceRequest& wanted) {
  std::string error = MethodFilter::fault(wanted.methods);
  if (error.empty()) error = MethodFilter::fault(wanted.below);
  if (!error.empty()) return error;
  const std::lock_guard switching(switching_);
  error = prepare(jni);
  if (!error.empty()) return error;
  {
    const std::lock_guard lock(mutex_);
    if (trace_) return "methods are being traced already";
  }
  error = change_hooks(jni, &wanted, timed());
  const std::lock_guard lock(mutex_);
  if (error.empty()) {
    const bool dual = has_dual_clock(wanted.flags);
    // Calls logged at their end are not in order of time.
    auto log = std::make_shared<CallLog>(events_in_trace(wanted.buffer_bytes, dual),
                                         CallLog::Kind{dual, wanted.least_micros != 0});
    trace_ = Trace{wanted, std::move(log), static_cast<std::uint64_t>(epoch_us())};
    trace_->methods = std::make_shared<MethodMarks>(numbers_, methods_of(wanted));
    if (!wanted.below.empty()) {
      trace_->roots = std::make_shared<MethodMarks>(numbers_, MethodFilter(wanted.below));
    }
  }
  record();
  // Another connection that asks must not hear of it before calls are recorded.
  is_tracing_ = error.empty();
  return error;
}

std::optional<TraceFile> MethodTracing::stop_trace(JNIEnv* jni) {
  const std::lock_guard switching(switching_);
  std::optional<Trace> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(trace_, std::nullopt);
    is_tracing_ = false;
  }
  if (!ended) return {};
  ended->end = TickClock::now();  // before the hooks are taken out
  const std::string error = change_hooks(jni, nullptr, timed());
  if (!error.empty()) log_error("method tracing: {}", error);
  {
    const std::lock_guard lock(mutex_);
    record();
  }
  return file_of(*ended);
}

std::optional<TraceFile> MethodTracing::take_trace_at_end() {
  const std::unique_lock switching(switching_, std::try_to_lock);
  if (!switching) return {};
  std::optional<Trace> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(trace_, std::nullopt);
    is_tracing_ = false;
    if (!ended) return {};
    other_hooks_ = true;  // those of the trace
    record();
  }
  ended->end = TickClock::now();
  return file_of(*ended);
}

TraceFile MethodTracing::file_of(const Trace& trace) const {
  TraceFile file(has_dual_clock(trace.wanted.flags));
  file.finish(read_trace(trace, file));
  return file;
}

// Hooks come class by class, in a busy program over seconds. Meanwhile what is being recorded goes
// on, for its own methods; what is new begins after this, so that the figures of any two methods are
// of the same time.
std::string MethodTracing::change_hooks(JNIEnv* jni, const TraceRequest* trace,
                                        const std::string* times) {
  const bool any = trace != nullptr || times != nullptr;
  MethodFilter filter;
  if (trace != nullptr) filter = methods_of(*trace);
  if (times != nullptr) filter.add(*times);
  {
    const std::lock_guard lock(mutex_);
    other_hooks_ = true;
    record();  // which ends before the hooks are taken out
    if (any) {
      virtual_ends_.open(jni, *recorder_);
    } else {
      virtual_ends_.close();
    }
  }
  const std::string error = any ? hooks_->install(jni, std::move(filter)) : hooks_->remove(jni);
  const std::lock_guard lock(mutex_);
  other_hooks_ = !error.empty();
  return error;
}

// Lock held. Makes the recorder record what times_ and trace_ want.
void MethodTracing::record() {
  if (!times_ && !trace_) {
    recorder_->stop();
    return;
  }
  CallRecorder::Wanted wanted;
  wanted.sums = times_.has_value();
  wanted.cpu = times_ || has_dual_clock(trace_->wanted.flags);
  if (times_ && (trace_ || other_hooks_)) {
    wanted.summed = std::make_shared<MethodMarks>(numbers_, MethodFilter(*times_));
  }
  if (trace_) {
    wanted.log = trace_->log;
    if (times_) wanted.logged = trace_->methods;
    wanted.least = TickClock::ticks(std::uint64_t{trace_->wanted.least_micros} * 1000);
    wanted.roots = trace_->roots;
  }
  recorder_->listen(std::move(wanted));
}

void MethodTracing::forget() {
  const std::lock_guard lock(mutex_);
  last_times_ = {};
  if (!times_) return;
  recorder_->forget_sums();
  times_span_.begin();
  record();
}

void MethodTracing::add_to(TimeData& data) {
  const std::lock_guard lock(mutex_);
  Times times = times_ ? read_times() : last_times_;
  data.methods_ns = times_span_.ns();
  data.methods = std::move(times.methods);
  data.method_paths = std::move(times.paths);
  data.not_timed = std::move(times.not_timed);
  std::string why = no_times();
  if (!data.methods.empty() && recorder_->paths().full()) {
    why = fmt::format("callers are missing: more than {} call paths have been timed",
                      CallPaths::kMostPaths);
  }
  if (!why.empty() && data.incomplete.empty()) data.incomplete = "cpu=times: " + why;
}

void MethodTracing::add_names(NamesInUse& used) {
  const std::lock_guard lock(mutex_);
  for (const MethodTime& time : last_times_.methods) used.methods.insert(time.name);
}

MethodTracing::Times MethodTracing::read_times() const {
  const CallRecorder::Sums sums = recorder_->sums();
  const CallPaths& all = recorder_->paths();
  std::map<MethodNumber, MethodSum> by_method;
  std::map<PathNumber, MethodSum> by_path = sums.paths;
  for (const auto& [number, more] : sums.paths) {
    by_method[all.method_of(number)] += more;
    // A caller may have been entered before the sums were reset.
    for (PathNumber up = all.caller_of(number); up != kNoPath && by_path.try_emplace(up).second;) {
      by_method.try_emplace(all.method_of(up));
      up = all.caller_of(up);
    }
  }
  std::vector<std::pair<MethodNumber, MethodTime>> methods;
  for (const auto& [number, sum] : by_method) {
    MethodNames names = numbers_.names_of(number);
    MethodTime time{dotted_name(names.class_name),
                    std::move(names.method),
                    std::move(names.signature),
                    whole(sum.calls),
                    whole(sum.exceptions),
                    whole(TickClock::nanos(sum.total)),
                    whole(TickClock::nanos(sum.self)),
                    whole(TickClock::nanos(sum.cpu)),
                    kUnknownName};
    time.name = names_.add_method(
        {time.class_name, time.method, time.signature, std::move(names.file), false, {}});
    methods.emplace_back(number, std::move(time));
  }
  std::ranges::sort(methods, {}, [](const auto& one) {
    const MethodTime& time = one.second;
    return std::tuple(-time.self_ns, -time.calls,
                      std::tie(time.class_name, time.method, time.signature));
  });
  Times times;
  times.not_timed = hooks_->skipped();
  std::map<MethodNumber, std::uint32_t> places;
  for (auto& [number, time] : methods) {
    places[number] = static_cast<std::uint32_t>(times.methods.size());
    times.methods.push_back(std::move(time));
  }
  // A path's number is larger than its caller's.
  std::map<PathNumber, std::int32_t> path_places;
  for (const auto& [number, sum] : by_path) {
    const PathNumber caller = all.caller_of(number);
    path_places[number] = static_cast<std::int32_t>(times.paths.size());
    times.paths.push_back({caller == kNoPath ? MethodPath::kNoCaller : path_places.at(caller),
                           places.at(all.method_of(number)), whole(sum.calls),
                           whole(TickClock::nanos(sum.total)), whole(TickClock::nanos(sum.self))});
  }
  if (sums.unmatched != 0 || sums.too_deep != 0) {
    log_info("method times: {} exits without an entry, {} calls too deep to be timed",
             sums.unmatched, sums.too_deep);
  }
  return times;
}

// The events go into the file; the rest is returned.
MethodTrace MethodTracing::read_trace(const Trace& trace, TraceFile& file) const {
  MethodTrace read;
  read.dual = has_dual_clock(trace.wanted.flags);
  read.pid = getpid();
  read.begin_micros = trace.begin_micros;
  const Ticks begin = trace.log->begin();
  read.elapsed_micros = trace.end > begin ? TickClock::nanos(trace.end - begin) / 1000 : 0;
  read.lost = trace.log->lost();
  read.overflow = read.lost != 0;
  read.threads = trace.log->thread_names();
  const auto add = [&](const CallEvent& event) {
    const auto [method, is_new] = read.methods.try_emplace(event.method);
    if (is_new) {
      MethodNames names = numbers_.names_of(event.method);
      method->second = {dotted_name(names.class_name), std::move(names.method),
                        std::move(names.signature), std::move(names.file), names.line};
    }
    file.add({event.at > begin ? TickClock::nanos(event.at - begin) / 1000 : 0,
              TickClock::nanos(event.cpu) / 1000, event.method, event.thread,
              static_cast<TraceEvent::Action>(event.action)});
  };
  MatchedCalls calls(
      [this](MethodNumber method) { return numbers_.names_of(method).method == "<init>"; });
  trace.log->read([&](const CallEvent& event) {
    if (trace.methods->marked(event.method)) calls.add(event, add);
  });
  return read;
}

}  // namespace ddm
