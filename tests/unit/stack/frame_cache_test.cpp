#include "stack/walk/frame_cache.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace ddm {
namespace {

FrameCache::Entry entry_of(NameId method, std::size_t count) {
  FrameCache::Entry entry;
  entry.kind = CodeKind::kCompiled;
  entry.bytes = static_cast<std::int32_t>(method) * 8;
  entry.count = count;
  for (std::size_t i = 0; i < count; ++i) {
    entry.frames[i] = {method, static_cast<std::int32_t>(i), ShownRole::kPlain};
  }
  return entry;
}

struct Nmethod {
  std::uint8_t in_use = 1;
  std::uint32_t compile_id = 0;
};
constexpr FrameCache::Alive kInUse = {-4, 1, 1};

TEST_CASE("a shown frame keeps its method, its bytecode index and its role") {
  for (const std::int32_t bci : {-1, 0, 1, 65535}) {
    const ShownFrame frame(0xfffffffe, bci, ShownRole::kArrayCopy);
    CHECK(frame.frame() == Frame{0xfffffffe, bci});
    CHECK(frame.role() == ShownRole::kArrayCopy);
  }
}

TEST_CASE("a place in compiled code is known until other code stands there") {
  std::atomic<std::uint32_t> generation{1};
  FrameCache cache(generation, kInUse);
  Nmethod nmethod;
  nmethod.compile_id = 7;
  const auto at = reinterpret_cast<VmAddress>(&nmethod.compile_id);
  FrameCache::Entry found;
  FrameCache::Identity identity;
  CHECK_FALSE(cache.find_compiled(4096, 0, found, identity));
  cache.insert(4096, 0, {at, 7}, entry_of(3, 11), 1);
  REQUIRE(cache.find_compiled(4096, 0, found, identity));
  CHECK(found.bytes == 24);
  REQUIRE(found.count == 11);
  CHECK(found.frames[10].frame() == Frame{3, 10});
  CHECK_FALSE(cache.find_compiled(4096, 1, found, identity));
  CHECK_FALSE(cache.find_compiled(4097, 0, found, identity));
  nmethod.compile_id = 8;
  CHECK_FALSE(cache.find_compiled(4096, 0, found, identity));
  cache.insert(4096, 0, {at, 8}, entry_of(4, 1), 1);
  REQUIRE(cache.find_compiled(4096, 0, found, identity));
  CHECK(found.frames[0].frame() == Frame{4, 0});
}

TEST_CASE("a place in code that was freed is not known, though its compile id still stands there") {
  std::atomic<std::uint32_t> generation{1};
  FrameCache cache(generation, kInUse);
  Nmethod nmethod;
  nmethod.compile_id = 7;
  cache.insert(4096, 0, {reinterpret_cast<VmAddress>(&nmethod.compile_id), 7}, entry_of(3, 1), 1);
  FrameCache::Entry found;
  FrameCache::Identity identity;
  CHECK(cache.find_compiled(4096, 0, found, identity));
  nmethod.in_use = 0;
  CHECK_FALSE(cache.find_compiled(4096, 0, found, identity));
}

TEST_CASE("nothing is known any more once names have changed") {
  std::atomic<std::uint32_t> generation{1};
  FrameCache cache(generation, kInUse);
  FrameCache::Entry found;
  FrameCache::Identity identity;
  cache.insert(4096, 0, {0, 0}, entry_of(3, 1), 1);
  CHECK(cache.find_compiled(4096, 0, found, identity));
  generation = 2;
  CHECK_FALSE(cache.find_compiled(4096, 0, found, identity));
  cache.insert(4096, 0, {0, 0}, entry_of(3, 1), 1);  // found out before they changed
  CHECK_FALSE(cache.find_compiled(4096, 0, found, identity));
}

TEST_CASE("a frame is never made of two while threads write the same places") {
  std::atomic<std::uint32_t> generation{1};
  FrameCache cache(generation, kInUse);
  std::atomic<bool> mixed{false};
  std::vector<std::thread> threads;
  for (NameId self = 1; self <= 4; ++self) {
    threads.emplace_back([&, self] {
      for (int i = 0; i < 20'000; ++i) {
        const VmAddress place = 64 * (1 + static_cast<VmAddress>(i) % 5);
        cache.insert(place, 0, {0, 0}, entry_of(self, 1 + self), 1);
        FrameCache::Entry found;
        FrameCache::Identity identity;
        if (!cache.find_compiled(place, 0, found, identity)) continue;
        const NameId method = found.frames[0].frame().method;
        if (found.count != 1 + method || found.bytes != static_cast<std::int32_t>(method) * 8) {
          mixed = true;
        }
        for (std::size_t k = 0; k < found.count; ++k) {
          if (found.frames[k].frame().method != method) mixed = true;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(mixed);
}

}  // namespace
}  // namespace ddm
