// Where this() and super() are called.
#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

// The calls found in the only method of a class.
std::vector<std::uint16_t> calls_in(ClassBuilder& cls) {
  const Bytes bytes = cls.build();
  SkipReason why{};
  const auto file = ClassFile::parse(bytes, why);
  REQUIRE(file);
  REQUIRE(file->methods.size() == 1);
  return super_call_bcis(file->pool, file->methods[0].code->bytecode);
}

using Calls = std::vector<std::uint16_t>;

}  // namespace

TEST_CASE("the plain constructor of javac calls super() at 1") {
  ClassBuilder cls("Sample", 61);
  cls.default_constructor();
  CHECK(calls_in(cls) == Calls{1});
}

TEST_CASE("a constructor that begins with its call of super() is seen without a pool") {
  CHECK(begins_with_super_call(Bytes{kAload0, kInvokespecial, 0, 1, 0xb1}));
  CHECK_FALSE(begins_with_super_call(Bytes{kAload0, kAload0, kInvokespecial, 0, 1, 0xb1}));
  CHECK_FALSE(begins_with_super_call(Bytes{kAload0, kInvokespecial, 0}));  // cut off
  CHECK_FALSE(begins_with_super_call({}));
}

TEST_CASE("objects of the own class made before this() are not taken for it") {
  // Node(Node n) { this(new Node(new Node(null)), 1); next = new Node(null); }
  ClassBuilder cls("Node", 61);
  const std::uint16_t node = cls.class_ref("Node");
  const std::uint16_t init = cls.method_ref("Node", "<init>", "(LNode;)V");
  const std::uint16_t other = cls.method_ref("Node", "<init>", "(LNode;I)V");
  cls.method(kPublic, "<init>", "(LNode;)V")
      .stack(6)
      .locals(2)
      .op({kAload0})
      .op2(kNew, node)
      .op({kDup})
      .op2(kNew, node)
      .op({kDup, 0x01})
      .op2(kInvokespecial, init)
      .op2(kInvokespecial, init)
      .op({0x04})
      .op2(kInvokespecial, other)  // at 17
      .op2(kNew, node)
      .op({kDup, 0x01})
      .op2(kInvokespecial, init)
      .op({kPop, 0xb1});
  CHECK(calls_in(cls) == Calls{17});
}

TEST_CASE("an unused new before super() does not confuse") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(kPublic, "<init>", "()V")
      .stack(2)
      .locals(1)
      .op2(kNew, cls.class_ref("java/lang/Object"))
      .op({kPop, kAload0})
      .op2(kInvokespecial, init)
      .op({0xb1});
  CHECK(calls_in(cls) == Calls{5});
}

TEST_CASE("this may wait in another local and on the stack across a loop") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(kPublic, "<init>", "(IJ)V")
      .stack(2)
      .locals(5)
      .op({kAload0, 0x3a, 4, 0x01, 0x4b, 0x19, 4})  // astore 4, forget local 0, aload 4
      .label("top")
      .op({kIinc, 1, 0xff, 0x1b})
      .branch(kIfeq + 1, "top")
      .op2(kInvokespecial, init)  // at 14
      .op({0xb1});
  CHECK(calls_in(cls) == Calls{14});
}

TEST_CASE("both super() calls of a branching constructor are found") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(kPublic, "<init>", "(I)V")
      .stack(1)
      .locals(2)
      .op({0x1b})
      .lookup_switch({{1, "one"}, {2, "two"}}, "one")
      .label("one")
      .op({kAload0})
      .op2(kInvokespecial, init)
      .op({0xb1})
      .label("two")
      .op({kAload0})
      .op2(kInvokespecial, init)
      .op({0xb1});
  CHECK(calls_in(cls) == Calls{29, 34});
}

TEST_CASE("a super() call that only a handler reaches is found when the handlers are known") {
  ClassBuilder cls("Sample", 49);
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(kPublic, "<init>", "()V")
      .stack(1)
      .locals(1)
      .label("start")
      .op({0x03, 0x03, 0x6c, kPop})
      .label("end")
      .op({kAload0})
      .op2(kInvokespecial, init)  // at 5
      .op({0xb1})
      .label("catch")
      .op({kPop, kAload0})
      .op2(kInvokespecial, init)  // at 11
      .op({0xb1})
      .handler("start", "end", "catch");
  CHECK(calls_in(cls) == Calls{5});
  const Bytes bytes = cls.build();
  const ClassFile file = parsed(bytes);
  const Code code = decoded(file, file.methods[0]);
  const auto flow = follow_constructor(code, file.pool);
  REQUIRE(flow);
  REQUIRE(flow->super_calls.size() == 2);
  CHECK(code.bci_of(flow->super_calls[1]) == 11);
}

TEST_CASE("the pool may come from the VM, entries alone") {
  ClassBuilder cls("Sample", 61);
  cls.default_constructor();
  const Bytes bytes = cls.build();
  SkipReason why{};
  const auto file = ClassFile::parse(bytes, why);
  REQUIRE(file);
  constexpr std::size_t kPoolAt = 10;
  ByteReader entries(ByteSpan(bytes).subspan(kPoolAt));
  const auto pool = ConstantPool::parse(entries, file->pool.count(), why);
  REQUIRE(pool);
  CHECK(super_call_bcis(*pool, file->methods[0].code->bytecode) == Calls{1});
}

TEST_CASE("code that makes no sense gives no calls and ends") {
  ClassBuilder cls("Sample", 61);
  cls.method(kPublic, "<init>", "()V").stack(1).locals(1).op({kPop, 0xb1});
  CHECK(calls_in(cls).empty());
  SkipReason why{};
  const Bytes file_bytes = cls.build();
  const auto file = ClassFile::parse(file_bytes, why);
  REQUIRE(file);
  CHECK(super_call_bcis(file->pool, {}).empty());
  const Bytes truncated = {kGoto, 0};
  CHECK(super_call_bcis(file->pool, truncated).empty());
}

TEST_CASE("a constructor made to be slow is given up, not followed for ever") {
  // Wide stores to local 65535 at thousands of branch targets: gigabytes of states.
  ClassBuilder cls("Sample", 49);
  MethodBuilder& method = cls.method(kPublic, "<init>", "()V");
  method.stack(1).locals(65535).op({0x03, kWide, 0x36, 0xff, 0xfe});
  for (int i = 0; i < 10000; ++i) {
    const std::string next = std::to_string(i);
    method.op({0x03}).branch(kIfeq, next).label(next);
  }
  method.op({0xb1});
  CHECK(calls_in(cls).empty());
  const MethodHook thrown({.thrown = kNumbersHook}, same_numbers(1, 2));
  const RewriteResult result = rewrite_with(cls.build(), {&thrown});
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped[0].reason == SkipReason::kTooComplex);
}

TEST_CASE("a constructor with more handlers and code than anyone writes is given up") {
  ClassBuilder cls("Sample", 49);
  MethodBuilder& method = cls.method(kPublic, "<init>", "()V");
  method.stack(1).locals(1).label("start").nops(6000).op({kAload0});
  method.op2(kInvokespecial, cls.method_ref("java/lang/Object", "<init>", "()V"));
  method.op({0xb1}).label("unused").op({0}).label("end").op({0xb1});
  for (int i = 0; i < 3000; ++i) method.handler("unused", "end", "start");
  const MethodHook thrown({.thrown = kNumbersHook}, same_numbers(1, 2));
  const RewriteResult result = rewrite_with(cls.build(), {&thrown});
  REQUIRE(result.skipped.size() == 1);
  CHECK(result.skipped[0].reason == SkipReason::kTooComplex);
}
