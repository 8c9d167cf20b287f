// From a file's ending to a report.
#include "report/report.h"

#include <fmt/format.h>

#include <array>
#include <utility>

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

using Ending = std::pair<std::string_view, ReportFormat>;
// The longer of two that fit comes first.
constexpr std::array kEndings = {Ending{".hprof.txt", ReportFormat::kHprofText},
                                 Ending{".txt", ReportFormat::kText},
                                 Ending{".collapsed", ReportFormat::kCollapsed},
                                 Ending{".sites.jsonl", ReportFormat::kSitesJsonl},
                                 Ending{".jsonl", ReportFormat::kJsonl},
                                 Ending{".html", ReportFormat::kHtml},
                                 Ending{".pb.gz", ReportFormat::kPprof},
                                 Ending{".dhat.json", ReportFormat::kDhat},
                                 Ending{".firefox.json", ReportFormat::kFirefox}};

constexpr std::string_view kHeapDumpEnding = ".hprof";

}  // namespace

bool is_heap_dump(std::string_view path) { return path.ends_with(kHeapDumpEnding); }

std::optional<ReportFormat> report_format_of(std::string_view path) {
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

bool needs_live(ReportFormat format) {
  return format == ReportFormat::kDhat || format == ReportFormat::kFirefox;
}

bool needs_sites(ReportFormat format) { return format == ReportFormat::kSitesJsonl; }

std::string_view lacks_for(ReportFormat format, const ReportData& data) {
  if (needs_live(format) && !data.summary.live) return "live=y";
  if (needs_sites(format) && !data.sites.counted()) return "sites, which are not counted";
  return {};
}

std::string_view report_ending_of(std::string_view path) {
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return path.substr(path.size() - ending.size());
  }
  if (is_heap_dump(path)) return path.substr(path.size() - kHeapDumpEnding.size());
  return {};
}

void report_as(ReportFormat format, const ReportData& data, const ReportSink& sink) {
  switch (format) {
    case ReportFormat::kText:
      text_report(data, sink);
      break;
    case ReportFormat::kCollapsed:
      sink(collapsed_report(data));
      break;
    case ReportFormat::kJsonl:
      jsonl_report(data, sink);
      break;
    case ReportFormat::kSitesJsonl:
      sites_jsonl_report(data, sink);
      break;
    case ReportFormat::kHtml:
      sink(html_report(data));
      break;
    case ReportFormat::kPprof:
      pprof_report(data, sink);
      break;
    case ReportFormat::kHprofText:
      hprof_text_report(data, sink);
      break;
    case ReportFormat::kDhat:
      dhat_report(data, sink);
      break;
    case ReportFormat::kFirefox:
      firefox_report(data, sink);
      break;
  }
}

}  // namespace ddm
