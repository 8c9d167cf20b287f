// Which of the objects in a heap dump were allocated with which stack: 8 bytes an object.
//
// In turn: each object is added by the strong JNI handle that it has for the length of the dump;
// the dump tells, in its roots, which object a handle stands for; then stacks are found by object.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/tree/call_tree.h"

namespace ddm {

class DumpedObjects {
 public:
  void expect(std::size_t objects) noexcept;
  // False: no address looks like that, or there is no memory.
  bool add(std::uint64_t handle, TraceNumber trace) noexcept;
  std::size_t size() const { return entries_.size(); }
  // In a turn that begins here and ends with seal_handles(): all handles that were added.
  template <typename Use>
  void for_each_handle(Use use) const {
    for (const std::uint64_t entry : entries_) use(address_of(entry) | tag_);
  }

  // All are added.
  void seal_handles();
  // Of a root of the dump. False: the handle is none of those.
  bool name(std::uint64_t handle, std::uint64_t object);

  // All roots were seen. Those whose handles were not among them are gone.
  void seal_objects();
  // kNoTrace: not one of those.
  TraceNumber trace_of(std::uint64_t object) const;
  template <typename Use>
  void for_each_trace(Use use) const {
    for (const std::uint64_t entry : entries_) use(trace_of_entry(entry));
  }

 private:
  // | 44 address / 8 | 20 trace |: the handle's address, then the object's.
  static constexpr unsigned kTraceBits = 20, kAddressBits = 44, kShift = 3;
  static constexpr std::size_t kGroup = 64;

  static bool fits(std::uint64_t address) { return address >> (kAddressBits + kShift) == 0; }
  static std::uint64_t entry_of(std::uint64_t address, TraceNumber trace) {
    return address >> kShift << kTraceBits | trace;
  }
  static std::uint64_t address_of(std::uint64_t entry) { return entry >> kTraceBits << kShift; }
  static TraceNumber trace_of_entry(std::uint64_t entry) {
    return static_cast<TraceNumber>(entry & ((1u << kTraceBits) - 1));
  }

  std::uint64_t tag_ = 0;  // what the VM's strong handles have in their low bits
  std::vector<std::uint64_t> entries_;
  // Objects take the place of their handles: by groups, the first handle, and which have been
  // replaced.
  std::vector<std::uint64_t> first_;
  std::vector<std::uint64_t> named_;
};

}  // namespace ddm
