#include "allocations/store/sites.h"

#include <new>

namespace ddm {

std::shared_ptr<Sites> Sites::create(std::uint32_t most, std::uint32_t depth) {
  return of(CallTree::create(most, depth));
}

std::shared_ptr<Sites> Sites::of(std::unique_ptr<CallTree> traces) {
  if (!traces) return nullptr;
  std::shared_ptr<Sites> sites(new Sites(std::move(traces)));
  return sites->table_.good() && sites->times_.good() ? sites : nullptr;
}

void Sites::drain_if_needed(SiteJournal& journal, bool full) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock && !full) return;  // another thread reads or drains; the journal still has room
  if (!lock) lock.lock();
  take(journal, journal.written_);
}

void Sites::take(SiteJournal& journal, std::uint64_t end) {
  const auto entry = [&](std::uint64_t i) -> const SiteEntry& {
    return journal.entries_[i % SiteJournal::kEntries];
  };
  const std::uint64_t begin = journal.drained_.load(std::memory_order_relaxed);
  std::array<SiteNumber, SiteJournal::kEntries> likely;
  for (std::uint64_t i = begin; i < end; ++i) table_.prefetch(entry(i));
  for (std::uint64_t i = begin; i < end; ++i) {
    const SiteNumber site = table_.prefetch_sum(entry(i));
    if (entry(i).born != 0 && live_) live_->prefetch(site);
    likely[i % likely.size()] = site;
  }
  for (std::uint64_t i = begin; i < end; ++i) add(entry(i), likely[i % likely.size()]);
  // The journal's thread reuses these entries once it sees this store.
  if (begin < end) journal.drained_.store(end, std::memory_order_release);
}

void Sites::follow(SiteNumber site, const SiteEntry& one) {
  const LiveObject object{one.handle, site, one.size, one.born, one.born_gc};
  if (live_ && live_->add(object, one.weight)) return;
  if (one.handle == 0) return;
  try {
    strays_.push_back(one.handle);
  } catch (const std::bad_alloc&) {  // the weak handle leaks, a few bytes in the VM
  }
}

void Sites::poll_times(std::int64_t ms) {
  if (copy_.on()) {
    times_.for_each_change([&](SiteNumber site) { copy_.put(site, table_[site]); });
  }
  times_.poll(table_, ms);
}

SiteReadings Sites::room() const {
  std::size_t count = 0;
  bool follows = false;
  {
    const std::lock_guard lock(mutex_);
    count = table_.used() + kMoreSites;
    follows = live_ != nullptr;
  }
  SiteReadings room;
  room.sums.resize(count);
  if (follows) room.live.resize(count);
  return room;
}

SiteReadings Sites::sums(SiteReadings room) const {
  room.sums.clear();
  room.live.clear();
  table_.for_each([&](SiteNumber site, const SiteSum& sum) {
    room.sums.push_back(sum);
    if (live_) room.live.push_back(live_->sum(site));
  });
  return room;
}

TimesReading Sites::times() const {
  TimesReading result{times_.step_ms(), times_.moments(), {}};
  table_.for_each([&](SiteNumber site, const SiteSum&) {
    if (times_.is_partly_timed(site)) result.partly_timed.push_back(site);
  });
  return result;
}

LiveReading Sites::live_reading() const {
  LiveReading result;
  if (!live_) return result;
  result.one_in = live_->one_in();
  result.history = live_->history();
  result.gc = live_->gc();
  live_->for_each_age([&](SiteNumber site, const AgeSum& sum) {
    result.ages.emplace_back(table_[site].key(), sum);
  });
  return result;
}

void Sites::add_names(NamesInUse& used) const {
  table_.for_each([&](SiteNumber, const SiteSum& sum) { used.classes.insert(sum.class_id); });
  traces_->add_names(used);
}

}  // namespace ddm
