// Maps the objects of a heap dump to their allocation stacks: 8 bytes per object.
//
// Three phases: add() each object by a strong JNI handle held during the dump; name() the objects
// of the handles by the dump's roots; trace_of() each object. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stack/tree/call_tree.h"

namespace ddm {

class DumpedObjects {
 public:
  void expect(std::size_t objects) noexcept;
  // False: the address has an unexpected form, or no memory.
  bool add(std::uint64_t handle, TraceNumber trace) noexcept;
  std::size_t size() const { return entries_.size(); }
  // Visits all handles; call before seal_handles().
  template <typename Use>
  void for_each_handle(Use use) const {
    for (const std::uint64_t entry : entries_) use(address_of(entry) | tag_);
  }

  // Ends the first phase.
  void seal_handles();
  // Call for each root of the dump. False: the handle was not added.
  bool name(std::uint64_t handle, std::uint64_t object);

  // Ends the second phase. Handles that were not among the roots are dropped.
  void seal_objects();
  // kNoTrace: not an added object.
  TraceNumber trace_of(std::uint64_t object) const;
  template <typename Use>
  void for_each_trace(Use use) const {
    for (const std::uint64_t entry : entries_) use(trace_of_entry(entry));
  }

 private:
  // | 44 address / 8 | 20 trace |: first the handle's address, then the object's.
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

  std::uint64_t tag_ = 0;  // the low bits of the VM's strong handles
  std::vector<std::uint64_t> entries_;
  // Objects replace their handles in place: per group of entries, the first handle, and a bit set
  // of the replaced entries.
  std::vector<std::uint64_t> first_;
  std::vector<std::uint64_t> named_;
};

}  // namespace ddm
