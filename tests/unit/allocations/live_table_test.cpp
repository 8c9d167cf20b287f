#include "allocations/store/live_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "allocations/store/site_set.h"
#include "live_sweep.h"

namespace ddm {
namespace {

TEST_CASE("An object is read back as it was put in, to the largest figures") {
  constexpr std::uint64_t kHandle = (std::uint64_t{1} << WeakHandle::kBits) - 1;
  for (const LiveObject one :
       {LiveObject{1, 0, 16, 1, 7},
        LiveObject{kHandle, (1u << 20) - 1, 0xffff'ffffll * 8, BirthTime::kMost, 0xffff}}) {
    const LiveObject back = LiveStore::Entry::of(one).object(one.born_gc);
    CHECK(back.handle == one.handle);
    CHECK(back.site == one.site);
    CHECK(back.size == one.size);
    CHECK(back.born == one.born);
    CHECK(back.born_gc == one.born_gc);
  }
  CHECK(WeakHandle::fits(kHandle));
  CHECK_FALSE(WeakHandle::fits(kHandle + 1));
  CHECK(sizeof(LiveStore::Entry) == 16);
}

TEST_CASE("What stays of taken objects is packed, and what came meanwhile is there too") {
  LiveStore store;
  const std::uint64_t kMany = 3 * LiveStore::kChunk + 100;
  for (std::uint64_t i = 1; i <= kMany; ++i) REQUIRE(store.add({i, 1, 16, 1}));
  CHECK(store.reserved() == 4 * LiveStore::kChunk);
  LiveStore::Chunks chunks = store.take();
  CHECK(store.reserved() == 4 * LiveStore::kChunk);
  for (std::uint64_t i = 1; i <= 10; ++i) REQUIRE(store.add({kMany + i, 1, 16, 1}));
  std::uint64_t seen = 0;
  chunks.sift(1, [&](const LiveObject& one) {
    REQUIRE(one.handle == ++seen);
    return one.handle % 7 == 0;
  });
  CHECK(seen == kMany);
  CHECK(chunks.size() == kMany / 7);
  store.give_back(std::move(chunks));
  CHECK(store.reserved() == 2 * LiveStore::kChunk);
  std::set<std::uint64_t> left;
  chunks = store.take();
  chunks.for_each([&](const LiveObject& one) { left.insert(one.handle); });
  CHECK(left.size() == kMany / 7 + 10);
  CHECK(left.contains(7));
  CHECK(left.contains(kMany + 10));
  chunks.sift(2, [](const LiveObject&) { return false; });
  store.give_back(std::move(chunks));
  CHECK(store.reserved() == 0);
}

TEST_CASE("Some chunks that are empty are kept for what is added next, a bounded number") {
  LiveStore store;
  const auto add = [&](std::size_t chunks) {
    for (std::uint64_t i = 1; i <= chunks * LiveStore::kChunk; ++i) {
      REQUIRE(store.add({i, static_cast<SiteNumber>(i % 1000), 16, 1, 3}));
    }
  };
  const auto sweep = [&](auto stays) {
    LiveStore::Chunks chunks = store.take();
    chunks.sift(4, stays);
    store.give_back(std::move(chunks));
  };
  for (const std::size_t count : {std::size_t{2}, LiveStore::kMostSpare + 4}) {
    add(count);
    sweep([](const LiveObject&) { return false; });
    CHECK(store.reserved() == 0);
    const std::size_t kept = std::min(count, LiveStore::kMostSpare);
    CHECK(store.spare() == kept);
    // What was in them is gone.
    add(1);
    CHECK(store.spare() == kept - 1);
    std::uint64_t next = 1;
    sweep([&](const LiveObject& one) {
      REQUIRE(one.handle == next);
      REQUIRE(one.site == next++ % 1000);
      return false;
    });
    CHECK(next == LiveStore::kChunk + 1);
    CHECK(store.spare() == kept);
  }
  const LiveStore::Chunks spare = store.take_spare();
  CHECK(spare.size() == 0);
  CHECK(store.spare() == 0);
}

TEST_CASE("Whoever looks through objects hears of each one's site before, or not at all") {
  LiveStore store;
  const std::uint64_t kMany = LiveStore::kChunk + 3;
  for (std::uint64_t i = 1; i <= kMany; ++i) REQUIRE(store.add({i, SiteNumber(i % 977), 16, 1}));
  LiveStore::Chunks chunks = store.take();
  std::multiset<SiteNumber> coming;
  std::size_t heard = 0;
  chunks.sift(
      1,
      [&](const LiveObject& one) {
        const auto at = coming.find(one.site);
        if (at != coming.end()) {
          coming.erase(at);
          ++heard;
        }
        return true;
      },
      [&](SiteNumber site) { coming.insert(site); });
  CHECK(coming.empty());
  CHECK(heard > kMany - 100);
  CHECK(chunks.size() == kMany);
}

class Followed {
 public:
  std::shared_ptr<Sites> sites;

  explicit Followed(std::uint32_t one_in = 1, std::uint32_t most_sites = 16)
      : sites(Sites::create(most_sites, 4)) {
    const auto held = sites->hold();
    sites->follow(LiveTable::create(sites->table().size(), {}, one_in));
  }

  TraceNumber trace(std::uint32_t i) {
    const Frame frame{i, 0};
    return sites->traces().number_of({&frame, 1});
  }

  template <typename Dies>
  void sweep(Dies dies, std::uint32_t now) {
    sweep_live(*sites, ++gc, now, dies);
  }

  SiteSet set(std::int64_t count, std::int64_t bytes, std::int64_t now_ms = 100,
              const std::vector<SiteEntry>& more = {}) {
    const auto held = sites->hold();
    LiveReading live = sites->live_reading();
    live.now_ms = now_ms;
    return SiteSet(sites, sites->sums(), more, count, bytes, std::move(live));
  }

  std::uint64_t gc = 0;
};

bool none(const LiveObject&) { return false; }

// By class, as "0: 5, 4: 2".
std::string text_of(const LiveAges& ages) {
  std::string text;
  for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
    if (ages.count[i] == 0 && ages.bytes[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::to_string(AgeClass::least(i)) + ": " + std::to_string(ages.count[i]) + " of " +
            std::to_string(ages.bytes[i]);
  }
  return text;
}

TEST_CASE("Ages come in classes that each are as wide as all younger ones") {
  const std::pair<std::uint64_t, std::size_t> expected[] = {
      {0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {7, 3}, {1023, 10}, {1024, 11}, {4096, 11}};
  for (const auto& [age, age_class] : expected) CHECK(AgeClass::of(age) == age_class);
  for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
    CHECK(AgeClass::of(static_cast<std::uint64_t>(AgeClass::least(i))) == i);
  }
  LiveAges ages;
  CHECK(ages.middle() == 0);
  ages.count = {3, 0, 2, 1};
  CHECK(ages.middle() == 2);
  ages.count[0] = 4;
  CHECK(ages.middle() == 0);
}

TEST_CASE("What is alive is as old as the pauses it has outlived, to the last one") {
  Followed followed;
  const TraceNumber site = followed.trace(1);
  std::uint64_t handle = 0;
  const auto allocate = [&](int count, std::uint64_t gc) {
    for (int i = 0; i < count; ++i) followed.sites->count({3, site, 16, 1, ++handle, 10, gc});
  };
  const auto ages = [&] { return text_of(followed.set(0, 0).ages()); };
  allocate(5, 0);
  CHECK(ages() == "0: 5 of 80");
  followed.sweep(none, 20);
  allocate(2, followed.gc);
  CHECK(ages() == "0: 2 of 32, 1: 5 of 80");
  followed.sweep(none, 30);
  CHECK(ages() == "1: 2 of 32, 2: 5 of 80");
  // Its thread was held up, from before the first pause.
  allocate(1, 0);
  CHECK(ages() == "1: 2 of 32, 2: 6 of 96");
  // So was this one, and is in no sum yet.
  const std::vector<SiteEntry> open{{3, site, 16, 1, 99, 10, 1}};
  CHECK(text_of(followed.set(0, 0, 100, open).ages()) == "1: 3 of 48, 2: 6 of 96");
  followed.sweep([](const LiveObject& one) { return one.handle <= 2; }, 40);
  CHECK(ages() == "2: 6 of 96");
  const SiteSet set = followed.set(8, 128);
  CHECK(text_of(set.living().ages(set.living()[0])) == "2: 6 of 96");
  CHECK(text_of(set.folded(0).ages()) == "2: 6 of 96");
}

TEST_CASE("Ages are right for what is added while a sweep goes on") {
  Followed followed;
  const TraceNumber site = followed.trace(1);
  std::uint64_t handle = 0;
  const auto allocate = [&](int count, std::uint64_t gc) {
    for (int i = 0; i < count; ++i) followed.sites->count({3, site, 16, 1, ++handle, 10, gc});
  };
  allocate(4, 0);
  LiveTable& table = *followed.sites->live();
  LiveStore::Chunks chunks = table.take();
  allocate(2, 0);
  allocate(3, 1);
  table.begin_ages(1);
  table.count_ages(chunks);
  table.give_back_swept(std::move(chunks));
  followed.gc = 1;
  CHECK(text_of(followed.set(9, 144).ages()) == "0: 3 of 48, 1: 6 of 96");
}

TEST_CASE("No age comes round, however many pauses an object outlives") {
  Followed followed;
  followed.sites->count({3, followed.trace(1), 16, 1, 1, 10});
  for (int i = 0; i < 70'000; ++i) {
    followed.gc += i % 3 == 0 ? 20 : 1;  // pauses between two sweeps are one
    followed.sweep(none, 20);
    if (i % 1000 != 999) continue;
    CHECK(text_of(followed.set(1, 16).ages()) == "1024: 1 of 16");
  }
}

TEST_CASE("Ages of one object in N add up to the estimate of what is alive") {
  Followed followed;
  const TraceNumber site = followed.trace(1);
  for (std::uint64_t i = 0; i < 1003; ++i) {
    followed.sites->count({3, site, 24, 1, i % 7 == 0 ? i + 1 : 0, 10, followed.gc});
    if (i % 100 == 0) followed.sweep([](const LiveObject& one) { return one.handle % 3 == 1; }, 20);
  }
  const SiteSet set = followed.set(1003, 1003 * 24);
  const LiveAges ages = set.ages();
  std::int64_t count = 0, bytes = 0;
  for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
    CHECK(ages.count[i] >= 0);
    CHECK(ages.bytes[i] >= 0);
    count += ages.count[i];
    bytes += ages.bytes[i];
  }
  CHECK(ages.count[3] > 0);
  CHECK(count == set.life().live_count);
  CHECK(bytes == set.life().live_bytes);
}

TEST_CASE("The living of a site are those followed that no sweep has found dead") {
  Followed followed;
  const TraceNumber kept = followed.trace(1), dropped = followed.trace(2);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    followed.sites->count({3, kept, 16, 1, i, 10});
    followed.sites->count({4, dropped, 40, 1, 1000 + i, 10});
    followed.sites->count({5, kept, 24, 1});  // before it was on: neither alive nor dead
  }
  followed.sweep(none, 15);
  followed.sweep([](const LiveObject& one) { return one.handle > 1000; }, 20);
  const SiteSet set = followed.set(300, 100 * (16 + 40 + 24));
  REQUIRE(set.size() == 3);
  CHECK(set[0].class_id == 4);
  CHECK(set[0].life.live_count == 0);
  CHECK(set[0].life.lived_ms == 100 * 10 * BirthTime::kStepMs);
  CHECK(set[0].life.peak_bytes == 4000);
  CHECK(set[0].life.top_count == 100);
  CHECK(set[1].life.seen_count == 0);
  CHECK(set[1].life.live_count == 0);
  CHECK(set[2].life.live_count == 100);
  CHECK(set[2].life.live_bytes == 1600);
  CHECK(set[2].life.lived_ms == 100 * (100 - 10 * BirthTime::kStepMs));
  REQUIRE(set.history().size() == 2);
  CHECK(set.history().ms(0) == 15 * BirthTime::kStepMs);
  REQUIRE(set.history()[0].size() == 2);
  REQUIRE(set.history()[1].size() == 1);
  CHECK(set.key_of(set.history()[1][0].site) == SiteSum::key_of(4, dropped));
  CHECK(set.history()[1][0].dead_bytes == 4000);
  const SiteSet living = set.living();
  REQUIRE(living.size() == 1);
  CHECK(living[0].class_id == 3);
  CHECK(living[0].bytes == 1600);
}

TEST_CASE("A history is bounded and loses no byte") {
  LiveHistory history;
  double seen = 0, dead = 0;
  for (std::int64_t ms = 1; ms <= 3000; ++ms) {
    history.begin(ms);
    for (SiteNumber site = ms % 3; site < 300; site += 1 + ms % 2) {
      history.add({site, 16, static_cast<double>(site)});
      seen += 16;
      dead += site;
    }
  }
  std::size_t changes = 0;
  std::int64_t last = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    CHECK(history.ms(i) > last);
    last = history.ms(i);
    SiteNumber next = 0;
    for (const LiveChange& change : history[i]) {
      CHECK(change.site >= next);
      next = change.site + 1;
      seen -= change.seen_bytes;
      dead -= change.dead_bytes;
      ++changes;
    }
  }
  CHECK(last == 3000);
  CHECK(seen == 0);
  CHECK(dead == 0);
  CHECK(changes <= LiveHistory::kMostChanges + 300);
}

TEST_CASE("Of one object in N the others have the fate of those followed") {
  Followed followed;
  const TraceNumber half = followed.trace(1);
  for (std::uint64_t i = 0; i < 1600; ++i) {
    followed.sites->count({3, half, 16, 1, i % 16 == 0 ? i + 1 : 0, 10});
  }
  followed.sweep([](const LiveObject& one) { return (one.handle - 1) % 32 != 0; }, 20);
  const SiteSet set = followed.set(1600, 1600 * 16);
  CHECK(set[0].life.seen_count == 1600);
  CHECK(set[0].life.live_count == 800);
  CHECK(set[0].life.live_bytes == 800 * 16);
}

TEST_CASE("Small sites of a class share what one object in N tells of all of them") {
  constexpr std::uint32_t kSites = 3000, kOneIn = 64;
  Followed followed(kOneIn, 2 * kSites + 16);
  std::uint64_t made = 0;
  const auto allocate = [&](NameId class_id, TraceNumber trace, std::int64_t size) {
    followed.sites->count(
        {class_id, trace, size, 1, made % kOneIn == 0 ? made + 1 : 0, 10, followed.gc});
    ++made;
  };
  const NameId kept = 3, half = 4, dropped = 5;
  for (std::uint32_t i = 1; i <= kSites; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) allocate(kept, followed.trace(i), 16 + 8 * (i % 5));
  }
  for (std::uint32_t i = 1; i <= kSites; ++i) allocate(half, followed.trace(i), 24);
  for (std::uint32_t i = 1; i <= kSites; ++i) {
    for (std::uint32_t k = 0; k < 2; ++k) allocate(dropped, followed.trace(i), 40);
  }
  // A site that its own objects tell of has no part in this.
  const TraceNumber large = followed.trace(kSites + 1);
  for (std::uint32_t i = 0; i < LiveSum::kEnough * kOneIn; ++i) allocate(kept, large, 16);
  const std::uint64_t before_half = 3 * kSites, before_dropped = 4 * kSites;
  const std::uint64_t before_large = 6 * kSites;
  followed.sweep(
      [&](const LiveObject& one) {
        const std::uint64_t number = one.handle - 1;
        if (number < before_half) return false;
        return number >= before_dropped || number / kOneIn % 2 == 0;
      },
      20);
  const SiteSet set = followed.set(static_cast<std::int64_t>(made), 0, 400);
  struct Sum {
    std::int64_t sites = 0;
    SiteLife life;
  };
  std::map<NameId, Sum> sums;
  for (const Site& site : set.list()) {
    CHECK(site.life.live_count <= site.life.seen_count);
    CHECK(site.life.live_bytes <= site.life.seen_bytes);
    CHECK(site.life.top_count <= site.life.seen_count);
    CHECK((site.life.live_bytes > 0) == (site.life.live_count > 0));
    const LiveAges ages = set.ages(site);
    CHECK(ages.count[0] == 0);
    CHECK(ages.count[1] == site.life.live_count);
    CHECK(ages.bytes[1] == site.life.live_bytes);
    if (site.trace == large) {
      CHECK(site.life.live_count == 0);
      continue;
    }
    Sum& sum = sums[site.class_id];
    sum.sites += site.life.live_count > 0 ? 1 : 0;
    sum.life += site.life;
  }
  CHECK(before_large + LiveSum::kEnough * kOneIn == made);
  CHECK(sums[kept].sites == kSites);
  CHECK(sums[kept].life.live_count == 3 * kSites);
  CHECK(sums[kept].life.live_bytes == sums[kept].life.seen_bytes);
  CHECK(sums[kept].life.top_count == 3 * kSites);
  CHECK(sums[kept].life.peak_bytes == sums[kept].life.seen_bytes);
  CHECK(sums[kept].life.lived_ms == 3 * kSites * (400 - 10 * BirthTime::kStepMs));
  // Half of 47 followed ones: each site has its one object or none, and the sum is right.
  CHECK(std::abs(sums[half].life.live_count - kSites / 2) < 50);
  CHECK(sums[half].sites == sums[half].life.live_count);
  CHECK(sums[half].life.live_bytes == 24 * sums[half].life.live_count);
  CHECK(sums[dropped].life.live_count == 0);
  CHECK(sums[dropped].life.lived_ms == 2 * kSites * 10 * BirthTime::kStepMs);
}

TEST_CASE("A handle that comes when nothing is followed is kept for who gives it back") {
  Followed followed;
  {
    const auto held = followed.sites->hold();
    followed.sites->follow(nullptr);
  }
  followed.sites->count({3, kEmptyTrace, 16, 1, 77, 10});
  const auto held = followed.sites->hold();
  CHECK(followed.sites->take_strays() == std::vector<std::uint64_t>{77});
  CHECK(followed.sites->take_strays().empty());
}

TEST_CASE("What threads have told of can be taken from their journals by another thread") {
  const auto sites = Sites::create(16, 4);
  SiteJournal journal;
  for (int i = 0; i < 10; ++i) sites->write(journal, {3, kEmptyTrace, 16, 1});
  const auto held = sites->hold();
  sites->take(journal, 7);
  CHECK(sites->sums().sums.at(0).count == 7);
  CHECK(journal.open(10).size() == 3);
}

}  // namespace
}  // namespace ddm
