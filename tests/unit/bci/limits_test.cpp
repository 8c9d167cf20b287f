// Methods and pools that grow over what a class file can hold, and branches over what 16 bits can.
#include <algorithm>

#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

void add_arrays(MethodBuilder& method, int count) {
  for (int i = 0; i < count; ++i) method.op({0x04, kNewarray, 10, kPop});
}

// static void run(int, long, String): if (arg == 0) { arrays, nops } -- the branch spans
// 3 + 4 * arrays + nops bytes.
struct BranchedClass {
  BranchedClass(int major, int arrays, std::size_t nops = 0) {
    ClassBuilder cls("Sample", static_cast<std::uint16_t>(major));
    MethodBuilder& method = cls.method(kStatic, "run", "(IJLjava/lang/String;)V");
    method.stack(2).locals(5).op({0x1f, 0x42, 0x1a}).branch(kIfeq + 1, "end");
    add_arrays(method, arrays);
    method.nops(nops).label("end").op({0xb1});
    // lload_1, lstore_3: locals int, long, long (over the String)
    if (major >= 50) method.frame_full("end", {{1}, {4}, {4}}, {});
    bytes = cls.build();
  }
  Bytes bytes;
};

}  // namespace

TEST_CASE("a branch that outgrows 16 bits becomes its inverse around a goto_w, with a frame") {
  const int count = 8000;  // 32000 bytes before, 64000 after
  const Rewritten after(rewrite_with(BranchedClass(61, count).bytes, {&kArrays}));
  const Bytes code = after.bytecode("run");
  CHECK(code[3] == kIfeq);
  CHECK(read_s2(&code[4]) == 8);
  CHECK(code[6] == kGotoW);
  CHECK(read_s4(&code[7]) == 5 + count * 8);
  // Frames: full at 11 (int, long, long), and the old one, full too, behind it.
  const Bytes frames = after.attribute("run", "StackMapTable");
  const std::uint32_t delta = static_cast<std::uint32_t>(11 + count * 8) - 11 - 1;
  CHECK(frames == Bytes{0,
                        2,
                        255,
                        0,
                        11,
                        0,
                        3,
                        1,
                        4,
                        4,
                        0,
                        0,  //
                        255,
                        static_cast<std::uint8_t>(delta >> 8),
                        static_cast<std::uint8_t>(delta),
                        0,
                        3,
                        1,
                        4,
                        4,
                        0,
                        0});
  CHECK(original_bci(after.changed("run")->bci_map, 6) == 3);
  CHECK(original_bci(after.changed("run")->bci_map, 11) == 6);
}

TEST_CASE(
    "a frame behind an added one keeps the unset local at its end, which later ones refer to") {
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "(I)V");
  method.stack(1).locals(3).op({0x1a, 0x3c, 0x1a}).branch(kIfeq, "end").nops(1);
  method.label("a").nops(1);
  add_arrays(method, 8000);
  method.label("end").op({0xb1});
  method.frame_full("a", {{1}, {1}, {0}}, {}).frame_same("end");
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  const std::uint32_t delta = 64000;
  CHECK(after.attribute("run", "StackMapTable") ==
        Bytes{0,   3,                                             //
              255, 0,          11,          0, 2, 1, 1, 0, 0,     // added behind the goto_w
              255, 0,          0,           0, 3, 1, 1, 0, 0, 0,  //
              251, delta >> 8, delta & 0xff});
}

TEST_CASE("a branch that outgrows 16 bits needs no frame before class file version 50") {
  const Rewritten after(rewrite_with(BranchedClass(49, 8000).bytes, {&kArrays}));
  CHECK(after.bytecode("run")[6] == kGotoW);
  CHECK(after.attribute("run", "StackMapTable").empty());
}

TEST_CASE("a branch of 32767 bytes stays short, one of 32768 does not") {
  const BranchedClass at_limit(61, 4095, 4);  // 3 + 4095 * 8 + 4
  const Rewritten fits(rewrite_with(at_limit.bytes, {&kArrays}));
  CHECK(fits.bytecode("run")[3] == kIfeq + 1);
  CHECK(read_s2(&fits.bytecode("run")[4]) == 32767);
  const BranchedClass over(61, 4095, 5);
  const Rewritten outgrown(rewrite_with(over.bytes, {&kArrays}));
  CHECK(outgrown.bytecode("run")[3] == kIfeq);
  CHECK(outgrown.bytecode("run")[6] == kGotoW);
}

