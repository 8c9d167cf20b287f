// The summary at the end of a program: at most 25 lines of at most 80 columns.
#include <fmt/format.h>

#include <algorithm>

#include "core/jvm_text.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_sites.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::size_t kSummarySites = 7;  // two lines each

std::int64_t sum_of(const std::map<std::string, std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (const auto& [reason, count] : counts) sum += count;
  return sum;
}

class Summary {
 public:
  Summary(const ReportData& data, std::size_t lines)
      : data_(data),
        lines_(lines),
        summary_(data.summary),
        recorded_(recorded(data.records)),
        names_(data.names) {}

  std::string write() {
    add(fmt::format("Allocations of {} (pid {}), tracked for {}",
                    shortened(printable(summary_.app), 30), summary_.pid,
                    human_duration(summary_.tracked_ms)));
    if (!summary_.recovered.empty()) add("  from the " + summary_.recovered);
    engine();
    totals();
    if (data_.records.empty()) {
      add("  Nothing is recorded.");
    } else {
      sites();
    }
    return std::move(out_);
  }

 private:
  // All lines are added here, so none exceeds the limit.
  void add(std::string_view text) { out_.append(shortened(text, kColumns)).append(1, '\n'); }

  void engine() {
    if (const auto shown = shown_by_engine(summary_); !shown.empty()) {
      add(fmt::format("  engine={}: {}", summary_.engine, shown));
    }
    if (summary_.sampled()) {
      const std::string taken = summary_.samples ? grouped(*summary_.samples) + ' ' : "";
      add(fmt::format("  estimated from {}samples, one every {} of a thread, on average", taken,
                      human_bytes(summary_.interval)));
    }
  }

  void amount(std::string_view what, std::int64_t count, std::int64_t bytes) {
    add(fmt::format("  {:<13}{:>15} allocations {:>18} bytes {:>11}", what, grouped(count),
                    grouped(bytes), human_bytes(bytes)));
  }

  void totals() {
    amount(summary_.seen_at_least ? "seen at least" : "seen", summary_.seen, summary_.seen_bytes);
    amount("recorded", recorded_.count(), recorded_.bytes());
    if (summary_.sampled() && summary_.allocated_bytes) {
      add(fmt::format("  {:<28}             {:>18} bytes {:>11}", "the VM's own count",
                      grouped(*summary_.allocated_bytes), human_bytes(*summary_.allocated_bytes)));
    }
    if (summary_.dropped != 0) {
      add(fmt::format("  {:<13}{:>15} allocations", "dropped", grouped(summary_.dropped)));
    }
    if (summary_.unattributed_bytes) {
      const std::int64_t missing = *summary_.unattributed_bytes;
      add(fmt::format("  {:<13}{:>15}             {:>18} bytes {:>11}", "unattributed",
                      share_of(missing, summary_.seen_bytes + missing), grouped(missing),
                      human_bytes(missing)));
      virtual_thread_stacks(summary_.virtual_thread_stack_bytes.value_or(0));
    }
    if (summary_.live) {
      amount("alive", summary_.live->count, summary_.live->bytes);
      add(fmt::format("  {:<13}as of collection {}{}", "", summary_.live->gc,
                      summary_.live->one_in > 1
                          ? fmt::format(", estimated from one object in {}", summary_.live->one_in)
                          : ""));
    }
    const std::int64_t classes = sum_of(summary_.classes_skipped);
    const std::int64_t methods = sum_of(summary_.methods_skipped);
    if (classes != 0 || methods != 0) {
      add(fmt::format("  {:<13}classes: {}, methods: {}; their allocations are not seen", "skipped",
                      grouped(classes), grouped(methods)));
    }
    running_methods();
    if (const std::int64_t count = data_.sites.shortened(); count != 0) {
      add(fmt::format("  {:<13}{:>15} allocations {}", "shortened", grouped(count),
                      kOfSeldomStacks));
    }
  }

  void running_methods() {
    const std::vector<std::string>& methods = summary_.methods_running;
    if (methods.empty()) return;
    const std::string more =
        methods.size() > 1 ? fmt::format(" and {} more", methods.size() - 1) : std::string();
    add(fmt::format("  {:<13}{}{} since before tracking: not seen", "running",
                    shortened(printable(methods.front()), 30), more));
  }

  void virtual_thread_stacks(std::int64_t bytes) {
    if (bytes == 0) return;
    add(fmt::format("    {:<24} of which at most {:>15} bytes {:>11}", "virtual thread stacks",
                    grouped(bytes), human_bytes(bytes)));
  }

  void sites() {
    const bool whole = data_.sites.counted();
    const std::int64_t bytes = whole ? summary_.seen_bytes : recorded_.bytes();
    const auto above = static_cast<std::size_t>(std::ranges::count(out_, '\n')) + 1;
    const std::size_t left = lines_ - std::min(lines_, above);
    if (left < 2) return;
    // By the program's frames: for the JDK's there is no line.
    const std::vector<AllocSite> top =
        top_sites(sites_of(data_, names_, SiteFrame::kApp), SiteOrder::kBytes,
                  std::min(kSummarySites, left / 2));
    add(fmt::format("  {:>11} {:>6} {:>11}  {}", "bytes", "share", "count",
                    whole ? "most bytes of the whole run" : "most of the recorded bytes"));
    for (const AllocSite& site : top) {
      add(fmt::format("  {:>11} {:>6} {:>11}  {}", human_bytes(site.bytes),
                      share_of(site.bytes, bytes), grouped(site.count),
                      shortened_type(names_.class_name(site.class_id), kColumns - 34)));
      if (!site.app.known) {
        add("      (no Java frame)");
        continue;
      }
      add("      from " + shortened_frame(names_.method(site.app.method),
                                          names_.place(site.app.method, site.app.line),
                                          kColumns - 11));
    }
  }

  const ReportData& data_;
  const std::size_t lines_;
  const ReportSummary& summary_;
  const WeightedSum recorded_;
  ReportNames names_;
  std::string out_;
};

}  // namespace

std::string summary_report(const ReportData& data, std::size_t lines) {
  return printable_lines(Summary(data, lines).write());
}

}  // namespace ddm
