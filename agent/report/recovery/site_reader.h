// The sites of a whole run from a ring file: as of the agent's last reading of them, and the records
// after that.
#pragma once

#include <cstdint>
#include <functional>

#include "allocations/store/record_set.h"
#include "allocations/store/site_copy.h"
#include "allocations/store/site_set.h"
#include "stack/tree/tree_copy.h"

namespace ddm {

struct RecoveredSites {
  SiteSet sites;  // not counted(): there are none
  std::int64_t count = 0, bytes = 0;
  bool complete = false;  // nothing is known to be missing up to the newest record
};

// The names of the file's ids.
struct FileNames {
  std::function<NameId(NameId)> class_of, method_of;
};

// `records` have names already; `oldest_kept`: records before this seq may have been overwritten.
// `known`: there were at least so many allocations and bytes.
RecoveredSites recover_sites(const SiteCopy::Reading& reading, const TreeCopy& tree,
                             const RecordSet& records, std::uint64_t oldest_kept,
                             const FileNames& names, const SiteSum& known = {});

}  // namespace ddm
