// The followed objects of a run, and the live objects of each site.
//
// Members are called inside a hold() of the Sites, unless noted. A sweep takes all objects out,
// checks them without the lock, and gives the survivors back: meanwhile the program's threads add
// others, and readers see the figures of the previous sweep. Ages are as of the pause of the
// figures; each sweep counts them anew.
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
  // Maximum number of followed objects.
  static constexpr std::size_t kMostObjects = std::size_t{1} << 25;

  // Null: no memory. `sites`: upper bound of site numbers. One object in `one_in` is followed.
  static std::unique_ptr<LiveTable> create(std::size_t sites, const AllocationSampling& sampling,
                                           std::uint32_t one_in = 1);
  std::uint32_t one_in() const { return one_in_; }

  // False: no memory, and the object is not followed.
  bool add(const LiveObject& object, double weight);
  const LiveSum& sum(SiteNumber site) const { return sums_[site]; }
  // Prefetches for add() of an object of this site.
  void prefetch(SiteNumber site) const { prefetch_to_write(&sums_[site]); }

  // When the bytes of all sites after a sweep were at their maximum.
  std::int64_t top_ms() const { return top_ms_; }
  const LiveHistory& history() const { return history_; }

  // Any thread, without the lock.
  bool full() const { return full_.load(std::memory_order_relaxed); }

  LiveStore::Chunks take() { return store_.take(); }
  LiveStore::Chunks take_spare() { return store_.take_spare(); }
  // Without the lock, by the thread that has taken the objects: this one was found dead at `now`.
  void died(const LiveObject& object, std::uint32_t now);
  // Prefetches for died() of an object of this site.
  void prefetch_deaths(SiteNumber site) const { prefetch_to_write(&deaths_[site]); }
  // Also without the lock: starts a new count of ages as of `gc`; count_age() adds a live object.
  void begin_ages(std::uint64_t gc);
  void count_age(const LiveObject& one);
  void count_ages(const LiveStore::Chunks& chunks);
  // Gives chunks back that were only read.
  void give_back(LiveStore::Chunks chunks) { store_.give_back(std::move(chunks)); }
  // Ends a sweep: publishes the deaths since the last one and the ages counted since begin_ages(),
  // whose collection the figures are now of. Objects added meanwhile are counted here.
  void give_back_swept(LiveStore::Chunks chunks);
  std::uint64_t gc() const { return gc_; }
  void swept(std::uint64_t gc) { gc_ = gc; }
  // Calls use(site, AgeSum) for sites with objects that have survived a pause.
  template <typename Use>
  void for_each_age(Use use) const {
    for (const SiteNumber site : ages_->sites) use(site, ages_->sums[site]);
  }

  // After a sweep: note_all() once, then note() for each site, in any number of holds.
  void note_all(std::int64_t now_ms);
  void note(SiteNumber site);

 private:
  struct Deaths {
    double count, bytes, ms, born_ms;
  };
  // Sites, each once. A sweep must not fail when it has taken the objects out: never allocates.
  class SiteList {
   public:
    explicit SiteList(std::size_t most) : sites_(most) {}
    bool good() const { return sites_.good(); }
    void add(SiteNumber site) { sites_[count_++] = site; }
    void clear() { count_ = 0; }
    const SiteNumber* begin() const { return &sites_[0]; }
    const SiteNumber* end() const { return begin() + count_; }

   private:
    ReservedArray<SiteNumber> sites_;
    std::size_t count_ = 0;
  };
  struct Ages {
    explicit Ages(std::size_t size) : sums(size), sites(size) {}
    bool good() const { return sums.good() && sites.good(); }
    void add(SiteNumber site, std::uint64_t age, double count, double bytes) {
      if (!sums[site].any) sites.add(site);
      sums[site].add(age, count, bytes);
    }
    void clear() {
      for (const SiteNumber site : sites) sums[site] = {};
      sites.clear();
    }
    ReservedArray<AgeSum> sums;
    SiteList sites;  // with a sum
  };

  LiveTable(std::size_t sites, const AllocationSampling& sampling, std::uint32_t one_in)
      : sampling_(sampling),
        one_in_(one_in),
        sums_(sites),
        ages_(std::make_unique<Ages>(sites)),
        deaths_(sites),
        died_at_(sites),
        next_ages_(std::make_unique<Ages>(sites)) {}
  void update_full() { full_.store(store_.reserved() > kMostObjects, std::memory_order_relaxed); }

  const AllocationSampling sampling_;
  const std::uint32_t one_in_;
  LiveStore store_;
  std::atomic<bool> full_{false};
  ReservedArray<LiveSum> sums_;
  std::unique_ptr<Ages> ages_;
  double followed_bytes_ = 0, dead_bytes_ = 0;  // of all sites
  double most_bytes_ = 0;
  std::uint64_t gc_ = 0;
  std::int64_t top_ms_ = 0;
  LiveHistory history_;
  bool is_top_ = false;  // this sweep has the maximum so far

  // Of the sweep in progress, accessed by its thread only.
  ReservedArray<Deaths> deaths_;
  SiteList died_at_;
  std::unique_ptr<Ages> next_ages_;
  std::uint64_t next_gc_ = 0;
};

}  // namespace ddm
