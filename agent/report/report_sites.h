// Recorded allocations added up by site and by thread, for the tables of the reports.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allocations/store/weighted_sum.h"
#include "report/report.h"
#include "report/report_names.h"

namespace ddm {

// A method and a line, as a table shows them.
struct FrameLine {
  bool known = false;  // false: no Java frame
  NameId method = kUnknownName;
  int line = kLineUnknown;
  friend bool operator==(const FrameLine&, const FrameLine&) = default;
};

// What was allocated and where: the class, the frame that allocates, and the first frame that is
// not the JDK's, or what stands for it (jdk_classes.h).
struct AllocSite {
  NameId class_id = kUnknownName;
  FrameLine at;
  FrameLine app;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  std::int64_t app_bytes = 0;  // of these, how many are `app`'s
  LiveAges ages = {};          // of what is alive of it
};

enum class SiteOrder { kBytes, kCount };

// By what sites are told apart, beside the class. kAllocating: `app` is the one with most bytes
// there; kApp: `at` is not known; kBoth: as fine as it gets.
enum class SiteFrame { kAllocating, kApp, kBoth };

// Every site of the records, or of the whole run, in no particular order.
std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);
std::vector<AllocSite> sites_of(const SiteSet& sites, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);
// What tables and graphs are about: the whole run, if that was counted, else what is recorded.
std::vector<AllocSite> sites_of(const ReportData& data, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);

// The innermost frame, and the one that tells what the program does: jdk_classes.h's
// telling_frame().
FrameLine innermost(std::span<const Frame> frames, ReportNames& names);
FrameLine outside_jdk(std::span<const Frame> frames, ReportNames& names);

// The first `limit` of them, largest first; ties are broken by the other number, then by ids.
std::vector<AllocSite> top_sites(std::vector<AllocSite> sites, SiteOrder order, std::size_t limit);

// What stands below a site in a table, in so many columns: "    at FRAME", "    from FRAME" where
// that is another one, and how much of it if that is not all.
std::vector<std::string> site_lines(const AllocSite& site, ReportNames& names, std::size_t width);

// One thread: what was recorded of it, and its books if the report has them.
struct ThreadTotal {
  std::int64_t thread_id = 0;
  std::string name;  // as the report has it, not made printable
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  const ThreadBytes* books = nullptr;
};

// Threads with records or books, most recorded bytes first.
std::vector<ThreadTotal> threads_of(const ReportData& data);

// The name of a thread of the report, or "".
std::string_view thread_name_of(const ReportData& data, std::int64_t thread_id);

// Of all records.
WeightedSum recorded(const RecordSet& records);

}  // namespace ddm
