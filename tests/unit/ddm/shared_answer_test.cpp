#include "wire/chunks/shared_answer.h"

#include <catch2/catch.hpp>

namespace ddm {
namespace {

constexpr ChunkType kType = chunk_type("REAL");

// Makes answers of its own, and counts them.
struct Maker {
  std::size_t size = 100'000;
  int made = 0;
  SharedAnswer::Make make = [this]() -> Result<Chunk> {
    return Chunk{kType, Bytes(size, static_cast<std::uint8_t>(++made))};
  };
};

std::uint8_t first_byte(const Chunk& chunk) {
  if (!chunk.stored) return chunk.data.at(0);
  const auto bytes = chunk.stored->read();
  REQUIRE(bytes);
  return bytes->at(0);
}

}  // namespace

TEST_CASE("Who has asked before an answer was begun is given it, too") {
  SharedAnswer answer;
  Maker maker;
  const auto asked = SharedAnswer::Clock::now();
  const auto one = answer.get(asked, maker.make);
  const auto two = answer.get(asked, maker.make);
  REQUIRE(one);
  REQUIRE(two);
  CHECK(maker.made == 1);
  CHECK(one->stored == two->stored);
  CHECK(two->type == kType);
  CHECK(two->size() == maker.size);
  CHECK(first_byte(*two) == 1);
}

TEST_CASE("An answer is made anew for who asked after it was begun") {
  SharedAnswer answer;
  Maker maker;
  const auto early = answer.get(SharedAnswer::Clock::now(), maker.make);
  const auto late = answer.get(SharedAnswer::Clock::now(), maker.make);
  REQUIRE(late);
  CHECK(maker.made == 2);
  CHECK(first_byte(*late) == 2);
}

TEST_CASE("An answer is made anew when it is forgotten, or nobody has it any more") {
  SharedAnswer answer;
  Maker maker;
  const auto asked = SharedAnswer::Clock::now();
  const auto before = answer.get(asked, maker.make);
  answer.forget();
  { const auto after = answer.get(asked, maker.make); }
  CHECK(maker.made == 2);
  const auto again = answer.get(asked, maker.make);
  REQUIRE(again);
  CHECK(first_byte(*again) == 3);
}

TEST_CASE("A tiny answer needs no file, and one that cannot be made is not kept") {
  SharedAnswer answer;
  Maker maker{.size = 10};
  const auto asked = SharedAnswer::Clock::now();
  const auto tiny = answer.get(asked, maker.make);
  REQUIRE(tiny);
  CHECK_FALSE(tiny->stored);
  CHECK(first_byte(*tiny) == 1);

  const auto failed = answer.get(asked, [] { return Error{"the program ends"}; });
  REQUIRE_FALSE(failed);
  CHECK(failed.message() == "the program ends");
  CHECK(answer.get(asked, maker.make));
}

}  // namespace ddm
