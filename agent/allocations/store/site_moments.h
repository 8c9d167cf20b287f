// Entries of sites in consecutive moments, all in one array: a buffer a moment would leave fragments
// in the malloc arena of the thread that polls.
//
// An Entry has a `site` and is added to others of that site by +=.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/page_allocator.h"

namespace ddm {

template <typename Entry>
class SiteMoments {
 public:
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::size_t entries() const { return entries_.size(); }  // of all moments
  std::span<const Entry> operator[](std::size_t moment) const {
    return std::span(entries_).subspan(begin_of(moment), ends_[moment] - begin_of(moment));
  }

  // Begins a moment, the last one.
  void begin() { ends_.push_back(entries_.size()); }
  // To the last moment.
  void add(const Entry& entry) {
    entries_.push_back(entry);
    ++ends_.back();
  }
  // One entry of each site remains in the last moment, ascending.
  void merge_last() { cut(merge(begin_of(size() - 1), ends_.back(), begin_of(size() - 1))); }

  // Merges each two adjacent moments, and the entries of a site in them.
  void halve() {
    std::size_t from = 0, to = 0, moments = 0;
    for (std::size_t i = 0; i < size(); i += 2) {
      const std::size_t end = ends_[std::min(i + 1, size() - 1)];
      to = merge(from, end, to);
      from = end;
      ends_[moments++] = to;
    }
    ends_.resize(moments);
    cut(to);
  }

  template <typename Unwanted>
  void erase_if(Unwanted unwanted) {
    std::size_t from = 0, to = 0;
    for (std::size_t& end : ends_) {
      for (; from < end; ++from) {
        if (!unwanted(entries_[from])) entries_[to++] = entries_[from];
      }
      end = to;
    }
    cut(to);
  }

 private:
  std::size_t begin_of(std::size_t moment) const { return moment == 0 ? 0 : ends_[moment - 1]; }

  // Moves the entries from `from` to `end`, one of each site, to `to`, which is not behind them;
  // returns where they end.
  std::size_t merge(std::size_t from, std::size_t end, std::size_t to) {
    const std::span all = std::span(entries_).subspan(from, end - from);
    // Sites are visited in order: the entries of a single visit are sorted already.
    if (!std::ranges::is_sorted(all, {}, &Entry::site)) std::ranges::sort(all, {}, &Entry::site);
    const std::size_t begin = to;
    for (const Entry& entry : all) {
      if (to > begin && entries_[to - 1].site == entry.site) {
        entries_[to - 1] += entry;
      } else {
        entries_[to++] = entry;
      }
    }
    return to;
  }
  void cut(std::size_t entries) {
    entries_.resize(entries);
    if (!ends_.empty()) ends_.back() = entries;
  }

  std::vector<Entry, PageAllocator<Entry>> entries_;
  std::vector<std::size_t> ends_;  // of each moment's entries
};

}  // namespace ddm
