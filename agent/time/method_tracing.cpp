#include "time/method_tracing.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "jvm/jvmti_memory.h"
#include "log.h"
#include "records/name_table.h"

namespace ddm {
namespace {

constexpr std::size_t kUsualBytes = std::size_t{8} << 20;
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kBytesOfEvent = 10;

std::string dotted(std::string internal_name) {
  std::replace(internal_name.begin(), internal_name.end(), '/', '.');
  return internal_name;
}

std::int64_t whole(std::uint64_t figure) { return static_cast<std::int64_t>(figure); }

}  // namespace

std::string MethodTracing::prepare(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (!recorder_) recorder_ = std::make_unique<CallRecorder>(jvmti_, jni);
  if (hooks_) return "";
  std::string error;
  hooks_ = MethodHooks::create(jni, numbers_, *recorder_, error);
  return error;
}

std::string MethodTracing::start_times(JNIEnv* jni, const std::string& patterns) {
  const std::lock_guard switching(switching_);
  std::string error = prepare(jni);
  if (!error.empty()) return error;
  {
    const std::lock_guard lock(mutex_);
    times_ = patterns;
    last_times_.clear();
    recorder_->forget_sums();
  }
  return apply(jni);
}

std::string MethodTracing::stop_times(JNIEnv* jni) {
  const std::lock_guard switching(switching_);
  {
    const std::lock_guard lock(mutex_);
    if (!times_) return "";
    last_times_ = read_times();
    times_.reset();
  }
  return apply(jni);
}

std::string MethodTracing::start_trace(JNIEnv* jni, const TraceWish& wish) {
  const std::lock_guard switching(switching_);
  std::string error = prepare(jni);
  if (!error.empty()) return error;
  const std::size_t bytes = std::min(wish.bytes != 0 ? wish.bytes : kUsualBytes, kMostBytes);
  {
    const std::lock_guard lock(mutex_);
    if (trace_) return "methods are being traced already";
    trace_ = Trace{wish, std::make_shared<CallLog>(bytes / kBytesOfEvent),
                   TickClock::nanos_of(CLOCK_REALTIME) / 1000};
  }
  error = apply(jni);
  if (!error.empty()) {
    const std::lock_guard lock(mutex_);
    trace_.reset();
  }
  return error;
}

bool MethodTracing::tracing() {
  const std::lock_guard lock(mutex_);
  return trace_.has_value();
}

std::optional<MethodTrace> MethodTracing::stop_trace(JNIEnv* jni) {
  const std::lock_guard switching(switching_);
  std::optional<Trace> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(trace_, std::nullopt);
  }
  if (!ended) return {};
  if (const std::string error = apply(jni); !error.empty()) log_warn("method tracing: {}", error);
  MethodTrace trace = read_trace(*ended);
  find_sources(jni, trace);
  return trace;
}

// What is wanted now, of the recorder first when that is less, of the hooks first when it is more.
std::string MethodTracing::apply(JNIEnv* jni) {
  CallRecorder::Wanted wanted;
  bool any = false;
  MethodFilter filter;
  {
    const std::lock_guard lock(mutex_);
    any = times_ || trace_;
    wanted.cpu = times_ || (trace_ && trace_->wish.dual);
    if (times_) filter.add(*times_);
    if (trace_) {
      filter.add(trace_->wish.patterns);
      wanted.log = trace_->log;
    }
    if (any) {
      recorder_->listen(std::move(wanted));
    } else {
      recorder_->stop();
    }
  }
  return any ? hooks_->put_in(jni, std::move(filter)) : hooks_->take_out(jni);
}

void MethodTracing::add_to(TimeData& data) {
  const std::lock_guard lock(mutex_);
  data.methods = times_ ? read_times() : last_times_;
}

