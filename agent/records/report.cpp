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

std::string report_as(ReportFormat format, const ReportData& data) {
  switch (format) {
    case ReportFormat::kText:
      return text_report(data);
    case ReportFormat::kCollapsed:
      return collapsed_report(data);
    case ReportFormat::kJsonl:
      return jsonl_report(data);
    case ReportFormat::kHtml:
      return html_report(data);
  }
  return {};
}

}  // namespace ddm
