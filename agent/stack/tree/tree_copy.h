// A copy of a CallTree's nodes and frames in memory that outlives the process, for a reader of
// stacks' numbers. docs/ring-format.md has the format.
//
// One thread at a time writes, each word before the tree publishes the node's number. A reader may
// meet anything in a damaged file.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "stack/frame.h"

namespace ddm {

class TreeCopy {
 public:
  using Node = std::atomic<std::uint32_t>;  // node_word.h
  using FrameWord = std::atomic<std::uint64_t>;

  TreeCopy() = default;  // no copy
  TreeCopy(std::span<Node> nodes, std::span<FrameWord> frames) : nodes_(nodes), frames_(frames) {}

  // There must be room for `number` and for the frame of `word`; without a copy nothing is done.
  void put(TraceNumber number, std::uint32_t word, Frame frame);
  void put_caller(TraceNumber number, TraceNumber caller);

  std::size_t nodes() const { return nodes_.size(); }
  std::uint32_t word(TraceNumber number) const {
    return nodes_[number].load(std::memory_order_acquire);
  }
  std::size_t frames() const { return frames_.size(); }
  Frame frame(std::uint32_t number) const;

  // Sets `frames` to those of a stack, innermost first, and `cut`: it had more. False: damaged.
  bool read(TraceNumber number, std::vector<Frame>& frames, bool& cut) const;

 private:
  std::span<Node> nodes_;
  std::span<FrameWord> frames_;
};

}  // namespace ddm
