#include "wire/chunks/bytes.h"

#include <catch2/catch.hpp>

using ddm::ByteReader;
using ddm::Bytes;
using ddm::ByteWriter;

TEST_CASE("Numbers are written with the most significant byte first") {
  ByteWriter out;
  out.u1(0x01);
  out.u2(0x0203);
  out.u4(0x04050607);
  out.u8(0x08090a0b0c0d0e0f);
  out.s2(-2);
  CHECK(out.take() == Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xff, 0xfe});
}

TEST_CASE("A string is its number of UTF-16 units and the units") {
  ByteWriter out;
  out.str("A\xf0\x9f\x98\x80");
  const Bytes bytes = out.take();
  CHECK(bytes == Bytes{0, 0, 0, 3, 0, 'A', 0xd8, 0x3d, 0xde, 0x00});
  ByteReader in(bytes);
  CHECK(in.str() == "A\xf0\x9f\x98\x80");
  CHECK(in.ok());
  CHECK(in.at_end());
}

TEST_CASE("Numbers are read as they were written") {
  const Bytes bytes{0x80, 1, 2, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 9};
  ByteReader in(bytes);
  CHECK(in.u1() == 0x80);
  CHECK(in.u2() == 0x0102);
  CHECK(in.u4() == 0xfffffffe);
  CHECK(in.s2() == -1);
  CHECK(in.u8() == 9);
  CHECK(in.ok());
  CHECK(in.at_end());
}

TEST_CASE("Once a read went past the end every further one fails") {
  const Bytes bytes{1, 2, 3};
  ByteReader in(bytes);
  CHECK(in.u4() == 0);
  CHECK_FALSE(in.ok());
  CHECK(in.u1() == 0);
  CHECK(in.bytes(0).empty());
  CHECK(in.str().empty());
  CHECK_FALSE(in.ok());
}

TEST_CASE("A string that claims more than there is costs no memory") {
  const Bytes bytes{0xff, 0xff, 0xff, 0xff, 0, 'A'};
  ByteReader in(bytes);
  CHECK(in.str().empty());
  CHECK_FALSE(in.ok());
}
