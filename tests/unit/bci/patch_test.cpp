// What patches put where, and what they refuse. How often sinks are called and with which values is
// tested in a JVM: tests/jvm/bci_sweep/patched.
#include <algorithm>
#include <utility>

#include "bci/opcodes.h"
#include "bci/patch/patch_class.h"
#include "bci/tool/every_patch.h"
#include "rewritten.h"

using namespace bci;
using namespace bci::test;

namespace {

constexpr int kAconst = 0x01, kIconst1 = 0x04, kIreturnOp = 0xac, kAreturn = 0xb0, kReturnOp = 0xb1;

PatchCall call_of(const std::string& descriptor, std::vector<PatchArgument> arguments) {
  PatchCall call;
  call.sink = {"Sinks", "sink", descriptor};
  call.arguments = std::move(arguments);
  return call;
}

PatchPlan plan_of(SiteKind site, PatchCall before) {
  PatchPlan plan;
  plan.test_class = "Sinks";
  Patch patch;
  patch.site = site;
  patch.before.push_back(std::move(before));
  plan.methods.emplace_back().patches.push_back(std::move(patch));
  return plan;
}

PatchPlan count(SiteKind site) {
  return plan_of(site, call_of("(I)V", {{ArgumentKind::kMethodId}}));
}

PatchResult apply(ClassBuilder& cls, const PatchPlan& plan) {
  PatchIdTable ids;
  return patch_class(cls.build(), plan, ids);
}

SkipReason refusal(const PatchResult& result) {
  return result.refused.empty() ? SkipReason::kNone : result.refused[0].reason;
}

// A static method with a loop: a frame at label "head".
void add_loop(ClassBuilder& cls) {
  cls.method(kStatic, "loop", "(I)I")
      .stack(1)
      .locals(1)
      .label("head")
      .op({0x84, 0, 0xff, 0x1a})  // iinc 0 -1, iload_0
      .branch(0x9d, "head")       // ifgt
      .op({0x1a, kIreturnOp})
      .frame_same("head");
}

}  // namespace

TEST_CASE("a count at the entry is a constant and a call, once, outside of every loop") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  const PatchResult result = apply(cls, count(SiteKind::kEnter));
  REQUIRE(result.refused.empty());
  REQUIRE(result.methods.size() == 1);
  CHECK(result.methods[0].sites.size() == 1);
  const Rewritten after(result.rewrite);
  const Bytes code = after.bytecode("loop");
  CHECK(code[0] == kIconst1);  // the first id is 1
  CHECK(after.callee("loop", 1) == "Sinks.sink (I)V");
  CHECK(after.code("loop").stack_map.frames[0].at == 2);  // behind the two instructions
}

TEST_CASE("each basic block is counted, the first one behind the entry") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  PatchIdTable ids;
  const PatchPlan plan =
      plan_of(SiteKind::kBlockStart, call_of("(I)V", {{ArgumentKind::kBlockId}}));
  const PatchResult result = patch_class(cls.build(), plan, ids);
  REQUIRE(result.methods.size() == 1);
  REQUIRE(result.methods[0].sites.size() == 2);
  CHECK(result.methods[0].sites[0].instruction == 0);
  CHECK(result.methods[0].sites[1].instruction == 3);
  CHECK(result.methods[0].sites[1].bci == 7);
  const auto entries = ids.entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[1].name == "loop");
  CHECK(entries[1].first == 3);
  // The branch goes to the count of the block, not behind it.
  CHECK(Rewritten(result.rewrite).code("loop").instructions[4].target == 0);
}

TEST_CASE("ids follow names, not the order of methods") {
  PatchIdTable ids;
  const std::int32_t first = ids.method_id("A", "run", "()V");
  CHECK(ids.method_id("A", "run", "()I") == first + 1);
  CHECK(ids.class_id("A") == first + 2);
  CHECK(ids.block_id("A", "run", "()V", 0) == first + 3);
  CHECK(ids.method_id("A", "run", "()V") == first);
  CHECK(ids.entries().size() == 4);
}

