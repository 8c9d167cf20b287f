#include "native/malloc/native_stack.h"

#include <sys/mman.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>

using namespace ddm;

extern "C" {

// Calls function(argument) with another rbp, and is in no unwind table.
void ddm_test_call_with_rbp(void (*function)(void*), std::uintptr_t rbp, void* argument);
extern const char ddm_test_call_with_rbp_end;

asm(R"(
  .pushsection .text
  .globl ddm_test_call_with_rbp
  .type ddm_test_call_with_rbp, @function
ddm_test_call_with_rbp:
  pushq %rbp
  movq %rsi, %rbp
  movq %rdi, %rax
  movq %rdx, %rdi
  call *%rax
  popq %rbp
  ret
  .globl ddm_test_call_with_rbp_end
ddm_test_call_with_rbp_end:
  .size ddm_test_call_with_rbp, . - ddm_test_call_with_rbp
  .popsection
)");
}

namespace {

struct Stack {
  std::array<std::uintptr_t, 16> frames{};
  std::size_t size = 0;
};

// Its return address is the innermost frame.
__attribute__((noinline)) void capture(void* stack) {
  auto& [frames, size] = *static_cast<Stack*>(stack);
  size = capture_native_stack(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                              frames.data(), frames.size());
}

__attribute__((noinline)) void capture_two_deeper(void* stack) {
  capture(stack);
  asm volatile("" ::: "memory");  // not the last thing it does
}

// The last page below 4 GiB, readable and touched, and nothing behind it.
class PageBelow4G {
 public:
  PageBelow4G()
      : page_(mmap(reinterpret_cast<void*>(0xfffff000), 4096, PROT_READ | PROT_WRITE,  // NOLINT
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0)) {
    if (page_ != MAP_FAILED) std::memset(page_, 0xff, 4096);
  }
  ~PageBelow4G() {
    if (page_ != MAP_FAILED) munmap(page_, 4096);
  }
  PageBelow4G(const PageBelow4G&) = delete;
  PageBelow4G& operator=(const PageBelow4G&) = delete;

 private:
  void* const page_;
};

}  // namespace

TEST_CASE("a native stack goes from the caller outwards") {
  REQUIRE(open_libunwind().empty());
  Stack stack;
  capture_two_deeper(&stack);
  REQUIRE(stack.size >= 3);
  const auto begin = reinterpret_cast<std::uintptr_t>(&capture_two_deeper);
  CHECK(stack.frames[0] > begin);
  CHECK(stack.frames[0] < begin + 64);
}

TEST_CASE("a native stack ends at code that has no unwind table, whatever rbp is there") {
  REQUIRE(open_libunwind().empty());
  const PageBelow4G page;
  const auto code = reinterpret_cast<std::uintptr_t>(&ddm_test_call_with_rbp);
  const std::size_t code_size =
      reinterpret_cast<std::uintptr_t>(&ddm_test_call_with_rbp_end) - code;
  void* const copy =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(copy != MAP_FAILED);
  std::memcpy(copy, reinterpret_cast<const void*>(code), code_size);  // NOLINT
  // In a library, and as a JIT would make it.
  for (const std::uintptr_t at : {code, reinterpret_cast<std::uintptr_t>(copy)}) {
    for (std::uintptr_t rbp = 0xfffffff9; rbp <= 0xffffffff; ++rbp) {
      Stack stack;
      reinterpret_cast<decltype(&ddm_test_call_with_rbp)>(at)(capture_two_deeper, rbp, &stack);
      REQUIRE(stack.size == 2);
      CHECK(stack.frames[1] > at);
      CHECK(stack.frames[1] < at + code_size);
    }
  }
  munmap(copy, 4096);
}
