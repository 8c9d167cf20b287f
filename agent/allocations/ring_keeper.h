// ring=PATH: creates the ring file at start, and updates its summary while the program runs.
// Records and names in it need no updates.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "allocations/tracking.h"
#include "core/chores.h"

namespace ddm {

class RingKeeper {
 public:
  // `text`: as given, %p not yet expanded. Null, and logged, if there is no ring file; records are
  // then in memory only.
  static std::unique_ptr<RingKeeper> open(const std::string& text, std::int64_t pid,
                                          std::int64_t load_time, Tracking& tracking,
                                          const TrackingOptions& options);

  // Call in VMDeath; never blocks. The file is removed once the reports are written.
  void close(bool remove);

 private:
  explicit RingKeeper(Tracking& tracking);

  Tracking& tracking_;
  const Chores::Handle chore_;  // null: the summary is not updated
};

}  // namespace ddm