TEST_CASE("a variable of the patch lies behind all others and is in every frame") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  PatchPlan plan;
  PatchCall begin = call_of("()J", {});
  begin.result_local = "began";
  PatchCall end = call_of("(J)V", {{ArgumentKind::kNewLocal, 0, "began"}});
  Patch enter, exit, thrown;
  enter.site = SiteKind::kEnter;
  enter.before = {begin};
  exit.site = SiteKind::kExit;
  exit.before = {end};
  thrown.site = SiteKind::kThrow;
  thrown.before = {end};
  plan.methods.emplace_back().patches = {enter, exit, thrown};
  const PatchResult result = apply(cls, plan);
  REQUIRE(result.refused.empty());
  const Rewritten after(result.rewrite);
  const Code code = after.code("loop");
  CHECK(code.max_locals == 3);
  // iconst_0 i2l lstore 1, then the call, then lstore 1
  const std::vector<int> head = {0x03, kI2l, kLstore, 1, kInvokestatic};
  for (std::size_t i = 0; i < head.size(); ++i) CHECK(code.bytecode[i] == head[i]);
  REQUIRE(code.stack_map.frames.size() == 2);
  for (const Frame& frame : code.stack_map.frames) {
    const auto locals = code.stack_map.locals(frame);
    REQUIRE(locals.size() == 2);
    CHECK(locals[0].tag == kInt);
    CHECK(locals[1].tag == kLongType);
  }
}

TEST_CASE("what lies on the stack is taken by dup if it is wanted first, else by way of a slot") {
  const auto make = [](ClassBuilder& cls) {
    cls.method(kStatic, "get", "()Ljava/lang/Object;").stack(1).locals(0).op({kAconst, kAreturn});
  };
  ClassBuilder first("Sample", 61);
  make(first);
  const PatchResult by_dup = apply(
      first, plan_of(SiteKind::kExit, call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kReturn}})));
  CHECK(Rewritten(by_dup.rewrite).bytecode("get")[1] == kDup);
  CHECK(Rewritten(by_dup.rewrite).code("get").max_locals == 0);

  ClassBuilder second("Sample", 61);
  make(second);
  const PatchResult by_slot = apply(
      second,
      plan_of(SiteKind::kExit, call_of("(ILjava/lang/Object;)V",
                                       {{ArgumentKind::kInteger, 7}, {ArgumentKind::kReturn}})));
  const Rewritten after(by_slot.rewrite);
  const Code code = after.code("get");
  CHECK(code.max_locals == 1);
  const std::vector<std::uint8_t> expected = {kAconst, kDup, kAstore, 0,
                                              kBipush, 7,    kAload0, kInvokestatic};
  CHECK(Bytes(code.bytecode.begin(), code.bytecode.begin() + 8) == expected);
  // The slot keeps nothing alive.
  CHECK(code.bytecode[10] == kAconstNull);
  CHECK(code.bytecode[11] == kAstore);
}

TEST_CASE("this is refused in static methods and where slot 0 is used otherwise") {
  const PatchPlan plan =
      plan_of(SiteKind::kEnter, call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kThis}}));
  ClassBuilder statics("Sample", 61);
  add_loop(statics);
  CHECK(refusal(apply(statics, plan)) == SkipReason::kStaticMethod);
  CHECK(apply(statics, plan).rewrite.status == RewriteStatus::kUnchanged);

  ClassBuilder overwritten("Sample", 61);
  overwritten.method(kPublic, "run", "()V").stack(1).locals(1).op({kAconst, 0x4b, kReturnOp});
  CHECK(refusal(apply(overwritten, plan)) == SkipReason::kThisOverwritten);
}

TEST_CASE("a constructor is entered behind its super call, where this may be passed on") {
  ClassBuilder cls("Sample", 61);
  cls.default_constructor();
  const PatchResult result = apply(
      cls, plan_of(SiteKind::kEnter, call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kThis}})));
  REQUIRE(result.refused.empty());
  const Bytes code = Rewritten(result.rewrite).bytecode("<init>");
  CHECK(code[0] == kAload0);
  CHECK(code[1] == kInvokespecial);
  CHECK(code[4] == kAload0);
  CHECK(code[5] == kInvokestatic);
}

