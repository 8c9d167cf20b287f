#include "heap/open_buffers.h"

#include <algorithm>

#include "vm/claims_between_pauses.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

constexpr std::int64_t kWord = sizeof(std::uintptr_t);
constexpr const char* kBuffer = "ThreadLocalAllocBuffer";

// From this release on a TLAB has no reserve for C2's prefetching, and vmStructs no entry of it.
constexpr int kFirstWithoutPrefetchReserve = 27;

}  // namespace

std::optional<OpenBuffers> OpenBuffers::find(JNIEnv* jni, const ObjectLayout& objects,
                                             std::uintptr_t current, int release) {
  const auto threads = VmThreadList::find(current);
  const auto tlab = vm_structs::offset_of("Thread", "_tlab");
  const auto start = vm_structs::offset_of(kBuffer, "_start");
  const auto top = vm_structs::offset_of(kBuffer, "_top");
  const auto end = vm_structs::offset_of(kBuffer, "_end");
  const auto desired = vm_structs::offset_of(kBuffer, "_desired_size");
  const auto prefetch = vm_structs::address_of(kBuffer, "_reserve_for_allocation_prefetch");
  if (!threads || !tlab || !start || !top || !end || !desired) return {};
  if (!prefetch && release < kFirstWithoutPrefetchReserve) return {};
  if (*desired - *end != 2 * kWord) return {};
  OpenBuffers result(*threads);
  result.start_ = *tlab + *start;
  result.top_ = *tlab + *top;
  result.end_ = *tlab + *end;
  // The reserve: for the smallest filler, unless the alignment provides it, and for C2's
  // prefetching.
  const std::uint64_t header = objects.min_object_bytes();
  const std::uint64_t filler = header > objects.alignment ? objects.align(header) : 0;
  std::int32_t words = 0;
  const std::string wrong = wrong_between_pauses(jni, [&](VmClaims& claims) {
    constexpr std::int32_t kMostWords = 1 << 12;
    if (prefetch) words = claims.read<std::int32_t>(*prefetch, "_reserve_for_allocation_prefetch");
    claims.expect(words >= 0 && words <= kMostWords, "_reserve_for_allocation_prefetch");
    expect_tlab_end(claims, {*tlab + *start, *tlab + *start, *tlab + *top}, result.end_, current);
  });
  if (!wrong.empty()) return {};
  result.reserve_bytes_ =
      objects.align(std::max(filler, kWord * static_cast<std::uint64_t>(words)));
  return result;
}

bool OpenBuffers::read(std::vector<HeapHole>& holes) const noexcept {
  holes.clear();
  bool good = true;
  threads_.for_each([&](std::uintptr_t thread) {
    const auto start = read_at<std::uintptr_t>(thread + start_);
    if (start == 0) return;
    const auto top = read_at<std::uintptr_t>(thread + top_);
    const auto end = read_at<std::uintptr_t>(thread + end_);
    const auto true_end = read_at<std::uintptr_t>(thread + end_ + kWord);
    if (top < start || end < top || true_end < end || holes.size() == holes.capacity()) {
      good = false;
    } else if (true_end + reserve_bytes_ > top) {
      holes.push_back({top, true_end + reserve_bytes_});
    }
  });
  return good;
}

}  // namespace ddm
