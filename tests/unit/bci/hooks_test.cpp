// What each hook puts in, byte by byte.
#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

constexpr int kAnyOpcode = -1;

// Compares bytes; kAnyOpcode stands for a pool index byte that nobody needs to know.
void check_bytes(const Bytes& code, const std::vector<int>& expected) {
  REQUIRE(code.size() == expected.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (expected[i] == kAnyOpcode) continue;
    INFO("at " << i);
    CHECK(code[i] == expected[i]);
  }
}

constexpr int x = kAnyOpcode;

}  // namespace

TEST_CASE("ObjectInitHook passes this first thing in Object's constructor, and nowhere else") {
  const ObjectInitHook hook(kObjectHook);
  ClassBuilder object("java/lang/Object", 61, 0x0021, "");
  object.method(kPublic, "<init>", "()V").locals(1).op({0xb1});
  object.method(kPublic, "hashCode", "()I").locals(1).stack(1).op({0x03, 0xac});
  const Rewritten after(rewrite_with(object.build(), {&hook}));
  check_bytes(after.bytecode("<init>"), {kAload0, kInvokestatic, x, x, 0xb1});
  CHECK(after.callee("<init>", 1) == "T.object (Ljava/lang/Object;)V");
  CHECK(after.code("<init>").max_stack == 1);
  CHECK(after.changed("hashCode") == nullptr);

  ClassBuilder other("Other", 61);
  other.default_constructor();
  CHECK(rewrite_with(other.build(), {&hook}).status == RewriteStatus::kUnchanged);
}

TEST_CASE("ConstructedHook passes this at the ends of one class's constructors") {
  const ConstructedHook hook("java/lang/Thread", kObjectHook);
  ClassBuilder thread("java/lang/Thread", 61);
  thread.default_constructor();
  thread.method(kPublic, "run", "()V").locals(1).op({0xb1});
  const Rewritten after(rewrite_with(thread.build(), {&hook}));
  // aload_0; invokespecial Object.<init>; and now the hook, before the return.
  check_bytes(after.bytecode("<init>"),
              {kAload0, kInvokespecial, x, x, kAload0, kInvokestatic, x, x, 0xb1});
  CHECK(after.callee("<init>", 5) == "T.object (Ljava/lang/Object;)V");
  CHECK(after.changed("run") == nullptr);

  ClassBuilder other("Other", 61);
  other.default_constructor();
  CHECK(rewrite_with(other.build(), {&hook}).status == RewriteStatus::kUnchanged);
}

TEST_CASE("NewSiteHook passes a new object behind its constructor, if it stays on the stack") {
  const NewSiteHook hook(kObjectHook);
  ClassBuilder cls("Sample", 61);
  const std::uint16_t string = cls.class_ref("java/lang/String");
  const std::uint16_t constructor = cls.method_ref("java/lang/String", "<init>", "()V");
  cls.default_constructor();  // its super() call makes no object
  cls.method(kStatic, "make", "()V")
      .stack(2)
      .op2(kNew, string)
      .op({kDup})
      .op2(kInvokespecial, constructor)
      .op({kPop, 0xb1});
  // Nothing of it stays.
  cls.method(kStatic, "drop", "()V")
      .stack(1)
      .op2(kNew, string)
      .op2(kInvokespecial, constructor)
      .op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  check_bytes(after.bytecode("make"),
              {kNew, x, x, kDup, kInvokespecial, x, x, kDup, kInvokestatic, x, x, kPop, 0xb1});
  CHECK(after.callee("make", 8) == "T.object (Ljava/lang/Object;)V");
  CHECK(after.changed("drop") == nullptr);
  CHECK(after.changed("<init>") == nullptr);
}

