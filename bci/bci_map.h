// Maps bytecode indices of a rewritten method to those of the original class file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace bci {

// Covers new_bci up to the next run: either original code that was moved (old = old_bci + distance
// from new_bci), or injected code, all of which maps to the instruction at old_bci.
struct BciRun {
  std::uint16_t new_bci;
  std::uint16_t old_bci;
  bool injected;
  friend bool operator==(const BciRun&, const BciRun&) = default;
};

// `runs` ascending, the first at 0; empty if nothing was moved. Injected code maps to
//   before and after an instruction   that instruction
//   at the method's entry             the first instruction
//   in a catch-all handler            the last instruction
inline std::uint16_t original_bci(std::span<const BciRun> runs, std::uint16_t new_bci) {
  const auto next = std::ranges::upper_bound(runs, new_bci, {}, &BciRun::new_bci);
  if (next == runs.begin()) return new_bci;
  const BciRun& run = *(next - 1);
  if (run.injected) return run.old_bci;
  return static_cast<std::uint16_t>(run.old_bci + (new_bci - run.new_bci));
}

}  // namespace bci