TEST_CASE("the object of a field that is written before super() is refused, the value is not") {
  ClassBuilder cls("Sample", 61);
  // aload_0 iconst_1 putfield; aload_0 invokespecial; return: as javac does for this$0
  const std::uint16_t field = cls.raw(kFieldref, {0, static_cast<int>(cls.class_ref("Sample")), 0,
                                                  static_cast<int>(cls.name_and_type("f", "I"))});
  cls.method(kPublic, "<init>", "()V")
      .stack(2)
      .locals(1)
      .op({kAload0, kIconst1})
      .op2(kPutfield, field)
      .op({kAload0})
      .op2(kInvokespecial, cls.method_ref("java/lang/Object", "<init>", "()V"))
      .op({kReturnOp});
  const PatchResult target = apply(
      cls,
      plan_of(SiteKind::kFieldWrite, call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kTarget}})));
  CHECK(refusal(target) == SkipReason::kThisNotInitialized);
  CHECK(target.methods.empty());
  const PatchResult value =
      apply(cls, plan_of(SiteKind::kFieldWrite, call_of("(I)V", {{ArgumentKind::kStack}})));
  CHECK(value.refused.empty());
  CHECK(value.methods.size() == 1);
}

TEST_CASE(
    "values that do not fit the sink are refused, and the first overload that fits is taken") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  PatchCall call = call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kArg, 1}});
  const PatchResult refused = apply(cls, plan_of(SiteKind::kEnter, call));
  CHECK(refusal(refused) == SkipReason::kTypeMismatch);
  CHECK(refused.refused[0].detail == "sink(Ljava/lang/Object;)V given (I)");
  call.overloads = {"(F)V", "(J)V", "(D)V"};
  const PatchResult taken = apply(cls, plan_of(SiteKind::kEnter, call));
  const Rewritten after(taken.rewrite);
  const Bytes code = after.bytecode("loop");
  CHECK(code[2] == kI2l);
  CHECK(after.callee("loop", 3) == "Sinks.sink (J)V");
}

TEST_CASE("a condition is a call whose result the sink gets, without a branch") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  PatchCall call = call_of("(IZ)V", {{ArgumentKind::kMethodId}});
  call.conditions = {{{ArgumentKind::kArg, 1}, Relation::kGreater, std::int64_t{5'000'000'000}},
                     {{ArgumentKind::kArg, 1}, Relation::kNotEqual, std::int64_t{0}}};
  const PatchResult result = apply(cls, plan_of(SiteKind::kEnter, call));
  REQUIRE(result.refused.empty());
  const Rewritten after(result.rewrite);
  // iconst_1, iload 0, i2l, iconst_4, ldc2_w, test, iload 0, i2l, iconst_1, iconst_0, i2l, test,
  // iand, sink
  CHECK(after.bytecode("loop")[4] == 0x07);
  CHECK(after.callee("loop", 8) == "Sinks.test (JIJ)Z");
  CHECK(after.bytecode("loop")[20] == kIand);
  CHECK(after.callee("loop", 21) == "Sinks.sink (IZ)V");
  CHECK(after.code("loop").stack_map.frames.size() == 1);

  call.sink.descriptor = "(I)V";  // a sink that cannot be told
  CHECK(refusal(apply(cls, plan_of(SiteKind::kEnter, call))) == SkipReason::kTypeMismatch);
  call.sink.descriptor = "(IZ)V";
  call.conditions = {{{ArgumentKind::kArg, 1}, Relation::kEqual, nullptr}};
  CHECK(refusal(apply(cls, plan_of(SiteKind::kEnter, call))) == SkipReason::kTypeMismatch);
}

TEST_CASE("a char parameter is compared with a letter, and an int with no text") {
  PatchCall call = call_of("(Z)V", {});
  PatchCondition condition{{ArgumentKind::kArg, 1}, Relation::kEqual, std::string("x")};
  condition.letter = 'x';
  for (const ArgumentKind kind : {ArgumentKind::kArg, ArgumentKind::kLocal}) {
    ClassBuilder cls("Sample", 61);
    cls.method(kStatic, "take", "(C)V").locals(1).op({kReturnOp});
    condition.left = {kind, kind == ArgumentKind::kArg ? 1 : 0};
    call.conditions = {condition};
    const PatchResult result = apply(cls, plan_of(SiteKind::kEnter, call));
    REQUIRE(result.refused.empty());
    // iload 0, i2l, iconst_0, ldc2_w or bipush and i2l
    const Rewritten after(result.rewrite);
    CHECK(after.code("take").instructions[1].opcode == kI2l);
  }
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  call.conditions[0].left = {ArgumentKind::kArg, 1};
  const PatchResult refused = apply(cls, plan_of(SiteKind::kEnter, call));
  CHECK(refusal(refused) == SkipReason::kTypeMismatch);
  CHECK(refused.refused[0].detail == "ARG 1 is a number, which is not compared with a text");
}

TEST_CASE("an optional call is left out where its argument is not to be had") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);  // static
  PatchPlan plan = count(SiteKind::kEnter);
  PatchCall& self = plan.methods[0].patches[0].before.emplace_back(
      call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kThis}}));
  CHECK(refusal(apply(cls, plan)) == SkipReason::kStaticMethod);
  self.optional = true;
  const PatchResult result = apply(cls, plan);
  REQUIRE(result.refused.empty());
  REQUIRE(result.methods.size() == 1);
  CHECK(Rewritten(result.rewrite).callee("loop", 1) == "Sinks.sink (I)V");
}

