#include "records/live_table.h"

#include <catch2/catch.hpp>
#include <set>

#include "records/site_set.h"

namespace ddm {
namespace {

TEST_CASE("An object is read back as it was put in, to the largest figures") {
  constexpr std::uint64_t kHandle = (std::uint64_t{1} << WeakHandle::kBits) - 1;
  for (const LiveObject one :
       {LiveObject{1, 0, 16, 1},
        LiveObject{kHandle, (1u << 20) - 1, 0xffff'ffffll * 8, BirthTime::kMost}}) {
    const LiveObject back = LiveStore::Entry::of(one).object();
    CHECK(back.handle == one.handle);
    CHECK(back.site == one.site);
    CHECK(back.size == one.size);
    CHECK(back.born == one.born);
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
  chunks.sift([&](const LiveObject& one) {
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
  chunks.sift([](const LiveObject&) { return false; });
  store.give_back(std::move(chunks));
  CHECK(store.reserved() == 0);
}

class Followed {
 public:
  std::shared_ptr<Sites> sites = Sites::create(16, 4);

  Followed() {
    const auto held = sites->hold();
    sites->follow(LiveTable::create(sites->size(), {}));
  }

  TraceNumber trace(std::uint32_t i) {
    const Frame frame{i, 0};
    return sites->traces().number_of((std::uint64_t{i} + 1) * 0x9E3779B97F4A7C15ull, {&frame, 1});
  }

  template <typename Dies>
  void sweep(Dies dies, std::uint32_t now) {
    LiveTable& table = *sites->live();
    LiveStore::Chunks chunks = table.take();
    chunks.sift([&](const LiveObject& one) {
      if (!dies(one)) return true;
      table.died(one, now);
      return false;
    });
    table.give_back(std::move(chunks), ++gc_);
    table.note_all(BirthTime::ms(now));
    sites->for_each([&](SiteNumber site) { table.note(site); });
  }

  SiteSet set(std::int64_t count, std::int64_t bytes, std::int64_t now_ms = 100) {
    const auto held = sites->hold();
    return SiteSet(sites, sites->sums(), {}, count, bytes, {now_ms, sites->history()});
  }

 private:
  std::uint64_t gc_ = 0;
};

TEST_CASE("The living of a site are those followed that no sweep has found dead") {
  Followed followed;
  const TraceNumber kept = followed.trace(1), dropped = followed.trace(2);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    followed.sites->count({3, kept, 16, 1, i, 10});
    followed.sites->count({4, dropped, 40, 1, 1000 + i, 10});
    followed.sites->count({5, kept, 24, 1});  // before it was on: neither alive nor dead
  }
  followed.sweep([](const LiveObject&) { return false; }, 15);
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
  CHECK(set.history()[0].ms == 15 * BirthTime::kStepMs);
  REQUIRE(set.history()[0].changes.size() == 2);
  REQUIRE(set.history()[1].changes.size() == 1);
  CHECK(set.history()[1].changes[0].class_id == 4);
  CHECK(set.history()[1].changes[0].dead_bytes == 4000);
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
  for (const LiveHistory::Moment& moment : history.moments()) {
    CHECK(moment.ms > last);
    last = moment.ms;
    SiteNumber next = 0;
    for (const LiveChange& change : moment.changes) {
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
  CHECK(sites->sums().at(0).sum.count == 7);
  CHECK(journal.open(10).size() == 3);
}

}  // namespace
}  // namespace ddm
