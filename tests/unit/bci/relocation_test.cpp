// Everything that holds an offset must move with the code.
#include "bci/opcodes.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

const MethodHook kEnter({.entered = kNumbersHook}, same_numbers(1, 2));  // 5 bytes

// Puts 5 bytes before each instruction with the given opcode.
class BeforeOpcode : public Transformation {
 public:
  explicit BeforeOpcode(std::uint8_t opcode) : opcode_(opcode) {}
  bool holds_hook(std::string_view) const override { return false; }
  void apply(ClassContext& context) const override {
    for (MethodContext& method : context.methods()) {
      CodeEditor* editor = method.opcodes().test(opcode_) ? method.editor() : nullptr;
      if (editor == nullptr) continue;
      for (Label label = 0; label < editor->code().end_label(); ++label) {
        if (editor->code().instructions[label].opcode != opcode_) continue;
        editor->before(label, editor->snippet().push(1).push(2).call(kNumbersHook));
      }
    }
  }

 private:
  std::uint8_t opcode_;
};

// Puts a hook behind each monitorenter.
class AfterMonitorenter : public Transformation {
 public:
  bool holds_hook(std::string_view) const override { return false; }
  void apply(ClassContext& context) const override {
    for (MethodContext& method : context.methods()) {
      CodeEditor* editor = method.opcodes().test(kMonitorenter) ? method.editor() : nullptr;
      if (editor == nullptr) continue;
      for (Label label = 0; label < editor->code().end_label(); ++label) {
        if (editor->code().instructions[label].opcode != kMonitorenter) continue;
        editor->after(label, editor->snippet().push(1).push(2).call(kNumbersHook));
      }
    }
  }
};

std::int16_t branch_offset(const Bytes& code, std::size_t bci) { return read_s2(&code[bci + 1]); }

}  // namespace

TEST_CASE("a branch to bytecode index 0 never runs the entry code again") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "spin", "()V").label("top").branch(kGoto, "top").frame_same("top");
  const Rewritten after(rewrite_with(cls.build(), {&kEnter}));
  const Bytes code = after.bytecode("spin");
  REQUIRE(code.size() == 8);
  CHECK(branch_offset(code, 5) == 0);
  // The frame went with it: one same frame at 5.
  CHECK(after.attribute("spin", "StackMapTable") == Bytes{0, 1, 5});
}

TEST_CASE("branches over injected code keep their targets") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "(I)V")
      .stack(1)
      .locals(1)
      .label("top")
      .op({0x1a})
      .branch(kIfeq, "end")
      .op({0x04, kNewarray, 10, kPop})
      .branch(kGoto, "top")
      .label("end")
      .op({0xb1})
      .frame_same("top")
      .frame_same("end");
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  const Bytes code = after.bytecode("run");
  CHECK(branch_offset(code, 1) == 14);    // ifeq at 1, return at 15
  CHECK(branch_offset(code, 12) == -12);  // goto at 12
  CHECK(after.attribute("run", "StackMapTable") == Bytes{0, 2, 0, 14});
}

TEST_CASE("switches are padded anew and all their targets move") {
  for (int shift = 0; shift < 4; ++shift) {
    ClassBuilder cls("Sample", 49);
    MethodBuilder& method = cls.method(kStatic, "run", "(I)V");
    method.stack(1).locals(1).nops(static_cast<std::size_t>(shift)).op({0x1a});
    method.table_switch(-1, {"a", "b"}, "c").label("a").op({0x04, kNewarray, 10, kPop, 0x1a});
    method.lookup_switch({{-5, "b"}, {1000000, "c"}}, "a").label("b").op({0xb1});
    method.label("c").op({0xb1});
    const Bytes before = cls.build();
    const ClassFile file = parsed(before);
    const Code old_code = decoded(file, file.methods[0]);
    const Rewritten after(rewrite_with(before, {&kEnter}));
    const Code code = after.code("run");
    // The same labels, three instructions of entry code later.
    REQUIRE(code.switch_labels.size() == old_code.switch_labels.size());
    for (std::size_t i = 0; i < code.switch_labels.size(); ++i) {
      CHECK(code.switch_labels[i] == old_code.switch_labels[i] + 3);
    }
    const Bytes bytes = after.bytecode("run");
    for (const Instruction& instruction : code.instructions) {
      if (instruction.opcode != kTableswitch && instruction.opcode != kLookupswitch) continue;
      for (std::size_t at = instruction.bci + 1u; at % 4 != 0; ++at) CHECK(bytes[at] == 0);
    }
  }
}