TEST_CASE("alternatives are joined by ior behind what must hold together") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  PatchCall call = call_of("(Z)V", {});
  const PatchCondition one{{ArgumentKind::kInteger, 1}, Relation::kEqual, std::int64_t{1}};
  PatchCondition other = one;
  other.alternative = true;
  call.conditions = {one, one, other, one, other};  // 1 && 1 || 1 && 1 || 1
  const PatchResult result = apply(cls, plan_of(SiteKind::kEnter, call));
  REQUIRE(result.refused.empty());
  const Rewritten after(result.rewrite);
  std::string order;
  for (const Instruction& each : after.code("loop").instructions) {
    if (each.opcode == kInvokestatic) order += 't';
    if (each.opcode == kIand) order += '&';
    if (each.opcode == kIor) order += '|';
  }
  CHECK(order == "tt&tt&|t|t");  // the last is the sink
}

TEST_CASE("a path is walked from an object, and from nothing else") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  PatchCall call = call_of("(Z)V", {});
  PatchCondition path{{ArgumentKind::kText, 0, "from"}, Relation::kEqual, std::int64_t{1}};
  path.path = 7;
  call.conditions = {path};
  const PatchResult result = apply(cls, plan_of(SiteKind::kEnter, call));
  REQUIRE(result.refused.empty());
  const Rewritten after(result.rewrite);
  CHECK(after.callee("loop", 5) == "Sinks.walk (Ljava/lang/Object;I)Z");  // ldc_w, bipush 7
  call.conditions[0].left = {ArgumentKind::kArg, 1};
  CHECK(refusal(apply(cls, plan_of(SiteKind::kEnter, call))) == SkipReason::kTypeMismatch);
}

TEST_CASE("methods without code are refused, the others are patched") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  const PatchPlan plan = plan_of(SiteKind::kExit, call_of("(I)V", {{ArgumentKind::kReturn}}));
  cls.method(kStatic, "nothing", "()V").op({kReturnOp});
  const PatchResult result = apply(cls, plan);
  CHECK(result.methods.size() == 1);
  REQUIRE(result.refused.size() == 1);
  CHECK(result.refused[0].name == "nothing");
  CHECK(result.refused[0].reason == SkipReason::kNoValue);
  CHECK(result.refused[0].detail == "RETURN");
}

TEST_CASE("a method that would be too long stays as it was and is not listed as patched") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  cls.method(kStatic, "long", "()V").nops(65534).op({kReturnOp});
  const PatchResult result = apply(cls, count(SiteKind::kEnter));
  CHECK(result.methods.size() == 1);
  REQUIRE(result.refused.size() == 1);
  CHECK(result.refused[0].name == "long");
  CHECK(result.refused[0].reason == SkipReason::kCodeTooLong);
}

TEST_CASE("the class that holds the sinks is never patched, and bytes that are no class are told") {
  ClassBuilder sinks("Sinks", 61);
  add_loop(sinks);
  const PatchResult result = apply(sinks, count(SiteKind::kEnter));
  CHECK(result.rewrite.status == RewriteStatus::kUnchanged);
  CHECK(refusal(result) == SkipReason::kHoldsSink);
  PatchIdTable ids;
  CHECK(refusal(patch_class(Bytes{1, 2, 3}, count(SiteKind::kEnter), ids)) ==
        SkipReason::kNotAClassFile);
}

