#include "vm/memory/vm_claims.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

namespace ddm {
namespace {

constexpr std::uint64_t kMostTlabBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kMostThreads = 1 << 20;
constexpr std::uint64_t kMostStackBytes = std::uint64_t{1} << 36;

// Of a layout helper where array klasses are refined: Klass::_lh_array_tag_ref_value.
constexpr int kArrayTagShift = 28;
constexpr std::int32_t kReferenceArrayTag = -8;

std::uint64_t claimed_key(VmClaims& claims, const ObjectLayout& objects, std::uintptr_t object) {
  switch (objects.header) {
    case HeaderForm::kWide:
      return claims.read<std::uint64_t>(object + objects.klass_offset, "oopDesc::_metadata._klass");
    case HeaderForm::kNarrow:
      return claims.read<std::uint32_t>(object + objects.klass_offset, "oopDesc::_metadata._klass");
    case HeaderForm::kCompact:
      break;
  }
  return claims.read<std::uint64_t>(object, "oopDesc::_mark") >> objects.mark_klass_shift;
}

}  // namespace

void expect_objects(VmClaims& claims, const ObjectLayout& objects, const KlassLayout& klasses,
                    std::span<const KnownObject> known) {
  for (const KnownObject& one : known) {
    const std::uint64_t key = claimed_key(claims, objects, one.object);
    const auto klass =
        claims.read<std::uint64_t>(one.mirror + klasses.mirror_klass, "java_lang_Class::_klass");
    claims.expect(klass != 0 && klass % sizeof klass == 0, "java_lang_Class::_klass_offset");
    const auto helper = claims.read<std::int32_t>(objects.klass_of(key) + klasses.layout_helper,
                                                  "Klass::_layout_helper");
    // By two ways: from the object, and from its class.
    const bool refined = klasses.refined_arrays && helper >> kArrayTagShift == kReferenceArrayTag;
    claims.expect(refined || (objects.klass_of(key) == klass && objects.key_of(klass) == key),
                  "CompressedKlassPointers");
    std::uint64_t length = 0;
    if (one.length >= 0) {
      length = claims.read<std::uint32_t>(one.object + objects.array_length_offset,
                                          "arrayOopDesc::_length");
      claims.expect(length == static_cast<std::uint64_t>(one.length), "arrayOopDesc::_length");
    }
    claims.expect((helper < 0) == (one.length >= 0) &&
                      size_by_layout_helper(objects, helper, length) == one.bytes,
                  "Klass::_layout_helper");
    if (!claims.hold()) return;
  }
}

AllocatedWords read_allocated(VmClaims& claims, const AllocatedLayout& layout,
                              std::uintptr_t thread) {
  const auto word = [&](std::int64_t offset, const char* what) {
    return claims.read<std::uint64_t>(thread + static_cast<std::uintptr_t>(offset), what);
  };
  return {word(layout.counter, "Thread::_allocated_bytes"),
          word(layout.start, "ThreadLocalAllocBuffer::_start"),
          word(layout.top, "ThreadLocalAllocBuffer::_top")};
}

void expect_growth(VmClaims& claims, const AllocatedWords& before, const AllocatedWords& after,
                   std::uint64_t bytes) {
  claims.expect(after.total() - before.total() == bytes, "Thread::_allocated_bytes");
  for (const AllocatedWords& words : {before, after}) {
    claims.expect(
        words.start % 8 == 0 && words.top % 8 == 0 && words.top - words.start <= kMostTlabBytes,
        "Thread::_tlab");
  }
}

void expect_tlab_end(VmClaims& claims, const AllocatedLayout& layout, std::int64_t end,
                     std::uintptr_t thread) {
  const AllocatedWords words = read_allocated(claims, layout, thread);
  const auto end_at = thread + static_cast<std::uintptr_t>(end);
  const auto sampled = claims.read<std::uint64_t>(end_at, "ThreadLocalAllocBuffer::_end");
  const auto real = claims.read<std::uint64_t>(end_at + 8, "ThreadLocalAllocBuffer::_end");
  // Any other field would not hold an address within the same TLAB.
  claims.expect(words.top <= sampled && sampled <= real && real - words.start <= kMostTlabBytes,
                "ThreadLocalAllocBuffer::_end");
}

void expect_in_list(VmClaims& claims, const ThreadListLayout& layout, std::uintptr_t thread) {
  const auto list =
      claims.read<std::uintptr_t>(layout.list_at, "ThreadsSMRSupport::_java_thread_list");
  const auto length = claims.read<std::uint32_t>(list + static_cast<std::uintptr_t>(layout.length),
                                                 "ThreadsList::_length");
  const auto threads = claims.read<std::uintptr_t>(
      list + static_cast<std::uintptr_t>(layout.threads), "ThreadsList::_threads");
  claims.expect(length > 0 && length <= kMostThreads, "ThreadsList::_length");
  if (!claims.hold()) return;
  std::vector<std::uintptr_t> all(length);
  if (!read_own_memory(threads, all.data(), length * sizeof all[0])) {
    claims.expect(false, "ThreadsList::_threads");
    return;
  }
  bool found = false;
  for (const std::uintptr_t one : all) {
    found = found || one == thread;
    claims.expect(one % sizeof one == 0, "ThreadsList::_threads");
    claims.read<std::uint64_t>(one, "ThreadsList::_length");
  }
  claims.expect(found, "ThreadsList::_threads");
}

void expect_own_stack(VmClaims& claims, std::uintptr_t base_at, std::uintptr_t size_at) {
  const auto base = claims.read<std::uintptr_t>(base_at, "JavaThread::_stack_base");
  const auto size = claims.read<std::uintptr_t>(size_at, "JavaThread::_stack_size");
  const auto here = reinterpret_cast<std::uintptr_t>(&base);
  claims.expect(base % 8 == 0 && here < base && base - here <= kMostStackBytes,
                "JavaThread::_stack_base");
  claims.expect(size % 8 == 0 && size <= kMostStackBytes && base - here < size,
                "JavaThread::_stack_size");
  // For the process's main thread the VM computes stack bounds of its own.
  const bool main_thread = syscall(SYS_gettid) == getpid();
  pthread_attr_t attributes;
  if (!claims.hold() || main_thread || pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  const int error = pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  if (error != 0) return;
  const auto lowest = reinterpret_cast<std::uintptr_t>(low);
  claims.expect(base <= lowest + bytes, "JavaThread::_stack_base");
  claims.expect(base - size >= lowest, "JavaThread::_stack_size");
}

}  // namespace ddm
