#include "report/traces/firefox_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "report/firefox_profile.h"

namespace ddm {
namespace {

// A thread's stack from `begin` until the next span.
struct Span {
  std::uint64_t begin = 0;
  std::optional<std::uint32_t> stack;  // nullopt: no traced method is open
  std::uint64_t micros = 0;
};

class TracedThread {
 public:
  TracedThread(const MethodTrace& trace, const TraceNames& names, FirefoxStacks& stacks)
      : trace_(trace), names_(names), stacks_(stacks) {}

  void take(const TraceEvent& event) {
    go_to(event.wall_micros);
    if (event.action == TraceEvent::kEnter) {
      const auto caller = open_.empty() ? std::nullopt : std::optional(open_.back().stack);
      open_.push_back({event.method, stacks_.call(caller, names_.ids.at(event.method),
                                                  trace_.methods.at(event.method).line)});
      return;
    }
    // Open callees end with their caller; an end without a begin is dropped.
    const auto own = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Open& call) { return call.method == event.method; });
    if (own != open_.rend()) open_.erase(own.base() - 1, open_.end());
  }

  // Ends with an empty stack: at the thread's last event where its later ones may be missing.
  void finish(std::uint64_t at) {
    if (!trace_.overflow) go_to(at);
    spans_.push_back({at_, {}, 0});
  }

  const std::vector<Span>& spans() const { return spans_; }

 private:
  struct Open {
    std::uint32_t method;
    std::uint32_t stack;
  };

  void go_to(std::uint64_t at) {
    at = std::max(at, at_);  // readers require time not to decrease
    const auto stack = open_.empty() ? std::nullopt : std::optional(open_.back().stack);
    const std::uint64_t micros = at - at_;
    if (micros > 0 && !spans_.empty() && spans_.back().stack == stack) {
      spans_.back().micros += micros;
    } else if (micros > 0) {
      spans_.push_back({at_, stack, micros});
    }
    at_ = at;
  }

  const MethodTrace& trace_;
  const TraceNames& names_;
  FirefoxStacks& stacks_;
  std::vector<Open> open_;
  std::vector<Span> spans_;
  std::uint64_t at_ = 0;
};

void append_millis(std::string& out, std::uint64_t micros) {
  fmt::format_to(std::back_inserter(out), "{}.{:03}", micros / 1000, micros % 1000);
}

}  // namespace

TraceNames::TraceNames(const MethodTrace& trace) : table(std::make_unique<NameTable>()) {
  for (const auto& [key, method] : trace.methods) {
    MethodName name{method.class_name, method.method, method.signature, method.file, false, {}};
    if (method.line > 0 && method.line <= 0xFFFF) {
      name.lines = {{0, static_cast<std::uint16_t>(method.line)}};
    }
    ids[key] = table->add_method(std::move(name));
  }
}

void firefox_trace(const MethodTrace& trace, const TraceNames& names, const std::string& app,
                   const std::string& vm, const ReportSink& sink) {
  ReportNames printable_names(names.table.get());
  FirefoxStacks stacks(printable_names);
  std::map<std::uint16_t, TracedThread> threads;
  std::uint64_t end = trace.elapsed_micros;
  for (const TraceEvent& event : trace.events) {
    end = std::max(end, event.wall_micros);
    threads.try_emplace(event.thread, trace, names, stacks).first->second.take(event);
  }
  for (auto& [number, thread] : threads) thread.finish(end);

  ReportPieces pieces(sink);
  std::string& out = pieces.text();
  append_firefox_meta(out, app, vm, static_cast<std::int64_t>(trace.begin_micros / 1000),
                      static_cast<std::int64_t>(end / 1000 + 1));
  out += "\"shared\":{";
  stacks.append(pieces);
  out += "},\n\"threads\":[";
  for (const auto& [number, thread] : threads) {
    const bool first = number == threads.begin()->first;
    const auto name = trace.threads.find(number);
    if (!first) out += ",\n";
    append_firefox_thread(
        out, {name != trace.threads.end() ? name->second : fmt::format("thread {}", number), app,
              trace.pid, number, first});
    out += ",\n\"samples\":{\"weightType\":\"tracing-ms\"";
    append_firefox_column(pieces, "stack", thread.spans(),
                          [](const Span& span) { return span.stack; });
    append_firefox_list(pieces, "time", thread.spans(),
                        [](std::string& to, const Span& span) { append_millis(to, span.begin); });
    append_firefox_list(pieces, "weight", thread.spans(),
                        [](std::string& to, const Span& span) { append_millis(to, span.micros); });
    append_firefox_length(out, thread.spans().size());
    out += '}';
  }
  out += "]}\n";
  pieces.finish();
}

}  // namespace ddm
