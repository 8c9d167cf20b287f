// Verifies the layouts that the VM's tables claim against known facts before they are used: objects
// whose class and size JVMTI gives, counters that grow by the bytes allocated, the list of threads.
// Reads cannot fault (own_memory.h); the first wrong claim is kept. Where a structure may change
// meanwhile, the caller retries.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/own_memory.h"
#include "vm/memory/object_layout.h"

namespace ddm {

class VmClaims {
 public:
  // Returns T{} and records a wrong claim if the address is not readable. `what`: "Type::field".
  template <typename T>
  T read(std::uintptr_t at, const char* what) {
    T value{};
    if (!read_own_memory(at, &value, sizeof value)) {
      expect(false, what);
      return T{};
    }
    return value;
  }
  void expect(bool holds, const char* what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }

  bool hold() const { return wrong_.empty(); }
  // The first entry that is missing or wrong; "": none.
  const std::string& wrong() const { return wrong_; }

 protected:
  std::string wrong_;
};

// An object, its class, and its size and length by JVMTI.
struct KnownObject {
  std::uintptr_t object = 0;
  std::uintptr_t mirror = 0;  // its java.lang.Class
  std::int64_t bytes = 0;
  std::int64_t length = -1;  // arrays only
};
void expect_objects(VmClaims& claims, const ObjectLayout& objects, const KlassLayout& klasses,
                    std::span<const KnownObject> known);
// Offsets of a thread's allocation counters in its JavaThread.
struct AllocatedLayout {
  std::int64_t counter = 0;  // bytes outside the current TLAB
  std::int64_t start = 0, top = 0;
};
struct AllocatedWords {
  std::uint64_t counter = 0, start = 0, top = 0;

  std::uint64_t total() const { return counter + (start != 0 && top >= start ? top - start : 0); }
};
AllocatedWords read_allocated(VmClaims& claims, const AllocatedLayout& layout,
                              std::uintptr_t thread);
// Two readings of one thread, which has allocated `bytes` in between.
void expect_growth(VmClaims& claims, const AllocatedWords& before, const AllocatedWords& after,
                   std::uint64_t bytes);

// The current TLAB's end: `end` is a word that holds the sampling end, the next word holds the real
// end.
void expect_tlab_end(VmClaims& claims, const AllocatedLayout& layout, std::int64_t end,
                     std::uintptr_t thread);

// The VM's list of Java threads: it must contain `thread`, and only JavaThread addresses.
struct ThreadListLayout {
  std::uintptr_t list_at = 0;  // address of the pointer to the list
  std::int64_t length = 0, threads = 0;
};
void expect_in_list(VmClaims& claims, const ThreadListLayout& layout, std::uintptr_t thread);

// The calling thread's stack must lie below the base and within the size.
void expect_own_stack(VmClaims& claims, std::uintptr_t base_at, std::uintptr_t size_at);

}  // namespace ddm
