// The sites of tests as JSON lines, which ddm-test.jar writes to a file. Each frame is defined once per
// file, in a line before the first stack that contains it:
//
//   {"frame":3,"class":"shop.Cart","method":"add","file":"Cart.java","line":17}
//   {"test":"shop.CartTest.adds","class":"int[]","count":2,"bytes":48,"stack":[3,1,2]}
//
// Stacks have the innermost frame first. A test has at most kMostSites lines, most bytes first, without
// first uses; the stacks of the largest sites have more frames.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "allocations/scopes/scope_figures.h"

namespace ddm {

class SiteLines {
 public:
  static constexpr std::size_t kMostSites = 200;
  static constexpr std::size_t kLargestSites = 20;
  static constexpr std::size_t kFramesOfLargest = 24;
  static constexpr std::size_t kFramesOfOthers = 8;

  // Appends the lines of `test`. `names`: always the same table.
  void append(std::string& out, std::string_view test, const ScopeFigures& figures,
              const NameTable& names);

 private:
  // The frame's number in the file; appends the definition of a new one to `out`.
  std::uint32_t frame_number(std::string& out, const Frame& frame, const NameTable& names);
  const std::string& class_text(NameId id, const NameTable& names);

  std::uint32_t last_frame_ = 0;
  std::unordered_map<std::uint64_t, std::uint32_t> frames_;  // by method and bci
  std::unordered_map<NameId, std::string> classes_;
};

}  // namespace ddm
