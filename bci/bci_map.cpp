#include "bci/bci_map.h"

#include <algorithm>

namespace bci {

std::uint16_t original_bci(std::span<const BciRun> runs, std::uint16_t new_bci) {
  auto next =
      std::upper_bound(runs.begin(), runs.end(), new_bci,
                       [](std::uint16_t at, const BciRun& run) { return at < run.new_bci; });
  if (next == runs.begin()) return new_bci;
  const BciRun& run = *(next - 1);
  if (run.injected) return run.old_bci;
  return static_cast<std::uint16_t>(run.old_bci + (new_bci - run.new_bci));
}

}  // namespace bci
