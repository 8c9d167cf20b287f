// Sums over the objects of one site since following began, weighted by what they represent.
#pragma once

#include <algorithm>

namespace ddm {

struct LiveSum {
  double seen_count = 0,
         seen_bytes = 0;  // allocated, whether followed or excluded by sampling (1 in N)
  double followed_count = 0, followed_bytes = 0;
  double dead_count = 0, dead_bytes = 0;  // of followed objects
  double born_ms = 0, dead_born_ms = 0;   // sum of birth times; of the dead
  double dead_ms = 0;                     // sum of the lifetimes of the dead
  double peak_count = 0, peak_bytes = 0;  // maximum of this site after a sweep
  double top_count = 0, top_bytes = 0;    // when the bytes of all sites were at their maximum
  double noted_seen_bytes = 0, noted_dead_bytes = 0;  // included in LiveHistory

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

  // Extrapolates to objects excluded by sampling. Exact if every object is followed.
  double count_scale() const { return followed_count > 0 ? seen_count / followed_count : 0; }
  double bytes_scale() const { return followed_bytes > 0 ? seen_bytes / followed_bytes : 0; }
  double live_count() const { return std::max(0.0, (followed_count - dead_count) * count_scale()); }
  double live_bytes() const { return std::max(0.0, (followed_bytes - dead_bytes) * bytes_scale()); }
  // Sum of all lifetimes until `now_ms`.
  double lived_ms(double now_ms) const {
    const double alive = (followed_count - dead_count) * now_ms - (born_ms - dead_born_ms);
    return (dead_ms + std::max(0.0, alive)) * count_scale();
  }
};

}  // namespace ddm
