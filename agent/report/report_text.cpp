// The text report: totals, totals per thread, tables of sites, then every record with its stack.
// For a terminal, tables fit its columns, except that method names are never shortened, so a very
// long one may exceed them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/jvm_text.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_pieces.h"
#include "report/report_sites.h"
#include "report/report_time.h"
#include "report/report_words.h"

namespace ddm {
namespace {

constexpr std::size_t kTextSites = 20;
constexpr std::size_t kTopThreads = 10;

class TextReport {
 public:
  TextReport(const ReportData& data, const ReportSink& sink, std::size_t columns)
      : data_(data),
        summary_(data.summary),
        recorded_(recorded(data.records)),
        columns_(columns),
        names_(data.names),
        pieces_(sink) {}

  void write() {
    body();
    pieces_.finish();
  }

 private:
  void body() {
    if (has_time_only(data_)) {
      line("Time of {}, pid {}", printable(summary_.app), summary_.pid);
      origin();
      out_ += time_tables(data_, names_, columns_);
      return;
    }
    head();
    out_ += time_tables(data_, names_, columns_);
    thread_totals();
    reasons("Dropped", summary_.dropped_reasons);
    reasons("Skipped classes", summary_.classes_skipped);
    reasons("Skipped methods", summary_.methods_skipped);
    running_methods();
    if (data_.records.empty() && data_.sites.size() == 0) {
      out_ += "\nNo allocation was recorded.\n";
      return;
    }
    const std::vector<AllocSite> sites = sites_of(data_, names_);
    site_table("bytes", sites, SiteOrder::kBytes);
    site_table("count", sites, SiteOrder::kCount);
    if (data_.sites.counted()) {
      site_table("bytes and first frame outside the JDK", sites_of(data_, names_, SiteFrame::kApp),
                 SiteOrder::kBytes);
    }
    living();
    out_ += summary_.of_native_memory() ? "\nBlocks by size and stack\n"
                                        : "\nRecords, newest first (UTC)\n";
    for (std::size_t i = 0; i < data_.records.size() && pieces_.wanted(); ++i) {
      record(data_.records[i]);
    }
  }

  void living() {
    if (!summary_.live) return;
    ages();
    const std::vector<AllocSite> sites = sites_of(data_.sites.living(), names_);
    const std::vector<AllocSite> top = top_sites(sites, SiteOrder::kBytes, kTextSites);
    line("\nTop {} of {} sites by live bytes, as of collection {}{}", top.size(),
         grouped(sites.size()), summary_.live->gc,
         summary_.live_is_estimated() ? ", estimated" : "");
    site_rows(top, summary_.live->bytes, 0, true, true);
  }

  void ages() {
    const LiveAges ages = data_.sites.ages();
    line("\nWhat is alive, by how many collections it has survived");
    line("{:>16} {:>7} {:>12} {:>9}", "bytes", "share", "count", "survived");
    for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
      if (ages.count[i] == 0) continue;
      line("{:>16} {:>7} {:>12} {:>9}", grouped(ages.bytes[i]),
           share_of(ages.bytes[i], summary_.live->bytes), grouped(ages.count[i]), age_words(i));
    }
  }

  void running_methods() {
    if (summary_.methods_running.empty()) return;
    out_ +=
        "\nEntered before tracking and still running: what these methods allocate is not seen\n";
    for (const std::string& method : summary_.methods_running) line("  {}", printable(method));
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    out_ += '\n';
  }

  void amount(std::string_view what, std::int64_t count, std::int64_t bytes) {
    line("{:<18}{:>15} allocations {:>16} bytes {:>11}", what, grouped(count), grouped(bytes),
         human_bytes(bytes));
  }

