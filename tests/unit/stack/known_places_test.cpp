#include "stack/walk/known_places.h"

#include <catch2/catch.hpp>
#include <thread>

namespace ddm {
namespace {

constexpr VmAddress kPlace = 0x7fff12345671;

void keep(KnownPlaces& places, VmAddress place) {
  places.insert(place, {2000, 3}, ShownFrame(7, 5, ShownRole::kPlain));
}

TEST_CASE("a place is known until another takes its room") {
  std::thread([] {
    KnownPlaces* places = KnownPlaces::of_this_thread({1, 1});
    REQUIRE(places != nullptr);
    CHECK(places->find(kPlace) == nullptr);
    keep(*places, kPlace);
    const KnownPlaces::Known* known = places->find(kPlace);
    REQUIRE(known != nullptr);
    CHECK(known->identity_at == 2000);
    CHECK(known->shown().size() == 1);
    CHECK(known->shown()[0].frame() == Frame{7, 5});
    CHECK(places->find(kPlace + 1) == nullptr);
    CHECK(KnownPlaces::of_this_thread({1, 1}) == places);
    for (VmAddress other = 1; places->find(kPlace) != nullptr; ++other) {
      REQUIRE(other < 10000);
      keep(*places, kPlace + other);
      CHECK(places->find(kPlace + other) != nullptr);
    }
  }).join();
}

TEST_CASE("compiled code is known with its frames") {
  std::thread([] {
    KnownPlaces* places = KnownPlaces::of_this_thread({1, 1});
    FrameCache::Entry entry;
    entry.kind = CodeKind::kCompiled;
    entry.bytes = 96;
    entry.count = KnownPlaces::kFrames;
    for (std::uint32_t i = 0; i < KnownPlaces::kFrames; ++i) {
      entry.frames[i] = ShownFrame(i + 1, 5, ShownRole::kPlain);
    }
    const KnownPlaces::Known* known = places->insert(kPlace, {2000, 3}, entry);
    CHECK(places->find(kPlace) == known);
    CHECK(known->identity == 3);
    CHECK(known->bytes == 96);
    CHECK(known->kind == CodeKind::kCompiled);
    REQUIRE(known->shown().size() == KnownPlaces::kFrames);
    CHECK(known->shown().back().frame() == Frame{KnownPlaces::kFrames, 5});
  }).join();
}

TEST_CASE("a thread with many places gets room for more, up to a bound") {
  std::thread([] {
    KnownPlaces* places = KnownPlaces::of_this_thread({1, 1});
    for (int i = 0; i < 1000; ++i) keep(*places, kPlace);
    const std::size_t small = places->size();
    for (VmAddress i = 0; i < 100000; ++i) keep(*places, kPlace + i);
    CHECK(places->size() == 16 * small);
    int found = 0;
    for (VmAddress i = 0; i < 1024; ++i) found += places->find(kPlace + 99999 - i) != nullptr;
    CHECK(found > 512);
  }).join();
}

TEST_CASE("no place is known in another epoch, after any number of them") {
  std::thread([] {
    for (std::uint32_t pauses = 0; pauses < 70000; ++pauses) {
      KnownPlaces* places = KnownPlaces::of_this_thread({1, pauses});
      REQUIRE(places->find(kPlace) == nullptr);
      if (pauses < 3 || pauses > 65000) keep(*places, kPlace);
    }
    CHECK(KnownPlaces::of_this_thread({2, 69999})->find(kPlace) == nullptr);
  }).join();
}

TEST_CASE("threads know their own places only") {
  KnownPlaces* mine = KnownPlaces::of_this_thread({1, 1});
  keep(*mine, kPlace);
  std::thread([] { CHECK(KnownPlaces::of_this_thread({1, 1})->find(kPlace) == nullptr); }).join();
}

}  // namespace
}  // namespace ddm
