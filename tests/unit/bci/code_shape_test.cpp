#include "bci/code_shape.h"

#include <catch2/catch.hpp>

using namespace bci;

namespace {

const Bytes kCode = {0x04, 0xbc, 10, 0x59, 0xb8, 0, 7, 0xb3, 0, 9, 0xb1};  // see JVMS 6.5

Bytes with(std::size_t at, std::uint8_t value) {
  Bytes code = kCode;
  code[at] = value;
  return code;
}

}  // namespace

TEST_CASE("the shape of code does not depend on where its constants are in the pool") {
  CHECK(code_shape(kCode) == code_shape(with(6, 200)));
  CHECK(code_shape(kCode) == code_shape(with(9, 1)));
}

TEST_CASE("other instructions and other operands have another shape") {
  CHECK(code_shape(kCode) != code_shape(with(0, 0x05)));
  CHECK(code_shape(kCode) != code_shape(with(2, 8)));  // newarray's type is no index
  CHECK(code_shape(kCode) != code_shape(ByteSpan(kCode).first(10)));
  // The same instructions in another order.
  CHECK(code_shape(Bytes{0x04, 0xbc, 10, 0x57, 0x00, 0xb1}) !=
        code_shape(Bytes{0x00, 0x04, 0xbc, 10, 0x57, 0xb1}));
}

TEST_CASE("code that is not understood has a shape too") {
  CHECK(code_shape({}) == code_shape({}));
  CHECK(code_shape(Bytes{0xfe, 1}) != code_shape(Bytes{0xfe, 2}));
  CHECK(code_shape(Bytes{0xb8, 1}) != code_shape(Bytes{0xb8, 2}));  // cut off
}
