#include "dyper/patched_classes.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "dyper/patching/java_names.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;


// The part of a plan that is about these classes and no others.
bci::PatchPlan narrowed(const bci::PatchPlan& plan, const std::set<std::string>& classes) {
  bci::PatchPlan part;
  part.test_class = plan.test_class;
  for (const bci::MethodPatches& target : plan.methods) {
    for (const std::string& name : classes) {
      const std::string internal = internal_name(name);
      if (!bci::may_patch({{target}, plan.test_class}, internal)) continue;
      part.methods.push_back(target);
      part.methods.back().class_name = internal;
    }
  }
  return part;
}

std::string name_with_dots(std::string_view of_vm) {
  std::string name(of_vm);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

}  // namespace

void tell_refused(const std::string& class_name, const std::vector<bci::RefusedSite>& refused,
                  std::vector<DyperError>& errors) {
  for (const bci::RefusedSite& site : refused) {
    if (errors.size() >= kMostErrors) return;
    std::string message = site.name + signature_of(site.descriptor) + ", " +
                          std::string(to_string(site.kind)) + ": " +
                          std::string(to_string(site.reason));
    if (!site.detail.empty()) message += " (" + site.detail + ")";
    const bool no_code = site.reason == bci::SkipReason::kNoCode;
    errors.push_back({no_code ? Code::kNotModifiable : Code::kUnsupported, "CLASS", class_name,
                      std::move(message)});
  }
}

// The numbers of the tables, and for those that count a counter in each class. Asked while classes
// are patched, on any thread.
class PatchedClasses::Counters final : public bci::PatchIds {
 public:
  Counters(bci::PatchIds& ids, SinkCells& cells) : ids_(ids), cells_(cells) {}

  std::int32_t class_id(std::string_view class_name) override { return ids_.class_id(class_name); }
  std::int32_t method_id(std::string_view owner, std::string_view name,
                         std::string_view descriptor) override {
    return ids_.method_id(owner, name, descriptor);
  }
  std::int32_t block_id(std::string_view owner, std::string_view name, std::string_view descriptor,
                        std::uint32_t first) override {
    return ids_.block_id(owner, name, descriptor, first);
  }
  std::int32_t counter_of(std::int32_t id, std::string_view class_name) override {
    const std::lock_guard lock(mutex_);
    return cell_of(in_use(class_name).counters, id,
                   [&] { return cells_.take_counter(CountedThreads::kChosen); });
  }
  std::int32_t timer_of(std::int32_t id, std::string_view class_name) override {
    const std::lock_guard lock(mutex_);
    return cell_of(in_use(class_name).timers, id,
                   [&] { return cells_.take_timer(CountedThreads::kChosen); });
  }

  // The class's patches are out; methods that run go on counting until they return.
  void rest(const std::string& class_name) {
    const std::lock_guard lock(mutex_);
    const auto found = classes_.find(class_name);
    if (found != classes_.end()) found->second.out = Clock::now();
  }

  bool empty() const {
    const std::lock_guard lock(mutex_);
    return classes_.empty();
  }

