// What the VM's tables say of its structures, held against what is known otherwise, before anybody
// relies on it: objects whose class and size JVMTI tells, counters that grow by what was allocated,
// the threads that there are. Reads cannot fault (own_memory.h); the first claim that is wrong is
// kept. Structures that change meanwhile are the caller's to look at again.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/own_memory.h"
#include "vm/memory/object_layout.h"

namespace ddm {

class VmClaims {
 public:
  // T{}, and a wrong claim, where nothing can be read. `what`: "Type::field".
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
  // What is missing or not as it should be; "" if nothing is.
  const std::string& wrong() const { return wrong_; }

 protected:
  std::string wrong_;
};

// An object, its class, and what JVMTI says of them.
struct KnownObject {
  std::uintptr_t object = 0;
  std::uintptr_t mirror = 0;  // its java.lang.Class
  std::int64_t bytes = 0;
  std::int64_t length = -1;  // of an array
};
void expect_objects(VmClaims& claims, const ObjectLayout& objects, const KlassLayout& klasses,
                    std::span<const KnownObject> known);
// Where a thread's structure keeps what it has allocated: offsets.
struct AllocatedLayout {
  std::int64_t counter = 0;  // of what is no more in the open TLAB
  std::int64_t start = 0, top = 0;
};
struct AllocatedWords {
  std::uint64_t counter = 0, start = 0, top = 0;

  std::uint64_t total() const { return counter + (start != 0 && top >= start ? top - start : 0); }
};
AllocatedWords read_allocated(VmClaims& claims, const AllocatedLayout& layout,
                              std::uintptr_t thread);
// Two looks at one thread, which has allocated so many bytes in between.
void expect_growth(VmClaims& claims, const AllocatedWords& before, const AllocatedWords& after,
                   std::uint64_t bytes);

// The open TLAB's end: `end` is a word, the next one the end that the VM has set, too.
void expect_tlab_end(VmClaims& claims, const AllocatedLayout& layout, std::int64_t end,
                     std::uintptr_t thread);

// The VM's list of its Java threads: has `thread`, and nothing that is none.
struct ThreadListLayout {
  std::uintptr_t list_at = 0;  // where the pointer to the list is kept
  std::int64_t length = 0, threads = 0;
};
void expect_in_list(VmClaims& claims, const ThreadListLayout& layout, std::uintptr_t thread);

// The calling thread's stack: from base downwards, and so large.
void expect_own_stack(VmClaims& claims, std::uintptr_t base_at, std::uintptr_t size_at);

}  // namespace ddm