TEST_CASE("the frame behind an added one does not inherit its locals") {
  // int in local 1 is set before the branch, the frame at its target says "same": one int.
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "(I)V");
  method.stack(1).locals(2).op({0x1a, 0x3c, 0x1a}).branch(kIfeq, "end");
  add_arrays(method, 8000);
  method.label("end").op({0xb1}).frame_same("end");
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  const std::uint32_t delta = 64000 - 1;
  CHECK(after.attribute("run", "StackMapTable") == Bytes{0, 2, 255, 0, 11, 0, 2, 1, 1, 0, 0,  //
                                                         255, delta >> 8, delta & 0xff, 0, 1, 1, 0,
                                                         0});
}

TEST_CASE("no frame is added where fields may have to be set before super()") {
  for (const std::uint16_t major : {61, 72}) {
    ClassBuilder cls("Sample", major);
    const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
    MethodBuilder& method = cls.method(kPublic, "<init>", "(I)V");
    method.stack(1).locals(2).op({0x1b}).branch(kIfeq, "end");
    add_arrays(method, 8000);
    method.label("end")
        .op({kAload0, kInvokespecial, static_cast<std::uint8_t>(init >> 8),
             static_cast<std::uint8_t>(init), 0xb1})
        .frame_same("end");
    const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
    CHECK(result.skipped.empty() == (major < 72));
    if (major >= 72) CHECK(result.skipped[0].reason == SkipReason::kNoFrameState);
  }
}

TEST_CASE("a long of which one half was overwritten is unknown in an added frame") {
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "(IJ)V");
  // istore_2 over the upper half of the long at 1; iload_0; lstore_1 again at 3 stays whole
  method.stack(2).locals(5).op({0x1f, 0x42, 0x03, 0x3d, 0x1a}).branch(kIfeq, "end");
  add_arrays(method, 8000);
  method.label("end").op({0xb1}).frame_full("end", {}, {});
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  const Bytes frames = after.attribute("run", "StackMapTable");
  // full at 13: int, top, int, long
  CHECK(Bytes(frames.begin(), frames.begin() + 13) ==
        Bytes{0, 2, 255, 0, 13, 0, 4, 1, 0, 1, 4, 0, 0});
}

TEST_CASE("a backward goto that outgrows 16 bits becomes one goto_w of five bytes") {
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "()V");
  method.stack(1).label("top");
  add_arrays(method, 8000);
  method.branch(kGoto, "top").frame_same("top");
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  const Bytes code = after.bytecode("run");
  REQUIRE(code.size() == 64000 + 5);
  CHECK(code[64000] == kGotoW);
  CHECK(read_s4(&code[64001]) == -64000);
}

TEST_CASE("an outgrown branch whose types are not known leaves the method alone") {
  // No frame behind the goto: the VM would refuse this code, but only if it verifies.
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "(I)V");
  method.stack(1).locals(1).branch(kGoto, "dark").label("dark");
  method.op({0x1a}).branch(kIfeq, "end");
  add_arrays(method, 8000);
  method.label("end").op({0xb1}).frame_same("end");
  const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
  CHECK(result.status == RewriteStatus::kUnchanged);
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped[0].reason == SkipReason::kNoFrameState);
}

