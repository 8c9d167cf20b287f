// The sites of one tracking period, and how threads count at them.
//
// A thread writes each allocation into a journal of its own, and now and then, many at once, the
// journal into the table: threads that allocate at one site do not meet at its counters, and a
// reader who has the table's lock knows for every thread what is in the table, what in its journal.
// So all figures of a report are those of one moment, while threads go on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "allocations/store/live_table.h"
#include "allocations/store/site_table.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// Written by its thread alone. Others read it, and take what is written, under the lock of the
// Sites.
class SiteJournal {
 public:
  SiteJournal() {}  // the entries are left as they are

  // While its thread does not count.
  void clear() {
    written_ = 0;
    drained_ = 0;
  }
  // Entries up to `end`, as its thread has told it, that are not in the table.
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
  std::atomic<std::uint64_t> drained_{0};  // changed under the lock
};

class Sites {
 public:
  // Null: no memory.
  static std::shared_ptr<Sites> create(std::uint32_t most, std::uint32_t depth);

  CallTree& traces() { return *traces_; }
  const CallTree& traces() const { return *traces_; }

  // By the journal's thread; how many entries it has written then. The entry counts once its thread
  // tells that number (SeenCounter).
  std::uint64_t write(SiteJournal& journal, const SiteEntry& one) {
    const std::uint64_t open = journal.written_ - journal.drained_.load(std::memory_order_acquire);
    if (open >= SiteJournal::kWorthDraining && open % 16 == 0) [[unlikely]]
      make_room(journal, open == SiteJournal::kEntries);
    journal.entries_[journal.written_ % SiteJournal::kEntries] = one;
    return ++journal.written_;
  }
  // All of it, by its thread or when that is no more.
  void close(SiteJournal& journal);
  // Without a journal.
  void count(const SiteEntry& one);
  // On any thread, in a hold(): what its thread has told of, up to `end`.
  void take(SiteJournal& journal, std::uint64_t end) { drain(journal, end); }

  // While it lasts no journal is drained.
  [[nodiscard]] std::unique_lock<std::mutex> hold() const { return std::unique_lock(mutex_); }
  // In a hold().
  std::vector<SiteReading> sums() const;
  void add_names(NamesInUse& used) const;

  // In a hold(): what has happened to those that are followed, and how old those are.
  std::vector<SiteMoment> history() const;
  std::vector<SiteAges> ages() const;

  // What is followed from now on, in a hold(); null: nothing is. The former comes back.
  std::unique_ptr<LiveTable> follow(std::unique_ptr<LiveTable> live);
  LiveTable* live() { return live_.get(); }
  std::size_t size() const { return table_.size(); }  // numbers of sites are below
  // Of a site that the caller has heard of in a hold(); never changes.
  TraceNumber trace_of(SiteNumber site) const { return table_[site].trace; }
  // In a hold(): weak handles that came when nothing was followed any more, or there was no room.
  std::vector<std::uint64_t> take_strays() { return std::exchange(strays_, {}); }
  // In a hold(): use(number) for each site.
  template <typename Use>
  void for_each(Use use) const {
    table_.for_each([&](SiteNumber site, const SiteSum&) { use(site); });
  }

 private:
  Sites(std::unique_ptr<CallTree> traces) : traces_(std::move(traces)), table_(traces_->most()) {}
  void make_room(SiteJournal& journal, bool at_any_price);
  void drain(SiteJournal& journal, std::uint64_t end);
  void add(const SiteEntry& one) {
    const SiteNumber site = table_.add(one);
    if (one.born != 0) follow(site, one);
  }
  void follow(SiteNumber site, const SiteEntry& one);

  const std::unique_ptr<CallTree> traces_;
  mutable std::mutex mutex_;
  SiteTable table_;
  std::unique_ptr<LiveTable> live_;
  std::vector<std::uint64_t> strays_;
};

}  // namespace ddm
