// How many bytes objects take in the heap. A heap dump does not say: it has neither the VM's object
// headers nor the size of its references. But ids are addresses, and mostly objects stand in the
// order of theirs: the smallest distance to a neighbour is the size of an instance, and less its
// elements the header of an array. Where a dump follows references instead (ZGC, Shenandoah) an
// instance is taken to be its header and its fields without gaps.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "report/hprof/hprof_reader.h"

namespace ddm {

class DumpSizes {
 public:
  // The classes and objects in the order of the dump.
  void learn(const HprofReader::Object& object);

  // When all are learned from.
  std::uint64_t bytes_of(const HprofReader::Object& object) const;

 private:
  using Object = HprofReader::Object;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  void note(const Object& object, std::uint64_t distance);
  std::uint64_t header(std::uint8_t element) const;
  std::uint64_t packed_instance(const Object& object) const;
  std::uint32_t element_bytes(std::uint8_t element) const;

  struct Class {
    std::uint64_t super = 0;
    std::uint32_t references = 0;
  };

  Object last_;
  std::uint64_t upwards_ = 0, downwards_ = 0;  // from one object to the next
  std::unordered_map<std::uint64_t, Class> classes_;
  bool small_references_ = false;
  std::unordered_map<std::uint64_t, std::uint64_t> instances_;  // by class
  // By type of element; of references by both sizes that they may have.
  std::array<std::uint64_t, 12> headers_ = all_none();
  std::uint64_t header_of_small_ = kNone;

  static constexpr std::array<std::uint64_t, 12> all_none() {
    std::array<std::uint64_t, 12> none{};
    none.fill(kNone);
    return none;
  }
};

}  // namespace ddm