TEST_CASE("a method that would have more than 65535 bytes stays, the others change") {
  ClassBuilder cls("Sample", 61);
  MethodBuilder& large = cls.method(kStatic, "large", "()V");
  large.stack(1);
  add_arrays(large, 12000);  // 48001 bytes, 96001 after
  large.op({0xb1});
  cls.method(kStatic, "small", "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  CHECK(after.skip_of("large") == SkipReason::kCodeTooLong);
  CHECK(after.bytecode("large").size() == 48001);
  CHECK(after.changed("small") != nullptr);
}

TEST_CASE("a method of exactly 65535 bytes is written, one more is not") {
  for (int extra : {0, 1}) {
    ClassBuilder cls("Sample", 61);
    MethodBuilder& method = cls.method(kStatic, "run", "()V");
    method.stack(1);
    add_arrays(method, 8000);                                        // 64000 after
    method.nops(static_cast<std::size_t>(1534 + extra)).op({0xb1});  // 65535
    const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
    CHECK((result.status == RewriteStatus::kChanged) == (extra == 0));
    if (extra == 0) CHECK(Rewritten(result).bytecode("run").size() == 65535);
  }
}

TEST_CASE("a class that more than doubles is written whole") {
  // java_crw_demo's output buffer held 2 * length + 512 bytes.
  const MethodHook leave({.returned = kNumbersHook}, same_numbers(0x20000001, 0x20000002));
  ClassBuilder cls("Sample", 49);
  MethodBuilder& method = cls.method(kStatic, "run", "(I)V");
  method.stack(1).locals(1);
  for (int i = 0; i < 5000; ++i) method.op({0xb1});
  const Bytes before = cls.build();
  const Rewritten after(rewrite_with(before, {&leave}));
  CHECK(after.bytecode("run").size() == 5000 * 10);
  CHECK(after.result().bytes.size() > 2 * before.size() + 512);
}

TEST_CASE("a constant pool that is nearly full never wraps around") {
  // An array hook adds 6 entries: two names, the descriptor, class, name-and-type, method.
  for (int count : {65400, 65471, 65480, 65525, 65528, 65529, 65530, 65533, 65534}) {
    ClassBuilder cls("Sample", 61);
    cls.method(kStatic, "run", "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
    for (const char* text : {"run", "()V", "Code"}) cls.utf8(text);
    for (int i = 0; cls.pool_count() < count; ++i) cls.integer(i);
    const Bytes before = cls.build();
    REQUIRE(read_u2(&before[8]) == count);
    const RewriteResult result = rewrite_with(before, {&kArrays});
    INFO(count);
    if (count + 6 <= 65535) {
      CHECK(Rewritten(result).file().pool.count() == count + 6);
    } else {
      CHECK(result.status == RewriteStatus::kUnchanged);
      REQUIRE(result.skipped.size() == 1);
      CHECK(result.skipped[0].reason == SkipReason::kPoolFull);
    }
  }
}

TEST_CASE("a full constant pool stops only the methods that need a new entry") {
  ClassBuilder cls("Sample", 61);
  int numbers = 0;
  for (const char* name : {"first", "second"}) cls.method(kStatic, name, "()V").op({0xb1});
  for (const char* text : {"first", "second", "()V", "Code"}) cls.utf8(text);
  for (int i = 0; cls.pool_count() < 65535 - 7; ++i) cls.integer(i);
  // 6 entries for the hook and one constant fit, the second method's constant does not.
  const MethodHook enter({.entered = kNumbersHook}, [&](const ClassContext&, const MethodContext&) {
    return HookNumbers{0x10000 + numbers++, 0};
  });
  const Rewritten after(rewrite_with(cls.build(), {&enter}));
  CHECK(after.changed("first") != nullptr);
  CHECK(after.skip_of("second") == SkipReason::kPoolFull);
  CHECK(after.file().pool.count() == 65535);
}

TEST_CASE("a max_stack that would not fit leaves the method alone") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").stack(65535).op({0x04, kNewarray, 10, kPop, 0xb1});
  const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped[0].reason == SkipReason::kStackTooDeep);
}

TEST_CASE("an attribute named beyond the pool leaves the method alone: additions would name it") {
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "()V");
  method.stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  const Bytes body{0xde, 0xad, 0xbe, 0xef};
  method.attribute("Own", [&](ByteWriter& out, const auto&) { out.append(body); });
  Bytes bytes = cls.build();
  CHECK(rewrite_with(bytes, {&kArrays}).status == RewriteStatus::kChanged);
  // Before the body: name index u2, length u4.
  const auto at = std::search(bytes.begin(), bytes.end(), body.begin(), body.end()) - 6;
  at[0] = bytes[8];
  at[1] = bytes[9];  // the pool's count: the first index that is added
  const RewriteResult result = rewrite_with(bytes, {&kArrays});
  CHECK(result.status == RewriteStatus::kUnchanged);
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped[0].reason == SkipReason::kBadCodeAttribute);
}
