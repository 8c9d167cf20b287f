// Reports of recorded allocations. Each format has one writer, used by the agent at exit, by `ddm`
// over the wire, and for recovery from a ring file.
//
// .dhat.json and .firefox.json need to know the objects' fates: live=.
//
// Pure functions of ReportData: no JVM, no clock, no files except in write_report_file().
// Deep stacks written in full are hundreds of megabytes, so reports are produced in pieces.
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
#include "core/result.h"
#include "report/time_data.h"
#include "stack/names/name_table.h"
#include "stack/walker.h"

namespace ddm {

// The account of one thread: bytes allocated by the VM's counter since tracking began, and seen.
struct ThreadBytes {
  std::int64_t thread_id = 0;
  std::string name;
  std::int64_t allocated_bytes = 0;
  std::int64_t seen_bytes = 0;
  std::int64_t seen = 0;
  std::int64_t unattributed_bytes() const { return allocated_bytes - seen_bytes; }
};

// Engines of reports without times and accounts, which `ddm` makes from a REAL answer or from native
// blocks.
inline constexpr std::string_view kEngineUnknown = "unknown", kEngineMalloc = "malloc";

// Figures on live objects (live=). With one_in > 1, or with samples, all are estimates.
struct LiveSummary {
  std::uint64_t gc = 0;           // the collection as of which objects are live
  std::uint64_t collections = 0;  // since following began
  std::int64_t count = 0, bytes = 0;
  std::uint32_t one_in = 1;
  std::int64_t followed_ms = 0;  // for how long
  std::int64_t top_ms = 0;       // when live bytes after a collection peaked, since following began
  std::map<std::string, std::int64_t> not_followed;  // reason -> count
};

struct ReportSummary {
  std::int64_t pid = 0;
  std::string app;
  std::string vm;              // "OpenJDK 64-Bit Server VM 17.0.15+6"
  std::string engine, walker;  // "bci" | "vm" | one of the above; "vm" | "jvmti"
  WalkerCounts walks;

  // Mean bytes of a thread between two samples; 0 = every allocation is recorded. With samples all
  // counts and sums are estimates, except samples and allocated_bytes.
  std::int64_t interval = 0;
  std::optional<std::int64_t> samples = 0;  // since tracking began; nullopt: not known

  std::int64_t seen = 0, seen_bytes = 0;  // allocations seen since tracking began
  bool seen_at_least = false;  // both are lower bounds: the run's end is missing (a ring file)
  std::int64_t dropped = 0;    // seen but not recorded (overwriting in the ring is no drop)
  std::map<std::string, std::int64_t> dropped_reasons;
  std::optional<std::int64_t> allocated_bytes;     // the VM's counter; nullopt: it has none
  std::optional<std::int64_t> unattributed_bytes;  // nullopt: no counter, or an interval
  // At most this part of them is for stacks of unmounted virtual threads (StackChunk).
  std::optional<std::int64_t> virtual_thread_stack_bytes;
  std::vector<ThreadBytes> threads;  // the accounts that the three are sums of
  std::optional<LiveSummary> live;   // nullopt: objects are not followed
  std::int64_t classes_rewritten = 0;
  std::map<std::string, std::int64_t> classes_skipped, methods_skipped;  // reason -> count
  std::string sites_missing, live_missing;   // why they are not counted though they were asked for
  std::vector<std::string> methods_running;  // engine=bci: "a.B.method", active without hooks
  std::int64_t tracked_ms = 0;               // how long tracking was on
  // Two reports are comparable if both are equal.
  std::uint64_t process_start = 0;  // clock ticks since boot; 0 = unknown
  std::int64_t period = 0;          // how often tracking was switched on, which resets figures
  std::int64_t written_ms = 0;      // time of this report, milliseconds since the epoch
  std::string recovered;            // of a ring file: how the figures were obtained
  std::string below;                // restricted to this method and its callees; "": everything
  std::int64_t below_unknown_bytes = 0;  // left out, but their stacks' outer frames are cut
  std::string reason;  // "exit", "OutOfMemoryError", "every", "request", "recovered"

