#include "allocations/capture/books_snapshot.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ddm {

void BooksSnapshot::count_late(const RecordSet& records,
                               const std::optional<Following>& following) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AllocRecord& record = records[i].record;
    auto at = threads_.find(record.book);
    if (at == threads_.end()) {
      if (record.book <= last_number_)
        continue;  // its thread has ended, and all its records are counted
      at = threads_.try_emplace(record.book).first;
      at->second.bytes.thread_id = record.thread_id;
      at->second.late = true;
    }
    Thread& thread = at->second;
    if (record.seq <= thread.counted_up_to) continue;
    thread.seen.add({1, 0, double{record.weight}, record.weighted_bytes(), 0});
    if (!sites_) continue;
    SiteEntry one{record.class_id, record.trace, record.size, double{record.weight}};
    if (following && live_.gc) {
      constexpr std::uint64_t kSomeHandle = 1;  // never dereferenced: it is in this copy alone
      one.handle = following->each ? kSomeHandle : 0;
      one.born = BirthTime::of(record.time_ms - following->began_ms);
      one.born_gc = BirthGc::of(*live_.gc);
    }
    site_entries_.push_back(one);
  }
}

SiteSet BooksSnapshot::sites(const BookTotals& totals, std::int64_t live_ms) {
  if (!sites_) return {};
  live_.now_ms = live_ms;
  SiteSet set(std::move(sites_), std::move(site_sums_), site_entries_, totals.seen,
              totals.seen_bytes, std::move(live_));
  set.set_times(std::move(site_times_));
  return set;
}

BookTotals BooksSnapshot::totals() const {
  BookTotals totals;
  totals.threads = ended_.threads();
  totals.carriers_unattributed_bytes = ended_.carriers_unattributed_bytes();
  Seen seen = ended_.seen();
  for (const auto& [number, thread] : threads_) {
    seen.add(thread.seen);
    ThreadBytes bytes = thread.bytes;
    bytes.seen_bytes = std::llround(thread.seen.bytes);
    bytes.seen = std::llround(thread.seen.count);
    if (thread.late) bytes.allocated_bytes = bytes.seen_bytes;
    if (thread.carrier) totals.carriers_unattributed_bytes += bytes.unattributed_bytes();
    totals.threads.push_back(std::move(bytes));
  }
  totals.samples = seen.samples;
  totals.dropped = seen.dropped;
  totals.seen = std::llround(seen.count);
  std::int64_t allocated = 0;
  for (const ThreadBytes& thread : totals.threads) {
    totals.seen_bytes += thread.seen_bytes;
    allocated += thread.allocated_bytes;
  }
  if (has_counters_) totals.allocated_bytes = allocated;
  std::erase_if(totals.threads, [](const ThreadBytes& t) { return t.allocated_bytes == 0; });
  std::ranges::sort(totals.threads, std::greater(), &ThreadBytes::unattributed_bytes);
  return totals;
}

}  // namespace ddm
