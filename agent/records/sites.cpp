#include "records/sites.h"

namespace ddm {

std::shared_ptr<Sites> Sites::create(std::uint32_t most, std::uint32_t depth) {
  std::unique_ptr<Traces> traces = Traces::create(most, depth);
  if (!traces) return nullptr;
  std::shared_ptr<Sites> sites(new Sites(std::move(traces)));
  return sites->table_.good() ? sites : nullptr;
}

void Sites::make_room(SiteJournal& journal, bool at_any_price) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (at_any_price) {
    lock.lock();
  } else if (!lock.try_lock()) {
    return;  // somebody reads or drains: there is room left for a while
  }
  drain(journal);
}

void Sites::drain(SiteJournal& journal) {
  const auto entry = [&](std::uint64_t i) -> const SiteEntry& {
    return journal.entries_[i % SiteJournal::kEntries];
  };
  for (std::uint64_t i = journal.drained_; i < journal.written_; ++i) table_.prefetch(entry(i));
  for (; journal.drained_ < journal.written_; ++journal.drained_) {
    table_.add(entry(journal.drained_));
  }
}

void Sites::close(SiteJournal& journal) {
  const std::lock_guard lock(mutex_);
  drain(journal);
}

void Sites::count(const SiteEntry& one) {
  const std::lock_guard lock(mutex_);
  table_.add(one);
}

void Sites::add_names(NamesInUse& used) const {
  table_.add_names(used, traces_->count());
  traces_->add_names(used);
}

}  // namespace ddm
