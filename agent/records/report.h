// Reports of recorded allocations. One writer for each format, whoever asks: the agent at exit,
// the `ddm` tool over the wire, recovery from a ring file.
//
//   .txt        totals, top sites by bytes and by count, then the records
//   .collapsed  outermost;...;innermost;Class_[new] BYTES   one stack a line
//   .jsonl      a summary object, then one object per record, newest first
//   .html       self-contained flame graph
//
// Pure functions of ReportData: no JVM, no clock, no files except in write_report_file().
// Deep stacks spelt out are hundreds of megabytes, so reports go out in pieces.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/name_table.h"
#include "records/record_set.h"

namespace ddm {

// One thread's books: what the VM says it allocated since tracking began, and what was seen.
struct ThreadBytes {
  std::int64_t thread_id = 0;
  std::string name;
  std::int64_t allocated_bytes = 0;
  std::int64_t seen_bytes = 0;
  std::int64_t unattributed_bytes() const { return allocated_bytes - seen_bytes; }
};

// The engine of a report that a DDM server has made of a REAL answer, which tells neither engine
// nor times nor books.
inline constexpr std::string_view kEngineNotTold = "unknown";

struct ReportSummary {
  std::int64_t pid = 0;
  std::string app;
  std::string vm;         // "OpenJDK 64-Bit Server VM 17.0.15+6"
  std::string engine;     // "bci" | "vm" | kEngineNotTold
  std::string walker;     // "jvmti" | ...
  std::int64_t seen = 0;  // allocations seen since tracking began
  std::int64_t seen_bytes = 0;
  std::int64_t dropped = 0;  // seen but not recorded (overwritten in the ring is not dropped)
  std::map<std::string, std::int64_t> dropped_reasons;
  std::optional<std::int64_t> unattributed_bytes;  // none: the VM gives no counter
  std::vector<ThreadBytes> threads;                // the books behind unattributed_bytes
  std::int64_t classes_rewritten = 0;
  std::map<std::string, std::int64_t> classes_skipped;  // reason -> count
  std::map<std::string, std::int64_t> methods_skipped;
  std::int64_t tracked_ms = 0;  // for how long tracking was on
  std::int64_t written_ms = 0;  // wall clock of this report, milliseconds since the epoch
  std::string reason;           // "exit", "OutOfMemoryError", "every", "request", "recovered"

  bool made_of_answer() const { return engine == kEngineNotTold; }
};

struct ReportData {
  ReportSummary summary;  // "recorded" is records.size()
  RecordSet records;      // newest first
  const NameTable* names = nullptr;
  std::map<std::int64_t, std::string> thread_names;
};

enum class ReportFormat { kText, kCollapsed, kJsonl, kHtml };

// The format that a path's ending asks for; none for any other ending.
std::optional<ReportFormat> report_format_of(std::string_view path);

// Takes a report piece by piece; false = no more, it has nowhere to go.
using ReportSink = std::function<bool(std::string_view)>;

void text_report(const ReportData& data, const ReportSink& sink);
void jsonl_report(const ReportData& data, const ReportSink& sink);
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

}  // namespace ddm
