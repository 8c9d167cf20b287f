#include "report/traces/method_trace.h"

#include <fmt/format.h>

#include <limits>

#include "core/jvm_text.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

constexpr std::uint16_t kDataOffset = 32;
constexpr std::uint16_t kRecordBytes = 10, kDualRecordBytes = 14;

// Returns the end.
template <typename T>
std::uint8_t* put(std::uint8_t* at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) *at++ = static_cast<std::uint8_t>(value >> (8 * i));
  return at;
}

// Names are escaped, since readers count characters to find the data, and split lines at tabs. Some
// search for the first "*end" with a line end, wherever it is.
std::string escaped_at_line_end(const std::string& text) {
  std::string out = escaped(text);
  if (out.ends_with("*end")) out.push_back(' ');
  return out;
}

constexpr std::string_view kKeyEnd = "\n*end\n";

template <typename T>
T little(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | T{static_cast<unsigned char>(bytes[at + i])} << (8 * i));
  }
  return value;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Of the section *version: the version alone, or NAME=VALUE.
void take_fact(std::string_view line, MethodTrace& trace, int& version) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) {
    version = number_in<int>(line).value_or(0);
    return;
  }
  const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
  const auto take = [&]<typename Number>(std::string_view wanted, Number& number) {
    if (name == wanted) number = number_in<Number>(value).value_or(0);
  };
  if (name == "data-file-overflow") trace.overflow = value == "true";
  take("lost-events", trace.lost);
  take("elapsed-time-usec", trace.elapsed_micros);
  take("pid", trace.pid);
  take("sampling-rounds", trace.rounds);
  take("sampling-interval-usec", trace.interval_micros);
}

bool take_thread_or_method(std::string_view section, std::string_view line, MethodTrace& trace) {
  const std::vector<std::string_view> fields = split(line, '\t');
  if (section == "*threads") {
    const auto id = number_in<std::uint16_t>(fields[0]);
    if (fields.size() != 2 || !id) return false;
    trace.threads[*id] = unescaped(fields[1]);
    return true;
  }
  if (section != "*methods" || fields.size() != 6 || !fields[0].starts_with("0x")) return false;
  const auto id = number_in<std::uint32_t>(fields[0].substr(2), 16);
  const auto line_number = number_in<std::int32_t>(fields[5]);
  if (!id || *id % 4 != 0 || *id == 0 || !line_number) return false;
  trace.methods[*id / 4 - 1] = {unescaped(fields[1]), unescaped(fields[2]), unescaped(fields[3]),
                                unescaped(fields[4]), *line_number};
  return true;
}

// "" or the error.
std::string read_key(std::string_view key, MethodTrace& trace) {
  int version = 0;
  std::string_view section;
  for (const std::string_view line : split(key, '\n')) {
    if (line.empty()) continue;
    if (line[0] == '*') {
      section = line;
    } else if (section == "*version") {
      take_fact(line, trace, version);
    } else if (!take_thread_or_method(section, line, trace)) {
      return "a line of its key section makes no sense: " + std::string(line);
    }
  }
  trace.dual = version == 3;
  return version == 2 || version == 3 ? "" : "its version is neither 2 nor 3";
}

}  // namespace

std::span<const std::uint8_t> TraceRecords::encode(const TraceEvent& event) {
  if (event.wall_micros > std::numeric_limits<std::uint32_t>::max()) {
    ++lost_;
    return {};
  }
  if (event.action == TraceEvent::kEnter) ++calls_;
  std::uint8_t* at = record_.data();
  at = put(at, event.thread);
  at = put(at, (event.method + 1) * 4 | event.action);
  if (dual_) {
    const std::uint64_t first = first_cpu_.emplace(event.thread, event.cpu_micros).first->second;
    at = put(at, static_cast<std::uint32_t>(event.cpu_micros - first));
  }
  at = put(at, static_cast<std::uint32_t>(event.wall_micros));
  return {record_.data(), at};
}

std::string trace_head(const MethodTrace& trace, const TraceRecords& records) {
  const std::uint16_t version = trace.dual ? 3 : 2;
  std::string out = fmt::format(
      "*version\n{}\ndata-file-overflow={}\nclock={}\nelapsed-time-usec={}\n"
      "num-method-calls={}\nclock-call-overhead-nsec=0\nvm=art\npid={}\n",
      version, trace.overflow || records.lost() != 0, trace.dual ? "dual" : "wall",
      trace.elapsed_micros, records.calls(), trace.pid);
  if (const std::uint64_t lost = trace.lost + records.lost(); lost != 0) {
    out += fmt::format("lost-events={}\n", lost);
  }
  if (trace.interval_micros > 0) {
    out += fmt::format("sampling-rounds={}\nsampling-interval-usec={}\n", trace.rounds,
                       trace.interval_micros);
  }
  out += "*threads\n";
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

  std::array<std::uint8_t, kDataOffset> data{'S', 'L', 'O', 'W'};
  std::uint8_t* at = data.data() + 4;
  at = put(at, version);
  at = put(at, kDataOffset);
  at = put(at, trace.begin_micros);
  if (trace.dual) put(at, kDualRecordBytes);
  return out.append(data.begin(), data.end());
}

std::string method_trace_file(const MethodTrace& trace) {
  TraceRecords encoder(trace.dual);
  std::string records;
  for (const TraceEvent& event : trace.events) {
    const auto record = encoder.encode(event);
    records.append(record.begin(), record.end());
  }
  return trace_head(trace, encoder) + records;
}

std::string read_method_trace(std::string_view bytes, MethodTrace& trace) {
  const std::size_t end = bytes.find(kKeyEnd);
  if (end == std::string_view::npos) return "it has no key section";
  if (std::string problem = read_key(bytes.substr(0, end), trace); !problem.empty()) return problem;
  const std::string_view data = bytes.substr(end + kKeyEnd.size());
  const std::size_t record = trace.dual ? kDualRecordBytes : kRecordBytes;
  if (data.size() < kDataOffset || data.substr(0, 4) != "SLOW") return "it has no data";
  const std::size_t offset = little<std::uint16_t>(data, 6);
  if (offset < 16 || offset > data.size() || (data.size() - offset) % record != 0) {
    return "its data end in the middle of a record";
  }
  trace.begin_micros = little<std::uint64_t>(data, 8);
  trace.events.reserve((data.size() - offset) / record);
  for (std::size_t at = offset; at < data.size(); at += record) {
    TraceEvent event;
    event.thread = little<std::uint16_t>(data, at);
    const auto method = little<std::uint32_t>(data, at + 2);
    if (method < 4 || (method & 3) > TraceEvent::kThrow ||
        !trace.methods.contains(method / 4 - 1)) {
      return "it has a record of a method that it does not name";
    }
    event.method = method / 4 - 1;
    event.action = static_cast<TraceEvent::Action>(method & 3);
    if (trace.dual) event.cpu_micros = little<std::uint32_t>(data, at + 6);
    event.wall_micros = little<std::uint32_t>(data, at + record - 4);
    trace.events.push_back(event);
  }
  return "";
}

}  // namespace ddm
