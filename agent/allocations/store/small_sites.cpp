#include "allocations/store/small_sites.h"

#include <algorithm>
#include <cmath>

namespace ddm {

namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

SiteLife OwnLives::take(const LiveSum& sum, std::int64_t count, std::int64_t bytes) {
  count = seen_count_.take(sum.seen_count, count);
  bytes = seen_bytes_.take(sum.seen_bytes, bytes);
  return {count,
          bytes,
          live_count_.take(sum.live_count(), count),
          live_bytes_.take(sum.live_bytes(), bytes),
          std::llround(sum.lived_ms(static_cast<double>(now_ms_))),
          std::min<std::int64_t>(std::llround(sum.peak_count), count),
          std::min<std::int64_t>(std::llround(sum.peak_bytes), bytes),
          std::min<std::int64_t>(std::llround(sum.top_live_count()), count),
          std::min<std::int64_t>(std::llround(sum.top_live_bytes()), bytes)};
}

std::int64_t Rest::take(double share, std::int64_t most) {
  rest_ += share;
  const std::int64_t taken = std::clamp<std::int64_t>(std::llround(rest_), 0, most);
  rest_ -= static_cast<double>(taken);
  return taken;
}

void SmallSites::add(NameId class_id, const LiveSum& sum, const AgeSum* ages) {
  OfClass& all = classes_[class_id];
  all.sum.add(sum);
  if (ages != nullptr) all.ages += *ages;
}

SmallSites::Share SmallSites::share(NameId class_id, const LiveSum& sum, std::int64_t most_count,
                                    std::int64_t most_bytes) {
  OfClass& all = classes_[class_id];
  const double made = ratio(sum.seen_count, all.sum.seen_count);
  const double made_at_top = ratio(sum.top_seen_count, all.sum.top_seen_count);
  // Objects of this class that are alive may be larger than the others, or smaller.
  const auto bytes = [&](std::int64_t count, double all_count, double all_bytes) {
    return static_cast<double>(count) * ratio(sum.seen_bytes, sum.seen_count) *
           ratio(all_bytes, all_count) * ratio(all.sum.seen_count, all.sum.seen_bytes);
  };
  Share result;
  SiteLife& life = result.life;
  life.seen_count = std::min<std::int64_t>(std::llround(sum.seen_count), most_count);
  life.seen_bytes = std::min<std::int64_t>(std::llround(sum.seen_bytes), most_bytes);
  const double alive = all.sum.live_count(), at_top = all.sum.top_live_count();
  life.live_count = all.count.take(made * alive, life.seen_count);
  if (life.live_count > 0) {  // no bytes without objects
    life.live_bytes =
        all.bytes.take(bytes(life.live_count, alive, all.sum.live_bytes()), life.seen_bytes);
  }
  life.top_count =
      all.top_count.take(made_at_top * at_top,
                         std::min<std::int64_t>(std::llround(sum.top_seen_count), life.seen_count));
  if (life.top_count > 0) {
    life.top_bytes = all.top_bytes.take(bytes(life.top_count, at_top, all.sum.top_live_bytes()),
                                        life.seen_bytes);
  }
  life.peak_count = std::max(life.live_count, life.top_count);
  life.peak_bytes = std::max(life.live_bytes, life.top_bytes);
  life.lived_ms = all.lived_ms.take(made * all.sum.lived_ms(static_cast<double>(now_ms_)));

  std::int64_t count = life.live_count, left = life.live_bytes;
  for (std::size_t i = AgeClass::kCount - 1; i > 0 && count > 0; --i) {
    const double aged = ratio(all.ages.count[i], all.sum.followed_count - all.sum.dead_count);
    std::int64_t& old = result.ages.count[i];
    old = all.aged[i].take(static_cast<double>(life.live_count) * aged, count);
    result.ages.bytes[i] = old == count ? left : life.live_bytes * old / life.live_count;
    count -= old;
    left -= result.ages.bytes[i];
  }
  return result;
}

}  // namespace ddm
