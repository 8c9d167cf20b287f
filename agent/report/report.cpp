#include "report/report.h"

#include <fmt/format.h>

#include "report/report_words.h"

namespace ddm {

std::string_view shown_by_engine(const ReportSummary& summary) {
  if (summary.engine == "vm") return "what really lies on the heap";
  if (summary.engine == "bci") {
    return "what bytecode asks for, even objects that the JIT would remove";
  }
  return "";
}

std::string sampling_words(const ReportSummary& summary) {
  return fmt::format("one sample every {} of a thread, on average", human_bytes(summary.interval));
}

namespace {

struct Format {
  std::string_view ending;
  ReportFormat format;
  void (*write)(const ReportData& data, const ReportSink& sink);
};
// Longer endings precede their suffixes.
constexpr Format kFormats[] = {
    {".hprof.txt", ReportFormat::kHprofText, hprof_text_report},
    {".txt", ReportFormat::kText,
     [](const ReportData& data, const ReportSink& sink) { text_report(data, sink); }},
    {".collapsed", ReportFormat::kCollapsed,
     [](const ReportData& data, const ReportSink& sink) { sink(collapsed_report(data)); }},
    {".sites.jsonl", ReportFormat::kSitesJsonl, sites_jsonl_report},
    {".jsonl", ReportFormat::kJsonl, jsonl_report},
    {".html", ReportFormat::kHtml,
     [](const ReportData& data, const ReportSink& sink) { sink(html_report(data)); }},
    {".pb.gz", ReportFormat::kPprof, pprof_report},
    {".dhat.json", ReportFormat::kDhat, dhat_report},
    {".firefox.json", ReportFormat::kFirefox, firefox_report},
};

constexpr std::string_view kHeapDumpEnding = ".hprof";

}  // namespace

bool is_heap_dump(std::string_view path) { return path.ends_with(kHeapDumpEnding); }

std::optional<ReportFormat> report_format_of(std::string_view path) {
  for (const Format& one : kFormats) {
    if (path.ends_with(one.ending)) return one.format;
  }
  return std::nullopt;
}

bool needs_live(ReportFormat format) {
  return format == ReportFormat::kDhat || format == ReportFormat::kFirefox;
}

bool needs_sites(ReportFormat format) { return format == ReportFormat::kSitesJsonl; }

std::string lacks_for(ReportFormat format, const ReportData& data) {
  const auto with_reason = [](std::string what, const std::string& why) {
    return why.empty() ? what : what + ": " + why;
  };
  const ReportSummary& summary = data.summary;
  if (needs_live(format) && !summary.live) return with_reason("live=y", summary.live_missing);
  if (needs_sites(format) && !data.sites.counted()) {
    return with_reason("sites, which are not counted", summary.sites_missing);
  }
  return {};
}

std::string_view report_ending_of(std::string_view path) {
  for (const Format& one : kFormats) {
    if (path.ends_with(one.ending)) return path.substr(path.size() - one.ending.size());
  }
  if (is_heap_dump(path)) return path.substr(path.size() - kHeapDumpEnding.size());
  return {};
}

void report_as(ReportFormat format, const ReportData& data, const ReportSink& sink) {
  for (const Format& one : kFormats) {
    if (one.format == format) one.write(data, sink);
  }
}

}  // namespace ddm
