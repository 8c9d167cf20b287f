#include "stack/walk/parked_frames.h"

#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "fake_vm.h"
#include "stack/walk/parked_trails.h"

namespace ddm {
namespace {

constexpr std::uint64_t kContKey = 77, kChunkKey = 78;

// A virtual thread's continuation and its chunks, on a heap of words. References are compressed or
// whole.
class FakeHeap {
 public:
  static constexpr std::size_t kChunkWords = 64;

  FakeHeap(FakeVm& vm, bool compressed) : vm_(vm) {
    layout.cont_entry = 40;
    layout.entry_conts = {16, 8};
    layout.cont_tail = 16;
    layout.chunk_parent = 16, layout.chunk_size = 24, layout.chunk_sp = 28;
    layout.chunk_bottom = 32, layout.chunk_stack = 40;
    layout.objects.oop_bytes = compressed ? 4 : 8;
    layout.oop_base = FakeVm::address(heap_.data()) - 8;
    layout.oop_shift = 3;
    layout.cont_key = kContKey, layout.chunk_key = kChunkKey;
    FakeVm::put(vm.thread() + 40, FakeVm::address(entry_.data()));
    entry_[2] = object(0, kContKey);
    reference(entry_[2] + 16, chunk(0));
    for (std::size_t i = 0; i < kChunks; ++i) {
      object(8 + i * (8 + kChunkWords), kChunkKey);
      FakeVm::put<std::int32_t>(chunk(i) + 24, kChunkWords);
      FakeVm::put<std::int32_t>(chunk(i) + 28, kChunkWords);
      FakeVm::put<std::int32_t>(chunk(i) + 32, kChunkWords);
    }
  }

  VmAddress chunk(std::size_t i) { return FakeVm::address(&heap_[8 + i * (8 + kChunkWords)]); }
  void parent(std::size_t i, std::size_t of) { reference(chunk(i) + 16, chunk(of)); }
  // The chunk's frames are those from there to the end.
  void begin(std::size_t i, std::int32_t sp) { FakeVm::put(chunk(i) + 28, sp); }
  void word(std::size_t i, std::size_t at, std::uint64_t value) {
    FakeVm::put(chunk(i) + 40 + 8 * at, value);
  }
  // An interpreted frame whose sp is there, and its fp; it has two locals above that.
  void interpreted(std::size_t i, std::size_t sp, std::size_t fp, VmAddress method, int bci) {
    word(i, sp - 1, FakeVm::kInterpreterPc);
    word(i, sp - 2, fp - (sp - 2));
    word(i, fp - 3, method);
    word(i, fp - 8, vm_.code_of(method) + static_cast<VmAddress>(bci));
    word(i, fp - 7, 3);
    word(i, fp - 1, 2);
  }

  ParkedLayout layout;
  HeapPauses pauses;

 private:
  static constexpr std::size_t kChunks = 3;

  VmAddress object(std::size_t at, std::uint64_t key) {
    FakeVm::put(FakeVm::address(&heap_[at]) + 8, static_cast<std::uint32_t>(key));
    return FakeVm::address(&heap_[at]);
  }
  void reference(VmAddress at, VmAddress to) {
    if (layout.objects.oop_bytes == 8) {
      FakeVm::put(at, to);
    } else {
      FakeVm::put(at, static_cast<std::uint32_t>((to - layout.oop_base) >> 3));
    }
  }

  FakeVm& vm_;
  std::array<std::uint64_t, 8> entry_{};
  alignas(16) std::array<std::uint64_t, 8 + kChunks*(8 + kChunkWords)> heap_{};
};

struct MountedWalk {
  MountedWalk(FakeVm& vm, FakeHeap& heap)
      : compiled(vm.layout, vm.memory),
        methods(vm.layout, pages),
        raw(vm.layout, compiled, methods),
        parked(heap.layout, heap.pauses, pages) {}

  WalkEnd operator()(FakeVm& vm) { return raw.walk(vm.thread(), frames, count, &parked); }

