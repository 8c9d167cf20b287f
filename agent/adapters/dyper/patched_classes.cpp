#include "adapters/dyper/patched_classes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "adapters/dyper/patching/java_names.h"
#include "core/class_names.h"

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

PatchedClasses::PatchedClasses(bci::PatchIds& ids, HitBudget& budget)
    : budget_(budget), counters_(std::make_shared<PatchCounters>(ids, budget.sinks().cells())) {}

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
  ClassFiles files = unpatched_;
  for (const Placed& one : placed_) {
    if (one.late) files.merge(one.late->all());
  }
  return files;
}

void PatchedClasses::put_in(JNIEnv* jni, const std::string& model, const LinkedPlan& linked,
                            ClassFiles classes, std::vector<DyperError>& errors) {
  const std::lock_guard lock(changing_);
  if (!start(jni, errors)) return;
  for (const Placed& other : placed_) {
    if (other.model == model) continue;
    std::erase_if(classes, [&](const auto& one) {
      if (!other.has(one.first)) return false;
      errors.push_back({Code::kBusy, "CLASS", one.first, "it has patches of model " + other.model});
      return true;
    });
  }
  std::set<std::string> meant;
  for (const auto& [name, bytes] : classes) meant.insert(name);
  remove(jni, model, meant);
  Placed placed{model, 0, {}, linked.by_loader, {}, nullptr};
  for (const auto& [name, bytes] : classes) {
    if (bci::may_patch(linked.plan, internal_name(name))) placed.classes.insert(name);
  }
  if (placed.classes.empty()) return;
  std::erase_if(classes, [&](const auto& one) { return !placed.classes.contains(one.first); });
  placed.plan = narrowed(linked.plan, placed.classes);
  const std::set<std::string> names = placed.classes;
  if (!place(jni, std::move(placed), errors)) return;
  unpatched_.merge(classes);
  const std::lock_guard of_budget(over_budget_mutex_);
  for (const std::string& name : names) over_budget_.erase(name);
}

void PatchedClasses::wait(JNIEnv* jni, const std::string& model, bci::PatchPlan later,
                          const std::set<std::string>& but_these, std::vector<DyperError>& errors) {
  const std::lock_guard lock(changing_);
  if (later.methods.empty() || !start(jni, errors)) return;
  {
    const std::lock_guard of_budget(over_budget_mutex_);
    std::erase_if(over_budget_, [&](const auto& one) {
      return one.second == model && !but_these.contains(one.first);
    });
  }
  place(jni, {model, 0, std::move(later), nullptr, {}, std::make_shared<LatelyPatched>(but_these)},
        errors);
}

bool PatchedClasses::place(JNIEnv* jni, Placed placed, std::vector<DyperError>& errors) {
  std::string error;
  Patches::Choice choice;
  choice.by_loader = placed.by_loader;
  if (placed.late) {
    choice.by_name = [late = placed.late](std::string_view name) {
      return late->may_come(dotted_name(name));
    };
    choice.told = [late = placed.late](std::string_view name, bci::ByteSpan class_file) {
      late->came(dotted_name(name), class_file);
    };
  }
  placed.number = patches_->put_in(jni, std::make_shared<bci::PatchPlan>(placed.plan), counters_,
                                   error, std::move(choice));
  if (placed.number == 0) {
    errors.push_back({Code::kUnsupported, "", "", std::move(error)});
    return false;
  }
  if (const auto report = patches_->report(placed.number)) {
    for (const Patches::PatchedClass& one : report->classes) {
      const std::string name = dotted_name(one.name);
      tell_refused(name, one.refused, errors);
      if (one.failed.empty()) continue;
      errors.push_back({Code::kVerify, "CLASS", name, "the VM does not take it: " + one.failed});
    }
  }
  placed_.push_back(std::move(placed));
  budget_.thread().post([this](JNIEnv* on_thread) {
    budget_.keep(on_thread, *this, 0);
    budget_.gone_in();
  });
  return true;
}

void PatchedClasses::take_out(JNIEnv* jni, const std::string& model,
                              const std::set<std::string>& classes) {
  const std::lock_guard lock(changing_);
  remove(jni, model, classes);
}

void PatchedClasses::take_out(JNIEnv* jni, const std::string& model) {
  const std::lock_guard lock(changing_);
  std::vector<Placed> gone;
  std::erase_if(placed_, [&](Placed& one) {
    if (one.model != model) return false;
    gone.push_back(std::move(one));
    return true;
  });
  for (Placed& one : gone) {
    patches_->take_out(jni, one.number);
    if (one.late) {
      for (const auto& [name, bytes] : one.late->all()) counters_->rest(name);
    }
    for (const std::string& name : one.classes) {
      unpatched_.erase(name);
      counters_->rest(name);
    }
  }
}

void PatchedClasses::remove_late(JNIEnv* jni, LatelyPatched& late,
                                 const std::set<std::string>& classes) {
  std::set<std::string, std::less<>> had_come;
  for (const std::string& name : classes) {
    if (late.leave_out(name)) had_come.insert(internal_name(name));
  }
  patches_->choose_again(jni, had_come);
  for (const std::string& name : had_come) counters_->rest(dotted_name(name));
}

void PatchedClasses::remove(JNIEnv* jni, const std::string& model,
                            const std::set<std::string>& classes) {
  std::vector<Placed> changed;
  std::erase_if(placed_, [&](Placed& one) {
    if (one.model == model && one.late) remove_late(jni, *one.late, classes);
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
    Placed rest{one.model, 0, narrowed(one.plan, kept), one.by_loader, kept, nullptr};
    if (!place(jni, std::move(rest), told_before)) {
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

std::vector<std::string> PatchedClasses::take_out(JNIEnv* jni,
                                                  const std::vector<std::uint32_t>& numbers) {
  const std::unique_lock lock(changing_, std::try_to_lock);
  if (!lock) return {};  // a command is at it; if need be it is asked again
  std::map<std::string, std::set<std::string>> classes;  // by model: a late one may have several
  for (const std::uint32_t number : numbers) {
    const std::string name = counters_->class_of(number);
    for (const Placed& one : placed_) {
      if (one.has(name)) classes[one.model].insert(name);
    }
  }
  std::vector<std::string> told;
  for (const auto& [model, names] : classes) {
    remove(jni, model, names);
    const std::lock_guard of_budget(over_budget_mutex_);
    for (const std::string& name : names) {
      over_budget_[name] = model;
      told.push_back("the patches of DYPATCH's model " + model + " in " + name +
                     " took more than the budget and are out");
    }
  }
  return told;
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
  const std::lock_guard lock(over_budget_mutex_);
  for (const auto& [name, model] : over_budget_) {
    xml.open("REMOVED").attribute("MODEL", model).attribute("CLASS", name);
    xml.attribute("REASON", "budget").close();
  }
  xml.close();
}

void PatchedClasses::count_threads(JNIEnv* jni, const std::vector<std::int64_t>& ids,
                                   bool all_but_these) {
  budget_.sinks().cells().choose_threads(jni, ids, all_but_these);
}

}  // namespace ddm
