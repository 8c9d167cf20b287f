#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

// static Object make(): new byte[3]
Bytes class_with_array(const std::string& name) {
  ClassBuilder cls(name, 61);
  cls.method(kPublic | kStatic, "make", "()Ljava/lang/Object;")
      .stack(1)
      .op({0x06, kNewarray, 8, 0xb0});
  return cls.build();
}

}  // namespace

TEST_CASE("a class without anything to do is unchanged and gives no bytes") {
  ClassBuilder cls("Sample", 61);
  cls.default_constructor();
  const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
  CHECK(result.status == RewriteStatus::kUnchanged);
  CHECK(result.bytes.empty());
  CHECK(result.changed.empty());
  CHECK(result.class_name == "Sample");
}

TEST_CASE("the class that holds the hooks is never rewritten") {
  const RewriteResult result = rewrite_with(class_with_array("T"), {&kArrays});
  CHECK(result.status == RewriteStatus::kUnchanged);
}

TEST_CASE("taking every method apart and writing it back gives the very same bytes") {
  const Bytes before = class_with_array("Sample");
  const RewriteResult result = rewrite_with(before, {}, {.reencode_all = true});
  CHECK(result.status == RewriteStatus::kChanged);
  CHECK(result.bytes == before);
}

TEST_CASE("only changed methods differ, everything else is kept byte for byte") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "first", "()V").stack(1).op({0x06, kNewarray, 8, kPop, 0xb1});
  // A malformed attribute in a method that nothing touches must not matter.
  cls.method(kStatic, "second", "()V")
      .op({0xb1})
      .attribute("LineNumberTable", [](ByteWriter& out, const auto&) { out.u4(0xffffffff); });
  cls.attribute("Unknown", {1, 2, 3});
  const Bytes before = cls.build();
  const Rewritten after(rewrite_with(before, {&kArrays}));
  CHECK(after.result().changed.size() == 1);
  CHECK(after.result().skipped.empty());
  // The second method (8 + 6 + 11 + 2 + 2 + 6 + 4 bytes), then 2 + 6 + 3 of the class attribute.
  const std::size_t tail = 50;
  CHECK(std::equal(before.end() - tail, before.end(), after.result().bytes.end() - tail));
}

TEST_CASE("every tag of the constant pool is understood, Dynamic constants too") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t name_and_type = cls.name_and_type("x", "I");
  const int high = name_and_type >> 8, low = name_and_type & 0xff;
  const int text = cls.utf8("text");
  cls.raw(4, {0x40, 0, 0, 0});              // Float
  cls.raw(5, {0, 0, 0, 0, 0, 0, 0, 1});     // Long
  cls.raw(6, {0x40, 0, 0, 0, 0, 0, 0, 0});  // Double
  cls.raw(8, {text >> 8, text & 0xff});     // String
  cls.raw(9, {0, 2, high, low});            // Fieldref
  cls.raw(11, {0, 2, high, low});           // InterfaceMethodref
  cls.raw(15, {6, 0, 2});                   // MethodHandle
  cls.raw(16, {text >> 8, text & 0xff});    // MethodType
  cls.raw(17, {0, 0, high, low});           // Dynamic
  cls.raw(18, {0, 0, high, low});           // InvokeDynamic
  cls.raw(19, {text >> 8, text & 0xff});    // Module
  cls.raw(20, {text >> 8, text & 0xff});    // Package
  cls.method(kStatic, "make", "()V").stack(1).op({0x06, kNewarray, 8, kPop, 0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  CHECK(after.changed("make") != nullptr);
}

TEST_CASE("an unknown constant pool tag leaves the class alone and says so") {
  for (int tag : {0, 2, 13, 14, 21, 255}) {
    ClassBuilder cls("Sample", 61);
    cls.raw(tag, {0, 1});
    cls.default_constructor();
    const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
    CHECK(result.status == RewriteStatus::kSkipped);
    CHECK(result.reason == SkipReason::kUnknownConstant);
    CHECK(result.bytes.empty());
  }
}

TEST_CASE("a class file cut off anywhere is refused") {
  const Bytes whole = class_with_array("Sample");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const RewriteResult result = rewrite_with(cut, {&kArrays});
    CHECK(result.status == RewriteStatus::kSkipped);
    CHECK(result.reason == SkipReason::kNotAClassFile);
  }
}

TEST_CASE("bytes behind the class file are refused, as the VM does") {
  Bytes longer = class_with_array("Sample");
  longer.push_back(0);
  CHECK(rewrite_with(longer, {&kArrays}).reason == SkipReason::kNotAClassFile);
}

TEST_CASE("class files before 45.3 have other field widths and are left alone") {
  Bytes old = class_with_array("Sample");
  old[7] = 45;
  for (std::uint8_t minor : {0, 1, 2}) {
    old[5] = minor;
    CHECK(rewrite_with(old, {&kArrays}).reason == SkipReason::kOldCodeFormat);
  }
  old[5] = 3;
  CHECK(rewrite_with(old, {&kArrays}).status == RewriteStatus::kChanged);
}

TEST_CASE("class file versions from the future are rewritten") {
  Bytes next = class_with_array("Sample");
  next[7] = 99;
  CHECK(rewrite_with(next, {&kArrays}).status == RewriteStatus::kChanged);
}

TEST_CASE("one byte wrong anywhere never crashes and what comes out parses") {
  const MethodHook enter({.entered = kNumbersHook}, same_numbers(70000, 2));
  const MethodHook thrown({.thrown = kNumbersHook}, same_numbers(1, 2));
  ClassBuilder cls("Sample", 61);
  cls.default_constructor();
  cls.method(kStatic, "loop", "(I)V")
      .stack(2)
      .locals(1)
      .label("top")
      .op({0x1a, 0x04, 0x64, 0x59, 0x3b})
      .branch(kIfeq + 1, "top")
      .op({0xb1})
      .frame_same("top");
  const Bytes good = cls.build();
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (int value : {0, 1, 0x7f, 0xff}) {
      Bytes bad = good;
      bad[at] = static_cast<std::uint8_t>(value);
      const RewriteResult result = rewrite_with(bad, {&kArrays, &enter, &thrown});
      if (result.status != RewriteStatus::kChanged) continue;
      SkipReason why{};
      CHECK(ClassFile::parse(result.bytes, why));
    }
  }
}

TEST_CASE("unknown opcodes leave the method alone") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "bad", "()V").stack(1).op({0x06, kNewarray, 8, kPop, 0xcb, 0xb1});
  cls.method(kStatic, "good", "()V").stack(1).op({0x06, kNewarray, 8, kPop, 0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  CHECK(after.skip_of("bad") == SkipReason::kBadBytecode);
  CHECK(after.changed("good") != nullptr);
  CHECK(after.changed("bad") == nullptr);
}

TEST_CASE("a callback that throws costs its class, nothing more") {
  const MethodHook enter(
      {.entered = kNumbersHook},
      [](const ClassContext&, const MethodContext&) -> std::optional<HookNumbers> {
        throw std::logic_error("no");
      });
  const RewriteResult result = rewrite_with(class_with_array("Sample"), {&enter});
  CHECK(result.status == RewriteStatus::kSkipped);
  CHECK(result.reason == SkipReason::kBadHook);
}

TEST_CASE("every skip reason has a name of its own") {
  std::vector<std::string_view> names;
  for (int i = 0; i < kSkipReasonCount; ++i) {
    names.push_back(to_string(static_cast<SkipReason>(i)));
    CHECK(names.back() != "unknown");
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}
