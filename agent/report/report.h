// Reports of recorded allocations. One writer for each format, whoever asks: the agent at exit,
// the `ddm` tool over the wire, recovery from a ring file.
//
//   .txt        totals, top sites by bytes and by count, then the records
//   .collapsed  outermost;...;innermost;Class_[new] BYTES   one stack a line
//   .jsonl      a summary object, one object a site, one for each figure of time, then one a record,
//               newest first
//   .sites.jsonl  of these the summary and the sites alone
//   .html       self-contained flame graph
//   .pb.gz      a profile for pprof
//   .hprof.txt  hprof's text: stacks, then a table of sites
//   .dhat.json  lifetimes by site, for valgrind's dh_view.html         } both know what has become
//   .firefox.json  allocations and deaths, for profiler.firefox.com    } of the objects: live=
//
// Pure functions of ReportData: no JVM, no clock, no files except in write_report_file().
// Deep stacks spelt out are hundreds of megabytes, so reports go out in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allocations/store/record_set.h"
#include "allocations/store/site_set.h"
#include "report/time_data.h"
#include "stack/names/name_table.h"
#include "stack/walker_counts.h"

namespace ddm {

// One thread's books: what the VM says it allocated since tracking began, and what was seen.
struct ThreadBytes {
  std::int64_t thread_id = 0;
  std::string name;
  std::int64_t allocated_bytes = 0;
  std::int64_t seen_bytes = 0;
  std::int64_t seen = 0;
  std::int64_t unattributed_bytes() const { return allocated_bytes - seen_bytes; }
};

// The engine of a report that a DDM server has made of a REAL answer, which tells neither engine
// nor times nor books.
inline constexpr std::string_view kEngineNotTold = "unknown";

// What is known of the living (live=). With one_in > 1, or with samples, every figure is an
// estimate.
struct LiveSummary {
  std::uint64_t gc = 0;  // of all that was allocated, what this collection has not found dead
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::uint32_t one_in = 1;
  std::int64_t followed_ms = 0;  // for how long
  std::int64_t top_ms = 0;       // after so long the most bytes were alive after a collection
  std::map<std::string, std::int64_t> not_followed;  // reason -> count
};

struct ReportSummary {
  std::int64_t pid = 0;
  std::string app;
  std::string vm;      // "OpenJDK 64-Bit Server VM 17.0.15+6"
  std::string engine;  // "bci" | "vm" | kEngineNotTold
  std::string walker;  // "vm" | "jvmti"
  WalkerCounts walks;

  // Bytes of a thread from one sample to the next, on average; 0 = every allocation. With samples
  // every count and every sum of bytes is an estimate, but for those of samples and
  // allocated_bytes.
  std::int64_t interval = 0;
  std::int64_t samples = 0;  // taken since tracking began, when there is an interval

  std::int64_t seen = 0;  // allocations seen since tracking began
  std::int64_t seen_bytes = 0;
  bool seen_at_least = false;  // both: the end of the run was not counted (a ring file)
  std::int64_t dropped = 0;    // seen but not recorded (overwritten in the ring is not dropped)
  std::map<std::string, std::int64_t> dropped_reasons;
  std::optional<std::int64_t> allocated_bytes;     // the VM's own count; none: it has no counter
  std::optional<std::int64_t> unattributed_bytes;  // none: no counter, or an interval
  // Of these, at most so many for the stacks of virtual threads that waited (StackChunk).
  std::optional<std::int64_t> virtual_thread_stack_bytes;
  std::vector<ThreadBytes> threads;  // the books behind all three
  std::optional<LiveSummary> live;   // none: not followed
  std::int64_t classes_rewritten = 0;
  std::map<std::string, std::int64_t> classes_skipped;  // reason -> count
  std::map<std::string, std::int64_t> methods_skipped;
  std::vector<std::string> methods_running;  // engine=bci: "a.B.method" without hooks until it ends
  std::int64_t tracked_ms = 0;               // for how long tracking was on
  // Figures of two reports can be held against each other if both are the same.
  std::uint64_t process_start = 0;  // clock ticks since boot; 0 = not known
  std::int64_t period = 0;          // how many times tracking was switched on: figures began anew
  std::int64_t written_ms = 0;      // wall clock of this report, milliseconds since the epoch
  std::string recovered;            // read from a ring file: how the figures came about
  std::string reason;               // "exit", "OutOfMemoryError", "every", "request", "recovered"