TEST_CASE("jsr, ret and their wide forms survive") {
  ClassBuilder cls("Old", 48);
  cls.method(kStatic, "run", "()V")
      .stack(2)
      .locals(301)
      .branch(kJsr, "first")
      .branch(kJsrW, "second")
      .op({0x04, kNewarray, 10, kPop, 0xb1})
      .label("first")
      .op({0x4b, kRet, 0})
      .label("second")
      .op({kWide, 0x3a, 1, 44, kWide, kIinc, 1, 43, kNewarray, 8, kWide, kRet, 1, 44});
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  const Bytes code = after.bytecode("run");
  // The increment of 0xbc08 looks like a newarray, but is none.
  CHECK(branch_offset(code, 0) == 17);
  CHECK(read_s4(&code[4]) == 17);
  CHECK(Bytes(code.begin() + 17, code.end()) == Bytes{0x4b, kRet, 0, kWide, 0x3a, 1, 44, kWide,
                                                      kIinc, 1, 43, kNewarray, 8, kWide, kRet, 1,
                                                      44});
}

TEST_CASE("an uninitialised type points to its new, code before it or not") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t object = cls.class_ref("java/lang/Object");
  const std::uint16_t init = cls.method_ref("java/lang/Object", "<init>", "()V");
  cls.method(kStatic, "make", "(I)V")
      .stack(2)
      .locals(1)
      .label("new")
      .op2(kNew, object)
      .op({0x1a})
      .branch(kIfeq, "join")
      .op({0x04, kNewarray, 10, kPop})
      .label("join")
      .op2(kInvokespecial, init)
      .op({0xb1})
      .frame_full("join", {{1}}, {{8, 0, "new"}});
  const BeforeOpcode before_new(kNew);
  const Rewritten after(rewrite_with(cls.build(), {&before_new, &kArrays}));
  // [5 bytes] new at 5, iload 8, ifeq 9, array 12..15 + 4 + pop, join at 20
  CHECK(after.attribute("make", "StackMapTable") ==
        Bytes{0, 1, 255, 0, 20, 0, 1, 1, 0, 1, 8, 0, 5});
  CHECK(branch_offset(after.bytecode("make"), 9) == 11);
}

TEST_CASE("a branch to an instruction runs the code put before it") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "(I)V")
      .stack(1)
      .locals(1)
      .op({0x1a})
      .branch(kIfeq, "end")
      .op({0})
      .label("end")
      .op({0xb1})
      .frame_same("end");
  const MethodHook leave({.returned = kNumbersHook}, same_numbers(1, 2));
  const Rewritten after(rewrite_with(cls.build(), {&leave}));
  CHECK(branch_offset(after.bytecode("run"), 1) == 4);
  CHECK(after.attribute("run", "StackMapTable") == Bytes{0, 1, 5});
}

TEST_CASE("frames whose distance outgrows one byte change their form") {
  ClassBuilder cls("Sample", 61);
  MethodBuilder& method = cls.method(kStatic, "run", "(I)V");
  method.stack(1).locals(1).op({0x1a}).branch(kIfeq, "end");
  for (int i = 0; i < 10; ++i) method.op({0x04, kNewarray, 10, kPop});
  method.nops(19).label("end").op({0xb1}).frame_same("end");  // 63: the last that fits
  const Bytes before = cls.build();
  const Rewritten after(rewrite_with(before, {&kArrays}));
  CHECK(after.attribute("run", "StackMapTable") == Bytes{0, 1, 251, 0, 103});
}

TEST_CASE("exception ranges take in the code put before their first and after their last") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t throwable = cls.class_ref("java/lang/Throwable");
  cls.method(kStatic, "run", "()V")
      .stack(1)
      .op({0, 0x04})
      .label("start")
      .op({kNewarray, 10})
      .label("end")
      .op({kPop, 0xb1})
      .label("catch")
      .op({kPop, 0xb1})
      .handler("start", "end", "catch", throwable)
      .frame_full("catch", {}, {{7, throwable}});
  const BeforeOpcode before_array(kNewarray);
  const Rewritten after(rewrite_with(cls.build(), {&before_array, &kArrays}));
  const Code code = after.code("run");
  REQUIRE(code.handlers.size() == 1);
  CHECK(code.bci_of(code.handlers[0].start) == 2);            // before the 5 bytes
  CHECK(code.bci_of(code.handlers[0].end) == 2 + 5 + 2 + 4);  // behind dup and call
  CHECK(code.bci_of(code.handlers[0].handler) == 2 + 5 + 2 + 4 + 2);
}

