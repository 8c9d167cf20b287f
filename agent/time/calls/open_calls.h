// The open calls of one Java thread: method, start, time spent in callees.
//
// Entered and left on the OS thread that runs the Java thread, one at a time. for_each() may read
// concurrently: each value that it sees was valid, but not all at the same moment. Memory is kept
// until destruction.
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
    bool outermost = false;  // no other call of the method is open, so recursion counts once
    Ticks total = 0;
    Ticks self = 0;
    Ticks cpu = 0;
    bool below = false;  // as passed to enter()
    bool counted = true;
  };

  std::size_t depth() const noexcept { return depth_.load(std::memory_order_relaxed); }

  // Of the innermost call.
  bool below() const noexcept {
    const std::size_t depth = this->depth();
    return depth > 0 && at(depth - 1).below;
  }
  PathNumber path() const noexcept {
    const std::size_t depth = this->depth();
    return depth > 0 ? at(depth - 1).path.load(std::memory_order_relaxed) : kNoPath;
  }

  // False: too deep, or no memory; the call is not recorded. A call that is not `counted` has its
  // caller's path, and its time counts as its caller's own.
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

  // Ends the innermost open call of `method`, after its callees that have no recorded end:
  // `ended(Ended, bool unseen)` for each. False: no such call is open.
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

  // The depth calls for a check which calls are still running, since some ends are not hooked.
  // After checked() not before the depth has doubled.
  bool is_due() const noexcept { return depth() >= due_at_; }
  void checked() noexcept { due_at_ = std::max(kFirstDue, 2 * depth()); }
  MethodNumber method(std::size_t i) const noexcept {
    return at(i).method.load(std::memory_order_relaxed);
  }
  // Ends the calls that are not running, innermost first.
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

  // Discards all calls.
  void clear() noexcept {
    depth_.store(0, std::memory_order_release);
    open_by_bits_.fill(0);
  }

  // Calls `open(Ended)` for each open call as of `now`, innermost first; without `cpu` and `below`.
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

  // The CPU time of a virtual thread, from its carriers': the sum of the differences between events
  // on the same carrier. mounted() must precede the first event on a carrier.
  void mounted() noexcept { carrier_cpu_ = kUnknown; }
  Ticks cpu(Ticks carrier_cpu) noexcept {
    if (carrier_cpu_ < carrier_cpu) cpu_ += carrier_cpu - carrier_cpu_;
    carrier_cpu_ = carrier_cpu;
    return cpu_;
  }

  // For holders of a cached pointer: the virtual thread that owns this object; 0: none.
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

  // Segment k has room for kFirst << k calls.
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
    if (i < kFirst) [[likely]]  // other segments take a few more instructions
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

  // False is certain.
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
  std::array<std::uint32_t, kBits> open_by_bits_{};  // counts by method number modulo kBits
  Ticks cpu_ = 0;
  Ticks carrier_cpu_ = kUnknown;
};

}  // namespace ddm
