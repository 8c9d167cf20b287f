// An array without initialization: memory is committed only where elements are stored.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ddm {

template <typename T, std::size_t kCount>
class LazyArray {
 public:
  LazyArray() {}
  T& operator[](std::int32_t i) { return all_[i]; }
  const T& operator[](std::int32_t i) const { return all_[i]; }

 private:
  union {
    T all_[kCount];
  };
};

}  // namespace ddm
