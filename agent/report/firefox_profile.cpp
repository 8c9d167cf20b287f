#include "report/firefox_profile.h"

#include <fmt/format.h>

#include <initializer_list>

namespace ddm {
namespace {

constexpr std::int64_t kFirefoxVersion = 70;
constexpr std::int64_t kGeckoVersion = 36;

// "key":[value,value,...], for each of the columns.
template <typename List>
void append_firefox_constants(
    ReportPieces& pieces, const List& list,
    std::initializer_list<std::pair<std::string_view, std::string_view>> columns) {
  for (const auto& [key, value] : columns) {
    append_firefox_list(pieces, key, list,
                        [text = value](std::string& out, const auto&) { out += text; });
  }
}

}  // namespace

std::uint32_t FirefoxStacks::cut() {
  return child({}, frame(text_function(std::string(kDeeperFramesCut)), kLineUnknown));
}

std::uint32_t FirefoxStacks::allocation(std::optional<std::uint32_t> caller, NameId class_id) {
  const auto [known, fresh] = class_functions_.try_emplace(class_id, 0);
  if (fresh) known->second = text_function("new " + names_.class_name(class_id));
  return child(caller, frame(known->second, kLineUnknown));
}

std::uint32_t FirefoxStacks::call(std::optional<std::uint32_t> caller, const Frame& frame) {
  return call(caller, frame.method, names_.line(frame));
}

std::uint32_t FirefoxStacks::call(std::optional<std::uint32_t> caller, NameId method, int line) {
  return child(caller, frame(method_function(method), line));
}

void FirefoxStacks::append(ReportPieces& pieces) const {
  std::string& out = pieces.text();
  out += "\"stackTable\":{";
  append_firefox_column(pieces, "frame", stacks_, [](const Stack& stack) { return stack.frame; });
  append_firefox_column(pieces, "prefixOffset", stacks_,
                        [](const Stack& stack) { return stack.offset; });
  append_firefox_length(out, stacks_.size());
  out += ",\n\"frameTable\":{";
  append_firefox_constants(
      pieces, frames_,
      {{"address", "-1"}, {"inlineDepth", "0"}, {"category", "0"}, {"subcategory", "0"}});
  append_firefox_column(pieces, "func", frames_, [](const auto& one) { return one.first; });
  // No library.
  append_firefox_constants(pieces, frames_,
                           {{"nativeSymbol", "null"}, {"lib", "-1"}, {"innerWindowID", "null"}});
  append_firefox_column(pieces, "line", frames_, [](const auto& one) {
    return one.second > 0 ? std::optional(one.second) : std::nullopt;
  });
  append_firefox_constants(pieces, frames_, {{"column", "null"}, {"originalLocation", "null"}});
  append_firefox_length(out, frames_.size());
  out += ",\n\"funcTable\":{";
  append_firefox_column(pieces, "name", functions_, [](const Function& one) { return one.name; });
  append_firefox_constants(pieces, functions_,
                           {{"isJS", "false"}, {"relevantForJS", "false"}, {"resource", "-1"}});
  append_firefox_column(pieces, "source", functions_,
                        [](const Function& one) { return one.source; });
  append_firefox_constants(
      pieces, functions_,
      {{"lineNumber", "null"}, {"columnNumber", "null"}, {"originalLocation", "null"}});
  append_firefox_length(out, functions_.size());
  out += R"(,"resourceTable":{"name":[],"host":[],"type":[],"length":0},)";
  out += R"("nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0},)";
  out += "\"sources\":{";
  append_firefox_constants(pieces, sources_, {{"id", "null"}});
  append_firefox_column(pieces, "filename", sources_, [](std::uint32_t name) { return name; });
  append_firefox_constants(
      pieces, sources_,
      {{"startLine", "1"}, {"startColumn", "1"}, {"sourceMapURL", "null"}, {"content", "null"}});
  append_firefox_length(out, sources_.size());
  out += R"(,"sourceLocationTable":{"source":[],"line":[],"column":[],"length":0})";
  append_firefox_list(pieces, "stringArray", texts_.list(),
                      [](std::string& to, const std::string& one) { append_json_string(to, one); });
}

std::uint32_t FirefoxStacks::child(std::optional<std::uint32_t> parent, std::uint32_t frame) {
  const auto next = static_cast<std::uint32_t>(stacks_.size());
  const std::uint64_t key = std::uint64_t{parent ? *parent + 1 : 0} << 32 | frame;
  const auto [at, fresh] = children_.try_emplace(key, next);
  if (fresh) stacks_.push_back({frame, parent ? next - *parent : 0});
  return at->second;
}

std::uint32_t FirefoxStacks::frame(std::uint32_t function, int line) {
  const std::uint64_t key = std::uint64_t{function} << 32 | static_cast<std::uint32_t>(line);
  const auto [at, fresh] = by_frame_.try_emplace(key, static_cast<std::uint32_t>(frames_.size()));
  if (fresh) frames_.emplace_back(function, line);
  return at->second;
}

std::uint32_t FirefoxStacks::text_function(const std::string& name) {
  functions_.push_back({texts_.of(name), {}});
  return static_cast<std::uint32_t>(functions_.size() - 1);
}

std::uint32_t FirefoxStacks::method_function(NameId id) {
  const auto [at, fresh] = method_functions_.try_emplace(id, 0);
  if (fresh) {
    const PrintableMethod& method = names_.method(id);
    at->second = text_function(method.qualified);
    if (!method.file.empty()) functions_.back().source = source(method.file);
  }
  return at->second;
}

std::uint32_t FirefoxStacks::source(const std::string& file) {
  const auto [at, fresh] = by_file_.try_emplace(file, static_cast<std::uint32_t>(sources_.size()));
  if (fresh) sources_.push_back(texts_.of(file));
  return at->second;
}

void append_firefox_meta(std::string& out, std::string_view product, std::string_view platform,
                         std::int64_t begin_ms, std::int64_t span_ms) {
  out += fmt::format(
      R"({{"meta":{{"interval":1,"startTime":{},"endTime":{},"processType":0,"stackwalk":1,)"
      R"("version":{},"preprocessedProfileVersion":{},"symbolicationNotSupported":true,)"
      R"("markerSchema":[],"categories":[{{"name":"Java","color":"blue",)"
      R"("subcategories":["Other"]}},{{"name":"Other","color":"grey","subcategories":["Other"]}}],)",
      begin_ms, span_ms, kGeckoVersion, kFirefoxVersion);
  out += "\"product\":";
  append_json_string(out, product);
  out += ",\"platform\":";
  append_json_string(out, platform);
  out += "},\n\"libs\":[],\"pages\":[],\n";
}

void append_firefox_thread(std::string& out, const FirefoxThread& thread) {
  out += "{\"name\":";
  append_json_string(out, thread.name);
  out += fmt::format(
      R"(,"isMainThread":{},"processType":"default","processStartupTime":0,)"
      R"("processShutdownTime":null,"registerTime":0,"unregisterTime":null,"pausedRanges":[],)"
      R"("showMarkersInTimeline":false,"pid":"{}","tid":{},"processName":)",
      thread.main, thread.pid, thread.id);
  append_json_string(out, thread.process);
  out += R"(,"markers":{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],)"
         R"("length":0})";
}

void append_firefox_length(std::string& out, std::size_t length) {
  append_json_member(out, "length", length);
  out += '}';
}

}  // namespace ddm
