// Recorded allocations added up by site and by thread, for the tables of the reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "records/report.h"
#include "records/report_names.h"
#include "records/weighted_sum.h"

namespace ddm {

// What was allocated and where: the class and the frame that allocated.
struct AllocSite {
  NameId class_id = kUnknownName;
  bool has_frame = false;  // false: the record has no Java frame
  NameId method = kUnknownName;
  int line = kLineUnknown;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

enum class SiteOrder { kBytes, kCount };

// Whose frame a site is named by: the one that allocates, or the first that is not the JDK's.
enum class SiteFrame { kAllocating, kApp };

// Every site of the records, or of the whole run, in no particular order.
std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);
std::vector<AllocSite> sites_of(const SiteSet& sites, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);
// What tables and graphs are about: the whole run, if that was counted, else what is recorded.
std::vector<AllocSite> sites_of(const ReportData& data, ReportNames& names,
                                SiteFrame by = SiteFrame::kAllocating);

// Of java, javax, jdk, sun and com.sun.
bool is_jdk_class(std::string_view class_name);

// The first `limit` of them, largest first; ties are broken by the other number, then by ids.
std::vector<AllocSite> top_sites(std::vector<AllocSite> sites, SiteOrder order, std::size_t limit);

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