  bool of_native_memory() const { return engine == kEngineMalloc; }
  bool made_of_answer() const { return engine == kEngineUnknown || of_native_memory(); }
  bool sampled() const { return interval > 0; }
  bool live_is_estimated() const { return live && (live->one_in > 1 || sampled()); }
};

// What the engine records, as a noun phrase: "what really lies on the heap". "" for others.
std::string_view shown_by_engine(const ReportSummary& summary);

// "one sample every 512.0 KiB of a thread, on average".
std::string sampling_words(const ReportSummary& summary);

struct ReportData {
  bool tracking_on = false;  // while the report was made
  ReportSummary summary;     // "recorded" is records.size()
  SiteSet sites;             // of all allocations seen
  TimeData time;
  RecordSet records;  // newest first
  const NameTable* names = nullptr;
  std::shared_ptr<const void> names_held;  // NameTable::hold(), or the report's own table
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

// Endings of report paths, for messages.
inline constexpr std::string_view kReportEndings =
    ".txt, .collapsed, .jsonl, .sites.jsonl, .html, .pb.gz, .hprof.txt, .dhat.json or "
    ".firefox.json";

// The format by a path's ending; nullopt for other endings.
std::optional<ReportFormat> report_format_of(std::string_view path);

// Whether the format is empty without live=, or without sites.
bool needs_live(ReportFormat format);
bool needs_sites(ReportFormat format);
// Which of the two is missing in this data, and why, in words; "": neither.
std::string lacks_for(ReportFormat format, const ReportData& data);

// ".hprof", which dump= accepts too: a heap dump is no report of recorded data.
bool is_heap_dump(std::string_view path);

// ".html" of "x.html", ".pb.gz" of "x.pb.gz", and ".hprof"; "" for other endings.
std::string_view report_ending_of(std::string_view path);

// Receives a report in pieces; returns false to stop.
using ReportSink = std::function<bool(std::string_view)>;

// `columns`: the terminal's width, to which tables shorten names; without it they are complete.
void text_report(const ReportData& data, const ReportSink& sink,
                 std::optional<std::size_t> columns = {});
void jsonl_report(const ReportData& data, const ReportSink& sink);
void sites_jsonl_report(const ReportData& data, const ReportSink& sink);
void summary_line(const ReportData& data, const ReportSink& sink);  // the first line of jsonl
// The whole run for programs: the summary's line, then one per class, allocating frame and first
// frame outside the JDK, none folded: {"type":"site",class,count,bytes,"at":FRAME,"app":FRAME},
// with live= also "live_ages", where FRAME is {class,method,file,line} or null.
void site_list(const ReportData& data, const ReportSink& sink);
// The summary, then the sites of jsonl with live objects, most live bytes first.
void live_list(const ReportData& data, const ReportSink& sink);
void recent_threads(const ReportData& data, const ReportSink& sink);  // the summary, a line each
void time_lines(const ReportData& data, const ReportSink& sink);  // jsonl's first, those of time
void pprof_report(const ReportData& data, const ReportSink& sink);
void hprof_text_report(const ReportData& data, const ReportSink& sink);
void dhat_report(const ReportData& data, const ReportSink& sink);
void firefox_report(const ReportData& data, const ReportSink& sink);
std::string collapsed_report(const ReportData& data);
std::string html_report(const ReportData& data);
void report_as(ReportFormat format, const ReportData& data, const ReportSink& sink);

// At most `lines` of at most 80 columns, for the end of a program: totals and the top sites.
inline constexpr std::size_t kSummaryLines = 25;
std::string summary_report(const ReportData& data, std::size_t lines = kSummaryLines);

// Writes to a temporary file and renames it: a reader never sees a partial report, and an existing
// file survives a full disk. The error names the path.
std::optional<Error> write_report_file(const std::string& path, ReportFormat format,
                                       const ReportData& data);
std::optional<Error> write_report_file(const std::string& path, std::string_view text);
// The same with the text that `fill` writes to the sink; if it returns false, no file changes.
std::optional<Error> write_report_file(const std::string& path,
                                       const std::function<bool(const ReportSink&)>& fill);

}  // namespace ddm
