// Limits the cost of probes to a share of the CPU that the program uses, by selecting probes to
// remove. A step of 50 ms or less supplies the CPU use of the program and the cost of each probe.
// The limit applies to a moving average in which a cost of five seconds ago has a third of its
// weight: a burst of hits removes no probe, but a cost of 1.4 times the budget that follows one of
// 0.7 times the budget removes the probe with the highest cost within three seconds. A new probe
// that costs more than twenty times the budget is removed within milliseconds: the JIT has not
// compiled the changed code yet, and compiling it twice would cost more than the hits.
//
// Pure; for one thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace ddm {

class ProbeBudget {
 public:
  // `percent` of the CPU that the program uses without probes, taken as at least a quarter of a
  // processor, so that one hit in a sleeping program does not remove a probe.
  explicit ProbeBudget(double percent) : percent_(percent) {}

  struct Cost {
    std::uint64_t probe = 0;
    double ns = 0;
    double passing_ns = 0;  // the part of `ns` that soon ends by itself
  };
  struct Step {
    double wall_ns = 0;
    double cpu_ns = 0;    // of the process, probes and all
    double other_ns = 0;  // of the sampler, of managing probes, and of removed probes
    std::span<const Cost> probes;
  };
  // The probes to remove together: those with the highest costs, until the others are within the
  // budget.
  std::vector<std::uint64_t> step(const Step& step);

  // A one-time cost, which removing a probe does not recover.
  void charge_once(double ns) {
    used_ns_ += ns;
    other_ns_ += ns;
  }

  void set_limit(double percent) { percent_ = percent; }
  // Since the beginning.
  double used_percent() const;
  // The part of used_percent() that is not the cost of hits of installed probes.
  double other_percent() const;

 private:
  struct Recent {
    double ns = 0;          // older costs have less weight
    double lasting_ns = 0;  // without the costs that end by themselves
    double age_ns = 0;      // since the probe went in
  };
  std::vector<std::uint64_t> costliest(double recent, double window_ns);

  double percent_;
  std::map<std::uint64_t, Recent> recent_;  // by probe
  // Moving sums as well.
  double recent_other_ns_ = 0, recent_base_ns_ = 0, recent_wall_ns_ = 0;
  double used_ns_ = 0;
  double other_ns_ = 0;  // of it
  double base_ns_ = 0;
};

}  // namespace ddm