  CompiledFrames compiled;
  ReadablePages pages;
  MethodResolution methods;
  RawWalk raw;
  ParkedFrames parked;
  VersionFrame frames[32];
  std::size_t count = 0;
};

// A compiled frame on the stack; in the heap a compiled one, an interpreted one, and in a chunk of
// their own, behind an empty chunk, a compiled and an interpreted one.
struct MountedScene {
  MountedScene(FakeVm& vm, FakeHeap& heap) {
    for (VmAddress& method : methods) method = vm.add_method(40);
    barrier = vm.add_stub("StubRoutines (continuationstubs)", 0);
    vm.anchor(vm.slot(100), vm.add_nmethod(6, {{methods[0], 1}}, 1), 0);
    vm.stack(105, barrier);
    heap.begin(0, 20);
    heap.word(0, 19, vm.add_nmethod(5, {{methods[1], 2}}, 2));
    heap.interpreted(0, 25, 58, methods[2], 3);
    heap.word(0, 58 - 7, 5);  // its locals reach to the end
    heap.parent(0, 1);
    heap.parent(1, 2);
    heap.begin(2, 30);
    heap.word(2, 29, vm.add_nmethod(4, {{methods[3], 4}, {methods[4], 5}}, 3));
    heap.interpreted(2, 34, 50, methods[5], 6);
    heap.word(2, 51, vm.add_nmethod(12, {{methods[6], 7}}, 4));  // up to the end
  }
  VmAddress methods[7];
  VmAddress barrier = 0;
};

TEST_CASE("a walk goes on in the heap where a virtual thread has frames there") {
  FakeVm vm(true);
  FakeHeap heap(vm, GENERATE(false, true));
  const MountedScene scene(vm, heap);
  MountedWalk walk(vm, heap);
  CHECK(walk(vm) == WalkEnd::kComplete);
  REQUIRE(walk.count == 7);
  for (int i = 0; i < 7; ++i) {
    CHECK(walk.frames[i].id == vm.id_of(scene.methods[i]));
    CHECK(walk.frames[i].bci == i + 1);
  }
}

TEST_CASE("a compiled frame below an interpreted one begins where that one says") {
  FakeVm vm(true);
  FakeHeap heap(vm, true);
  const MountedScene scene(vm, heap);
  heap.word(2, 49, 4);  // its sp before it made room for arguments
  heap.word(2, 51, vm.add_nmethod(6, {{scene.methods[6], 7}}, 5));
  heap.word(2, 54 + 6 - 1, vm.add_nmethod(2, {{scene.methods[0], 8}}, 6));
  MountedWalk walk(vm, heap);
  CHECK(walk(vm) == WalkEnd::kComplete);
  REQUIRE(walk.count == 8);
  CHECK(walk.frames[7].bci == 8);
}

TEST_CASE("a virtual thread without frames in the heap has a whole stack") {
  FakeVm vm(true);
  FakeHeap heap(vm, true);
  const MountedScene scene(vm, heap);
  heap.begin(0, FakeHeap::kChunkWords);
  heap.begin(2, FakeHeap::kChunkWords);
  MountedWalk walk(vm, heap);
  CHECK(walk(vm) == WalkEnd::kComplete);
  CHECK(walk.count == 1);
}

TEST_CASE("nothing is told of the heap in a collector's pause, or of another object") {
  FakeVm vm(true);
  FakeHeap heap(vm, true);
  const MountedScene scene(vm, heap);
  MountedWalk walk(vm, heap);
  SECTION("pause") { heap.pauses.begin(); }
  SECTION("no continuation") { FakeVm::put<VmAddress>(vm.thread() + 40, 0); }
  SECTION("another class") { FakeVm::put<std::uint32_t>(heap.chunk(0) + 8, kContKey); }
  SECTION("sp beyond the end") { heap.begin(0, FakeHeap::kChunkWords + 1); }
  SECTION("sp before the begin") { heap.begin(0, 1); }
  CHECK(walk(vm) == WalkEnd::kBarrier);
  CHECK(walk.count == 1);
}

TEST_CASE("what a pause has disturbed is not copied") {
  FakeVm vm(true);
  FakeHeap heap(vm, true);
  const MountedScene scene(vm, heap);
  MountedWalk walk(vm, heap);
  ParkedFrames::Run run;
  std::array<VmAddress, 128> room;
  {
    const ParkedFrames::Reading reading(heap.pauses);
    REQUIRE(walk.parked.find(reading, vm.thread(), run));
    CHECK(run.words() == FakeHeap::kChunkWords - 20);
    CHECK(walk.parked.copy(reading, run, room) == run.words() + ParkedFrames::kWordsBefore);
    CHECK(walk.parked.copy(reading, run, std::span(room).first(10)) == 10);
    heap.pauses.begin();  // no longer than its patience
    CHECK(walk.parked.copy(reading, run, room) == 0);
  }
  heap.pauses.end();
  run.parent = heap.chunk(1);
  CHECK_FALSE(walk.parked.find_outer(ParkedFrames::Reading(heap.pauses), run));
}

TEST_CASE("frames in the heap are known again by the words that decided") {
  FakeVm vm(true);
  FakeHeap heap(vm, true);
  const MountedScene scene(vm, heap);
  MountedWalk walk(vm, heap);
  const auto trails = std::make_unique<ParkedTrails>();
  ParkedFrames::Run run;
  const ParkedFrames::Reading reading(heap.pauses);
  REQUIRE(walk.parked.find(reading, vm.thread(), run));
  CHECK_FALSE(trails->find(run).has_value());
  const std::size_t copied = walk.parked.copy(reading, run, trails->buffer());
  ParkedWalk steps(vm.layout, trails->buffer().first(copied), run.words());
  trails->begin();
  trails->gather(ShownFrame(1, 2, ShownRole::kPlain));
  REQUIRE(steps.leave(CodeKind::kCompiled, 5 * 8));
  VmAddress method = 0, bytecode = 0;
  REQUIRE(steps.interpreted());
  REQUIRE(steps.read_interpreted(method, bytecode));
  CHECK(method == scene.methods[2]);
  trails->gather(ShownFrame(2, 3, ShownRole::kPlain));
  REQUIRE(steps.leave_interpreted());
  REQUIRE(steps.done());
  trails->insert(run, steps);

  const auto found = trails->find(run);
  REQUIRE(found.has_value());
  REQUIRE(found->size() == 2);
  CHECK((*found)[1].frame() == Frame{2, 3});
  heap.word(0, 40, 12345);  // a local variable
  CHECK(trails->find(run).has_value());
  SECTION("another method") { heap.word(0, 58 - 3, scene.methods[1]); }
  SECTION("another bytecode") { heap.word(0, 58 - 8, 1); }
  SECTION("another caller") { heap.word(0, 24, 1); }
  SECTION("another place") { run.sp += 8; }
  SECTION("forgotten") { trails->clear(); }
  CHECK_FALSE(trails->find(run).has_value());
}

TEST_CASE("a chunk of garbage ends the walk and reads nothing outside of its bounds") {
  FakeVm vm(true);
  FakeHeap heap(vm, true);
  const MountedScene scene(vm, heap);
  MountedWalk walk(vm, heap);
  const VmAddress pc = vm.add_nmethod(5, {{scene.methods[1], 2}}, 9);
  std::mt19937_64 random(3);
  std::size_t frames = 0, complete = 0;
  for (int round = 0; round < 20'000; ++round) {
    for (std::size_t i = 0; i < FakeHeap::kChunkWords; ++i) {
      if (round > 0 && random() % 4 != 0) continue;
      switch (random() % 8) {
        case 0:
          heap.word(0, i, FakeVm::kInterpreterPc);
          break;
        case 1:
          heap.word(0, i, pc);
          break;
        case 2:
          heap.word(0, i, FakeVm::deopt_pc(pc));
          break;
        case 3:
          heap.word(0, i, scene.methods[2]);
          break;
        case 4:
          heap.word(0, i, vm.code_of(scene.methods[2]) + random() % 40);
          break;
        case 5:
          heap.word(0, i, random());
          break;
        default:
          heap.word(0, i, random() % 64);
          break;
      }
    }
    heap.begin(0, static_cast<std::int32_t>(random() % 66));
    complete += walk(vm) == WalkEnd::kComplete;
    frames += walk.count - 1;
  }
  CHECK(frames > 1000);
  CHECK(complete > 100);
}

}  // namespace
}  // namespace ddm