  void head() {
    line("{} of {}, pid {}", summary_.of_native_memory() ? "Native memory" : "Allocations",
         printable(summary_.app), summary_.pid);
    if (!summary_.below.empty()) line("{:<18}{}", "only below", printable(summary_.below));
    if (summary_.below_unknown_bytes > 0) {
      line("{:<18}{} at stacks whose outer frames are cut, which are not here", "perhaps below",
           human_bytes(summary_.below_unknown_bytes));
    }
    if (!summary_.recovered.empty()) line("{:<18}{}", "recovered from", summary_.recovered);
    if (!summary_.vm.empty()) line("{:<18}{}", "vm", printable(summary_.vm));
    if (summary_.of_native_memory()) {
      line("{:<18}{}", "which shows", "blocks of malloc that are not freed");
    } else if (summary_.made_of_answer()) {
      line("{:<18}{}", "source", "fetched by ddm; engine and times are not known");
    } else if (summary_.engine.empty() && summary_.seen == 0) {
      line("{:<18}{}", "tracking", "was never on");
    } else {
      line("{:<18}{}, stack walker {}", "engine", printable(summary_.engine),
           printable(summary_.walker));
      if (const auto shown = shown_by_engine(summary_); !shown.empty()) {
        line("{:<18}{}", "which shows", shown);
      }
      line("{:<18}{}", "tracked for", human_duration(summary_.tracked_ms));
    }
    if (summary_.sampled()) {
      line("{:<18}from samples: {}", "estimated", sampling_words(summary_));
    }
    origin();
    out_ += '\n';
    if (!summary_.made_of_answer()) {
      amount(summary_.seen_at_least ? "seen at least" : "seen", summary_.seen, summary_.seen_bytes);
    }
    if (summary_.of_native_memory()) {
      line("{:<18}{:>15} blocks      {:>16} bytes {:>11}", "not freed", grouped(recorded_.count()),
           grouped(recorded_.bytes()), human_bytes(recorded_.bytes()));
      return;
    }
    amount("recorded", recorded_.count(), recorded_.bytes());
    if (summary_.sampled() && summary_.samples) {
      line("{:<18}{:>15} taken, {} recorded", "samples", grouped(*summary_.samples),
           grouped(data_.records.size()));
    }
    if (summary_.made_of_answer()) {
      line("{:<18}not known: see the reports that the program writes itself", "all other totals");
      return;
    }
    if (const std::int64_t overtaken = data_.records.overtaken(); overtaken != 0) {
      line("{:<18}{:>15} recent records, overwritten while the report was made", "overtaken",
           grouped(overtaken));
    }
    line("{:<18}{:>15} {}", "dropped", grouped(summary_.dropped),
         summary_.sampled() ? "samples" : "allocations");
    if (summary_.sampled()) {
      if (summary_.allocated_bytes) {
        line("{:<18}{:>15}             {:>16} bytes {:>11}", "the VM's own count", "",
             grouped(*summary_.allocated_bytes), human_bytes(*summary_.allocated_bytes));
      }
    } else if (summary_.unattributed_bytes) {
      line("{:<18}{:>15}             {:>16} bytes {:>11}", "unattributed", "",
           grouped(*summary_.unattributed_bytes), human_bytes(*summary_.unattributed_bytes));
      virtual_thread_stacks();
    } else if (summary_.below.empty()) {
      line("{:<18}not known: this VM keeps no allocation counter", "unattributed");
    }
    if (summary_.live) {
      amount("alive", summary_.live->count, summary_.live->bytes);
      line("{:<18}as of collection {}; {} of it were allocated since", "", summary_.live->gc,
           human_bytes(data_.sites.ages().bytes[0]));
      if (summary_.live->one_in > 1) {
        line("{:<18}estimated from one object in {}", "", summary_.live->one_in);
      }
      reasons("Not followed, so not known to live or not", summary_.live->not_followed);
    }
    if (const std::int64_t count = data_.sites.shortened(); count != 0) {
      line("{:<18}{:>15} allocations {}", "shortened", grouped(count), kOfSeldomStacks);
    }
    if (summary_.classes_rewritten != 0) {
      line("{:<18}{:>15}", "rewritten classes", grouped(summary_.classes_rewritten));
    }
  }

  void origin() {
    if (summary_.written_ms == 0) return;
    line("{:<18}{} UTC{}{}", "written", utc_seconds(summary_.written_ms),
         summary_.reason.empty() ? "" : ", reason: ", printable(summary_.reason));
  }

  void virtual_thread_stacks() {
    const std::int64_t bytes = summary_.virtual_thread_stack_bytes.value_or(0);
    if (bytes == 0) return;
    line("{:<33} of which at most {:>11} bytes {:>11}", "  virtual thread stacks", grouped(bytes),
         human_bytes(bytes));
  }

