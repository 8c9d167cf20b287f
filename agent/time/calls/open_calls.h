// The calls of one Java thread that have not ended: method, when they began, what their callees took.
//
// Entered and left on whatever thread of the system runs the Java thread, one at a time. for_each()
// may read from another thread meanwhile: each figure it sees is one that stood there, but not all
// from one moment. Memory is kept until the object goes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "core/tick_clock.h"
#include "time/calls/call_paths.h"

namespace ddm {

class OpenCalls {
 public:
  static constexpr std::size_t kMostDepth = 16 * ((1u << 14) - 1);

  struct Ended {
    MethodNumber method = 0;
    PathNumber path = kNoPath;
    bool outermost = false;  // no other call of the method is open: recursion counts once
    Ticks total = 0;
    Ticks self = 0;
    Ticks cpu = 0;
    bool below = false;  // as these were told when the call began
    bool counted = true;
  };

  std::size_t depth() const noexcept { return depth_.load(std::memory_order_relaxed); }

  // Of the innermost one.
  bool below() const noexcept {
    const std::size_t depth = this->depth();
    return depth > 0 && at(depth - 1).below;
  }
  PathNumber path() const noexcept {
    const std::size_t depth = this->depth();
    return depth > 0 ? at(depth - 1).path.load(std::memory_order_relaxed) : kNoPath;
  }

  // False: too deep, or no memory. The call is then left out. One that is not `counted` has its
  // caller's path, and its own time is its caller's.
  bool enter(MethodNumber method, Ticks now, Ticks cpu, PathNumber path = kNoPath,
             bool below = false, bool counted = true) noexcept {
    const std::size_t depth = this->depth();
    Call* const call = at_or_new(depth);
    if (call == nullptr) return false;
    const bool outermost = !may_be_open(method) || !is_open(method, depth);
    ++open_by_bits_[method % kBits];
    call->method.store(method, std::memory_order_relaxed);
    call->path.store(path, std::memory_order_relaxed);
    call->outermost.store(outermost, std::memory_order_relaxed);
    call->below = below;
    call->counted.store(counted, std::memory_order_relaxed);
    call->begin.store(now, std::memory_order_relaxed);
    call->callees.store(0, std::memory_order_relaxed);
    call->cpu_begin = cpu;
    depth_.store(depth + 1, std::memory_order_release);
    return true;
  }

  // Ends the innermost open call of `method`, and before it what was called from there and has not
  // been seen to end: `ended(Ended, bool unseen)` for each. False: no such call is open.
  template <typename EndedCall>
  bool leave(MethodNumber method, Ticks now, Ticks cpu, EndedCall ended) noexcept {
    const std::size_t depth = this->depth();
    if (depth == 0 || (this->method(depth - 1) != method && !may_be_open(method))) return false;
    std::size_t found = depth;
    while (found > 0 && at(found - 1).method.load(std::memory_order_relaxed) != method) --found;
    if (found == 0) return false;
    for (std::size_t i = depth; i-- >= found;) {
      ended(end(i, now, cpu), i >= found);
    }
    return true;
  }

  // So many lie in each other that somebody should look which of them still run: there are ends that
  // no hook sees. Not again before there are twice as many.
  bool is_due() const noexcept { return depth() >= due_at_; }
  void looked_at() noexcept { due_at_ = std::max(kFirstDue, 2 * depth()); }
  MethodNumber method(std::size_t i) const noexcept {
    return at(i).method.load(std::memory_order_relaxed);
  }
  // Ends those that do not run, innermost first.
  template <typename EndedCall>
  void end_unseen(const std::vector<bool>& runs, Ticks now, Ticks cpu, EndedCall ended) noexcept {
    const std::size_t depth = this->depth();
    for (std::size_t i = depth; i-- > 0;) {
      if (!runs[i]) ended(close(i, now, cpu));
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      if (!runs[i]) continue;
      if (kept != i) move(i, kept);
      ++kept;
    }
    depth_.store(kept, std::memory_order_release);
  }

  // All at once, without being told of.
  void clear() noexcept {
    depth_.store(0, std::memory_order_release);
    open_by_bits_.fill(0);
  }

  // `open(Ended)` for each as it stands at `now`, innermost first; without `cpu` and `below`.
  template <typename OpenCall>
  void for_each(Ticks now, OpenCall open) const {
    Ticks callee = 0;
    for (std::size_t i = depth_.load(std::memory_order_acquire); i-- > 0;) {
      const Call& call = at(i);
      const Ticks begin = call.begin.load(std::memory_order_relaxed);
      const Ticks total = now > begin ? now - begin : 0;
      const Ticks callees = call.callees.load(std::memory_order_relaxed) + callee;
      open(Ended{call.method.load(std::memory_order_relaxed),
                 call.path.load(std::memory_order_relaxed),
                 call.outermost.load(std::memory_order_relaxed), total,
                 total > callees ? total - callees : 0, 0, false,
                 call.counted.load(std::memory_order_relaxed)});
      callee = call.counted.load(std::memory_order_relaxed) ? total : callees;
    }
  }

