#include "bci/constant_pool.h"

#include <catch2/catch.hpp>
#include <ctime>
#include <string>

using namespace bci;

namespace {

// Class entries C0, C1, ...: 1 = "C0", 2 = Class 1, 3 = "C1", ...
Bytes pool_of_classes(std::size_t count) {
  ByteWriter out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "C" + std::to_string(i);
    out.u1(kUtf8);
    out.u2(static_cast<std::uint32_t>(name.size()));
    for (const char c : name) out.u1(static_cast<std::uint8_t>(c));
    out.u1(kClass);
    out.u2(static_cast<std::uint32_t>(2 * i + 1));
  }
  return out.take();
}

ConstantPool parsed(const Bytes& bytes, std::size_t count) {
  ByteReader in(bytes);
  SkipReason why{};
  auto pool = ConstantPool::parse(in, static_cast<std::uint16_t>(count), why);
  REQUIRE(pool);
  return std::move(*pool);
}

}  // namespace

TEST_CASE("a class that the pool has is found, another one is added once") {
  const Bytes bytes = pool_of_classes(3);
  ConstantPool pool = parsed(bytes, 7);
  CHECK(pool.find_or_add_class("C0") == 2);
  CHECK(pool.find_or_add_class("C2") == 6);
  const std::uint16_t added = pool.find_or_add_class("D");
  CHECK(added == 8);  // behind its name
  CHECK(pool.find_or_add_class("D") == added);
  CHECK(pool.count() == 9);
}

TEST_CASE("what the pool has is not added again") {
  const Bytes bytes = pool_of_classes(3);
  ConstantPool pool = parsed(bytes, 7);
  CHECK(pool.add_utf8("C1") == 3);
  CHECK(pool.add_class("C1") == 4);
  CHECK(pool.count() == 7);
  // As long as another one, and the beginning of another one, is not the same.
  CHECK(pool.add_utf8("D1") == 7);
  CHECK(pool.add_utf8("C") == 8);
  CHECK(pool.add_method("C2", "C0", "C1") == 10);  // behind its name and type
  CHECK(pool.count() == 11);
}

TEST_CASE("looking for every class of a full pool takes no time to speak of") {
  constexpr std::size_t kClasses = 32000;
  const Bytes bytes = pool_of_classes(kClasses);
  ConstantPool pool = parsed(bytes, 2 * kClasses + 1);
  const std::clock_t begin = std::clock();  // processor time
  for (std::size_t i = 0; i < kClasses; ++i) {
    if (pool.find_or_add_class("C" + std::to_string(i)) != 2 * i + 2) FAIL("class " << i);
  }
  // Some milliseconds; one after the other it was half a thousand million comparisons.
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 1.0);
}
