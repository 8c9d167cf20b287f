#include "report_fetch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "json_values.h"
#include "report/report_pieces.h"
#include "report/report_words.h"
#include "text_pieces.h"
#include "wire/chunks/report_chunk.h"

namespace ddm {
namespace {

// What a report may have when unpacked. A summary is one line; a file takes no memory, and has many
// times what the wire allows, since stacks repeat.
constexpr std::uint64_t kMostOfSummary = DdmClient::kShort.bytes;
constexpr std::uint64_t kMostInMemory = DdmClient::kMuchData.bytes;
constexpr std::uint64_t kMostInFile = std::uint64_t{32} << 30;

Result<Bytes> fetch(DdmClient& client, std::string format, const std::string& below = {}) {
  auto answer =
      client.request(to_chunk(ReportRequest{std::move(format), below}), DdmClient::kMuchData);
  if (!answer) return answer.error();
  if (answer->type != ReportRequest::kType) return DdmClient::unexpected(*answer);
  return std::move(answer->data);
}

Result<SiteFigures> read_figures(const Result<Bytes>& packed, FigureReader reader,
                                 std::uint64_t most = kMostInMemory) {
  if (!packed) return packed.error();
  const auto damaged =
      unpack_report(*packed, most, [&](std::string_view piece) { return reader.feed(piece); });
  if (damaged) return *damaged;
  return reader.finish();
}

}  // namespace

std::optional<Error> fetch_report(DdmClient& client, const std::string& format,
                                  const std::function<bool(std::string_view)>& sink,
                                  const std::string& below) {
  const auto packed = fetch(client, format, below);
  if (!packed) return packed.error();
  return unpack_report(*packed, kMostInMemory, sink);
}

std::optional<Error> save_report(DdmClient& client, const std::string& path, bool recent,
                                 const std::string& below) {
  const std::string_view format = report_ending_of(path).substr(1);  // it has one
  const auto packed = fetch(client, std::string(recent ? kRecentPrefix : "").append(format), below);
  if (!packed) return packed.error();
  std::optional<Error> damaged;
  auto unwritten = write_report_file(path, [&](const ReportSink& sink) {
    damaged = unpack_report(*packed, kMostInFile, sink);
    return !damaged;
  });
  return damaged ? damaged : unwritten;
}

std::string size_note(const std::string& path) {
  constexpr std::uintmax_t kLarge = 10 << 20;
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  if (unknown || bytes < kLarge) return "";
  return " (" + human_bytes(static_cast<std::int64_t>(bytes)) + ")";
}

std::optional<Error> print_report(DdmClient& client, bool recent, const std::string& below) {
  return fetch_report(client, std::string(recent ? kRecentPrefix : "") + "txt", print_piece, below);
}

Result<std::string> fetch_text(DdmClient& client, std::string_view format, std::uint64_t most) {
  const auto packed = fetch(client, std::string(format));
  if (!packed) return packed.error();
  std::string text;
  if (const auto damaged = unpack_report(*packed, most, into(text))) return *damaged;
  return text;
}

Result<SiteFigures> fetch_figures(DdmClient& client, const std::string& below) {
  constexpr const char* kWithStacks = "sites.jsonl";
  return read_figures(fetch(client, below.empty() ? std::string(kSitesFormat) : kWithStacks),
                      FigureReader(FigureReader::Objects::kAllocated, below));
}

Result<SiteFigures> fetch_part(DdmClient& client, const std::string& below) {
  auto figures = read_figures(fetch(client, std::string(kSitesFormat), below), FigureReader());
  if (figures && text_of(figures->summary, "below") != below) {
    return Error{"the target's agent is older, and knows no --below"};
  }
  return figures;
}

Result<Json> fetch_summary(DdmClient& client) {
  const auto line = fetch_text(client, kSummaryFormat, kMostOfSummary);
  if (!line) return line.error();
  Json summary = parsed_json(*line);
  if (!summary.is_object()) return Error{"the target's summary is no JSON object"};
  return summary;
}

// Records are summed one by one, as a file's, and take no memory.
Result<SiteFigures> fetch_recent(DdmClient& client) {
  return read_figures(fetch(client, std::string(kRecentPrefix) + "jsonl"),
                      FigureReader(FigureReader::Objects::kRecorded), kMostInFile);
}

Result<std::vector<Json>> fetch_time(DdmClient& client,
                                     std::initializer_list<std::string_view> types,
                                     const std::string& below) {
  std::vector<Json> lines;
  bool expected = true;
  const auto take = [&](std::string_view text) {
    Json line = parsed_json(text);
    const Json kind = line.is_object() ? line["type"] : Json();
    expected = lines.empty() ? kind == "summary" : !kind.is_null();
    const bool wanted = lines.empty() || std::ranges::find(types, kind) != types.end();
    if (expected && wanted) lines.push_back(std::move(line));
    return expected;
  };
  LineSplitter splitter;
  const auto failed = fetch_report(
      client, std::string(kTimeFormat),
      [&](std::string_view piece) { return splitter.feed(piece, take); }, below);
  if (failed) return *failed;
  if (!splitter.rest().empty()) take(splitter.rest());
  if (!expected) {
    return Error{fmt::format("the target's report '{}' is not as expected", kTimeFormat)};
  }
  if (lines.empty()) return Error{fmt::format("the target's report '{}' is empty", kTimeFormat)};
  return lines;
}

}  // namespace ddm
