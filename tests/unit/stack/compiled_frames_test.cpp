#include <catch2/catch.hpp>

#include "fake_vm.h"

namespace ddm {
namespace {

TEST_CASE("a place in compiled code tells the methods inlined there") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress a = vm.add_method(10), b = vm.add_method(300);
  const VmAddress pc = vm.add_nmethod(6, {{a, 3}, {b, 299}, {a, 0}}, 77);
  CompiledFrame found;
  CompiledFrames(vm.layout, vm.memory).decode(pc, found);
  REQUIRE(found.kind == CodeKind::kCompiled);
  CHECK(found.bytes == 48);
  CHECK(found.identity == 77);
  REQUIRE(found.count == 3);
  CHECK(found.frames[0].method == a);
  CHECK(found.frames[0].bci == 3);
  CHECK(found.frames[1].method == b);
  CHECK(found.frames[1].bci == 299);
  CHECK(found.frames[2].bci == 0);
}

TEST_CASE("a pc that is no call's return address is odd") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress pc = vm.add_nmethod(6, {{vm.add_method(10), 3}}, 1);
  const CompiledFrames frames(vm.layout, vm.memory);
  CompiledFrame found;
  for (const VmAddress odd : {pc + 1, pc - 1, pc + 300, vm.heap() - 1, vm.heap() + 60000,
                              vm.heap_end_, VmAddress{0}, ~VmAddress{0}}) {
    frames.decode(odd, found);
    CHECK(found.kind == CodeKind::kOdd);
  }
}

TEST_CASE("a frame that waits to be deoptimised keeps its own pc") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress pc = vm.add_nmethod(6, {{vm.add_method(10), 3}}, 1);
  CompiledFrame found;
  CompiledFrames(vm.layout, vm.memory).decode(FakeVm::deopt_pc(pc), found);
  CHECK(found.kind == CodeKind::kPatched);
  CHECK(found.bytes == 8);
}

TEST_CASE("a native method's wrapper has one frame without a bytecode index") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress method = vm.add_method(0);
  const VmAddress pc = vm.add_nmethod(4, {{method, 1}}, 1);
  FakeVm::put(pc - 192, "native nmethod");
  CompiledFrame found;
  CompiledFrames(vm.layout, vm.memory).decode(pc + 1, found);
  REQUIRE(found.kind == CodeKind::kCompiled);
  REQUIRE(found.count == 1);
  CHECK(found.frames[0].method == method);
  CHECK(found.frames[0].bci == kNoBci);
}

TEST_CASE("stubs have a frame without methods, the heap's stacks have a barrier") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress stub = vm.add_stub("new_instance Runtime1 stub", 10);
  const VmAddress frameless = vm.add_stub("Interpreter", 0);
  const VmAddress barrier = vm.add_stub("StubRoutines (continuationstubs)", 0);
  const CompiledFrames frames(vm.layout, vm.memory);
  CompiledFrame found;
  frames.decode(stub, found);
  CHECK(found.kind == CodeKind::kStub);
  CHECK(found.bytes == 80);
  CHECK(found.count == 0);
  frames.decode(frameless, found);
  CHECK(found.kind == CodeKind::kOdd);
  frames.decode(barrier, found);
  CHECK(found.kind == CodeKind::kBarrier);
}

TEST_CASE("stubs of foreign functions are told from others, since they may be freed") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress down = vm.add_stub("nep_invoker_blob", 6);
  const VmAddress up = vm.add_stub("upcall_stub", 0);
  const CompiledFrames frames(vm.layout, vm.memory);
  CompiledFrame found;
  frames.decode(down, found);
  CHECK(found.kind == CodeKind::kDowncall);
  CHECK(found.bytes == 48);
  CHECK_FALSE(may_be_kept(found.kind));
  frames.decode(up, found);
  CHECK(found.kind == CodeKind::kUpcall);
  CHECK(found.bytes == kAbsent);
  vm.layout.upcall_data = 300;
  FakeVm::put<std::int32_t>(up - 200 + 300, 64);
  frames.decode(up, found);
  CHECK(found.kind == CodeKind::kUpcall);
  CHECK(found.bytes == 64);
  CHECK_FALSE(may_be_kept(found.kind));
}

TEST_CASE("scopes that run over their end, in circles or into nothing are odd") {
  FakeVm vm(GENERATE(false, true));
  const VmAddress pc = vm.add_nmethod(6, {{vm.add_method(10), 3}, {vm.add_method(10), 4}}, 1);
  const VmAddress data = pc - 192 + 256;
  const CompiledFrames frames(vm.layout, vm.memory);
  CompiledFrame found;
  for (int at = 1; at < 7; ++at) {
    for (const int byte : {0, 1, 2, 5, 100, 191, 192, 255}) {
      const auto was = load<std::uint8_t>(data + static_cast<VmAddress>(at));
      FakeVm::put(data + static_cast<VmAddress>(at), static_cast<std::uint8_t>(byte));
      frames.decode(pc, found);  // whatever it says, it ends
      CHECK(found.count <= CompiledFrame::kMostInlined);
      FakeVm::put(data + static_cast<VmAddress>(at), was);
    }
  }
}

TEST_CASE("what looks like a method is followed only as far as it fits together") {
  FakeVm vm(false);
  ReadablePages pages;
  const MethodResolution methods(vm.layout, pages);
  const VmAddress method = vm.add_method(20);
  CHECK(methods.checked_version_of(method).id == vm.id_of(method));
  CHECK(methods.checked_version_of(method).code_size == 20);
  CHECK(methods.checked_version_of(vm.add_method(20, false)).id == 0);
  for (const VmAddress odd : {VmAddress{0}, VmAddress{8}, method + 1, method + 8, vm.thread(),
                              vm.heap(), ~VmAddress{7}, VmAddress{1} << 46}) {
    CHECK(methods.checked_version_of(odd).id == 0);
  }
  const VmAddress other = vm.add_method(20);
  FakeVm::put(vm.id_of(method), other);  // an id of another holder's method
  CHECK(methods.checked_version_of(method).id == 0);
}

}  // namespace
}  // namespace ddm
