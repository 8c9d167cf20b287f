// The original bytecode indices of rewritten methods, as returned by bci::rewrite(). Any thread.
//
// While a class is rewritten it does not exist yet, and later the VM does not say from which
// rewriting it was loaded. So a method is identified by its names and by the shape of its code
// (bci/code_shape.h): code changed by another agent later, or of an equally named class of another
// loader, has another shape.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bci/rewrite.h"
#include "core/growth_limit.h"

namespace ddm {

// Hash of a class's internal name, "java/util/List".
std::uint64_t class_name_hash(std::string_view internal_name);

class RewrittenMethods {
 public:
  struct Moves {
    std::vector<bci::BciRun> runs;  // empty: not rewritten, or nothing was moved
    bool ambiguous = false;         // several such methods were moved differently
  };

  void add(const bci::RewriteResult& result);
  Moves moves_of(std::string_view internal_name, std::string_view method,
                 std::string_view descriptor, std::uint64_t shape) const;
  bool empty() const;

  // Drops the methods of all other classes, unless they were added after the previous call: such a
  // class may not be loaded yet.
  void keep_only(const std::unordered_set<std::uint64_t>& class_name_hashes);

  GrowthLimit& growth() { return growth_; }

 private:
  struct Entry {
    Moves moves;
    std::uint64_t class_hash = 0;
    std::uint32_t round = 0;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Entry> entries_;  // by hash of the key
  std::uint32_t round_ = 1;
  GrowthLimit growth_;
};

}  // namespace ddm
