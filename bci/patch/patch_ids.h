// The numbers that patched code passes to its sinks for classes, methods and blocks.
//
// Keyed by names, never by a method's position in the class file, since HotSpot reorders the
// methods of a class when it is retransformed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bci {

// Derive from it to assign meaningful numbers, such as the first of some counters. Called on any
// thread; a name must always get the same number. A negative number refuses the site
// (SkipReason::kNoId).
class PatchIds {
 public:
  PatchIds() = default;
  PatchIds(const PatchIds&) = delete;
  PatchIds& operator=(const PatchIds&) = delete;
  virtual ~PatchIds() = default;

  // A class, a method, or the block of it that begins with instruction `first` (ordinal, from 0).
  struct Part {
    std::string_view owner, name = {}, descriptor = {};
    std::int64_t first = -1;
  };
  virtual std::int32_t id_of(const Part& part) = 0;
  std::int32_t class_id(std::string_view class_name) { return id_of({class_name}); }
  std::int32_t method_id(std::string_view owner, std::string_view name,
                         std::string_view descriptor) {
    return id_of({owner, name, descriptor});
  }
  std::int32_t block_id(std::string_view owner, std::string_view name, std::string_view descriptor,
                        std::uint32_t first) {
    return id_of({owner, name, descriptor, first});
  }
  // The counter of that number for code in that class; negative refuses, too.
  virtual std::int32_t counter_of(std::int32_t id, std::string_view /*class_name*/) { return id; }
  // The timer of that number.
  virtual std::int32_t timer_of(std::int32_t id, std::string_view /*class_name*/) { return id; }
};

// One sequence for all three kinds, from 1 on, as in DYPATCH. Any thread.
class PatchIdTable : public PatchIds {
 public:
  explicit PatchIdTable(std::int32_t first = 1) : next_(first) {}

  std::int32_t id_of(const Part& part) override;

  struct Entry {
    std::int32_t id = 0;
    std::string owner, name, descriptor;  // a class: only the owner
    std::int64_t first = -1;              // a block: its first instruction
  };
  std::vector<Entry> entries() const;  // by id

 private:
  mutable std::mutex mutex_;
  std::int32_t next_;
  std::map<std::string, std::int32_t, std::less<>> ids_;
  std::vector<Entry> entries_;
};

}  // namespace bci
