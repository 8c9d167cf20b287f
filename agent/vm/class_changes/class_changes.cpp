#include "vm/class_changes/class_changes.h"

#include <algorithm>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "vm/vm_flags.h"

namespace ddm::class_changes {
namespace {

struct Counts {
  std::mutex mutex;
  std::unordered_map<std::size_t, std::uint32_t> by_name;  // by hash: 32 bytes per class
};

// Per process, like the VM's own counters. Never destroyed: VM threads may still call this at exit.
Counts& counts() {
  static Counts& all = *new Counts;
  return all;
}

std::size_t hash_of(std::string_view internal_name) {
  return std::hash<std::string_view>{}(internal_name);
}

}  // namespace

void add(std::string_view internal_name) {
  const std::lock_guard lock(counts().mutex);
  ++counts().by_name[hash_of(internal_name)];
}

std::uint32_t count(std::string_view internal_name) {
  const std::lock_guard lock(counts().mutex);
  const auto found = counts().by_name.find(hash_of(internal_name));
  return found != counts().by_name.end() ? found->second : 0;
}

std::uint32_t many() {
  constexpr std::int32_t kCodesOfCaller = 2;
  const auto cutoff = vm_flags::integer("PerMethodRecompilationCutoff");
  if (!cutoff || *cutoff < 0) return 0;
  // Three quarters of the limit, since recompilations for other reasons count, too.
  return static_cast<std::uint32_t>(std::max(*cutoff / kCodesOfCaller * 3 / 4, 1));
}

}  // namespace ddm::class_changes
