#include "allocations/store/live_table.h"

#include <algorithm>

namespace ddm {

std::unique_ptr<LiveTable> LiveTable::create(std::size_t sites, const AllocationSampling& sampling,
                                             std::uint32_t one_in) {
  std::unique_ptr<LiveTable> table(new LiveTable(sites, sampling, one_in));
  const bool good = table->sums_.good() && table->deaths_.good() && table->died_at_.good() &&
                    table->ages_->good() && table->next_ages_->good();
  return good ? std::move(table) : nullptr;
}

bool LiveTable::add(const LiveObject& object, double weight) {
  const double bytes = weight * static_cast<double>(object.size);
  if (object.handle != 0) {
    if (!store_.add(object)) return false;
    followed_bytes_ += bytes;
    update_full();
    // The thread was delayed between allocating the object and recording it.
    const std::uint64_t age = BirthGc::age(object.born_gc, gc_);
    if (age > 0) [[unlikely]]
      ages_->add(object.site, age, weight, bytes);
  }
  sums_[object.site].seen(weight, bytes, object.handle != 0,
                          static_cast<double>(BirthTime::ms(object.born)));
  return true;
}

void LiveTable::died(const LiveObject& object, std::uint32_t now) {
  Deaths& deaths = deaths_[object.site];
  if (deaths.count == 0) died_at_.add(object.site);
  const double weight = sampling_.weight_of(object.size);
  deaths.count += weight;
  deaths.bytes += weight * static_cast<double>(object.size);
  deaths.born_ms += weight * static_cast<double>(BirthTime::ms(object.born));
  if (now > object.born) {
    deaths.ms += weight * static_cast<double>(BirthTime::ms(now) - BirthTime::ms(object.born));
  }
}

void LiveTable::begin_ages(std::uint64_t gc) {
  next_gc_ = gc;
  next_ages_->clear();
}

void LiveTable::count_age(const LiveObject& one) {
  const std::uint64_t age = BirthGc::age(one.born_gc, next_gc_);
  if (age == 0) return;
  const double weight = sampling_.weight_of(one.size);
  next_ages_->add(one.site, age, weight, weight * static_cast<double>(one.size));
}

void LiveTable::count_ages(const LiveStore::Chunks& chunks) {
  chunks.for_each([&](const LiveObject& one) { count_age(one); });
}

void LiveTable::give_back_swept(LiveStore::Chunks chunks) {
  count_ages(store_.added());
  std::swap(ages_, next_ages_);
  gc_ = next_gc_;
  store_.give_back(std::move(chunks));
  update_full();
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
  sum.top_count = sum.followed_count - sum.dead_count;
  sum.top_bytes = sum.followed_bytes - sum.dead_bytes;
  sum.top_seen_count = sum.seen_count;
}

}  // namespace ddm
