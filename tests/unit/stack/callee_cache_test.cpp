#include "stack/walk/callee_cache.h"

#include <array>
#include <catch2/catch.hpp>

namespace ddm {
namespace {

TEST_CASE("An allocating frame has the node that its whole stack has") {
  const std::array trees = {CallTree::create(4000, 8), CallTree::create(4000, 8)};
  CalleeCache callees;
  // More frames than the cache has entries, in turns below several callers and in two trees.
  for (int round = 0; round < 3; ++round) {
    for (const auto& tree : trees) {
      for (std::uint32_t caller = 1; caller < 5; ++caller) {
        const std::array outer = {Frame{caller, 0}};
        const TraceNumber below = tree->number_of(outer);
        for (std::uint32_t method = 0; method < 100; ++method) {
          const std::array stack = {Frame{method + 1, static_cast<std::int32_t>(method % 3)},
                                    outer[0]};
          CHECK(callees.find(*tree, below, stack[0]) == tree->number_of(stack));
        }
      }
    }
  }
}

TEST_CASE("An allocating frame has no node where the tree has no room for it") {
  const auto tree = CallTree::create(1, 8);
  CalleeCache callees;
  TraceNumber caller = tree->number_of(std::array{Frame{1, 0}});
  int without = 0;
  for (std::uint32_t method = 2; method < 100; ++method) {
    const TraceNumber node = callees.find(*tree, caller, {method, 0});
    if (node == kNoTrace) ++without;
    CHECK(callees.find(*tree, caller, {method, 0}) == node);
  }
  CHECK(without > 0);
}

}  // namespace
}  // namespace ddm
