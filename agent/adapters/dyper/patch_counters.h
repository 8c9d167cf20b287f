// The counters of code that DYPATCH patches: the numbers of its tables, and, for each number that
// counts, one counter of the sinks in each class whose code uses the number.
//
// Some time after a class's patches are removed, its counters are given back. Their values are
// kept, so that counting continues from them if the class is patched again. Any thread: class hooks
// request numbers.
#pragma once

#include <jni.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bci/patch/patch_class.h"
#include "probes/hit_budget.h"
#include "probes/sink_cells.h"

namespace ddm {

class PatchCounters final : public bci::PatchIds {
 public:
  // `ids`: the numbers of the tables.
  PatchCounters(bci::PatchIds& ids, SinkCells& cells) : ids_(ids), cells_(cells) {}

  std::int32_t id_of(const Part& part) override { return ids_.id_of(part); }
  std::int32_t counter_of(std::int32_t id, std::string_view class_name) override {
    return cell_of(id, class_name, /*timed=*/false);
  }
  std::int32_t timer_of(std::int32_t id, std::string_view class_name) override {
    return cell_of(id, class_name, /*timed=*/true);
  }

  // The class's patches are removed; active frames of the old code count until they return.
  void rest(const std::string& class_name);

  bool empty() const;
  // The name of the patched class that new_costs() reports under this number; "" = none.
  std::string class_of(std::uint32_t number) const;
  // Costs by the number of the class. Gives back the counters of classes that have rested enough.
  std::vector<ProbeBudget::Cost> new_costs(const HitCosts& costs,
                                           const std::vector<std::int64_t>& counts);

  struct Counted {
    std::int64_t count = 0;
    std::optional<std::int64_t> ns;  // if it is timed

    void add(const Counted& more, std::int64_t sign);
  };
  // By number of the tables.
  std::map<std::int32_t, Counted> read(JNIEnv* jni) const;
  // Makes all counters count from zero.
  void clear(JNIEnv* jni);

 private:
  using Clock = std::chrono::steady_clock;
  struct Counter {
    std::int32_t cell = -1;
    HitCounts paid;
  };
  struct OfClass {
    std::uint32_t number = 0;
    std::map<std::pair<std::int32_t, bool>, Counter> counters;  // by number of the tables, timed
    std::optional<Clock::time_point> out;                       // since when its patches are
  };
  using Sums = std::map<std::int32_t, Counted>;

  // -1: there is none left.
  std::int32_t cell_of(std::int32_t id, std::string_view class_name, bool timed);
  // These with the lock held.
  static void add_to(Sums& sums, const OfClass& one, const std::vector<std::int64_t>& counts);
  Sums all(JNIEnv* jni) const;
  void give_back(const OfClass& one, const std::vector<std::int64_t>& counts);

  bci::PatchIds& ids_;
  SinkCells& cells_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, OfClass> classes_;
  Sums kept_;  // of counters given back, less what clear() has taken off
  std::uint32_t last_number_ = 0;
};

}  // namespace ddm
