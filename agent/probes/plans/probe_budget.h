// Keeps what probes cost within a share of the CPU that the program uses: says which are to go.
//
// It is told of every step, 50 ms or less, what the program used and what each probe cost. What
// counts is the mean of late, where five seconds ago counts a third of now: a burst of hits takes
// nothing out, and who is above the budget by 0.4 of it after having been below by 0.3 loses the
// dearest probe within three seconds. A probe that has just gone in and costs more than twenty times
// the budget goes within milliseconds: the VM has not compiled it into the program yet, and doing
// that twice would cost more than the hits.
// Pure; for one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ddm {

class ProbeBudget {
 public:
  // `percent` of what the program uses without probes; of a quarter of a processor at least, so that a
  // probe in a program that sleeps is not taken out for one hit.
  explicit ProbeBudget(double percent) : percent_(percent) {}

  struct Cost {
    std::uint64_t probe = 0;
    double ns = 0;
    double passing_ns = 0;  // of that, what soon ends by itself
  };
  struct Step {
    double wall_ns = 0;
    double cpu_ns = 0;    // of the process, probes and all
    double other_ns = 0;  // of the sampler, of looking after probes, and of probes that are out
    std::span<const Cost> probes;
  };
  // The probes that are to be taken out together: the dearest ones, until the others are within
  // the budget.
  std::vector<std::uint64_t> step(const Step& step);

  // What was spent once, and is not to be had back by taking a probe out.
  void spent(double ns) {
    used_ns_ += ns;
    other_ns_ += ns;
  }

  void set_limit(double percent) { percent_ = percent; }
  double limit_percent() const { return percent_; }
  // Since the beginning.
  double used_percent() const;
  // Of that, what no hit of a probe that is in has taken.
  double other_percent() const;

 private:
  struct Late {
    double ns = 0;          // older ones count less
    double lasting_ns = 0;  // without what ends by itself
    double age_ns = 0;      // since the probe went in
  };
  std::vector<std::uint64_t> too_dear(double late, double window_ns);

  double percent_;
  std::map<std::uint64_t, Late> late_;  // by probe
  // Of late, too.
  double late_other_ns_ = 0, late_base_ns_ = 0, late_wall_ns_ = 0;
  double used_ns_ = 0;
  double other_ns_ = 0;  // of it
  double base_ns_ = 0;
};

}  // namespace ddm