TEST_CASE("a range that begins behind a monitorenter takes in the code put there") {
  ClassBuilder cls("Sample", 49);
  cls.method(kStatic, "run", "(Ljava/lang/Object;)V")
      .stack(1)
      .locals(1)
      .op({kAload0, kMonitorenter})
      .label("start")
      .op({kAload0, 0xc3})
      .label("end")
      .op({0xb1})
      .label("catch")
      .op({kAload0, 0xc3, kAthrow})
      .handler("start", "end", "catch");
  const AfterMonitorenter hook;
  const Code code = Rewritten(rewrite_with(cls.build(), {&hook})).code("run");
  REQUIRE(code.handlers.size() == 1);
  CHECK(code.bci_of(code.handlers[0].start) == 2);
  CHECK(code.bci_of(code.handlers[0].end) == 9);
}

TEST_CASE("line numbers move, but the first line stays at 0") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V")
      .stack(1)
      .op({0x04, kNewarray, 10, kPop, 0xb1})
      .attribute("LineNumberTable", [](ByteWriter& out, const auto&) {
        out.u2(3);
        for (int value : {0, 10, 3, 11, 4, 12}) out.u2(static_cast<std::uint32_t>(value));
      });
  const Rewritten after(rewrite_with(cls.build(), {&kEnter, &kArrays}));
  CHECK(after.attribute("run", "LineNumberTable") ==
        Bytes{0, 3, 0, 0, 0, 10, 0, 12, 0, 11, 0, 13, 0, 12});
}

TEST_CASE("local variable tables move with both their ends") {
  for (const char* table : {"LocalVariableTable", "LocalVariableTypeTable"}) {
    ClassBuilder cls("Sample", 61);
    const std::uint16_t name = cls.utf8("x"), type = cls.utf8("I");
    cls.method(kStatic, "run", "(I)V")
        .stack(1)
        .locals(2)
        .op({0x04, kNewarray, 10, 0x4c, 0xb1})
        .attribute(table, [=](ByteWriter& out, const auto&) {
          out.u2(2);
          for (int value : {0, 5, int{name}, int{type}, 0})
            out.u2(static_cast<std::uint32_t>(value));
          for (int value : {4, 1, int{name}, int{type}, 1})
            out.u2(static_cast<std::uint32_t>(value));
        });
    const Rewritten after(rewrite_with(cls.build(), {&kEnter, &kArrays}));
    const Bytes moved = after.attribute("run", table);
    REQUIRE(moved.size() == 22);
    CHECK(read_u2(&moved[2]) == 0);
    CHECK(read_u2(&moved[4]) == 14);
    CHECK(read_u2(&moved[12]) == 13);
    CHECK(read_u2(&moved[14]) == 1);
  }
}

TEST_CASE("type annotations in code move, java_crw_demo left them stale") {
  ClassBuilder cls("Sample", 61);
  const std::uint16_t type = cls.utf8("LA;");
  const auto body = [=](std::uint32_t at_new, std::uint32_t start, std::uint32_t length) {
    ByteWriter out;
    const auto annotation = [&] {
      out.u1(0);  // type_path
      out.u2(type);
      out.u2(1);  // one element, an array of an enum, a nested annotation and an int
      out.u2(type);
      out.u1('[');
      out.u2(3);
      out.u1('e');
      out.u4(0);
      out.u1('@');
      out.u2(type);
      out.u2(0);
      out.u1('I');
      out.u2(0);
    };
    out.u2(4);
    out.u1(0x44);  // new
    out.u2(at_new);
    annotation();
    out.u1(0x47);  // cast
    out.u2(at_new);
    out.u1(0);
    annotation();
    out.u1(0x40);  // local variable
    out.u2(1);
    out.u2(start);
    out.u2(length);
    out.u2(1);
    annotation();
    out.u1(0x42);  // exception handler
    out.u2(0);
    annotation();
    return out.take();
  };
  cls.method(kStatic, "run", "(I)V")
      .stack(1)
      .locals(2)
      .op({0x04, kNewarray, 10, 0x4c, 0xb1})
      .attribute("RuntimeInvisibleTypeAnnotations",
                 [=](ByteWriter& out, const auto&) { out.append(body(1, 4, 1)); });
  const BeforeOpcode before_array(kNewarray);
  const Rewritten after(rewrite_with(cls.build(), {&kEnter, &before_array, &kArrays}));
  // [entry 5] 5: iconst, [before 5] 11: newarray, [after 4] 17: astore, 18: return
  CHECK(after.attribute("run", "RuntimeInvisibleTypeAnnotations") == body(11, 18, 1));
}

