#include "stack/shown_stack.h"

#include <catch2/catch.hpp>
#include <vector>

namespace ddm {
namespace {

std::vector<NameId> shown(TopFrames top, std::initializer_list<ShownFrame> frames) {
  ShownStack stack(top, 10);
  for (const ShownFrame frame : frames) stack.add(frame);
  std::vector<NameId> result;
  for (const Frame& frame : stack.frames()) result.push_back(frame.method);
  return result;
}

TEST_CASE("hidden frames are never shown") {
  CHECK(shown(TopFrames::kAsTheyAre,
              {{1, 0, ShownRole::kPlain}, {2, 0, ShownRole::kHidden}, {3, 0, ShownRole::kPlain}}) ==
        std::vector<NameId>{1, 3});
}

TEST_CASE("the constructors of the object itself are cut, those of others stay") {
  CHECK(shown(TopFrames::kConstructors, {{1, 0, ShownRole::kTracker},
                                         {2, 0, ShownRole::kObjectInit},
                                         {3, 0, ShownRole::kAtConstructor},
                                         {4, 0, ShownRole::kPlain},
                                         {5, 0, ShownRole::kAtConstructor}}) ==
        std::vector<NameId>{4, 5});
  CHECK(shown(TopFrames::kTracker, {{1, 0, ShownRole::kTracker},
                                    {3, 0, ShownRole::kAtConstructor}}) == std::vector<NameId>{3});
}

TEST_CASE("an allocation of the agent's own code, which the VM reports, is told from others") {
  ShownStack stack(TopFrames::kAsTheyAre, 10);
  stack.add({1, 0, ShownRole::kTracker});
  stack.add({2, 0, ShownRole::kPlain});
  CHECK(stack.by_agent());
  stack.restart();
  stack.add({2, 0, ShownRole::kPlain});
  stack.add({1, 0, ShownRole::kTracker});  // it has called the program's code
  CHECK_FALSE(stack.by_agent());
}

TEST_CASE("a stack has enough with as many frames as are wanted, and can begin anew") {
  ShownStack stack(TopFrames::kAsTheyAre, 2);
  CHECK(stack.add({1, 0, ShownRole::kPlain}));
  CHECK(stack.add({9, 0, ShownRole::kHidden}));
  CHECK_FALSE(stack.add({2, 0, ShownRole::kArrayCopy}));
  CHECK(stack.last_role() == ShownRole::kArrayCopy);
  stack.restart();
  CHECK(stack.frames().empty());
  CHECK(stack.add({3, 0, ShownRole::kPlain}));
}

}  // namespace
}  // namespace ddm
