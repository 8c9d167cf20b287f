#include "report/hprof/hprof_text.h"

#include <fmt/format.h>

#include <ctime>
#include <iterator>

#include "core/jvm_text.h"
#include "report/report_pieces.h"
#include "report/report_words.h"

namespace ddm {
namespace {

class SitesText {
 public:
  SitesText(const HprofSites& sites, ReportNames& names, HprofNumbers& numbers,
            const ReportSink& sink)
      : sites_(sites), names_(names), numbers_(numbers), pieces_(sink) {}

  void write(std::int64_t written_ms) {
    for (const HprofSite& site : sites_.list()) {
      if (!pieces_.wanted()) return;
      hprof_text_trace(sites_.stack(site), site.thread, names_, numbers_, out_);
    }
    const bool live = sites_.order() == HprofOrder::kLive;
    line("SITES BEGIN (ordered by {} bytes) {}", live ? "live" : "allocated",
         hprof_date(written_ms));
    out_ +=
        "          percent          live          alloc'ed  stack class\n"
        " rank   self  accum     bytes objs     bytes  objs trace name\n";
    std::size_t rank = 0;
    double accum = 0;
    for (const HprofSite& site : sites_.list()) {
      if (!pieces_.wanted()) return;
      const double self = 100 * sites_.share(site);
      accum += self;
      line("{:5} {:5.2f}% {:5.2f}% {:9} {:4} {:9} {:5} {:5} {}", ++rank, self, accum,
           site.live_bytes, site.live_count, site.bytes, site.count,
           numbers_.trace(sites_.stack(site), site.thread).value, names_.class_name(site.class_id));
    }
    line("SITES END");
    pieces_.finish();
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  const HprofSites& sites_;
  ReportNames& names_;
  HprofNumbers& numbers_;
  ReportPieces pieces_;
  std::string& out_ = pieces_.text();
};

}  // namespace

void hprof_text_trace(std::span<const HprofFrame> stack, std::int64_t thread, ReportNames& names,
                      HprofNumbers& numbers, std::string& out) {
  const auto [number, fresh] = numbers.trace(stack, thread);
  if (!fresh) return;
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "TRACE {}:", number);
  if (thread != 0) fmt::format_to(to, " (thread={})", HprofNumbers::thread(thread));
  out += stack.empty() ? "\n\t<empty>\n" : "\n";
  for (const HprofFrame& frame : stack) {
    const PrintableMethod& method = names.method(frame.method);
    const std::string place = frame.line >= 0             ? std::to_string(frame.line)
                              : frame.line == kLineNative ? "Native method"
                                                          : "Unknown line";
    fmt::format_to(to, "\t{}({}:{})\n", method.qualified,
                   method.file.empty() ? "<Unknown Source>" : method.file, place);
  }
}

std::string hprof_date(std::int64_t ms_since_epoch) {
  const auto seconds = static_cast<std::time_t>(ms_since_epoch / 1000);
  std::tm local{};
  char text[32] = "";  // asctime: English names of days and months in every locale
  if (localtime_r(&seconds, &local) == nullptr || asctime_r(&local, text) == nullptr) return "";
  const std::string_view line(text);
  return std::string(line.substr(0, line.find('\n')));
}

std::string hprof_text_head(std::int64_t created_ms, std::string_view explained) {
  return fmt::format("JAVA PROFILE 1.0.1, created {}\n\n{}--------\n\n", hprof_date(created_ms),
                     explained);
}

std::string hprof_explanation(const ReportSummary& summary) {
  std::string out = fmt::format("Program: {}, pid {}\n", printable(summary.app), summary.pid);
  if (!summary.vm.empty()) out += fmt::format("VM: {}\n", printable(summary.vm));
  if (const auto shown = shown_by_engine(summary); !shown.empty()) {
    out += fmt::format("The figures show {}.\n", shown);
  }
  if (summary.sampled()) {
    out += fmt::format("All figures are estimates, from {}.\n", sampling_words(summary));
  }
  return out + '\n';
}

std::string hprof_thread_start(std::int64_t id, std::string_view name, std::string_view group) {
  return fmt::format("THREAD START (obj=0, id = {}, name=\"{}\", group=\"{}\")\n",
                     HprofNumbers::thread(id), printable(name), printable(group));
}

std::string hprof_thread_end(std::int64_t id) {
  return fmt::format("THREAD END (id = {})\n", HprofNumbers::thread(id));
}

void hprof_text_sites(const HprofSites& sites, ReportNames& names, HprofNumbers& numbers,
                      std::int64_t written_ms, const ReportSink& sink) {
  SitesText(sites, names, numbers, sink).write(written_ms);
}

}  // namespace ddm
