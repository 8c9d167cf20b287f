// Estimates object sizes in the heap. A heap dump does not contain them: it has neither the VM's
// object headers nor the size of references. But ids are addresses, and most dumps list objects in
// the order of addresses: the smallest distance between neighbours is the size of an instance, or,
// without the elements, an array's header. In dumps in the order of references (ZGC, Shenandoah)
// the neighbours of a sample of pages are determined; an instance of a class that has none there is
// assumed to be its header and its fields without gaps.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "report/hprof/hprof_reader.h"

namespace ddm {

class DumpSizes {
 public:
  DumpSizes() { headers_.fill(kNone); }

  // To be called with the classes and objects in the order of the dump.
  void learn(const HprofReader::Object& object);
  // To be called after the last of them.
  void finish();

  std::uint64_t bytes_of(const HprofReader::Object& object) const;

 private:
  using Object = HprofReader::Object;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct Distance {
    std::uint64_t least = kNone;
    std::uint32_t times = 0;
  };

  void note(const Object& object, std::uint64_t distance);
  std::uint64_t aligned(std::uint64_t bytes) const;
  std::uint64_t header(std::uint8_t element) const;
  std::uint64_t packed_instance(const Object& object) const;
  std::uint32_t element_bytes(std::uint8_t element) const;

  struct Class {
    std::uint64_t super = 0;
    std::uint32_t references = 0;
  };

  Object last_;
  std::vector<Object> sample_;   // of whole pages
  std::uint64_t share_ = 1;      // one page in so many
  std::uint64_t addresses_ = 0;  // all bits that are set in any of them
  std::uint64_t alignment_ = 8;
  std::uint64_t upwards_ = 0, downwards_ = 0;  // steps between neighbouring objects
  std::unordered_map<std::uint64_t, Class> classes_;
  bool small_references_ = false;
  std::unordered_map<std::uint64_t, Distance> instances_;  // by class
  // By type of element; of references by both sizes that they may have.
  std::array<std::uint64_t, 12> headers_;
  std::uint64_t header_of_small_ = kNone;
};

}  // namespace ddm
