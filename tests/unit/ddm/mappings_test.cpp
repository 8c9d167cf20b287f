#include "wire/chunks/mappings.h"

#include <catch2/catch.hpp>

using namespace ddm;

TEST_CASE("the lines of /proc/self/maps are read") {
  const auto mappings = parse_mappings(
      "55d0c8a00000-55d0c8a21000 rw-p 00000000 00:00 0                          [heap]\n"
      "7f0000000000-7f0000021000 rw-p 00000000 00:00 0 \n"
      "nonsense\n"
      "7f1000000000-7f1000021000 r-xp 00002000 fd:01 1234                       /a dir/lib.so\n"
      "7f2000000000-7f2000001000 rw-s 00000000 00:05 99 /dev/zero (deleted)");
  REQUIRE(mappings.size() == 4);
  CHECK(mappings[0].begin == 0x55d0c8a00000);
  CHECK(mappings[0].bytes() == 0x21000);
  CHECK(mappings[0].name == "[heap]");
  CHECK_FALSE(mappings[0].anonymous_data());
  CHECK(mappings[1].name.empty());
  CHECK(mappings[1].anonymous_data());
  CHECK(mappings[2].name == "/a dir/lib.so");
  CHECK(mappings[2].inode == 1234);
  CHECK(mappings[2].offset == 0x2000);
  CHECK(mappings[2].executable);
  CHECK_FALSE(mappings[2].writable);
  CHECK(mappings[3].shared);
  CHECK_FALSE(mappings[3].anonymous_data());
}

TEST_CASE("an address is found in its mapping and nowhere else") {
  const auto mappings = parse_mappings(
      "1000-2000 rw-p 00000000 00:00 0\n"
      "4000-5000 rw-p 00000000 00:00 0\n");
  CHECK(find_mapping(mappings, 0xfff) == nullptr);
  CHECK(find_mapping(mappings, 0x1000) == &mappings[0]);
  CHECK(find_mapping(mappings, 0x1fff) == &mappings[0]);
  CHECK(find_mapping(mappings, 0x2000) == nullptr);
  CHECK(find_mapping(mappings, 0x4fff) == &mappings[1]);
  CHECK(find_mapping(mappings, 0x5000) == nullptr);
}

TEST_CASE("mappings are in ascending order, whatever their text's") {
  const auto mappings = parse_mappings(
      "4000-5000 rw-p 00000000 00:00 0\n"
      "1000-2000 rw-p 00000000 00:00 0\n");
  CHECK(find_mapping(mappings, 0x1000) == &mappings[0]);
  CHECK(find_mapping(mappings, 0x4000) == &mappings[1]);
}
