// Sums over the objects of one site since following began, weighted by what they represent.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ddm {

struct LiveSum {
  // With one object in N followed: enough followed ones, on average, to tell of the others.
  static constexpr std::uint32_t kEnough = 8;

  double records = 0;  // that the following are sums of
  double seen_count = 0,
         seen_bytes = 0;  // allocated, whether followed or excluded by sampling (1 in N)
  double followed_count = 0, followed_bytes = 0;
  double dead_count = 0, dead_bytes = 0;  // of followed objects
  double born_ms = 0, dead_born_ms = 0;   // sum of birth times; of the dead
  double dead_ms = 0;                     // sum of the lifetimes of the dead
  double peak_count = 0, peak_bytes = 0;  // maximum of this site after a sweep
  // When the bytes of all sites were at their maximum; followed objects that were alive.
  double top_count = 0, top_bytes = 0;
  double top_seen_count = 0;                          // allocated until then
  double noted_seen_bytes = 0, noted_dead_bytes = 0;  // included in LiveHistory

  void seen(double weight, double bytes, bool followed, double born) {
    records += 1;
    seen_count += weight;
    seen_bytes += bytes;
    if (!followed) return;
    followed_count += weight;
    followed_bytes += bytes;
    born_ms += weight * born;
  }
  void add_seen(const LiveSum& more) {
    records += more.records;
    seen_count += more.seen_count;
    seen_bytes += more.seen_bytes;
    followed_count += more.followed_count;
    followed_bytes += more.followed_bytes;
    born_ms += more.born_ms;
  }
  // All but maxima, which may be of different times.
  void add(const LiveSum& more) {
    add_seen(more);
    dead_count += more.dead_count;
    dead_bytes += more.dead_bytes;
    dead_born_ms += more.dead_born_ms;
    dead_ms += more.dead_ms;
    top_count += more.top_count;
    top_bytes += more.top_bytes;
    top_seen_count += more.top_seen_count;
  }

  bool is_small(std::uint32_t one_in) const {
    return one_in > 1 && records < double{kEnough} * one_in;
  }

  // Extrapolates to objects excluded by sampling. Exact if every object is followed.
  double count_scale() const { return followed_count > 0 ? seen_count / followed_count : 0; }
  double bytes_scale() const { return followed_bytes > 0 ? seen_bytes / followed_bytes : 0; }
  double live_count() const { return std::max(0.0, (followed_count - dead_count) * count_scale()); }
  double live_bytes() const { return std::max(0.0, (followed_bytes - dead_bytes) * bytes_scale()); }
  double top_live_count() const { return top_count * count_scale(); }
  double top_live_bytes() const { return top_bytes * bytes_scale(); }
  // Sum of all lifetimes until `now_ms`.
  double lived_ms(double now_ms) const {
    const double alive = (followed_count - dead_count) * now_ms - (born_ms - dead_born_ms);
    return (dead_ms + std::max(0.0, alive)) * count_scale();
  }
};

}  // namespace ddm
