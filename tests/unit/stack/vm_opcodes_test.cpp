#include <catch2/catch.hpp>

#include "stack/walk/stored_code.h"

using namespace ddm;  // NOLINT: a test of one part

TEST_CASE("opcodes of the interpreter's own are told as the class file's") {
  for (int opcode = 0; opcode <= 201; ++opcode) {
    CHECK(java_opcode(static_cast<std::uint8_t>(opcode)) == opcode);
  }
  CHECK(java_opcode(203) == 180);  // _fast_agetfield, getfield
  CHECK(java_opcode(211) == 181);  // _fast_aputfield, putfield
  CHECK(java_opcode(219) == 181);  // _fast_sputfield, putfield
  CHECK(java_opcode(220) == 42);   // _fast_aload_0
  CHECK(java_opcode(224) == 21);   // _fast_iload
  CHECK(java_opcode(229) == 171);  // _fast_binaryswitch, lookupswitch
  CHECK(java_opcode(230) == 18);   // _fast_aldc, ldc
  CHECK(java_opcode(232) == 177);  // _return_register_finalizer, return
  CHECK(java_opcode(237) == 21);   // _nofast_iload
  CHECK_FALSE(java_opcode(202));   // a breakpoint: what it hides is not known
  CHECK_FALSE(java_opcode(238));
}