std::vector<MethodTime> MethodTracing::read_times() const {
  std::vector<MethodTime> times;
  const CallRecorder::Sums sums = recorder_->sums();
  for (const auto& [number, sum] : sums.methods) {
    MethodNames names = numbers_.names_of(number);
    times.push_back({dotted(std::move(names.class_name)), std::move(names.method),
                     std::move(names.signature), whole(sum.calls), whole(sum.exceptions),
                     whole(TickClock::nanos(sum.total)), whole(TickClock::nanos(sum.self)),
                     whole(TickClock::nanos(sum.cpu))});
  }
  std::sort(times.begin(), times.end(), [](const MethodTime& a, const MethodTime& b) {
    return std::tie(b.self_ns, b.calls, a.class_name, a.method, a.signature) <
           std::tie(a.self_ns, a.calls, b.class_name, b.method, b.signature);
  });
  if (sums.unmatched != 0 || sums.too_deep != 0) {
    log_info("method times: {} exits without an entry, {} calls too deep to be timed",
             sums.unmatched, sums.too_deep);
  }
  return times;
}

MethodTrace MethodTracing::read_trace(const Trace& trace) const {
  MethodTrace read;
  read.dual = trace.wish.dual;
  read.pid = getpid();
  read.begin_micros = trace.begin_micros;
  const Ticks begin = trace.log->begin();
  read.elapsed_micros = TickClock::nanos(TickClock::now() - begin) / 1000;
  read.overflow = trace.log->lost() != 0;
  read.threads = trace.log->thread_names();
  for (const CallEvent& event : trace.log->events()) {
    const auto [method, is_new] = read.methods.try_emplace(event.method);
    if (is_new) {
      MethodNames names = numbers_.names_of(event.method);
      method->second.class_name = dotted(std::move(names.class_name));
      method->second.method = std::move(names.method);
      method->second.signature = std::move(names.signature);
    }
    read.events.push_back({event.at > begin ? TickClock::nanos(event.at - begin) / 1000 : 0,
                           TickClock::nanos(event.cpu) / 1000, event.method, event.thread,
                           static_cast<TraceEvent::Action>(event.action)});
  }
  return read;
}

// Files and lines, from the classes that are loaded still.
void MethodTracing::find_sources(JNIEnv* jni, MethodTrace& trace) const {
  std::unordered_map<std::string, std::vector<TraceMethod*>> wanted;
  for (auto& [number, method] : trace.methods) wanted[method.class_name].push_back(&method);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti_);
  const LocalFrame frame(jni, 64);
  if (!frame.good() || jvmti_->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> signature(jvmti_);
    if (jvmti_->GetClassSignature(classes[i], signature.out(), nullptr) != JVMTI_ERROR_NONE) {
      continue;
    }
    const auto found = wanted.find(dotted(std::string(internal_name_of(text_of(signature)))));
    if (found == wanted.end()) continue;
    JvmtiPtr<char> file(jvmti_);
    jint methods = 0;
    JvmtiPtr<jmethodID> ids(jvmti_);
    if (jvmti_->GetSourceFileName(classes[i], file.out()) != JVMTI_ERROR_NONE ||
        jvmti_->GetClassMethods(classes[i], &methods, ids.out()) != JVMTI_ERROR_NONE) {
      continue;
    }
    for (TraceMethod* method : found->second) method->file = text_of(file);
    for (jint m = 0; m < methods; ++m) {
      JvmtiPtr<char> name(jvmti_), descriptor(jvmti_);
      jint lines = 0;
      JvmtiPtr<jvmtiLineNumberEntry> table(jvmti_);
      if (jvmti_->GetMethodName(ids[m], name.out(), descriptor.out(), nullptr) !=
              JVMTI_ERROR_NONE ||
          jvmti_->GetLineNumberTable(ids[m], &lines, table.out()) != JVMTI_ERROR_NONE ||
          lines == 0) {
        continue;
      }
      for (TraceMethod* method : found->second) {
        if (method->method == text_of(name) && method->signature == text_of(descriptor)) {
          method->line = table[0].line_number;
        }
      }
    }
  }
}

}  // namespace ddm
