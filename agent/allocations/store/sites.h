// The sites of one tracking period, and how threads count at them.
//
// A thread writes each allocation into its own journal, which is drained into the table from time
// to time, many entries at once: threads that allocate at the same site do not contend for its
// counters, and a reader that holds the table's lock knows what each thread has in the table and in
// its journal. So all figures of a report are of one moment, while threads continue.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "allocations/store/live_table.h"
#include "allocations/store/site_copy.h"
#include "allocations/store/site_readings.h"
#include "allocations/store/site_table.h"
#include "allocations/store/site_times.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// Written by its thread alone. Other threads read and drain it, under the lock of the Sites.
class SiteJournal {
 public:
  SiteJournal() {}  // leaves the entries uninitialized

  // Call while its thread does not count.
  void clear() {
    written_ = 0;
    drained_ = 0;
  }
  // Entries up to `end`, as published by its thread, that are not in the table yet.
  std::vector<SiteEntry> open(std::uint64_t end) const {
    std::vector<SiteEntry> result;
    for (std::uint64_t i = drained_.load(); i < end; ++i) result.push_back(entries_[i % kEntries]);
    return result;
  }

 private:
  friend class Sites;
  static constexpr std::size_t kEntries = 256;
  static constexpr std::size_t kWorthDraining = 96;

  std::array<SiteEntry, kEntries> entries_;
  std::uint64_t written_ = 0;
  std::atomic<std::uint64_t> drained_{0};  // written under the lock
};

class Sites {
 public:
  // Null: no memory.
  static std::shared_ptr<Sites> create(std::uint32_t most, std::uint32_t depth);
  static std::shared_ptr<Sites> of(std::unique_ptr<CallTree> traces);  // the same, null for null

  CallTree& traces() { return *traces_; }
  const CallTree& traces() const { return *traces_; }

  // Called by the journal's thread; returns the number of entries written. An entry counts once its
  // thread publishes that number (SeenCounter).
  std::uint64_t write(SiteJournal& journal, const SiteEntry& one) {
    const std::uint64_t open = journal.written_ - journal.drained_.load(std::memory_order_acquire);
    if (open >= SiteJournal::kWorthDraining && open % 16 == 0) [[unlikely]]
      drain_if_needed(journal, open == SiteJournal::kEntries);
    journal.entries_[journal.written_ % SiteJournal::kEntries] = one;
    return ++journal.written_;
  }
  // Drains the whole journal; called by its thread or after that has ended.
  void close(SiteJournal& journal) {
    const std::lock_guard lock(mutex_);
    take(journal, journal.written_);
  }
  // Counts without a journal.
  void count(const SiteEntry& one) {
    const std::lock_guard lock(mutex_);
    add(one);
  }
  // On any thread, inside a hold(): drains what its thread has published, up to `end`.
  void take(SiteJournal& journal, std::uint64_t end);

  // Keeps journals from being drained.
  [[nodiscard]] std::unique_lock<std::mutex> hold() const { return std::unique_lock(mutex_); }
  // Room for all sites, in memory that is in use already: allocating threads wait for whoever holds
  // the lock, and a compiler has half a million sites. Not inside a hold().
  SiteReadings room() const;
  // Inside a hold().
  SiteReadings sums(SiteReadings room = {}) const;
  void add_names(NamesInUse& used) const;

  // Inside a hold(): attributes the increments since the last poll to that time (SiteTimes), and
  // puts the changed sites in the copy.
  void poll_times(std::int64_t ms);
  SiteCopy& copy() { return copy_; }  // inside a hold()
  TimesReading times() const;

  // Inside a hold(), without now_ms.
  LiveReading live_reading() const;

  // Sets the table of followed objects, inside a hold(); null: none. Returns the previous one.
  std::shared_ptr<LiveTable> follow(std::shared_ptr<LiveTable> live) {
    return std::exchange(live_, std::move(live));
  }
  LiveTable* live() { return live_.get(); }
  // Inside a hold(); its size(), and the class and stack of a known site, are constant.
  const SiteTable& table() const { return table_; }
  // Inside a hold(): weak handles that arrived after following ended, or without room.
  std::vector<std::uint64_t> take_strays() { return std::exchange(strays_, {}); }

 private:
  static constexpr std::size_t kMoreSites = 1024;  // that come between room() and sums()

  Sites(std::unique_ptr<CallTree> traces)
      : traces_(std::move(traces)), table_(traces_->most()), times_(table_.size()) {}
  void drain_if_needed(SiteJournal& journal, bool full);
  void add(const SiteEntry& one, SiteNumber likely = 0) {
    const SiteNumber site = table_.site_of(one, likely);
    times_.before_change(site, table_[site]);
    table_.add(site, one);
    if (one.born != 0) follow(site, one);
  }
  void follow(SiteNumber site, const SiteEntry& one);

  const std::unique_ptr<CallTree> traces_;
  mutable std::mutex mutex_;
  SiteTable table_;
  SiteTimes times_;
  SiteCopy copy_;
  std::shared_ptr<LiveTable> live_;
  std::vector<std::uint64_t> strays_;
};

}  // namespace ddm
