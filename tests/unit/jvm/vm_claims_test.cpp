#include "vm/memory/vm_claims.h"

#include <pthread.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <thread>

using namespace ddm;

namespace {

template <typename T>
std::uintptr_t address(const T* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

// A point and an array of int[3] as a VM with narrow class words lays them out.
struct FakeHeap {
  static constexpr std::uint32_t kMirrorKlass = 16, kHelper = 8;

  struct Klass {
    std::uint64_t vtable = 0;
    std::int32_t layout_helper = 0;
    std::int32_t other = 77;
  };
  struct Mirror {
    std::uint64_t header[2] = {};
    std::uint64_t klass = 0;
    std::uint64_t other = 5;
  };
  struct Object {
    std::uint64_t mark = 1;
    std::uint32_t klass = 0;
    std::uint32_t length = 0;
    std::uint64_t fields[2] = {};
  };

  FakeHeap() {
    layout.klass_base = address(klasses.data());
    klass_layout = {kHelper, kMirrorKlass};
    klasses[0].layout_helper = 24;
    klasses[1].layout_helper = static_cast<std::int32_t>(0xC010'0002);  // header 16, 4 an element
    for (std::size_t i = 0; i < 2; ++i) {
      mirrors[i].klass = address(&klasses[i]);
      objects[i].klass = static_cast<std::uint32_t>(i * sizeof(Klass));
    }
    objects[1].length = 3;
    known = {{{address(&objects[0]), address(&mirrors[0]), 24, -1},
              {address(&objects[1]), address(&mirrors[1]), 32, 3}}};
  }

  std::string wrong() const {
    VmClaims claims;
    expect_objects(claims, layout, klass_layout, known);
    return claims.wrong();
  }

  std::array<Klass, 2> klasses;
  std::array<Mirror, 2> mirrors;
  std::array<Object, 2> objects;
  std::array<KnownObject, 2> known;
  ObjectLayout layout;
  KlassLayout klass_layout;
};

}  // namespace

TEST_CASE("a claim about memory that is not there is wrong, and nothing faults") {
  VmClaims claims;
  CHECK(claims.read<std::uint64_t>(16, "Type::first") == 0);
  CHECK(claims.read<std::uint64_t>(~std::uintptr_t{15}, "Type::second") == 0);
  CHECK_FALSE(claims.hold());
  CHECK(claims.wrong() == "Type::first");
}

TEST_CASE("objects are as the tables say") {
  FakeHeap heap;
  CHECK(heap.wrong().empty());
  heap.known[1].bytes = 40;
  CHECK(heap.wrong() == "Klass::_layout_helper");
}

TEST_CASE("an array of references may have a klass that its class has not") {
  FakeHeap heap;
  heap.klasses[1].layout_helper = static_cast<std::int32_t>(0x8010'0002);
  heap.mirrors[1].klass = address(&heap.klasses[0]);
  CHECK(heap.wrong() == "CompressedKlassPointers");
  heap.klass_layout.refined_arrays = true;
  CHECK(heap.wrong().empty());
  // One of numbers has none.
  heap.klasses[1].layout_helper = static_cast<std::int32_t>(0xC010'0002);
  CHECK(heap.wrong() == "CompressedKlassPointers");
}

TEST_CASE("each wrong offset in an object, its class or its klass is found") {
  FakeHeap heap;
  for (const std::int64_t by : {-8, -4, 4, 8, 4096, 65536}) {
    CAPTURE(by);
    const auto shifted = [by](std::uint32_t offset) {
      return static_cast<std::uint32_t>(offset + by);
    };
    FakeHeap a, b, c, d, e;
    a.layout.klass_offset = shifted(a.layout.klass_offset);
    CHECK_FALSE(a.wrong().empty());
    b.layout.array_length_offset = shifted(b.layout.array_length_offset);
    CHECK_FALSE(b.wrong().empty());
    c.klass_layout.layout_helper = shifted(c.klass_layout.layout_helper);
    CHECK_FALSE(c.wrong().empty());
    d.klass_layout.mirror_klass = shifted(d.klass_layout.mirror_klass);
    CHECK_FALSE(d.wrong().empty());
    e.layout.klass_base += static_cast<std::uint64_t>(by);
    CHECK_FALSE(e.wrong().empty());
  }
  heap.layout.klass_shift = 3;
  CHECK_FALSE(heap.wrong().empty());
}

TEST_CASE("a thread's counter grows by what it allocates, in its buffer or out of it") {
  //                     0  counter  start  top  end  real end  desired size
  constexpr std::uint64_t kHeap = 0x7'0000'0000;
  std::uint64_t thread[] = {0,    1000, kHeap, kHeap + 0x100, kHeap + 0x10000, kHeap + 0x10000,
                            4096, 0};
  const AllocatedLayout layout{8, 16, 24};
  const auto grown = [&](const AllocatedLayout& at, const std::function<void()>& allocate,
                         std::uint64_t bytes) {
    VmClaims claims;
    const AllocatedWords before = read_allocated(claims, at, address(thread));
    allocate();
    expect_growth(claims, before, read_allocated(claims, at, address(thread)), bytes);
    return claims.hold();
  };
  const auto in_buffer = [&] { thread[3] += 64; };
  CHECK(grown(layout, in_buffer, 64));
  CHECK(grown(
      layout, [&] { thread[1] += 4096; }, 4096));
  const auto in_next_buffer = [&] {
    thread[1] += thread[3] - thread[2];
    thread[2] += 0x20000, thread[3] = thread[2] + 24, thread[4] = thread[5] = thread[2] + 0x10000;
  };
  CHECK(grown(layout, in_next_buffer, 24));
  CHECK_FALSE(grown(layout, in_buffer, 32));
  CHECK_FALSE(grown({16, 16, 24}, in_next_buffer, 24));
  CHECK_FALSE(grown({0, 16, 24}, in_next_buffer, 24));
  CHECK_FALSE(grown({8, 24, 32}, in_buffer, 64));
  CHECK_FALSE(grown({8, 24, 24}, in_buffer, 64));
  CHECK_FALSE(grown({8, 16, 32}, in_buffer, 64));
  CHECK_FALSE(grown({8, 48, 24}, in_buffer, 64));
  CHECK_FALSE(grown({std::int64_t{1} << 45, 16, 24}, in_buffer, 64));

  in_buffer();
  const auto ends_at = [&](std::int64_t end) {
    VmClaims claims;
    expect_tlab_end(claims, layout, end, address(thread));
    return claims.hold();
  };
  CHECK(ends_at(32));
  CHECK_FALSE(ends_at(24 - 8));
  CHECK_FALSE(ends_at(40));
  CHECK_FALSE(ends_at(std::int64_t{1} << 45));
}

TEST_CASE("the list of threads has the one that asks, and threads alone") {
  struct List {
    std::uint64_t magic = 0xACE;
    std::uint32_t length = 2, unused = 0;
    std::uintptr_t threads = 0;
  } list;
  std::uint64_t mine = 1, other = 2;
  std::uintptr_t threads[] = {address(&other), address(&mine), 0x123456789, 0};
  list.threads = address(threads);
  const std::uintptr_t list_at = address(&list);
  const auto holds = [&](std::int64_t length, std::int64_t array) {
    VmClaims claims;
    expect_in_list(claims, {address(&list_at), length, array}, address(&mine));
    return claims.hold();
  };
  CHECK(holds(8, 16));
  CHECK_FALSE(holds(0, 16));
  CHECK_FALSE(holds(12, 16));
  CHECK_FALSE(holds(8, 0));
  CHECK_FALSE(holds(8, 24));
  list.length = 1;
  CHECK_FALSE(holds(8, 16));
  list.length = 3;
  CHECK_FALSE(holds(8, 16));
}

TEST_CASE("a thread's own stack is where the system says") {
  std::string wrong = "not asked", wrong_base = wrong, wrong_size = wrong;
  std::thread([&] {
    pthread_attr_t attributes;
    void* low = nullptr;
    std::size_t bytes = 0;
    REQUIRE(pthread_getattr_np(pthread_self(), &attributes) == 0);
    REQUIRE(pthread_attr_getstack(&attributes, &low, &bytes) == 0);
    pthread_attr_destroy(&attributes);
    const std::uintptr_t fields[] = {address(static_cast<char*>(low)) + bytes, bytes, 0};
    const auto ask = [&](const std::uintptr_t* base, const std::uintptr_t* size) {
      VmClaims claims;
      expect_own_stack(claims, address(base), address(size));
      return claims.wrong();
    };
    wrong = ask(fields, fields + 1);
    wrong_base = ask(fields + 1, fields + 1);
    wrong_size = ask(fields, fields + 2);
  }).join();
  CHECK(wrong.empty());
  CHECK(wrong_base == "JavaThread::_stack_base");
  CHECK(wrong_size == "JavaThread::_stack_size");
}