  std::string class_of(std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, one] : classes_) {
      if (one.number == number && !one.out) return name;
    }
    return "";
  }

  // Of classes by their number. Counters that have rested are given back.
  std::vector<ProbeBudget::Cost> spent(const HitCosts& costs,
                                       const std::vector<std::int64_t>& counts) {
    std::vector<ProbeBudget::Cost> spent;
    const std::lock_guard lock(mutex_);
    for (auto at = classes_.begin(); at != classes_.end();) {
      OfClass& one = at->second;
      double ns = 0;
      for (auto& [id, counter] : one.counters) {
        ns += counter.paid.since(counts, counter.cell).cost(costs, false);
      }
      for (auto& [id, timer] : one.timers) {
        ns += timer.paid.since(counts, timer.cell).cost(costs, true);
      }
      spent.push_back({one.out ? 0 : one.number, ns});
      const bool rested = one.out && Clock::now() - *one.out > kRest;
      if (rested) give_back(one, counts);
      at = rested ? classes_.erase(at) : std::next(at);
    }
    return spent;
  }

  struct Counted {
    std::int64_t count = 0;
    std::optional<std::int64_t> ns;  // if it is timed

    void add(const Counted& more, std::int64_t sign) {
      count += sign * more.count;
      if (more.ns) ns = ns.value_or(0) + sign * *more.ns;
    }
  };
  // By number.
  std::map<std::int32_t, Counted> read(JNIEnv* jni) const {
    const std::lock_guard lock(mutex_);
    return all(jni);
  }
  // From now on they count from zero.
  void clear(JNIEnv* jni) {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, counted] : all(jni)) kept_[id].add(counted, -1);
  }

  // The classes that the budget has taken the patches of, and their models.
  std::map<std::string, std::string> over_budget() const {
    const std::lock_guard lock(mutex_);
    return over_budget_;
  }
  void set_over_budget(const std::string& class_name, const std::string& model) {
    const std::lock_guard lock(mutex_);
    over_budget_[class_name] = model;
  }
  void forgive(const std::string& class_name) {
    const std::lock_guard lock(mutex_);
    over_budget_.erase(class_name);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kRest{5};
  struct Counter {
    std::int32_t cell = -1;
    HitCounts paid;
  };
  using CellsOf = std::map<std::int32_t, Counter>;  // by number of the tables
  struct OfClass {
    std::uint32_t number = 0;
    CellsOf counters, timers;
    std::optional<Clock::time_point> out;  // since when its patches are
  };
  using Sums = std::map<std::int32_t, Counted>;

  OfClass& in_use(std::string_view class_name) {
    OfClass& one = classes_[name_with_dots(class_name)];
    if (one.number == 0) one.number = ++last_number_;
    one.out.reset();
    return one;
  }
  template <typename Take>
  static std::int32_t cell_of(CellsOf& counters, std::int32_t id, Take take) {
    const auto known = counters.find(id);
    if (known != counters.end()) return known->second.cell;
    const std::int32_t cell = take();
    if (cell >= 0) counters[id].cell = cell;
    return cell;
  }

  static void add_to(Sums& sums, const OfClass& one, const std::vector<std::int64_t>& counts) {
    const auto value = [&](std::int32_t cell) { return counts[static_cast<std::size_t>(cell)]; };
    for (const auto& [id, counter] : one.counters) {
      sums[id].add({value(counter.cell + kHitsCell), {}}, 1);
    }
    for (const auto& [id, timer] : one.timers) {
      sums[id].add({value(timer.cell + kHitsCell), value(timer.cell + kTotalCell)}, 1);
    }
  }
  Sums all(JNIEnv* jni) const {
    Sums sums = kept_;
    if (classes_.empty()) return sums;
    const std::vector<std::int64_t> counts = cells_.read(jni);
    for (const auto& [name, one] : classes_) add_to(sums, one, counts);
    return sums;
  }
  void give_back(const OfClass& one, const std::vector<std::int64_t>& counts) {
    add_to(kept_, one, counts);
    for (const auto& [id, counter] : one.counters) cells_.give_back_counter(counter.cell);
    for (const auto& [id, timer] : one.timers) cells_.give_back_timer(timer.cell);
  }

  bci::PatchIds& ids_;
  SinkCells& cells_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, OfClass> classes_;
  Sums kept_;  // of counters given back, less what clear() has taken off
  std::map<std::string, std::string> over_budget_;
  std::uint32_t last_number_ = 0;
};

PatchedClasses::PatchedClasses(bci::PatchIds& ids, HitBudget& budget)
    : budget_(budget), counters_(std::make_shared<Counters>(ids, budget.sinks().cells())) {}

PatchedClasses::~PatchedClasses() = default;

bool PatchedClasses::start(JNIEnv* jni, std::vector<DyperError>& errors) {
  if (patches_) return true;
  std::string error = budget_.thread().start(jni);
  if (error.empty()) patches_ = Patches::create(jni, budget_.sinks(), error);
  if (!patches_) errors.push_back({Code::kUnsupported, "", "", std::move(error)});
  return patches_ != nullptr;
}

ClassFiles PatchedClasses::unpatched() const {
  const std::lock_guard lock(changing_);
  return unpatched_;
}

std::set<std::string> PatchedClasses::of(const std::string& model) const {
  const std::lock_guard lock(changing_);
  std::set<std::string> classes;
  for (const Placed& one : placed_) {
    if (one.model == model) classes.insert(one.classes.begin(), one.classes.end());
  }
  return classes;
}

void PatchedClasses::put_in(JNIEnv* jni, const std::string& model, const LinkedPlan& linked,
                            ClassFiles classes, std::vector<DyperError>& errors) {
  const std::lock_guard lock(changing_);
  if (!start(jni, errors)) return;
  for (const Placed& other : placed_) {
    if (other.model == model) continue;
    for (const std::string& name : other.classes) {
      if (classes.erase(name) == 0) continue;
      errors.push_back({Code::kBusy, "CLASS", name, "it has patches of model " + other.model});
    }
  }
  std::set<std::string> meant;
  for (const auto& [name, bytes] : classes) meant.insert(name);
  remove(jni, model, meant);
  Placed placed{model, 0, {}, linked.may_have, {}};
  for (const auto& [name, bytes] : classes) {
    if (bci::may_patch(linked.plan, internal_name(name))) placed.classes.insert(name);
  }
  if (placed.classes.empty()) return;
  std::erase_if(classes, [&](const auto& one) { return !placed.classes.contains(one.first); });
  for (const std::string& name : placed.classes) counters_->forgive(name);
  placed.plan = narrowed(linked.plan, placed.classes);
  if (place(jni, std::move(placed), errors)) unpatched_.merge(classes);
}

