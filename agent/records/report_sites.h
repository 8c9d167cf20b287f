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

// Every site of the records, in no particular order.
std::vector<AllocSite> sites_of(const RecordSet& records, ReportNames& names);

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
