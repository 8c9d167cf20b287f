#include "allocations/scopes/scope_tally.h"

#include <catch2/catch.hpp>
#include <map>
#include <utility>

namespace ddm {
namespace {

using Key = std::pair<NameId, TraceNumber>;

std::map<Key, std::pair<std::int64_t, std::int64_t>> tallied(const ScopeTally& tally) {
  std::map<Key, std::pair<std::int64_t, std::int64_t>> result;
  for (const ScopeTally::Sum& sum : tally.sums()) {
    const bool is_new =
        result.try_emplace({sum.class_id, sum.trace}, sum.objects, sum.bytes).second;
    CHECK(is_new);
  }
  return result;
}

TEST_CASE("A tally has each class at each stack once, however many there are") {
  ScopeTally tally;
  std::map<Key, std::pair<std::int64_t, std::int64_t>> truth;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    // Numbers that have their low bits in common, as well as neighbours.
    const Key key{1 + i % 7, 16 + (i * i) % 1009 * 64};
    tally.add({key.first, key.second, 1, 16 + i});
    truth[key].first += 1;
    truth[key].second += 16 + i;
  }
  CHECK(tallied(tally) == truth);

  ScopeTally more;
  more.add({1, 16, 2, 48});
  more.add({9, 3, 1, 24});
  tally.add(more);
  truth[{1, 16}].first += 2;
  truth[{1, 16}].second += 48;
  truth[{9, 3}] = {1, 24};
  CHECK(tallied(tally) == truth);

  tally.clear();
  CHECK(tally.sums().empty());
  tally.add({5, 5, 1, 16});
  CHECK(tallied(tally) == std::map<Key, std::pair<std::int64_t, std::int64_t>>{{{5, 5}, {1, 16}}});
}

}  // namespace
}  // namespace ddm
