#include "report/traces/method_trace.h"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "core/jvm_text.h"

namespace ddm {
namespace {

constexpr std::uint16_t kDataOffset = 32;
constexpr std::uint16_t kDualRecordBytes = 14;

template <typename T>
void append(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

// Names are escaped, since readers count characters to find the data, and split lines at tabs. Some
// search for the first "*end" with a line end, wherever it is.
std::string escaped_at_line_end(const std::string& text) {
  std::string out = escaped(text);
  if (out.ends_with("*end")) out.push_back(' ');
  return out;
}

bool fits(const TraceEvent& event) {
  return event.wall_micros <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

std::string method_trace_file(const MethodTrace& trace) {
  const std::uint16_t version = trace.dual ? 3 : 2;
  bool overflow = trace.overflow;
  std::uint64_t calls = 0;
  for (const TraceEvent& event : trace.events) {
    if (!fits(event)) overflow = true;
    if (event.action == TraceEvent::kEnter) ++calls;
  }

  std::string out = fmt::format(
      "*version\n{}\ndata-file-overflow={}\nclock={}\nelapsed-time-usec={}\n"
      "num-method-calls={}\nclock-call-overhead-nsec=0\nvm=art\npid={}\n*threads\n",
      version, overflow, trace.dual ? "dual" : "wall", trace.elapsed_micros, calls, trace.pid);
  for (const auto& [number, name] : trace.threads) {
    out += fmt::format("{}\t{}\n", number, escaped_at_line_end(name));
  }
  out += "*methods\n";
  for (const auto& [id, method] : trace.methods) {
    out += fmt::format("0x{:x}\t{}\t{}\t{}\t{}\t{}\n", (id + 1) * 4, escaped(method.class_name),
                       escaped(method.method), escaped(method.signature),
                       method.file.empty() ? "unknown" : escaped(method.file), method.line);
  }
  out += "*end\n";

  const std::size_t data = out.size();
  out += "SLOW";
  append(out, version);
  append(out, kDataOffset);
  append(out, trace.begin_micros);
  if (trace.dual) append(out, kDualRecordBytes);
  out.resize(data + kDataOffset, '\0');
  std::map<std::uint16_t, std::uint64_t> first_cpu;
  for (const TraceEvent& event : trace.events) {
    if (!fits(event)) break;
    append(out, event.thread);
    append(out, (event.method + 1) * 4 | event.action);
    if (trace.dual) {
      const std::uint64_t first = first_cpu.emplace(event.thread, event.cpu_micros).first->second;
      append(out, static_cast<std::uint32_t>(event.cpu_micros - first));
    }
    append(out, static_cast<std::uint32_t>(event.wall_micros));
  }
  return out;
}

}  // namespace ddm
