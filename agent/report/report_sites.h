// Sums recorded allocations by site and by thread, for the tables of the reports.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allocations/store/record_set.h"
#include "report/report.h"
#include "report/report_names.h"

namespace ddm {

// A method and a line, as shown in tables.
struct FrameLine {
  bool known = false;  // false: no Java frame
  NameId method = kUnknownName;
  int line = kLineUnknown;
  friend auto operator<=>(const FrameLine&, const FrameLine&) = default;
};

// Where a class was allocated: the allocating frame, and the first frame outside the JDK or its
// substitute (jdk_classes.h).
struct AllocSite {
  NameId class_id = kUnknownName;
  FrameLine at;
  FrameLine app;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  std::int64_t app_bytes = 0;  // the part of them with frame `app`
  LiveAges ages = {};          // of its live objects
};

enum class SiteOrder { kBytes, kCount };

// What distinguishes sites besides the class. kAllocating: `app` is the one with the most bytes;
// kApp: `at` is unknown; kBoth: both frames.
enum class SiteFrame { kAllocating, kApp, kBoth };

// All sites of the records, or of the whole run, unordered.
std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);
std::vector<AllocSite> sites_of(const SiteSet& sites, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);
// The data of tables and graphs: the whole run, if it was counted, else the records.
std::vector<AllocSite> sites_of(const ReportData& data, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);

// The innermost frame, and jdk_classes.h's representative_frame().
FrameLine innermost(std::span<const Frame> frames, ReportNames& names);
FrameLine outside_jdk(std::span<const Frame> frames, ReportNames& names);

// The `limit` largest, in order; ties are broken by the other figure, then by ids.
std::vector<AllocSite> top_sites(std::vector<AllocSite> sites, SiteOrder order, std::size_t limit);

// The lines below a site in a table of `width` columns: "    at FRAME", "    from FRAME" if that is
// another one, and its share unless it is all.
std::vector<std::string> site_lines(const AllocSite& site, ReportNames& names, std::size_t width);

// One thread: its recorded allocations, and its account if the report has one.
struct ThreadTotal {
  std::int64_t thread_id = 0;
  std::string name;  // as in the report, not made printable
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  const ThreadBytes* account = nullptr;
};

// Threads with records or accounts, most recorded bytes first.
std::vector<ThreadTotal> threads_of(const ReportData& data);

// The name of a thread of the report, or "".
std::string_view thread_name_of(const ReportData& data, std::int64_t thread_id);

// The sum of all records.
WeightedSum recorded(const RecordSet& records);

}  // namespace ddm