  bool made_of_answer() const { return engine == kEngineNotTold; }
  bool sampled() const { return interval > 0; }
  bool live_is_estimated() const { return live && (live->one_in > 1 || sampled()); }
};

// What the engine shows, as half a sentence: "what really lies on the heap". "" for others.
std::string_view shown_by_engine(const ReportSummary& summary);

// "one sample every 512.0 KiB of a thread, on average".
std::string sampling_words(const ReportSummary& summary);

struct ReportData {
  bool tracking_on = false;  // while the report was made
  ReportSummary summary;     // "recorded" is records.size()
  SiteSet sites;             // of all that was seen
  TimeData time;
  RecordSet records;  // newest first
  const NameTable* names = nullptr;
  std::shared_ptr<const void> names_held;  // NameTable::hold(), where names may be dropped
  std::map<std::int64_t, std::string> thread_names;
};

enum class ReportFormat {
  kText,
  kCollapsed,
  kJsonl,
  kSitesJsonl,
  kHtml,
  kPprof,
  kHprofText,
  kDhat,
  kFirefox
};

// Of the paths of reports, for people.
inline constexpr std::string_view kReportEndings =
    ".txt, .collapsed, .jsonl, .sites.jsonl, .html, .pb.gz, .hprof.txt, .dhat.json or "
    ".firefox.json";

// The format that a path's ending asks for; none for any other ending.
std::optional<ReportFormat> report_format_of(std::string_view path);

// Nothing can be said in this format of what was recorded without live=, or without sites.
bool needs_live(ReportFormat format);
bool needs_sites(ReportFormat format);
// Which of the two this data lacks for it, in words; "": neither.
std::string_view lacks_for(ReportFormat format, const ReportData& data);

// ".hprof", which dump= takes beside those: a heap dump is no report of what was recorded.
bool is_heap_dump(std::string_view path);

// ".html" of "x.html", ".pb.gz" of "x.pb.gz", and ".hprof"; "" when it asks for no format.
std::string_view report_ending_of(std::string_view path);

// Takes a report piece by piece; false = no more, it has nowhere to go.
using ReportSink = std::function<bool(std::string_view)>;

// `columns`: of the terminal that shows it, where long names in tables are shortened for. A file has
// them whole.
void text_report(const ReportData& data, const ReportSink& sink,
                 std::optional<std::size_t> columns = {});
void jsonl_report(const ReportData& data, const ReportSink& sink);
void sites_jsonl_report(const ReportData& data, const ReportSink& sink);
void summary_line(const ReportData& data, const ReportSink& sink);  // the first line of jsonl
// The whole run for programs: the summary's line, then one a class, allocating frame and first
// frame outside the JDK, none of them folded:
// {"type":"site",class,count,bytes,"at":FRAME,"app":FRAME}, where FRAME is {class,method,file,line}
// or null.
void site_list(const ReportData& data, const ReportSink& sink);
// The sites of jsonl of which something is alive, most live bytes first, behind the summary.
void live_list(const ReportData& data, const ReportSink& sink);
void time_lines(const ReportData& data, const ReportSink& sink);  // jsonl's first, those of time
void pprof_report(const ReportData& data, const ReportSink& sink);
void hprof_text_report(const ReportData& data, const ReportSink& sink);
void dhat_report(const ReportData& data, const ReportSink& sink);
void firefox_report(const ReportData& data, const ReportSink& sink);
std::string collapsed_report(const ReportData& data);
std::string html_report(const ReportData& data);
void report_as(ReportFormat format, const ReportData& data, const ReportSink& sink);

// At most 25 lines of at most 80 columns: totals and the top sites. What a program that was
// tracked without dump= prints on stderr at its end.
std::string summary_report(const ReportData& data);

// Writes beside `path` and renames into place: a reader never sees half a report, and whatever
// stood at `path` before survives a full disk. Returns "" or what went wrong, with the path.
std::string write_report_file(const std::string& path, ReportFormat format, const ReportData& data);
std::string write_report_file(const std::string& path, std::string_view text);
// The same with what `fill` gives to the sink; false from it leaves all as it was.
std::string write_report_file(const std::string& path,
                              const std::function<bool(const ReportSink&)>& fill);

}  // namespace ddm
