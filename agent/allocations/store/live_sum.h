// What has become of the objects of one site, since following began: sums of what they stand for.
#pragma once

#include <algorithm>

namespace ddm {

struct LiveSum {
  double seen_count = 0, seen_bytes = 0;  // allocated, and followed or left out by choice (1 in N)
  double followed_count = 0, followed_bytes = 0;
  double dead_count = 0, dead_bytes = 0;  // of those followed
  double born_ms = 0, dead_born_ms = 0;   // when they were born, added up; of the dead
  double dead_ms = 0;                     // for how long those lived, added up
  double peak_count = 0, peak_bytes = 0;  // not dead after a sweep: the most of this site
  double top_count = 0, top_bytes = 0;    // and when all sites together had the most bytes
  double noted_seen_bytes = 0, noted_dead_bytes = 0;  // that LiveHistory has

  void seen(double weight, double bytes, bool followed, double born) {
    seen_count += weight;
    seen_bytes += bytes;
    if (!followed) return;
    followed_count += weight;
    followed_bytes += bytes;
    born_ms += weight * born;
  }
  void add_seen(const LiveSum& more) {
    seen_count += more.seen_count;
    seen_bytes += more.seen_bytes;
    followed_count += more.followed_count;
    followed_bytes += more.followed_bytes;
    born_ms += more.born_ms;
  }

  // Those left out have the fate of those followed. Every object followed: exact.
  double count_scale() const { return followed_count > 0 ? seen_count / followed_count : 0; }
  double bytes_scale() const { return followed_bytes > 0 ? seen_bytes / followed_bytes : 0; }
  double live_count() const { return std::max(0.0, (followed_count - dead_count) * count_scale()); }
  double live_bytes() const { return std::max(0.0, (followed_bytes - dead_bytes) * bytes_scale()); }
  // For how long all have lived until `now_ms`, added up.
  double lived_ms(double now_ms) const {
    const double alive = (followed_count - dead_count) * now_ms - (born_ms - dead_born_ms);
    return (dead_ms + std::max(0.0, alive)) * count_scale();
  }
};

}  // namespace ddm
