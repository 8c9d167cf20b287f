#include "reports/report_options.h"

#include <fmt/format.h>

#include "report/report.h"

namespace ddm {

std::vector<OptionRow> ReportOptions::rows() {
  using enum OptionRow::Reload;
  return {
      {"dump",
       "PATH",
       "report at exit, in the format of the ending:",
       kTaken,
       [this](std::string_view v) {
         if (v == "none") {
           dump_none = true;
           dumps.erase(dumps.begin(), dumps.begin() + earlier_dumps_);
           return Wrong();
         }
         if (v.empty()) return Wrong("the value is empty");
         if (v != "-" && !report_format_of(v) && !is_heap_dump(v)) {
           return fmt::format("\"{}\" does not end in {}, or .hprof (or: - for stderr, none)", v,
                              kReportEndings);
         }
         dumps.emplace_back(v);
         return Wrong();
       },
       // dump=none and another one exclude each other in one string; of two strings the later one holds.
       [this] {
         dump_none = false;
         earlier_dumps_ = static_cast<std::ptrdiff_t>(dumps.size());
       },
       {".html .txt .jsonl .collapsed .pb.gz .hprof.txt .hprof", "the sites alone: .sites.jsonl",
        "with live=: .dhat.json .firefox.json",
        "- stderr, none no report; %p pid, %t time; may repeat"}},
      {"every", "SECONDS|off", "rewrite the reports while the program runs (off)", kTaken,
       [this](std::string_view v) {
         std::int64_t seconds = 0;
         Wrong error = v == "off" ? Wrong() : number(v, 1, 86400, false, &seconds);
         if (!error.empty()) return error + ", or off";
         every_seconds = seconds;
         return error;
       }},
  };
}

Wrong ReportOptions::conflict(bool live, bool sites) const {
  for (const std::string& dump : dumps) {
    const auto format = report_format_of(dump);
    if (!live && format && needs_live(*format)) {
      return fmt::format("dump={} needs live=y (or live=1/N)", dump);
    }
    if (!sites && format && needs_sites(*format)) {
      return fmt::format("dump={} needs sites, and sites=0 switches them off", dump);
    }
  }
  if (dump_none && !dumps.empty()) {
    return fmt::format("dump=none and dump={} cannot be combined", dumps[0]);
  }
  return "";
}

}  // namespace ddm
