#include "stack/walk/parked_trails.h"

#include <algorithm>

namespace ddm {

ParkedTrails::Found ParkedTrails::find(const ParkedFrames::Run& run) const {
  const VmAddress pc = pc_of(run);
  const Trail& trail = trails_[place_of(pc)];
  if (pc == 0 || pcs_[place_of(pc)] != pc || trail.run_words != run.words()) return {};
  const VmAddress from = run.sp - ParkedFrames::kWordsBefore * sizeof(VmAddress);
  for (std::size_t i = 0; i < trail.words; ++i) {
    if (load<VmAddress>(from + trail.word[i].at) != trail.word[i].value) return {};
  }
  return {{trail.frame.data(), trail.frames}, true};
}

void ParkedTrails::insert(const ParkedFrames::Run& run, const ParkedWalk& walked) {
  if (overflown_ || walked.too_many()) return;
  const VmAddress pc = buffer_[ParkedFrames::kWordsBefore - 1];
  Trail& trail = trails_[place_of(pc)];
  pcs_[place_of(pc)] = pc;
  trail.run_words = run.words();
  trail.words = trail.frames = 0;
  for (const std::uint16_t at : walked.decisive()) {
    trail.word[trail.words++] = {static_cast<std::uint32_t>(at * sizeof(VmAddress)), buffer_[at]};
  }
  trail.frames = gathered_count_;
  std::copy_n(gathered_.begin(), gathered_count_, trail.frame.begin());
}

}  // namespace ddm