TEST_CASE("ArrayHook sees newarray, anewarray and with its dimensions multianewarray") {
  const ArrayHook hook(kObjectHook, kArraysHook);
  ClassBuilder cls("Sample", 61);
  const std::uint16_t string = cls.class_ref("java/lang/String");
  const std::uint16_t cube = cls.class_ref("[[[I");
  cls.method(kStatic, "make", "()V")
      .stack(3)
      .op({0x04, kNewarray, 10, kPop, 0x05})
      .op2(kAnewarray, string)
      .op({kPop, 0x04, 0x05, 0x06})
      .op2(kMultianewarray, cube)
      .op({3, kPop, 0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  check_bytes(after.bytecode("make"), {0x04,
                                       kNewarray,
                                       10,
                                       kDup,
                                       kInvokestatic,
                                       x,
                                       x,
                                       kPop,  //
                                       0x05,
                                       kAnewarray,
                                       x,
                                       x,
                                       kDup,
                                       kInvokestatic,
                                       x,
                                       x,
                                       kPop,  //
                                       0x04,
                                       0x05,
                                       0x06,
                                       kMultianewarray,
                                       x,
                                       x,
                                       3,
                                       kDup,
                                       0x06,
                                       kInvokestatic,
                                       x,
                                       x,
                                       kPop,
                                       0xb1});
  CHECK(after.callee("make", 4) == "T.object (Ljava/lang/Object;)V");
  CHECK(after.callee("make", 26) == "T.arrays (Ljava/lang/Object;I)V");
  CHECK(after.code("make").max_stack == 5);
}

TEST_CASE("methods of interfaces and their initialiser are instrumented") {
  const ArrayHook hook(kObjectHook, kArraysHook);
  ClassBuilder cls("Shape", 61, 0x0601);
  for (const char* name : {"<clinit>", "make", "lambda"}) {
    cls.method(kStatic, name, "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  }
  cls.method(kPublic | 0x0400, "abstract", "()V");
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  CHECK(after.result().changed.size() == 3);
}

TEST_CASE("exempt methods are left alone") {
  const ArrayHook hook(kObjectHook, kArraysHook, {{"Sample", "first", ""}, {"", "", "(J)V"}});
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "first", "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  cls.method(kStatic, "second", "(J)V").stack(1).locals(2).op({0x04, kNewarray, 10, kPop, 0xb1});
  cls.method(kStatic, "third", "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  REQUIRE(after.result().changed.size() == 1);
  CHECK(after.result().changed[0].name == "third");
}

TEST_CASE("CallSiteHook passes the result of a chosen call, and never changes the call") {
  const CallSiteHook hook({{{"java/util/Arrays", "copyOf", ""},
                            CallPosition::kAfter,
                            {"T", "copied", kObjectHook.descriptor}},
                           {{"", "clone", "()Ljava/lang/Object;"},
                            CallPosition::kAfter,
                            {"T", "cloned", kObjectHook.descriptor}}});
  ClassBuilder cls("Sample", 61);
  const std::uint16_t copy = cls.method_ref("java/util/Arrays", "copyOf", "([II)[I");
  const std::uint16_t clone = cls.method_ref("[I", "clone", "()Ljava/lang/Object;");
  const std::uint16_t other = cls.method_ref("java/util/Arrays", "sort", "([I)V");
  cls.method(kStatic, "run", "([I)V")
      .stack(2)
      .locals(1)
      .op({kAload0, 0x04})
      .op2(kInvokestatic, copy)
      .op({kPop, kAload0})
      .op2(kInvokevirtual, clone)
      .op({kPop, kAload0})
      .op2(kInvokestatic, other)
      .op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  check_bytes(
      after.bytecode("run"),
      {kAload0, 0x04,    kInvokestatic,  copy >> 8,  copy & 0xff,  kDup, kInvokestatic, x, x,
       kPop,    kAload0, kInvokevirtual, clone >> 8, clone & 0xff, kDup, kInvokestatic, x, x,
       kPop,    kAload0, kInvokestatic,  other >> 8, other & 0xff, 0xb1});
  CHECK(after.callee("run", 6) == "T.copied (Ljava/lang/Object;)V");
  CHECK(after.callee("run", 15) == "T.cloned (Ljava/lang/Object;)V");
}

TEST_CASE("CallSiteHook before a call passes the numbers that its selection gives") {
  std::vector<std::string> asked;
  const CallSiteHook hook(
      {{{}, CallPosition::kBefore, kNumbersHook, [&](const CallSite& site) {
          asked.push_back(std::string(site.caller_class) + "." + std::string(site.caller_name) +
                          " " + std::string(site.callee.name) + "@" + std::to_string(site.bci));
          return site.callee.name == "no" ? std::nullopt
                                          : std::optional(HookNumbers{300, site.bci});
        }}});
  ClassBuilder cls("Sample", 61);
  const std::uint16_t yes = cls.method_ref("Sample", "yes", "()V");
  const std::uint16_t no = cls.method_ref("Sample", "no", "()V");
  cls.method(kStatic, "run", "()V").op2(kInvokestatic, no).op2(kInvokestatic, yes).op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  check_bytes(after.bytecode("run"), {kInvokestatic, x, x, kSipush, 1, 44, 0x06, kInvokestatic, x,
                                      x, kInvokestatic, x, x, 0xb1});
  CHECK(asked == std::vector<std::string>{"Sample.run no@0", "Sample.run yes@3"});
  CHECK(after.code("run").max_stack == 2);
}

TEST_CASE("CallSiteHook before a call passes the receiver where it lies on top of the stack") {
  const CallSiteHook hook({{{}, CallPosition::kBeforeOn, kObjectHook}});
  ClassBuilder cls("Sample", 61);
  const std::uint16_t text = cls.method_ref("Other", "text", "()Ljava/lang/String;");
  const std::uint16_t more = cls.method_ref("Other", "more", "(I)V");
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(0, "<init>", "(LOther;)V")
      .stack(2)
      .locals(2)
      .op({kAload0})
      .op2(kInvokespecial, init)
      .op({kAload0 + 1})
      .op2(kInvokevirtual, text)
      .op({kPop})
      .op2(kInvokestatic, text)
      .op({kPop, kAload0 + 1, 0x04})
      .op2(kInvokevirtual, more)
      .op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  check_bytes(after.bytecode("<init>"), {kAload0,     kInvokespecial, init >> 8,     init & 0xff,
                                         kAload0 + 1, kDup,           kInvokestatic, x,
                                         x,           kInvokevirtual, text >> 8,     text & 0xff,
                                         kPop,        kInvokestatic,  text >> 8,     text & 0xff,
                                         kPop,        kAload0 + 1,    0x04,          kInvokevirtual,
                                         more >> 8,   more & 0xff,    0xb1});
}

TEST_CASE("several rules for one call run in the order of the list") {
  const HookMethod first{"T", "first", "(II)V"}, second{"T", "second", "(II)V"};
  const HookMethod third{"T", "third", "(II)V"};
  const CallSiteHook hook({{{"", "go", ""}, CallPosition::kBefore, first},
                           {{}, CallPosition::kBefore, second},
                           {{"Sample", "go", "()V"}, CallPosition::kBefore, third},
                           {{"Other", "go", "()V"}, CallPosition::kBefore, third}});
  ClassBuilder cls("Sample", 61);
  const std::uint16_t go = cls.method_ref("Sample", "go", "()V");
  cls.method(kStatic, "run", "()V").op2(kInvokestatic, go).op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  CHECK(after.bytecode("run").size() == 3 * 5 + 4);
  CHECK(after.callee("run", 2) == "T.first (II)V");
  CHECK(after.callee("run", 7) == "T.second (II)V");
  CHECK(after.callee("run", 12) == "T.third (II)V");
}

TEST_CASE("CallSiteHook after a call needs a reference as result") {
  const CallSiteHook hook({{{}, CallPosition::kAfter, kObjectHook}});
  ClassBuilder cls("Sample", 61);
  const std::uint16_t number = cls.method_ref("Sample", "number", "()J");
  const std::uint16_t nothing = cls.method_ref("Sample", "nothing", "()V");
  cls.method(kStatic, "run", "()V")
      .stack(2)
      .op2(kInvokestatic, number)
      .op({kPop + 1})
      .op2(kInvokestatic, nothing)
      .op({0xb1});
  CHECK(rewrite_with(cls.build(), {&hook}).status == RewriteStatus::kUnchanged);
}

TEST_CASE("CallSiteHook works at every kind of invocation") {
  const CallSiteHook hook({{{"", "get", ""}, CallPosition::kAfter, kObjectHook}});
  ClassBuilder cls("Sample", 61);
  const std::uint16_t get = cls.method_ref("Sample", "get", "()Ljava/lang/Object;");
  const std::uint16_t type = cls.name_and_type("get", "()Ljava/lang/Object;");
  const std::uint16_t dynamic = cls.raw(18, {0, 0, type >> 8, type & 0xff});
  const std::uint16_t interface = cls.raw(11, {0, 2, type >> 8, type & 0xff});
  cls.method(0, "run", "()V")
      .stack(1)
      .locals(1)
      .op({kAload0})
      .op2(kInvokevirtual, get)
      .op({kPop, kAload0})
      .op2(kInvokespecial, get)
      .op({kPop})
      .op2(kInvokestatic, get)
      .op({kPop, kAload0})
      .op2(kInvokeinterface, interface)
      .op({1, 0, kPop})
      .op2(kInvokedynamic, dynamic)
      .op({0, 0, kPop, 0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&hook}));
  const Bytes code = after.bytecode("run");
  CHECK(std::count(code.begin(), code.end(), kDup) == 5);
  CHECK(code.size() == 28 + 5 * 4);
}

TEST_CASE("entry, return and exit hooks frame a method") {
  const MethodHook enter({.entered = kNumbersHook}, same_numbers(1, 2));
  const MethodHook leave({.returned = kNumbersHook}, same_numbers(3, 4));
  const MethodHook thrown({.thrown = kNumbersHook}, same_numbers(5, -1));
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "(I)I").stack(1).locals(1).op({0x1a, 0xac});
  const Rewritten after(rewrite_with(cls.build(), {&enter, &leave, &thrown}));
  check_bytes(after.bytecode("run"), {0x04, 0x05, kInvokestatic, x, x,        // entry
                                      0x1a,                                   //
                                      0x06, 0x07, kInvokestatic, x, x, 0xac,  // return
                                      0x08, 0x02, kInvokestatic, x, x, kAthrow});
  const Code code = after.code("run");
  CHECK(code.max_stack == 3);
  CHECK(code.max_locals == 1);
  REQUIRE(code.handlers.size() == 1);
  CHECK(code.bci_of(code.handlers[0].start) == 5);
  CHECK(code.bci_of(code.handlers[0].end) == 12);
  CHECK(code.bci_of(code.handlers[0].handler) == 12);
  CHECK(code.handlers[0].catch_type == 0);
  // number of entries, full frame at 12, no locals, one item: Object Throwable
  const Bytes frames = after.attribute("run", "StackMapTable");
  REQUIRE(frames.size() == 12);
  CHECK(Bytes(frames.begin(), frames.begin() + 10) == Bytes{0, 1, 255, 0, 12, 0, 0, 0, 1, 7});
  CHECK(after.file().pool.class_name(read_u2(&frames[10])) == "java/lang/Throwable");
}

TEST_CASE("numbers above 32767 are not cut off") {
  const MethodHook enter({.entered = kNumbersHook}, same_numbers(40000, -40000));
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&enter}));
  const Bytes code = after.bytecode("run");
  REQUIRE(code.size() == 10);
  CHECK(code[0] == kLdcW);
  CHECK(code[3] == kLdcW);
  const Bytes& bytes = after.result().bytes;
  const Bytes wanted = {3, 0, 0, 0x9c, 0x40};
  CHECK(std::search(bytes.begin(), bytes.end(), wanted.begin(), wanted.end()) != bytes.end());
}

