#include "records/live_table.h"

#include <algorithm>
#include <utility>

namespace ddm {

std::unique_ptr<LiveTable> LiveTable::create(std::size_t sites,
                                             const AllocationSampling& sampling) {
  std::unique_ptr<LiveTable> table(new LiveTable(sites, sampling));
  return table->sums_.good() && table->deaths_.good() ? std::move(table) : nullptr;
}

bool LiveTable::add(SiteNumber site, std::int64_t size, double weight, std::uint64_t handle,
                    std::uint32_t born) {
  const double bytes = weight * static_cast<double>(size);
  if (handle != 0) {
    if (!store_.add({handle, site, size, born})) return false;
    followed_bytes_ += bytes;
    check_room();
  }
  sums_[site].seen(weight, bytes, handle != 0, static_cast<double>(BirthTime::ms(born)));
  return true;
}

void LiveTable::died(const LiveObject& object, std::uint32_t now) {
  Deaths& deaths = deaths_[object.site];
  if (deaths.count == 0) died_at_.push_back(object.site);
  const double weight = sampling_.every_allocation() ? 1 : sampling_.weight_of(object.size);
  deaths.count += weight;
  deaths.bytes += weight * static_cast<double>(object.size);
  deaths.born_ms += weight * static_cast<double>(BirthTime::ms(object.born));
  if (now > object.born) {
    deaths.ms += weight * static_cast<double>(BirthTime::ms(now) - BirthTime::ms(object.born));
  }
}

void LiveTable::give_back(LiveStore::Chunks chunks, std::uint64_t gc) {
  gc_ = gc;
  store_.give_back(std::move(chunks));
  check_room();
  for (const SiteNumber site : died_at_) {
    Deaths& deaths = deaths_[site];
    LiveSum& sum = sums_[site];
    sum.dead_count += deaths.count;
    sum.dead_bytes += deaths.bytes;
    sum.dead_ms += deaths.ms;
    sum.dead_born_ms += deaths.born_ms;
    dead_bytes_ += deaths.bytes;
    deaths = {};
  }
  died_at_.clear();
}

void LiveTable::note_all(std::int64_t now_ms) {
  history_.begin(now_ms);
  const double bytes = followed_bytes_ - dead_bytes_;
  is_top_ = bytes > most_bytes_;
  if (!is_top_) return;
  most_bytes_ = bytes;
  top_ms_ = now_ms;
}

void LiveTable::note(SiteNumber site) {
  LiveSum& sum = sums_[site];
  if (sum.seen_count == 0) return;
  const double count = sum.live_count(), bytes = sum.live_bytes();
  sum.peak_count = std::max(sum.peak_count, count);
  sum.peak_bytes = std::max(sum.peak_bytes, bytes);
  const double seen = sum.seen_bytes - sum.noted_seen_bytes;
  const double dead = sum.dead_bytes - sum.noted_dead_bytes;
  if (seen != 0 || dead != 0) history_.add({site, seen, dead});
  sum.noted_seen_bytes = sum.seen_bytes;
  sum.noted_dead_bytes = sum.dead_bytes;
  if (!is_top_) return;
  sum.top_count = count;
  sum.top_bytes = bytes;
}

}  // namespace ddm
