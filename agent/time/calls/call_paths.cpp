#include "time/calls/call_paths.h"

#include <new>

namespace ddm {

CallPaths::CallPaths() : slots_(kSlots), paths_(kMostPaths) {}

std::unique_ptr<CallPaths> CallPaths::create() {
  std::unique_ptr<CallPaths> paths(new (std::nothrow) CallPaths);
  if (paths && !(paths->slots_.good() && paths->paths_.good())) paths.reset();
  return paths;
}

void CallPaths::put(PathNumber caller, MethodNumber method, PathNumber number) {
  const std::uint64_t key = std::uint64_t{caller} << kMethodBits | method;
  std::size_t i = slot_of(key);
  while (slots_[i].load(std::memory_order_relaxed) != 0) i = (i + 1) % kSlots;
  slots_[i].store(key << kPathBits | (number - MethodNumbers::kMost + 1),
                  std::memory_order_release);
  // Some slots always stay empty, so that a search terminates.
  if (++edges_ >= kSlots / 2 || count_ >= kMostPaths) full_.store(true, std::memory_order_relaxed);
}

// Also called when another thread may have inserted the path first.
PathNumber CallPaths::new_number(PathNumber caller, MethodNumber method) noexcept {
  if (full_.load(std::memory_order_relaxed)) return method;
  const std::lock_guard lock(mutex_);
  const PathNumber found = find(caller, method);
  if (found != kNoPath) return found;
  if (at(caller).depth < kMostDepth) {
    const PathNumber number = add(caller, method);
    return number != kNoPath ? number : method;
  }
  std::array<MethodNumber, kKeptDepth> kept;
  PathNumber path = caller;
  for (MethodNumber& one : kept) {
    one = method_of(path);
    path = caller_of(path);
  }
  PathNumber number = kept.back();
  for (std::size_t i = kKeptDepth - 1; i-- > 0 && number != kNoPath;) number = add(number, kept[i]);
  if (number != kNoPath) number = add(number, method);
  if (number == kNoPath) return method;
  put(caller, method, number);
  return number;
}

PathNumber CallPaths::add(PathNumber caller, MethodNumber method) {
  const PathNumber found = find(caller, method);
  if (found != kNoPath) return found;
  if (full_.load(std::memory_order_relaxed)) return kNoPath;
  paths_[count_] = {caller, method, at(caller).depth + 1};
  const PathNumber number = MethodNumbers::kMost + count_++;
  put(caller, method, number);
  return number;
}

}  // namespace ddm