  void thread_totals() {
    if (summary_.sampled()) return;  // allocations between samples are not missing
    std::vector<const ThreadBytes*> open;
    for (const ThreadBytes& thread : summary_.threads) {
      if (thread.unattributed_bytes() != 0) open.push_back(&thread);
    }
    if (open.empty()) return;
    std::ranges::stable_sort(open, std::greater<>(), [](const ThreadBytes* thread) {
      return std::abs(thread->unattributed_bytes());
    });
    line("\nThreads with unattributed bytes: {}", grouped(open.size()));
    line("{:>16} {:>17} {:>17}  {}", "unattributed", "allocated", "seen", "thread");
    if (open.size() > kTopThreads) open.resize(kTopThreads);
    for (const ThreadBytes* thread : open) {
      line("{:>16} {:>17} {:>17}  {}", grouped(thread->unattributed_bytes()),
           grouped(thread->allocated_bytes), grouped(thread->seen_bytes),
           shortened(fmt::format("{} {}", thread->thread_id, printable(thread->name)),
                     columns_ - 54));
    }
  }

  void reasons(std::string_view title, const std::map<std::string, std::int64_t>& counts) {
    if (counts.empty()) return;
    line("\n{}", title);
    for (const auto& [reason, count] : counts) {
      line("{:>16}  {}", grouped(count), shortened(printable(reason), columns_ - 18));
    }
  }

  void site_table(std::string_view by, const std::vector<AllocSite>& sites, SiteOrder order) {
    const std::vector<AllocSite> top = top_sites(sites, order, kTextSites);
    const bool whole = data_.sites.counted();
    line("\nTop {} of {} sites by {}, of {}{}", top.size(), grouped(sites.size()), by,
         whole                         ? "the whole run"
         : summary_.of_native_memory() ? "what is not freed"
                                       : "what is recorded",
         summary_.sampled() ? ", estimated" : "");
    site_rows(top, whole ? summary_.seen_bytes : recorded_.bytes(),
              whole ? summary_.seen : recorded_.count(), order == SiteOrder::kBytes);
  }

  // `survived`: adds how many collections at least half of a site's live objects have survived.
  void site_rows(const std::vector<AllocSite>& top, std::int64_t bytes, std::int64_t count,
                 bool by_bytes, bool survived = false) {
    const auto age = [&](std::string_view text) {
      return survived ? fmt::format(" {:>9}", text) : std::string();
    };
    line("{:>16} {:>7} {:>12}{}  {}", "bytes", "share", "count", age("survived"),
         "class and where");
    for (const AllocSite& site : top) {
      const std::string share =
          by_bytes ? share_of(site.bytes, bytes) : share_of(site.count, count);
      const std::string half = age(age_words(site.ages.middle()));
      line("{:>16} {:>7} {:>12}{}  {}", grouped(site.bytes), share, grouped(site.count), half,
           shortened_type(names_.class_name(site.class_id), columns_ - 39 - half.size()));
      for (const std::string& below : site_lines(site, names_, columns_)) line("{}", below);
    }
  }

  void record(const RecordSet::Entry& entry) {
    const AllocRecord& r = entry.record;
    const std::string thread = printable(thread_name_of(data_, r.thread_id));
    if (summary_.of_native_memory()) {
      line("\n{:.0f} of {} bytes", r.weight, grouped(r.size));
    } else {
      line("\n#{} {}  {}, {} bytes{}, thread {}{}{}", r.seq,
           r.time_ms != 0 ? utc_millis(r.time_ms) : "(time not known)",
           names_.class_name(r.class_id), grouped(r.size),
           summary_.sampled() ? fmt::format(" (stands for {:.1f})", r.weight) : "", r.thread_id,
           thread.empty() ? "" : " ", thread);
    }
    const auto listed = data_.records.listed(entry.frames);
    for (const Frame& frame : listed) line("    at {}", names_.text(frame));
    if (entry.frames.empty()) out_ += "    (no Java frame)\n";
    if (listed.size() < entry.frames.size()) {
      line("    ... {} more", entry.frames.size() - listed.size());
    } else if ((r.flags & kStackTruncated) != 0) {
      out_ += "    ... deeper frames were not kept\n";
    }
  }

  const ReportData& data_;
  const ReportSummary& summary_;
  const WeightedSum recorded_;
  const std::size_t columns_;  // width of tables
  ReportNames names_;
  ReportPieces pieces_;
  std::string& out_ = pieces_.text();
};

}  // namespace

void text_report(const ReportData& data, const ReportSink& sink,
                 std::optional<std::size_t> columns) {
  const ReportSink to_people = [&sink](std::string_view piece) {
    return sink(printable_lines(piece));
  };
  TextReport(data, to_people, columns.value_or(kAnyColumns)).write();
}

}  // namespace ddm