TEST_CASE("tables of Code that do not parse leave the method alone") {
  for (const char* table : {"LineNumberTable", "LocalVariableTable", "StackMapTable"}) {
    ClassBuilder cls("Sample", 61);
    cls.method(kStatic, "bad", "()V")
        .stack(1)
        .op({0x04, kNewarray, 10, kPop, 0xb1})
        .attribute(table, [](ByteWriter& out, const auto&) { out.u2(1); });
    const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
    CHECK(result.status == RewriteStatus::kUnchanged);
    REQUIRE(result.skipped.size() == 1);
    CHECK(result.skipped[0].reason == SkipReason::kBadCodeAttribute);
  }
}

TEST_CASE("type annotations that make no sense are kept as they are") {
  const std::vector<Bytes> bodies = {
      {0, 1},                                               // truncated
      {0, 1, 0x10, 0, 0, 0, 0, 0, 0, 0},                    // a target that Code does not have
      {0, 2, 0x44, 0, 1, 0, 0, 1, 0, 0, 0x44, 0, 1, 0, 0},  // one good, one truncated
      {0, 1, 0x44, 0xff, 0xff, 0, 0, 1, 0, 0},              // offset beyond the code
  };
  for (const Bytes& body : bodies) {
    ClassBuilder cls("Sample", 61);
    cls.method(kStatic, "run", "()V")
        .stack(1)
        .op({0x04, kNewarray, 10, kPop, 0xb1})
        .attribute("RuntimeVisibleTypeAnnotations",
                   [&](ByteWriter& out, const auto&) { out.append(body); });
    const Rewritten after(rewrite_with(cls.build(), {&kEnter, &kArrays}));
    CHECK(after.attribute("run", "RuntimeVisibleTypeAnnotations") == body);
  }
}

TEST_CASE("stack map frames of an unknown kind leave the method alone") {
  // 246 says which fields are unset, and then comes another kind of frame.
  for (const Bytes& frame : {Bytes{245, 0, 0}, Bytes{246, 0, 0, 246, 0, 0, 4}}) {
    ClassBuilder cls("Sample", 72);
    cls.method(kStatic, "bad", "()V")
        .stack(1)
        .op({0x04, kNewarray, 10, kPop, 0xb1})
        .attribute("StackMapTable", [&](ByteWriter& out, const auto&) {
          out.u2(1);
          out.append(frame);
        });
    const RewriteResult result = rewrite_with(cls.build(), {&kArrays});
    REQUIRE(result.skipped.size() == 1);
    CHECK(result.skipped[0].reason == SkipReason::kUnknownFrame);
  }
}

TEST_CASE("a frame keeps the fields that it says are unset") {
  ClassBuilder cls("Sample", 72);
  cls.method(kStatic, "run", "(I)V")
      .stack(1)
      .locals(1)
      .op({0x1a})
      .branch(kIfeq, "end")
      .op({0x04, kNewarray, 10, kPop})
      .label("end")
      .op({0xb1})
      .attribute("StackMapTable", [](ByteWriter& out, const auto&) {
        out.append(Bytes{0, 1, 246, 0, 2, 1, 2, 3, 4, 8});
      });
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  CHECK(after.attribute("run", "StackMapTable") == Bytes{0, 1, 246, 0, 2, 1, 2, 3, 4, 12});
}

TEST_CASE("attributes of Code that nobody knows are kept") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V")
      .stack(1)
      .op({0x04, kNewarray, 10, kPop, 0xb1})
      .attribute("Mystery", [](ByteWriter& out, const auto&) { out.u4(0xdeadbeef); });
  const Rewritten after(rewrite_with(cls.build(), {&kArrays}));
  CHECK(after.attribute("run", "Mystery") == Bytes{0xde, 0xad, 0xbe, 0xef});
}

TEST_CASE("every bytecode index of rewritten code leads back to the original one") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V").stack(1).op({0x04, kNewarray, 10, kPop, 0xb1});
  const MethodHook thrown({.thrown = kNumbersHook}, same_numbers(1, 2));
  const Rewritten after(rewrite_with(cls.build(), {&kEnter, &kArrays, &thrown}));
  const auto& map = after.changed("run")->bci_map;
  // [0 entry] 5: iconst 6: newarray [8 after] 12: pop 13: return [14 catch-all]
  const std::vector<std::pair<int, int>> expected = {{0, 0},  {1, 0},  {4, 0},  {5, 0},
                                                     {6, 1},  {8, 1},  {9, 1},  {12, 3},
                                                     {13, 4}, {14, 4}, {16, 4}, {19, 4}};
  for (const auto& [new_bci, old_bci] : expected) {
    INFO(new_bci);
    CHECK(original_bci(map, static_cast<std::uint16_t>(new_bci)) == old_bci);
  }
  CHECK(map.size() == 5);
}