bool PatchedClasses::place(JNIEnv* jni, Placed placed, std::vector<DyperError>& errors) {
  std::string error;
  placed.number = patches_->put_in(jni, std::make_shared<bci::PatchPlan>(placed.plan), counters_,
                                   error, placed.may_have);
  if (placed.number == 0) {
    errors.push_back({Code::kUnsupported, "", "", std::move(error)});
    return false;
  }
  if (const auto report = patches_->report(placed.number)) {
    for (const Patches::PatchedClass& one : report->classes) {
      const std::string name = name_with_dots(one.name);
      tell_refused(name, one.refused, errors);
      if (!one.failed.empty()) errors.push_back({Code::kVerify, "CLASS", name, one.failed});
    }
  }
  placed_.push_back(std::move(placed));
  budget_.thread().post([this](JNIEnv* on_thread) { budget_.keep(on_thread, *this, 0); });
  return true;
}

void PatchedClasses::take_out(JNIEnv* jni, const std::string& model,
                              const std::set<std::string>& classes) {
  const std::lock_guard lock(changing_);
  remove(jni, model, classes);
}

void PatchedClasses::remove(JNIEnv* jni, const std::string& model,
                            const std::set<std::string>& classes) {
  std::vector<Placed> changed;
  std::erase_if(placed_, [&](Placed& one) {
    const bool is_meant = one.model == model &&
                          std::any_of(classes.begin(), classes.end(), [&](const std::string& name) {
                            return one.classes.contains(name);
                          });
    if (is_meant) changed.push_back(std::move(one));
    return is_meant;
  });
  for (Placed& one : changed) {
    std::set<std::string> kept;
    std::set_difference(one.classes.begin(), one.classes.end(), classes.begin(), classes.end(),
                        std::inserter(kept, kept.end()));
    for (const std::string& name : one.classes) {
      if (!kept.contains(name)) unpatched_.erase(name);
    }
    patches_->take_out(jni, one.number);
    for (const std::string& name : one.classes) {
      if (!kept.contains(name)) counters_->rest(name);
    }
    if (kept.empty()) continue;
    std::vector<DyperError> told_before;
    if (!place(jni, {one.model, 0, narrowed(one.plan, kept), one.may_have, kept}, told_before)) {
      for (const std::string& name : kept) {
        unpatched_.erase(name);
        counters_->rest(name);
      }
    }
  }
}

std::vector<ProbeBudget::Cost> PatchedClasses::spent(JNIEnv* jni, const HitCosts& costs,
                                                    const std::vector<std::int64_t>& counts) {
  std::vector<ProbeBudget::Cost> spent = counters_->spent(costs, counts);
  const std::unique_lock lock(changing_, std::try_to_lock);
  if (lock && placed_.empty() && counters_->empty()) budget_.let_go(jni, *this);
  return spent;
}

std::string PatchedClasses::take_out(JNIEnv* jni, std::uint32_t number) {
  const std::unique_lock lock(changing_, std::try_to_lock);
  if (!lock) return "";  // a command is at it; if need be it is asked again
  const std::string name = counters_->class_of(number);
  const auto in = std::find_if(placed_.begin(), placed_.end(), [&](const Placed& one) {
    return one.classes.contains(name);
  });
  if (in == placed_.end()) return "";
  const std::string model = in->model;
  remove(jni, model, {name});
  counters_->set_over_budget(name, model);
  return "the patches of DYPATCH's model " + model + " in " + name +
         " took more than the budget and are out";
}

void PatchedClasses::write_counters(JNIEnv* jni, XmlWriter& xml) const {
  const auto counts = counters_->read(jni);
  for (const auto& [id, counted] : counts) {
    xml.open("RTITEM").attribute("COUNTER", id).attribute("COUNT", counted.count);
    if (counted.ns) xml.attribute("TIME", static_cast<double>(*counted.ns) / 1e6);
    xml.close();
  }
  if (counts.empty()) return;
  xml.open("RTBUDGET").attribute("LIMIT", budget_.limit_percent());
  xml.attribute("USED", budget_.used_percent());
  for (const auto& [name, model] : counters_->over_budget()) {
    xml.open("REMOVED").attribute("MODEL", model).attribute("CLASS", name);
    xml.attribute("REASON", "budget").close();
  }
  xml.close();
}

void PatchedClasses::clear_counters(JNIEnv* jni) { counters_->clear(jni); }

void PatchedClasses::count_threads(JNIEnv* jni, const std::vector<std::int64_t>& ids,
                                   bool all_but_these) {
  budget_.sinks().cells().choose_threads(jni, ids, all_but_these);
}

}  // namespace ddm
