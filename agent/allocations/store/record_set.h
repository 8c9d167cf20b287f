// A consistent copy of recorded allocations, newest first, owned by the reader.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "allocations/store/alloc_record.h"

namespace ddm {

class RecordSet {
 public:
  struct Entry {
    const AllocRecord& record;
    std::span<const Frame> frames;  // frame 0 = the allocating method
  };

  std::size_t size() const { return records_.size(); }
  bool empty() const { return records_.empty(); }

  // i = 0 is the newest record.
  Entry operator[](std::size_t i) const {
    const auto& [record, first_frame] = records_[records_.size() - 1 - i];
    return {record, {frames_.data() + first_frame, record.frame_count}};
  }

  // Of all records.
  std::unordered_set<std::int64_t> thread_ids() const {
    std::unordered_set<std::int64_t> ids;
    for (const Stored& one : records_) ids.insert(one.record.thread_id);
    return ids;
  }

  void reserve(std::size_t records, std::size_t frames) {
    records_.reserve(records);
    frames_.reserve(frames);
  }

  // Drops the oldest beyond `most`.
  void keep_newest(std::size_t most) {
    if (records_.size() > most) records_.erase(records_.begin(), records_.end() - most);
  }

  // Appends a record newer than all others; frame_count is taken from `frames`.
  void append_newer(AllocRecord record, std::span<const Frame> frames) {
    record.frame_count = static_cast<std::uint16_t>(frames.size());
    records_.push_back({record, frames_.size()});
    frames_.insert(frames_.end(), frames.begin(), frames.end());
  }
  // The same with the frames of the record that was appended when size() was `other`.
  void append_newer_like(std::size_t other, AllocRecord record) {
    record.frame_count = records_[other].record.frame_count;
    records_.push_back({record, records_[other].first_frame});
  }
  // Replaces the numbers of classes and methods by what the functions return for them.
  template <typename Class, typename Method>
  void renumber(Class class_of, Method method_of) {
    for (Stored& one : records_) one.record.class_id = class_of(one.record.class_id);
    for (Frame& frame : frames_) frame.method = method_of(frame.method);
  }
  // Sorts records that were appended out of order.
  void sort() {
    std::ranges::sort(records_, {}, [](const Stored& one) { return one.record.seq; });
  }

  // Number of records that were overwritten before they could be copied.
  std::int64_t overtaken() const { return overtaken_; }
  void set_overtaken(std::int64_t count) { overtaken_ = count; }

  // How many frames of a record are listed; its stack may have more.
  void set_listed_frames(std::size_t count) { listed_frames_ = count; }
  std::span<const Frame> listed(std::span<const Frame> frames) const {
    return frames.first(std::min(frames.size(), listed_frames_));
  }

 private:
  struct Stored {
    AllocRecord record;
    std::size_t first_frame;
  };
  std::vector<Stored> records_;  // oldest first; operator[] reverses the order
  std::vector<Frame> frames_;
  std::int64_t overtaken_ = 0;
  std::size_t listed_frames_ = kMaxTreeDepth;
};

// Sums of what records represent. Samples represent fractions of allocations, so a sum is rounded
// once, at the end; without samples nothing is rounded (exact up to 2^53 bytes).
class WeightedSum {
 public:
  void add(const AllocRecord& record) {
    bytes_ += record.weighted_bytes();
    count_ += double{record.weight};
  }

  std::int64_t bytes() const { return std::llround(bytes_); }
  std::int64_t count() const { return std::llround(count_); }

 private:
  double bytes_ = 0;
  double count_ = 0;
};

}  // namespace ddm