TEST_CASE("a method that its numbering leaves out is left alone") {
  const MethodHook enter(
      {.entered = kNumbersHook}, [](const ClassContext&, const MethodContext& method) {
        return method.name() == "in" ? std::optional(HookNumbers{}) : std::nullopt;
      });
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "in", "()V").op({0xb1});
  cls.method(kStatic, "out", "()V").op({0xb1});
  const Rewritten after(rewrite_with(cls.build(), {&enter}));
  REQUIRE(after.result().changed.size() == 1);
  CHECK(after.result().changed[0].name == "in");
}

TEST_CASE("several hooks at one place run in the order of the transformations") {
  const HookMethod first{"T", "first", "(II)V"}, second{"T", "second", "(II)V"};
  const MethodHook a({.returned = first}, same_numbers(0, 0));
  const MethodHook b({.returned = second}, same_numbers(0, 0));
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").op({0xb1});
  const Bytes bytes = cls.build();
  CHECK(Rewritten(rewrite_with(bytes, {&a, &b})).callee("run", 2) == "T.first (II)V");
  CHECK(Rewritten(rewrite_with(bytes, {&b, &a})).callee("run", 2) == "T.second (II)V");
}

TEST_CASE("a hook whose arguments do not fit is refused, not written") {
  const MethodHook enter({.entered = {"T", "wrong", "(I)V"}}, same_numbers(1, 2));
  const ArrayHook arrays({"T", "wrong", "(Ljava/lang/Object;)I"}, kArraysHook);
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  for (const Transformation* bad :
       {static_cast<const Transformation*>(&enter), static_cast<const Transformation*>(&arrays)}) {
    const RewriteResult result = rewrite_with(cls.build(), {bad});
    CHECK(result.status == RewriteStatus::kUnchanged);
    REQUIRE(result.skipped.size() == 1);
    CHECK(result.skipped[0].reason == SkipReason::kBadHook);
  }
}