  // The CPU time of a virtual thread, by its carrier's: as far as it goes from one event to the next
  // on one carrier. mounted() before the first of them there.
  void mounted() noexcept { carrier_cpu_ = kUnknown; }
  Ticks cpu(Ticks carrier_cpu) noexcept {
    if (carrier_cpu_ < carrier_cpu) cpu_ += carrier_cpu - carrier_cpu_;
    carrier_cpu_ = carrier_cpu;
    return cpu_;
  }

  // Whose calls these are, for who has kept a pointer: a virtual thread's id, 0 when nobody's.
  std::atomic<std::int64_t> owner{0};

 private:
  struct Call {
    std::atomic<Ticks> begin{0};
    std::atomic<Ticks> callees{0};
    Ticks cpu_begin = 0;
    std::atomic<MethodNumber> method{0};
    std::atomic<PathNumber> path{kNoPath};
    std::atomic<bool> outermost{false};
    std::atomic<bool> counted{true};
    bool below = false;
  };

  // Segment k holds the next kFirst << k calls.
  static constexpr std::size_t kFirst = 16;
  static constexpr std::size_t kSegments = 14;
  static constexpr std::size_t kBits = 128;
  static constexpr std::size_t kFirstDue = 512;
  static constexpr Ticks kUnknown = ~Ticks{0};

  static std::size_t segment_of(std::size_t i) noexcept {
    return static_cast<std::size_t>(std::bit_width(i / kFirst + 1)) - 1;
  }
  static std::size_t first_of(std::size_t segment) noexcept {
    return kFirst * ((std::size_t{1} << segment) - 1);
  }

  Call& at(std::size_t i) const noexcept {
    if (i < kFirst) [[likely]]  // the others take a few instructions more
      return segments_[0][i];
    const std::size_t segment = segment_of(i);
    return segments_[segment][i - first_of(segment)];
  }

  Call* at_or_new(std::size_t i) noexcept {
    if (i < kFirst && segments_[0]) [[likely]]
      return &segments_[0][i];
    const std::size_t segment = segment_of(i);
    if (segment >= kSegments) return nullptr;
    if (!segments_[segment]) [[unlikely]] {
      segments_[segment].reset(new (std::nothrow) Call[kFirst << segment]);
      if (!segments_[segment]) return nullptr;
    }
    return &segments_[segment][i - first_of(segment)];
  }

  // No is certain.
  bool may_be_open(MethodNumber method) const noexcept {
    return open_by_bits_[method % kBits] != 0;
  }
  bool is_open(MethodNumber method, std::size_t depth) const noexcept {
    while (depth-- > 0) {
      if (at(depth).method.load(std::memory_order_relaxed) == method) return true;
    }
    return false;
  }

  Ended end(std::size_t i, Ticks now, Ticks cpu) noexcept {
    depth_.store(i, std::memory_order_release);
    return close(i, now, cpu);
  }

  void move(std::size_t from, std::size_t to) noexcept {
    const Call& call = at(from);
    Call& moved = at(to);
    const auto copy = [](const auto& value, auto& copied) {
      copied.store(value.load(std::memory_order_relaxed), std::memory_order_relaxed);
    };
    copy(call.begin, moved.begin);
    copy(call.callees, moved.callees);
    copy(call.method, moved.method);
    copy(call.path, moved.path);
    copy(call.counted, moved.counted);
    moved.cpu_begin = call.cpu_begin;
    moved.below = call.below;
    moved.outermost.store(!is_open(method(to), to), std::memory_order_relaxed);
  }

  Ended close(std::size_t i, Ticks now, Ticks cpu) noexcept {
    const Call& call = at(i);
    Ended ended;
    ended.method = call.method.load(std::memory_order_relaxed);
    ended.path = call.path.load(std::memory_order_relaxed);
    ended.outermost = call.outermost.load(std::memory_order_relaxed);
    ended.below = call.below;
    ended.counted = call.counted.load(std::memory_order_relaxed);
    ended.total = now - call.begin.load(std::memory_order_relaxed);
    const Ticks callees = call.callees.load(std::memory_order_relaxed);
    ended.self = ended.total > callees ? ended.total - callees : 0;
    ended.cpu = cpu > call.cpu_begin ? cpu - call.cpu_begin : 0;
    --open_by_bits_[ended.method % kBits];
    if (i > 0) {
      std::atomic<Ticks>& callees_of_caller = at(i - 1).callees;
      const Ticks more = ended.counted ? ended.total : callees;
      callees_of_caller.store(callees_of_caller.load(std::memory_order_relaxed) + more,
                              std::memory_order_relaxed);
    }
    return ended;
  }

  std::atomic<std::size_t> depth_{0};
  std::size_t due_at_ = kFirstDue;
  std::array<std::unique_ptr<Call[]>, kSegments> segments_;
  std::array<std::uint32_t, kBits> open_by_bits_{};  // how many, by method
  Ticks cpu_ = 0;
  Ticks carrier_cpu_ = kUnknown;
};

}  // namespace ddm
