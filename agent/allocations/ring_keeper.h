// ring=PATH: opens the ring file at start, and keeps the figures of its summary fresh while the
// program runs. The records and names in it need nobody.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "allocations/tracking.h"
#include "core/chores.h"

namespace ddm {

class RingKeeper {
 public:
  // `text`: as given, %p not yet filled in. Null with a line in the log when there is no ring file;
  // the records stay in memory then.
  static std::unique_ptr<RingKeeper> open(const std::string& text, std::int64_t pid,
                                          std::int64_t load_time, Tracking& tracking,
                                          const TrackingOptions& options);

  // At the VM's death; waits for nobody. The file is removed once the reports are written.
  void close(bool remove);

 private:
  explicit RingKeeper(Tracking& tracking);

  Tracking& tracking_;
  const Chores::Handle chore_;  // null: the figures are those of the beginning
};

}  // namespace ddm
