// From a file's ending to a report.
#include "records/report.h"

#include <array>
#include <utility>

namespace ddm {

std::optional<ReportFormat> report_format_of(std::string_view path) {
  using Ending = std::pair<std::string_view, ReportFormat>;
  constexpr std::array kEndings = {
      Ending{".txt", ReportFormat::kText}, Ending{".collapsed", ReportFormat::kCollapsed},
      Ending{".jsonl", ReportFormat::kJsonl}, Ending{".html", ReportFormat::kHtml}};
  for (const auto& [ending, format] : kEndings) {
    if (path.ends_with(ending)) return format;
  }
  return std::nullopt;
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
    case ReportFormat::kHtml:
      sink(html_report(data));
      break;
  }
}

}  // namespace ddm
