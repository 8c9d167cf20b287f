// The objects of a run that are followed, and what of each site is still alive.
//
// Members are called in a hold() of the Sites, but for those that say otherwise. A sweep takes all
// objects out, looks through them without the lock, and brings back those that stay: meanwhile the
// program's threads add others, and readers see the figures of the sweep before. Ages are those at
// the pause that figures are of, which the sweep counts anew.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "allocations/store/live_history.h"
#include "allocations/store/live_store.h"
#include "allocations/store/live_sum.h"
#include "allocations/store/sampling.h"
#include "core/prefetch.h"
#include "core/reserved_array.h"

namespace ddm {

class LiveTable {
 public:
  // So many objects are followed at a time.
  static constexpr std::size_t kMostObjects = std::size_t{1} << 25;

  // Null: no memory. `sites`: numbers are below.
  static std::unique_ptr<LiveTable> create(std::size_t sites, const AllocationSampling& sampling);

  // False: no memory, and the object is not followed.
  bool add(const LiveObject& object, double weight);
  const LiveSum& sum(SiteNumber site) const { return sums_[site]; }
  // An object of this site will soon be added.
  void prefetch(SiteNumber site) const { prefetch_to_write(&sums_[site]); }

  // When all sites together had the most bytes after a sweep.
  std::int64_t top_ms() const { return top_ms_; }
  const LiveHistory& history() const { return history_; }

  // Without the lock: any thread.
  bool full() const { return full_.load(std::memory_order_relaxed); }

  LiveStore::Chunks take() { return store_.take(); }
  LiveStore::Chunks take_spare() { return store_.take_spare(); }
  // Without the lock, by the one thread that has taken them: this one is dead, found at `now`.
  void died(const LiveObject& object, std::uint32_t now);
  // Something of this site will soon be.
  void prefetch_deaths(SiteNumber site) const { prefetch_to_write(&deaths_[site]); }
  // Likewise: ages as of `gc` are counted from here on, and these objects are alive.
  void begin_ages(std::uint64_t gc);
  void count_age(const LiveObject& one);
  void count_ages(const LiveStore::Chunks& chunks);
  // They were only looked at.
  void give_back(LiveStore::Chunks chunks) { store_.give_back(std::move(chunks)); }
  // All that have died since the last time count, and the ages counted since begin_ages(), which
  // has told the collection that this is known of; what was added meanwhile is looked at here.
  void give_back_swept(LiveStore::Chunks chunks);
  std::uint64_t gc() const { return gc_; }
  void swept(std::uint64_t gc) { gc_ = gc; }
  // use(site, AgeSum) for those of which something has outlived a pause.
  template <typename Use>
  void for_each_age(Use use) const {
    for (const SiteNumber site : ages_->sites) use(site, ages_->sums[site]);
  }

  // After a sweep, in turn: note_all() once, then note() for each site, in as many holds as it
  // takes.
  void note_all(std::int64_t now_ms);
  void note(SiteNumber site);

 private:
  struct Deaths {
    double count, bytes, ms, born_ms;
  };
  struct Ages {
    explicit Ages(std::size_t size) : sums(size) {}
    void add(SiteNumber site, std::uint64_t age, double count, double bytes);
    void clear();
    ReservedArray<AgeSum> sums;
    std::vector<SiteNumber> sites;  // that have any
  };

  LiveTable(std::size_t sites, const AllocationSampling& sampling)
      : sampling_(sampling),
        sums_(sites),
        ages_(std::make_unique<Ages>(sites)),
        deaths_(sites),
        coming_ages_(std::make_unique<Ages>(sites)) {}
  double weight_of(const LiveObject& object) const {
    return sampling_.every_allocation() ? 1 : sampling_.weight_of(object.size);
  }
  void check_room() { full_.store(store_.reserved() > kMostObjects, std::memory_order_relaxed); }

  const AllocationSampling sampling_;
  LiveStore store_;
  std::atomic<bool> full_{false};
  ReservedArray<LiveSum> sums_;
  std::unique_ptr<Ages> ages_;
  double followed_bytes_ = 0, dead_bytes_ = 0;  // of all sites
  double most_bytes_ = 0;
  std::uint64_t gc_ = 0;
  std::int64_t top_ms_ = 0;
  LiveHistory history_;
  bool is_top_ = false;  // what is noted now

  // Of the sweep that goes on, its thread's own.
  ReservedArray<Deaths> deaths_;
  std::vector<SiteNumber> died_at_;
  std::unique_ptr<Ages> coming_ages_;
  std::uint64_t coming_gc_ = 0;
};

}  // namespace ddm