TEST_CASE("of a class that holds a sink what is named one by one is patched, and never the sink") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  cls.method(kStatic, "sink", "(I)V").op({kReturnOp});
  PatchPlan plan = plan_of(SiteKind::kEnter, call_of("(I)V", {{ArgumentKind::kInteger, 7}}));
  plan.methods[0].patches[0].before[0].sink = {"Sample", "sink", "(I)V"};
  CHECK(refusal(apply(cls, plan)) == SkipReason::kHoldsSink);
  CHECK(apply(cls, plan).methods.empty());
  plan.methods[0].method = "sink";
  CHECK(refusal(apply(cls, plan)) == SkipReason::kHoldsSink);
  CHECK(apply(cls, plan).methods.empty());
  plan.methods[0].method = "loop";
  const PatchResult result = apply(cls, plan);
  CHECK(result.refused.empty());
  REQUIRE(result.methods.size() == 1);
  CHECK(result.methods[0].name == "loop");
}

TEST_CASE("a counter's number takes the place of an id where it is asked for") {
  class Counters : public PatchIdTable {
   public:
    std::int32_t counter_of(std::int32_t id, std::string_view class_name) override {
      return id == 7 || class_name != "Sample" ? -1 : id + 20000;
    }
    std::int32_t timer_of(std::int32_t id, std::string_view) override { return id + 10000; }
  } ids;
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  const auto with = [&](ArgumentKind kind, std::int32_t number, CellKind cell) {
    PatchPlan plan = count(SiteKind::kEnter);
    plan.methods[0].patches[0].before[0].arguments = {{kind, number, "", cell}};
    return patch_class(cls.build(), plan, ids);
  };
  const auto holds = [](const PatchResult& result, std::int32_t number) {
    const std::uint8_t push[] = {0x11, static_cast<std::uint8_t>(number >> 8),
                                 static_cast<std::uint8_t>(number)};
    const auto& bytes = result.rewrite.bytes;
    return std::search(bytes.begin(), bytes.end(), std::begin(push), std::end(push)) != bytes.end();
  };
  CHECK(holds(with(ArgumentKind::kMethodId, 0, CellKind::kCounter), 20001));
  CHECK_FALSE(holds(with(ArgumentKind::kMethodId, 0, CellKind::kNone), 20001));
  CHECK(holds(with(ArgumentKind::kInteger, 300, CellKind::kCounter), 20300));
  CHECK(holds(with(ArgumentKind::kInteger, 300, CellKind::kTimer), 10300));
  CHECK(holds(with(ArgumentKind::kInteger, 300, CellKind::kNone), 300));
  CHECK(refusal(with(ArgumentKind::kInteger, 7, CellKind::kCounter)) == SkipReason::kNoId);
  CHECK(refusal(with(ArgumentKind::kInteger, -1, CellKind::kCounter)) == SkipReason::kNoId);
}

TEST_CASE("an id that is refused refuses the site") {
  class NoIds : public PatchIds {
   public:
    std::int32_t id_of(const Part&) override { return -1; }
  } ids;
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  CHECK(refusal(patch_class(cls.build(), count(SiteKind::kEnter), ids)) == SkipReason::kNoId);
}

TEST_CASE("a lock that dead code behind a throw has not is left alone") {
  constexpr int kAthrowOp = 0xbf;
  constexpr std::uint16_t kSynchronized = 0x0020;
  for (const bool dead_code : {false, true}) {
    ClassBuilder cls("Sample", 61);
    auto& method = cls.method(kPublic | kSynchronized, "fail", "()V");
    method.stack(1).locals(1).op({kAconst, kAthrowOp});
    if (dead_code) {
      // As Groovy's compiler writes it: the frame there knows of no variable.
      method.label("behind").op({kAthrowOp});
      method.frame_full("behind", {}, {{7, cls.class_ref("java/lang/Throwable")}});
    }
    const PatchResult result = apply(
        cls,
        plan_of(SiteKind::kSyncExit, call_of("(Ljava/lang/Object;)V", {{ArgumentKind::kTarget}})));
    CHECK(result.methods.size() == (dead_code ? 0 : 1));
    CHECK(refusal(result) == (dead_code ? SkipReason::kTypeUnknown : SkipReason::kNone));
  }
}

