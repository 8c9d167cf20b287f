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
#include <optional>
#include <utility>
#include <vector>

#include "core/tick_clock.h"
#include "time/calls/call_paths.h"
#include "time/calls/carrier_cpu.h"
#include "time/calls/one_writer.h"

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
    return depth > 0 ? at(depth - 1).path.get() : kNoPath;
  }

  // False: too deep, or no memory; the call is not recorded. A call that is not `counted` has its
  // caller's path, and its time counts as its caller's own.
  bool enter(MethodNumber method, Ticks now, Ticks cpu, PathNumber path = kNoPath,
             bool below = false, bool counted = true) noexcept {
    const std::size_t depth = this->depth();
    Call* const call = at_or_new(depth);
    if (call == nullptr) return false;
    call->method.set(method);
    call->path.set(path);
    open_outermost(*call, depth);
    call->below = below;
    call->counted.set(counted);
    call->begin.set(now);
    call->callees.set(0);
    call->cpu_begin = cpu;
    ++entered_;
    depth_.store(depth + 1, std::memory_order_release);
    return true;
  }

  // Ends the innermost open call of `method`, after its callees that have no recorded end:
  // `ended(Ended, bool unseen)` for each. False: no such call is open.
  template <typename EndedCall>
  bool leave(MethodNumber method, Ticks now, Ticks cpu, EndedCall ended) noexcept {
    const std::size_t depth = this->depth();
    if (depth == 0 || (this->method(depth - 1) != method && !is_open(method))) return false;
    for (std::size_t i = depth; i-- > 0;) {
      const Call& call = at(i);
      const MethodNumber one = call.method.get();
      depth_.store(i, std::memory_order_release);
      if (call.outermost.get()) outermost_[one % kChains] = call.next_outermost;
      ended(close(call, i, now, cpu), one != method);
      if (one == method) break;
    }
    return true;
  }

  // It is time to check which calls are still running, since some ends are not hooked: the depth calls
  // for it, after checked() not before it has doubled, or there were many calls since checked().
  bool is_due() const noexcept { return is_deep() || entered_ >= kEnteredDue; }
  bool is_deep() const noexcept { return depth() >= due_at_; }
  void checked() noexcept;
  // By the methods on the stack, innermost first, of which some may never have been entered through a
  // hook. nullopt: the open calls do not match the stack, and should be kept.
  std::optional<std::vector<bool>> which_still_run(std::vector<MethodNumber> on_stack) const;
  // Ends the calls that are not running, innermost first.
  template <typename EndedCall>
  void end_unseen(const std::vector<bool>& runs, Ticks now, Ticks cpu, EndedCall ended) noexcept {
    const std::size_t depth = this->depth();
    for (std::size_t i = depth; i-- > 0;) {
      if (!runs[i]) ended(close(at(i), i, now, cpu));
    }
    outermost_.fill(0);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      if (!runs[i]) continue;
      if (kept != i) at(kept) = at(i);
      open_outermost(at(kept), kept);
      ++kept;
    }
    depth_.store(kept, std::memory_order_release);
  }

  // Discards all calls.
  void clear() noexcept;
  // Calls that were open at `from` count from then on, as if they had begun there and called nothing
  // yet. On the thread itself, before its first event since.
  void count_from(Ticks from) noexcept;

  // Calls `open(Ended)` for each open call as of `now`, innermost first; without `cpu` and `below`.
  // `from`: the same, of a thread that has not had such an event.
  template <typename OpenCall>
  void for_each(Ticks now, OpenCall open, Ticks from = 0) const {
    Ticks callee = 0;
    for (std::size_t i = depth_.load(std::memory_order_acquire); i-- > 0;) {
      const Call& call = at(i);
      const bool began_before = call.begin.get() < from;
      const Ticks begin = began_before ? from : call.begin.get();
      const Ticks callees = callee + (began_before ? 0 : call.callees.get());
      const Ended ended = as_ended(call, now > begin ? now - begin : 0, callees);
      open(ended);
      callee = ended.counted ? ended.total : callees;
    }
  }

  CarrierCpu carrier_cpu;  // of a virtual thread
  // For holders of a cached pointer: the virtual thread that owns this object; 0: none.
  std::atomic<std::int64_t> owner{0};

 private:
  struct Call {
    OneWriter<Ticks> begin, callees;
    Ticks cpu_begin = 0;
    OneWriter<MethodNumber> method;
    OneWriter<PathNumber> path;
    OneWriter<bool> outermost, counted;
    bool below = false;
    std::uint32_t next_outermost = 0;  // of an outermost one, as in outermost_
  };

  // Segment k has room for kFirst << k calls.
  static constexpr std::size_t kFirst = 16;
  static constexpr std::size_t kSegments = 14;
  static constexpr std::size_t kChains = 128;
  static constexpr std::size_t kFirstDue = 512;
  static constexpr std::uint32_t kEnteredDue = 16384;

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

  MethodNumber method(std::size_t i) const noexcept { return at(i).method.get(); }
  bool is_open(MethodNumber method) const noexcept {
    for (std::uint32_t i = outermost_[method % kChains]; i != 0; i = at(i - 1).next_outermost) {
      if (this->method(i - 1) == method) return true;
    }
    return false;
  }
  // For the call at `depth`, the outermost ones below which are linked.
  void open_outermost(Call& call, std::size_t depth) noexcept {
    const MethodNumber method = call.method.get();
    const bool outermost = !is_open(method);
    call.outermost.set(outermost);
    if (!outermost) return;
    std::uint32_t& first = outermost_[method % kChains];
    call.next_outermost = std::exchange(first, static_cast<std::uint32_t>(depth + 1));
  }

  // Without `cpu` and `below`, which only the call's thread may read.
  static Ended as_ended(const Call& call, Ticks total, Ticks callees) noexcept {
    return {call.method.get(),
            call.path.get(),
            call.outermost.get(),
            total,
            total > callees ? total - callees : 0,
            0,
            false,
            call.counted.get()};
  }

  Ended close(const Call& call, std::size_t i, Ticks now, Ticks cpu) noexcept {
    const Ticks begin = call.begin.get();
    const Ticks callees = call.callees.get();
    // The clock may have gone back: the VM is restored from a snapshot.
    Ended ended = as_ended(call, now > begin ? now - begin : 0, callees);
    ended.below = call.below;
    // Not more than its time: it may count from a later time than that of cpu_begin.
    ended.cpu = cpu > call.cpu_begin ? std::min(cpu - call.cpu_begin, ended.total) : 0;
    if (i > 0) at(i - 1).callees.add(ended.counted ? ended.total : callees);
    return ended;
  }

  std::atomic<std::size_t> depth_{0};
  Ticks counts_from_ = 0;
  std::size_t due_at_ = kFirstDue;
  std::uint32_t entered_ = 0;  // since the last check
  std::array<std::unique_ptr<Call[]>, kSegments> segments_;
  // By a method's number modulo kChains, the innermost of the outermost calls of such methods, as its
  // index plus one; 0: none. A chain has as many calls as such methods are open, however deep they
  // recurse.
  std::array<std::uint32_t, kChains> outermost_{};
};

}  // namespace ddm
