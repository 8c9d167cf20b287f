#include "stack/names/name_log.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

namespace ddm {
namespace {

struct Section {
  explicit Section(std::size_t half) : halves(2 * half), log(section, halves.data(), half) {}
  std::vector<NameEntry> read() const {
    std::vector<NameEntry> all;
    const std::size_t half = section.generation % 2;
    decode_names(std::span(halves).subspan(half * log.half_bytes(), section.used[half]),
                 [&](NameEntry&& entry) { all.push_back(std::move(entry)); });
    return all;
  }
  NameSection section;
  std::vector<std::byte> halves;
  NameLog log;
};

MethodName some_method() { return {"a.B", "run", "(I)V", "B.java", false, {{0, 7}, {5, 8}}}; }

}  // namespace

TEST_CASE("names come back from the log as they went in") {
  Section s(4096);
  const MethodName native{"x", "y", "()V", "", true, {}};
  REQUIRE(s.log.add(encode_class(3, "java.lang.String[]")));
  REQUIRE(s.log.add(encode_method(4, some_method())));
  REQUIRE(s.log.add(encode_method(5, native)));
  REQUIRE(s.log.add(encode_thread(1LL << 40, "main")));
  REQUIRE(s.log.add(encode_class(6, "")));
  const auto all = s.read();
  REQUIRE(all.size() == 5);
  CHECK((all[0].kind == NameEntry::Kind::kClass && all[0].id == 3));
  CHECK(all[0].name == "java.lang.String[]");
  CHECK((all[1].kind == NameEntry::Kind::kMethod && all[1].id == 4));
  CHECK(all[1].method == some_method());
  CHECK(all[2].method == native);
  CHECK((all[3].kind == NameEntry::Kind::kThread && all[3].id == 1LL << 40));
  CHECK(all[3].name == "main");
  CHECK(all[4].name.empty());
}

TEST_CASE("a name that finds no room is refused whole") {
  Section s(64);
  REQUIRE(s.log.add(encode_class(1, std::string(40, 'x'))));
  CHECK_FALSE(s.log.add(encode_class(2, "y")));
  CHECK(s.read().size() == 1);
}

TEST_CASE("names are cut where their length would not fit") {
  Section s(1 << 20);
  REQUIRE(s.log.add(encode_class(1, std::string(100'000, 'x'))));
  REQUIRE(s.log.add(encode_thread(2, std::string(100'000, 'y'))));
  CHECK(s.read()[0].name.size() == 65535);
  CHECK(s.read()[1].name.size() == 1000);
}

TEST_CASE("compaction keeps what is wanted and turns to the other half in one step") {
  Section s(4096);
  for (NameId id = 1; id <= 10; ++id) s.log.add(encode_class(id, "c" + std::to_string(id)));
  s.log.add(encode_thread(1, "old"));
  s.log.add(encode_thread(1, "new"));
  const std::vector<std::byte> before = s.halves;
  const std::uint64_t first_used = s.section.used[0];
  s.log.compact([](NameEntry::Kind kind, std::int64_t id) {
    return kind == NameEntry::Kind::kThread || id % 2 == 0;
  });
  // Killed before the last store, a reader would have found the first half as it was.
  CHECK(std::equal(before.begin(), before.begin() + 4096, s.halves.begin()));
  CHECK(s.section.used[0] == first_used);
  CHECK(s.section.generation == 1);
  auto all = s.read();
  REQUIRE(all.size() == 6);
  CHECK(all[0].name == "c2");
  CHECK(all.back().name == "new");
  REQUIRE(s.log.add(encode_class(11, "later")));
  CHECK(s.read().back().name == "later");
}

TEST_CASE("thread names stay bounded while threads come and go for good") {
  Section s(4096);
  std::set<std::int64_t> in_ring;
  RingThreadNames names(s.log, 1000, [&] {
    return std::unordered_set<std::int64_t>(in_ring.begin(), in_ring.end());
  });
  int rounds = 0;
  for (std::int64_t id = 1; id <= 20'000; ++id) {
    rounds += names.add(id, "worker-" + std::to_string(id)) ? 1 : 0;
    CHECK(names.holds(id));
    in_ring.insert(id);
    if (in_ring.size() > 20) in_ring.erase(in_ring.begin());
  }
  CHECK(rounds > 10);
  CHECK(s.section.lost == 0);
  std::map<std::int64_t, std::string> last;
  for (auto& entry : s.read()) last[entry.id] = entry.name;
  for (const std::int64_t id : in_ring) CHECK(last[id] == "worker-" + std::to_string(id));
  // Threads without names cost no room, and are not kept in mind for ever.
  const std::size_t used = s.log.used();
  for (std::int64_t id = 30'000; id < 30'500; ++id) names.add(id, "");
  CHECK(s.log.used() == used);
}

TEST_CASE("threads whose first record is still being written keep their names") {
  Section s(4096);
  RingThreadNames names(s.log, 1000, [] { return std::unordered_set<std::int64_t>(); });
  int compactions = 0;
  for (std::int64_t id = 1; compactions < 3; ++id) {
    if (!names.add(id, "worker-" + std::to_string(id))) continue;
    ++compactions;
    std::set<std::int64_t> named;
    for (auto& entry : s.read()) named.insert(entry.id);
    for (std::int64_t late = id; late > id - 50; --late) {
      CHECK(names.holds(late));
      CHECK(named.contains(late));
    }
    CHECK_FALSE(names.holds(id - 100));
  }
}

TEST_CASE("more thread names than there is room for are counted, not waited for") {
  Section s(256);
  RingThreadNames names(s.log, 1000, [] {
    std::unordered_set<std::int64_t> all;
    for (std::int64_t id = 1; id <= 5000; ++id) all.insert(id);
    return all;
  });
  for (std::int64_t id = 1; id <= 5000; ++id) names.add(id, "thread");
  CHECK(s.section.lost > 4900);
  CHECK_FALSE(s.read().empty());
}

}  // namespace ddm
