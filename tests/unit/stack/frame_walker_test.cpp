#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "fake_vm.h"

namespace ddm {
namespace {

struct Walk {
  explicit Walk(FakeVm& vm)
      : compiled(vm.layout, vm.memory),
        methods(vm.layout, pages),
        raw(vm.layout, compiled, methods) {}

  WalkEnd operator()(FakeVm& vm) { return raw.walk(vm.thread(), frames, count); }

  CompiledFrames compiled;
  ReadablePages pages;
  MethodResolution methods;
  RawWalk raw;
  VersionFrame frames[32];
  std::size_t count = 0;
};

// Native code, called by a compiled method, called by an interpreted one, called by the VM.
struct Scene {
  explicit Scene(FakeVm& vm)
      : inner(vm.add_method(40)),
        outer(vm.add_method(50)),
        interpreted(vm.add_method(60)),
        native(vm.add_method(0)) {
    const VmAddress wrapper = vm.add_nmethod(4, {{native, 1}}, 5);
    FakeVm::put(wrapper - 192, "native nmethod");
    const VmAddress pc = vm.add_nmethod(6, {{inner, 7}, {outer, 9}}, 6);
    vm.anchor(vm.slot(100), wrapper + 1, 0);
    vm.stack(103, pc);                // the wrapper returns to the compiled method
    vm.stack(104 + 4, vm.slot(120));  // which saved the interpreter's frame pointer
    vm.stack(104 + 5, FakeVm::kInterpreterPc);
    vm.stack(120 - 8, vm.code_of(interpreted) + 11);
    vm.stack(120 - 3, interpreted);
    vm.stack(120 - 1, vm.slot(130));
    vm.stack(120, vm.slot(140));
    vm.stack(121, vm.layout.call_stub_return);
    vm.stack(140 - 6, vm.slot(150));  // the JavaCallWrapper, whose anchor is empty
    vm.stack(151, 0);
  }
  VmAddress inner, outer, interpreted, native;
};

// A compiled method that the VM called, where the caller of Java has the return address `pc_at`.
void stack_outermost(FakeVm& vm, const Scene& scene, std::size_t pc_at) {
  vm.stack(pc_at, vm.add_nmethod(4, {{scene.outer, 2}}, 9));
  vm.stack(pc_at + 4, vm.layout.call_stub_return);
  vm.stack(pc_at + 3, vm.slot(220));
  vm.stack(220 - 6, vm.slot(230));
  vm.stack(231, 0);
}

TEST_CASE("a walk goes through native, compiled, interpreted and entry frames") {
  FakeVm vm(GENERATE(false, true));
  const Scene scene(vm);
  Walk walk(vm);
  CHECK(walk(vm) == WalkEnd::kComplete);
  REQUIRE(walk.count == 4);
  CHECK(walk.frames[0].id == vm.id_of(scene.native));
  CHECK(walk.frames[0].bci == kNoBci);
  CHECK(walk.frames[1].id == vm.id_of(scene.inner));
  CHECK(walk.frames[1].bci == 7);
  CHECK(walk.frames[2].id == vm.id_of(scene.outer));
  CHECK(walk.frames[2].bci == 9);
  CHECK(walk.frames[3].id == vm.id_of(scene.interpreted));
  CHECK(walk.frames[3].bci == 11);
  CHECK(walk.frames[3].method == scene.interpreted);
}

TEST_CASE("a walk goes on at the anchor of a thread that came back from Java") {
  FakeVm vm(false);
  const Scene scene(vm);
  vm.stack(151, vm.slot(200));  // the outer anchor: sp, pc, fp
  vm.stack(152, 0);             // its pc stands below sp
  vm.stack(153, vm.slot(120));
  stack_outermost(vm, scene, 199);
  Walk walk(vm);
  CHECK(walk(vm) == WalkEnd::kComplete);
  REQUIRE(walk.count == 5);
  CHECK(walk.frames[4].bci == 2);
}

TEST_CASE("a walk goes on where Java called the native code that called Java") {
  FakeVm vm(false);
  const Scene scene(vm);
  vm.layout.upcall_data = 300;
  vm.layout.upcall_anchor = {8, 16, 24};
  const VmAddress stub = vm.add_stub("upcall_stub", 0);
  FakeVm::put<std::int32_t>(stub - 200 + 300, 80);
  vm.stack(121, stub);          // the interpreted method returns to the stub, whose sp is 130
  vm.stack(141, vm.slot(200));  // the anchor in its data: sp, pc, fp
  vm.stack(142, vm.add_stub("nep_invoker_blob", 4));
  vm.stack(143, 0);
  stack_outermost(vm, scene, 203);
  Walk walk(vm);
  CHECK(walk(vm) == WalkEnd::kComplete);
  REQUIRE(walk.count == 5);
  CHECK(walk.frames[4].bci == 2);
  vm.stack(141, 0);  // a thread that native code made
  CHECK(walk(vm) == WalkEnd::kComplete);
  CHECK(walk.count == 4);
  vm.stack(141, vm.slot(120));  // the anchor leads inwards
  CHECK(walk(vm) == WalkEnd::kOdd);
  vm.layout.upcall_data = kAbsent;
  CHECK(walk(vm) == WalkEnd::kUpcall);
  CHECK(walk.count == 4);
}

TEST_CASE("a frame to be deoptimised is walked by the pc that it keeps") {
  FakeVm vm(GENERATE(false, true));
  const Scene scene(vm);
  const auto pc = load<VmAddress>(vm.slot(103));
  vm.stack(103, FakeVm::deopt_pc(pc));
  vm.stack(105, pc);
  Walk walk(vm);
  CHECK(walk(vm) == WalkEnd::kComplete);
  CHECK(walk.count == 4);
  vm.stack(105, FakeVm::deopt_pc(pc));  // one that leads back to itself
  CHECK(walk(vm) == WalkEnd::kOdd);
}

TEST_CASE("of an interpreted frame those words are told that decide of the next one") {
  FakeVm vm(false);
  const Scene scene(vm);
  FrameWalker walker(vm.layout, vm.thread());
  const FrameWalker::Place from{vm.slot(110), FakeVm::kInterpreterPc, vm.slot(120), 0, false};
  const auto words_of_step = [&] {
    walker.set_place(from);
    VmAddress method = 0, bytecode = 0;
    REQUIRE(walker.pop_interpreted(method, bytecode));
    FrameWalker::Word words[FrameWalker::kMostWords];
    const std::size_t count =
        walker.words_of_interpreted(from, method, bytecode, walker.place(), words);
    std::set<VmAddress> told;
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(load<VmAddress>(words[i].at) == words[i].value);
      told.insert(words[i].at);
    }
    return told;
  };
  const VmAddress bytecode = vm.slot(120 - 8), method = vm.slot(120 - 3);
  const VmAddress sender_sp = vm.slot(120 - 1), fp = vm.slot(120), pc = vm.slot(121);
  CHECK(words_of_step() == std::set{bytecode, fp, pc});
  vm.stack(121, FakeVm::kInterpreterPc);
  CHECK(words_of_step() == std::set{bytecode, fp, pc});
  vm.stack(121, vm.add_nmethod(4, {{scene.outer, 2}}, 9));
  CHECK(words_of_step() == std::set{bytecode, sender_sp, pc});
  vm.stack(120 - 8, 0);  // a native method
  CHECK(words_of_step() == std::set{bytecode, method, sender_sp, pc});
}

TEST_CASE("a thread without a Java frame has an empty stack") {
  FakeVm vm(false);
  vm.anchor(0, 0, 0);
  Walk walk(vm);
  CHECK(walk(vm) == WalkEnd::kComplete);
  CHECK(walk.count == 0);
}

TEST_CASE("an anchor outside of the thread's stack is odd") {
  FakeVm vm(false);
  const Scene scene(vm);
  Walk walk(vm);
  for (const VmAddress sp : {vm.slot(0) - 8, vm.slot(0), vm.slot(FakeVm::kStackWords),
                             vm.slot(100) + 1, VmAddress{8}, ~VmAddress{7}}) {
    vm.anchor(sp, 0, 0);
    CHECK(walk(vm) == WalkEnd::kOdd);
  }
}

TEST_CASE("a stack of garbage ends the walk and reads nothing outside of its bounds") {
  const bool by_offset = GENERATE(false, true);
  FakeVm vm(by_offset);
  const Scene scene(vm);
  const VmAddress pc = load<VmAddress>(vm.slot(103));
  std::mt19937_64 random(by_offset ? 1 : 2);
  // What makes a walker go on, mixed with what must make it stop.
  const auto word = [&]() -> std::uint64_t {
    switch (random() % 16) {
      case 0:
        return FakeVm::kInterpreterPc;
      case 1:
        return vm.layout.call_stub_return;
      case 2:
        return pc;
      case 3:
        return FakeVm::deopt_pc(pc);
      case 4:
        return vm.heap() + random() % (1 << 16);
      case 5:
        return scene.interpreted;
      case 6:
        return vm.code_of(scene.interpreted) + random() % 80;
      case 7:
        return scene.interpreted + random() % 300;
      case 8:
        return random();
      case 9:
        return 0;
      case 10:
        return vm.slot(random() % FakeVm::kStackWords) + random() % 8;
      case 11:
        return vm.slot(0) - 64 + random() % 128;
      case 12:
        return vm.slot(FakeVm::kStackWords) - 64 + random() % 128;
      default:
        return vm.slot(random() % FakeVm::kStackWords);
    }
  };
  Walk walk(vm);
  std::size_t frames = 0, complete = 0;
  for (int round = 0; round < 20'000; ++round) {
    for (std::size_t i = 0; i < FakeVm::kStackWords; ++i) {
      if (round == 0 || random() % 4 == 0) vm.stack(i, word());
    }
    vm.anchor(random() % 4 == 0 ? word() : vm.slot(random() % 64), random() % 2 == 0 ? 0 : word(),
              word());
    complete += walk(vm) == WalkEnd::kComplete;
    frames += walk.count;
  }
  // Some walks got somewhere, or nothing was tried.
  CHECK(frames > 1000);
  CHECK(complete > 10);
}

}  // namespace
}  // namespace ddm