// synchronized (o) {} as javac writes it: the handler that releases the lock covers itself.
void add_synchronized_block(ClassBuilder& cls) {
  constexpr int kAload0 = 0x2a, kMonitorenterOp = 0xc2, kMonitorexitOp = 0xc3, kAthrowOp = 0xbf;
  cls.method(kStatic, "run", "(Ljava/lang/Object;)V")
      .stack(2)
      .locals(1)
      .op({kAload0, kMonitorenterOp})
      .label("start")
      .op({kAload0, kMonitorexitOp})
      .label("end")
      .op({kReturnOp})
      .label("catch")
      .op({kAload0, kMonitorexitOp})
      .label("behind")
      .op({kAthrowOp})
      .handler("start", "end", "catch")
      .handler("catch", "behind", "catch");
}

TEST_CASE("what is counted at the release of a lock cannot enter its handler for ever") {
  ClassBuilder cls("Sample", 49);
  add_synchronized_block(cls);
  PatchPlan plan = count(SiteKind::kSyncExit);
  const PatchResult before = apply(cls, plan);
  REQUIRE(before.refused.empty());
  const Bytes code = Rewritten(before.rewrite).bytecode("run");
  const Bytes counts{0x04, 0xb8};  // iconst_1, invokestatic
  const auto has_count = [&](std::size_t at) {
    return std::equal(counts.begin(), counts.end(), code.begin() + static_cast<std::ptrdiff_t>(at));
  };
  CHECK(has_count(3));              // before the first monitorexit
  CHECK(has_count(2 + 2 + 4 + 3));  // behind that in the handler
  Patch& patch = plan.methods[0].patches[0];
  patch.after = std::exchange(patch.before, {});
  for (const bool behind : {false, true}) {
    const PatchResult result = behind ? apply(cls, plan) : before;
    const Code patched = Rewritten(result.rewrite).code("run");
    for (const ExceptionHandler& handler : patched.handlers) {
      CHECK(patched.instructions[handler.end - 1].opcode == kMonitorexit);
    }
  }
}

TEST_CASE("the block of a handler that releases a lock is counted behind the release") {
  ClassBuilder cls("Sample", 49);
  add_synchronized_block(cls);
  const PatchResult result = apply(cls, count(SiteKind::kBlockStart));
  REQUIRE(result.refused.empty());
  REQUIRE(result.methods[0].sites.size() == 2);
  CHECK(result.methods[0].sites[1].instruction == 5);
  const Rewritten after(result.rewrite);
  const Bytes code = after.bytecode("run");
  const Bytes head{kIconst1, kInvokestatic};
  CHECK(Bytes(code.begin(), code.begin() + 2) == head);
  // The count, five instructions, the handler's first two, and behind these its count.
  CHECK(code[4 + 5 + 1] == kMonitorexit);
  CHECK(Bytes(code.begin() + 11, code.begin() + 13) == head);
  const Code patched = after.code("run");
  CHECK(patched.instructions[patched.handlers[1].end - 1].opcode == kMonitorexit);
}

TEST_CASE("texts are written in modified UTF-8, malformed ones are refused") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  const auto with = [&](const std::string& text) {
    return apply(cls, plan_of(SiteKind::kEnter,
                              call_of("(Ljava/lang/String;)V", {{ArgumentKind::kText, 0, text}})));
  };
  const auto holds = [](const PatchResult& result, const Bytes& utf8) {
    const Bytes& bytes = result.rewrite.bytes;
    return std::search(bytes.begin(), bytes.end(), utf8.begin(), utf8.end()) != bytes.end();
  };
  CHECK(holds(with("a\u00e4"), {kUtf8, 0, 3, 'a', 0xc3, 0xa4}));
  CHECK(holds(with("\U0001f600"), {kUtf8, 0, 6, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80}));
  CHECK(holds(with(std::string("a\0b", 3)), {kUtf8, 0, 4, 'a', 0xc0, 0x80, 'b'}));
  CHECK(holds(with("\xc0\x80"), {kUtf8, 0, 2, 0xc0, 0x80}));
  for (const char* malformed : {"\xff", "\x80", "\xc3", "\xc3z", "\xc1\xbf", "\xe0\x80\x80",
                                "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf0\x9f\x98"}) {
    CHECK(refusal(with(malformed)) == SkipReason::kBadHook);
    CHECK(with(malformed).rewrite.status == RewriteStatus::kUnchanged);
  }
}

