// Catch-all handlers: where they may stand, and where not.
#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

const MethodHook kThrown({.thrown = kNumbersHook}, same_numbers(1, 2));

}  // namespace

TEST_CASE("the catch-all comes behind the program's own handlers") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t throwable = cls.class_ref("java/lang/Throwable");
  cls.method(kStatic, "run", "()V")
      .stack(1)
      .label("start")
      .op({0x04, kNewarray, 10, kPop})
      .label("end")
      .op({0xb1})
      .label("catch")
      .op({kPop, 0xb1})
      .handler("start", "end", "catch", throwable)
      .frame_full("catch", {}, {{7, throwable}});
  const Rewritten after(rewrite_with(cls.build(), {&kThrown}));
  const Code code = after.code("run");
  REQUIRE(code.handlers.size() == 2);
  CHECK(code.handlers[0].catch_type == throwable);
  CHECK(code.handlers[1].catch_type == 0);
  CHECK(code.bci_of(code.handlers[1].start) == 0);
  CHECK(code.bci_of(code.handlers[1].end) == 7);
  CHECK(code.stack_map.frames.size() == 2);
}

TEST_CASE("in a constructor the catch-all begins behind super()") {
  ClassBuilder cls("Sample", 61);
  cls.default_constructor();
  const Rewritten after(rewrite_with(cls.build(), {&kThrown}));
  const Code code = after.code("<init>");
  REQUIRE(code.handlers.size() == 1);
  CHECK(code.bci_of(code.handlers[0].start) == 4);
}

TEST_CASE("a constructor with two super() calls gets no catch-all, with a reason") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(kPublic, "<init>", "(I)V")
      .stack(1)
      .locals(2)
      .op({0x1b})
      .branch(kIfeq, "other")
      .op({kAload0})
      .op2(kInvokespecial, init)
      .op({0xb1})
      .label("other")
      .op({kAload0})
      .op2(kInvokespecial, init)
      .op({0xb1})
      .frame_full("other", {{6}, {1}}, {});
  const MethodHook enter({.entered = kNumbersHook}, same_numbers(1, 2));
  const Rewritten after(rewrite_with(cls.build(), {&enter, &kThrown}));
  REQUIRE(after.result().skipped.size() == 1);
  CHECK(after.result().skipped[0].reason == SkipReason::kSuperCallNotUnique);
  CHECK(after.result().skipped[0].transformation == "MethodHook");
  // The other hook is there all the same.
  CHECK(after.changed("<init>") != nullptr);
  CHECK(after.code("<init>").handlers.empty());
}

TEST_CASE("code behind super() that still runs before it prevents the catch-all") {
  // goto last; super: super(); return; last: goto super
  for (int major : {49, 61}) {
    ClassBuilder cls("Sample", static_cast<std::uint16_t>(major));
    const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
    MethodBuilder& method = cls.method(kPublic, "<init>", "()V")
                                .stack(1)
                                .locals(1)
                                .branch(kGoto, "last")
                                .label("super")
                                .op({kAload0})
                                .op2(kInvokespecial, init)
                                .op({0xb1})
                                .label("last")
                                .branch(kGoto, "super");
    if (major >= 50) method.frame_full("super", {{6}}, {}).frame_full("last", {{6}}, {});
    const RewriteResult result = rewrite_with(cls.build(), {&kThrown});
    CHECK(result.status == RewriteStatus::kUnchanged);
    REQUIRE(result.skipped.size() == 1);
    CHECK(result.skipped[0].reason == SkipReason::kThisNotInitialized);
  }
}

TEST_CASE("Object's constructor never gets a catch-all, C2 would crash") {
  ClassBuilder object("java/lang/Object", 61, 0x0021, "");
  object.method(kPublic, "<init>", "()V").locals(1).op({0xb1});
  const RewriteResult result = rewrite_with(object.build(), {&kThrown});
  CHECK(result.status == RewriteStatus::kUnchanged);
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped[0].reason == SkipReason::kVmLimit);
}

TEST_CASE("class files before version 50 get no frame for the catch-all") {
  for (int major : {48, 49, 50}) {
    ClassBuilder cls("Sample", static_cast<std::uint16_t>(major));
    cls.method(kStatic, "run", "()V").op({0xb1});
    const Rewritten after(rewrite_with(cls.build(), {&kThrown}));
    CHECK(after.code("run").handlers.size() == 1);
    CHECK(after.attribute("run", "StackMapTable").empty() == (major < 50));
  }
}

TEST_CASE("of two catch-alls the second covers the first") {
  const MethodHook second({.thrown = {"T", "second", "(II)V"}}, same_numbers(1, 2));
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&kThrown, &second}));
  const Code code = after.code("run");
  REQUIRE(code.handlers.size() == 2);
  CHECK(code.bci_of(code.handlers[0].end) == 1);
  CHECK(code.bci_of(code.handlers[1].start) == 0);
  CHECK(code.handlers[1].end == code.handlers[1].handler);
  CHECK(code.bci_of(code.handlers[1].handler) == 1 + 6);
  CHECK(after.callee("run", 1 + 6 + 2) == "T.second (II)V");
}

TEST_CASE("a catch-all handler needs three slots of stack even where the method needs none") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").op({0xb1});
  CHECK(Rewritten(rewrite_with(cls.build(), {&kThrown})).code("run").max_stack == 3);
}