TEST_CASE("calls that the agent itself has put in are no sites") {
  ClassBuilder cls("Sample", 61);
  cls.method(kStatic, "run", "()V")
      .op2(kInvokestatic, cls.method_ref("java/lang/DdmTrackerCalls", "entered", "()V"))
      .op2(kInvokestatic, cls.method_ref("Sample", "run", "()V"))
      .op({kReturnOp});
  const PatchResult result = apply(cls, count(SiteKind::kCall));
  REQUIRE(result.methods.size() == 1);
  REQUIRE(result.methods[0].sites.size() == 1);
  CHECK(result.methods[0].sites[0].instruction == 1);
}

TEST_CASE("a store to the second half of a long parameter destroys it") {
  ClassBuilder cls("Sample", 49);  // without frames: at the loop no types are known
  MethodBuilder& method = cls.method(kStatic, "run", "(J)V").stack(1).locals(2);
  method.op({kIconst1, kIstore0 + 1}).label("loop").op({kIconst1}).branch(kIfeq, "loop");
  method.op({kReturnOp});
  const PatchPlan plan = plan_of(SiteKind::kBlockStart, call_of("(J)V", {{ArgumentKind::kArg, 1}}));
  const PatchResult result = apply(cls, plan);
  REQUIRE(result.methods.size() == 1);
  CHECK(result.methods[0].sites.size() == 1);  // the first block
  CHECK(refusal(result) == SkipReason::kTypeUnknown);
}

TEST_CASE("plans choose methods by names with * for anything") {
  MethodPatches patches{"shop/*", "get*Name", "(I)*", {}};
  CHECK(matches(patches, "shop/Cart", "getName", "(I)V"));
  CHECK(matches(patches, "shop/a/B", "getFullName", "(I)J"));
  CHECK_FALSE(matches(patches, "shops/Cart", "getName", "(I)V"));
  CHECK_FALSE(matches(patches, "shop/Cart", "getNames", "(I)V"));
  CHECK_FALSE(matches(patches, "shop/Cart", "getName", "(J)V"));
  PatchPlan plan;
  plan.methods = {patches};
  CHECK(may_patch(plan, "shop/Cart"));
  CHECK_FALSE(may_patch(plan, "java/lang/String"));
}

TEST_CASE("the blocks of a method are listed with what they allocate") {
  ClassBuilder cls("Sample", 61);
  add_loop(cls);
  cls.method(kStatic, "make", "()V")
      .stack(1)
      .op({kIconst1, kNewarray, 10, kPop})
      .op2(kNew, cls.class_ref("java/lang/Object"))
      .op({kPop, kReturnOp});
  const auto methods = blocks_of(cls.build(), count(SiteKind::kEnter));
  REQUIRE(methods.size() == 2);
  REQUIRE(methods[0].blocks.size() == 2);
  CHECK(methods[0].blocks[0].last == 2);
  CHECK(methods[0].blocks[1].first == 3);
  REQUIRE(methods[1].blocks.size() == 1);
  REQUIRE(methods[1].blocks[0].allocations.size() == 2);
  CHECK(methods[1].blocks[0].allocations[0].is_array);
  CHECK(methods[1].blocks[0].allocations[0].type == "I");
  CHECK(methods[1].blocks[0].allocations[1].type == "java/lang/Object");
}

TEST_CASE("patches as words") {
  std::string error;
  const auto patch = parse_patch(
      "CALL after seen(IJ)V|(ID)V METHODID STACK IN=shop/Cart.add(I)V WHEN "
      "METHOD=java/lang/Math.max "
      "IF ARG=1 >= -3",
      "Sinks", error);
  REQUIRE(patch);
  CHECK(patch->class_name == "shop/Cart");
  CHECK(patch->method == "add");
  CHECK(patch->descriptor == "(I)V");
  REQUIRE(patch->patches.size() == 1);
  CHECK(patch->patches[0].when[0].owner == "java/lang/Math");
  const PatchCall& call = patch->patches[0].after.at(0);
  CHECK(call.overloads == std::vector<std::string>{"(ID)V"});
  CHECK(call.conditions.at(0).relation == Relation::kGreaterOrEqual);
  CHECK(std::get<std::int64_t>(call.conditions[0].right) == -3);
  for (const char* wrong :
       {"CALL", "CALLS after a(I)V", "CALL behind a(I)V", "CALL after a(Q)V",
        "CALL after a()V WHAT", "CALL after a()V WHEN LINE=x", "CALL after a()V IF ARG=1 ~ 2"}) {
    CHECK_FALSE(parse_patch(wrong, "Sinks", error));
    CHECK_FALSE(error.empty());
  }
}
