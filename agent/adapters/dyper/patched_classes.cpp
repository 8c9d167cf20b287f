#include "adapters/dyper/patched_classes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "adapters/dyper/patching/java_names.h"
#include "core/class_names.h"
#include "core/log.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/class_methods.h"

namespace ddm {

void report_refused(const std::string& class_name, const std::vector<bci::RefusedSite>& refused,
                    DyperErrors& errors) {
  for (const bci::RefusedSite& site : refused) {
    if (errors.size() >= kMostErrors) return;
    std::string message = site.name + signature_of(site.descriptor) + ", " +
                          std::string(to_string(site.kind)) + ": " +
                          std::string(to_string(site.reason));
    if (!site.detail.empty()) message += " (" + site.detail + ")";
    const bool no_code = site.reason == bci::SkipReason::kNoCode;
    fail(errors, "CLASS", class_name, std::move(message),
         no_code ? DyperErrorCode::kNotModifiable : DyperErrorCode::kUnsupported);
  }
}

PatchedClasses::PatchedClasses(jvmtiEnv* jvmti, bci::PatchIds& ids, HitBudget& budget)
    : jvmti_(jvmti), budget_(budget), counters_(ids, budget.patches().sinks().cells()) {}

ClassNames PatchedClasses::loaded(JNIEnv* jni,
                                  const std::function<bool(const std::string& name)>& wanted,
                                  DyperErrors& errors) {
  ClassNames names;
  std::string error;
  ClassHooks* const hooks = budget_.patches().hooks(jni, error);
  if (hooks == nullptr) {
    fail(errors, "", "", std::move(error), DyperErrorCode::kUnsupported);
    return names;
  }
  hooks->for_each_changeable(jni, [&](std::string_view internal_name, bool) {
    std::string name = dotted_name(internal_name);
    return wanted(name) && names.insert(std::move(name)).second;
  });
  return names;
}

ClassFiles PatchedClasses::unpatched() const {
  const std::lock_guard lock(mutex_);
  ClassFiles files;
  for (const auto& [name, one] : patched_) files[name] = one.without;
  return files;
}

const PatchedClasses::Chosen* PatchedClasses::chosen(const Model& model, const std::string& name) {
  if (const auto at = model.classes.find(name); at != model.classes.end()) return &at->second;
  const bool waits = model.later.plan && !model.excluded.contains(name) &&
                     bci::may_patch(*model.later.plan, internal_name(name));
  return waits ? &model.later : nullptr;
}

bool PatchedClasses::is_wanted(const std::string& name) const {
  return std::ranges::any_of(models_,
                             [&](const auto& one) { return chosen(one.second, name) != nullptr; });
}

bool PatchedClasses::has(const std::string& model, const std::string& name) const {
  const auto patched = patched_.find(name);
  const auto at = models_.find(model);
  return (patched != patched_.end() && patched->second.models.contains(model)) ||
         (at != models_.end() && at->second.classes.contains(name));
}

ClassNames PatchedClasses::classes_of(const std::string& model) const {
  ClassNames names;
  for (const auto& [name, one] : patched_) {
    if (one.models.contains(model)) names.insert(name);
  }
  return names;
}

// Returns the classes that have to be retransformed.
ClassNames PatchedClasses::choose(const std::string& name, const LinkedPlan& linked,
                                  ClassNames classes, DyperErrors& errors) {
  const Chosen here{std::make_shared<const bci::PatchPlan>(linked.plan), linked.by_loader};
  Model& model = models_[name];
  std::erase_if(classes, [&](const std::string& one) {
    for (const auto& [other, of_other] : models_) {
      if (other == name || !has(other, one)) continue;
      fail(errors, "CLASS", one, "it has patches of model " + other, DyperErrorCode::kBusy);
      return true;
    }
    if (!bci::may_patch(*here.plan, internal_name(one))) {
      model.classes.erase(one);
      model.excluded.insert(one);
    } else {
      model.classes[one] = here;
      over_budget_.erase(one);
    }
    return false;
  });
  return classes;
}

void PatchedClasses::install(JNIEnv* jni, const std::string& model, const LinkedPlan& linked,
                             ClassNames classes, std::optional<bci::PatchPlan> later,
                             DyperErrors& errors) {
  const std::lock_guard one_change(changing_);
  std::string error = budget_.thread().start(jni);
  if (error.empty()) error = budget_.patches().add(jni, *this);
  if (!error.empty()) {
    fail(errors, "", "", std::move(error), DyperErrorCode::kUnsupported);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ClassNames former;
    if (later) {
      former = classes_of(model);
      std::erase_if(over_budget_, [&](const auto& one) {
        return one.second == model && !classes.contains(one.first);
      });
      Chosen others;
      if (!later->methods.empty()) {
        others.plan = std::make_shared<const bci::PatchPlan>(std::move(*later));
      }
      models_[model] = {{}, std::move(others), classes};
    }
    classes = choose(model, linked, std::move(classes), errors);
    classes.merge(former);
  }
  const Outcomes outcomes = change(jni, model, classes);
  ClassNames failed;
  for (const auto& [name, outcome] : outcomes) {
    report_refused(name, outcome.refused, errors);
    if (outcome.failed.empty()) continue;
    fail(errors, "CLASS", name, "the VM does not take it: " + outcome.failed,
         DyperErrorCode::kVerify);
    failed.insert(name);
  }
  // The model's earlier patches in these classes are removed as well.
  remove_classes(jni, model, failed);
  budget_.thread().run_soon(jni, [this](JNIEnv* on_thread) {
    budget_.add_user(on_thread, *this, 0);
    budget_.patches_installed();
  });
}

// Returns those of the classes that had patches of the model.
ClassNames PatchedClasses::leave_out(const std::string& model, const ClassNames& classes) {
  ClassNames had;
  const auto at = models_.find(model);
  for (const std::string& name : classes) {
    if (has(model, name)) had.insert(name);
    if (at == models_.end()) continue;
    at->second.classes.erase(name);
    at->second.excluded.insert(name);
  }
  return had;
}

void PatchedClasses::remove_classes(JNIEnv* jni, const std::string& model,
                                    const ClassNames& classes) {
  ClassNames had;
  {
    const std::lock_guard lock(mutex_);
    had = leave_out(model, classes);
  }
  change(jni, "", had);
}

void PatchedClasses::remove(JNIEnv* jni, const std::string& model, const ClassNames& classes) {
  const std::lock_guard one_change(changing_);
  remove_classes(jni, model, classes);
}

void PatchedClasses::remove(JNIEnv* jni, const std::string& model) {
  const std::lock_guard one_change(changing_);
  ClassNames had;
  {
    const std::lock_guard lock(mutex_);
    had = classes_of(model);
    models_.erase(model);
  }
  change(jni, "", had);
}

// Retransforms these classes as chosen now, and classes loaded before `later` was set that it
// covers.
PatchedClasses::Outcomes PatchedClasses::change(JNIEnv* jni, const std::string& model,
                                                const ClassNames& classes) {
  const auto set_model = [this](const std::string& changing) {
    const std::lock_guard lock(mutex_);
    changing_model_ = changing;
    return std::exchange(outcomes_, {});
  };
  if (!model.empty() || !classes.empty()) {
    set_model(model);
    budget_.patches().bring_up_to_date(
        jni, *this, [&](jclass klass, std::string_view internal_name, bool is_platform) {
          const std::string name = dotted_name(internal_name);
          return (classes.contains(name) || waits_for(model, name)) &&
                 needs_change(klass, internal_name, is_platform);
        });
  }
  Outcomes outcomes = set_model("");
  std::unique_lock lock(mutex_);
  for (const std::string& name : classes) {
    if (!patched_.contains(name)) counters_.rest(name);
  }
  std::erase_if(models_, [](const auto& one) {
    return one.second.classes.empty() && !one.second.later.plan;
  });
  const bool none = models_.empty();
  lock.unlock();
  if (none) budget_.patches().remove(*this);
  return outcomes;
}

bool PatchedClasses::waits_for(const std::string& model, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = models_.find(model);
  if (at == models_.end() || patched_.contains(name)) return false;
  return chosen(at->second, name) == &at->second.later;
}

bool PatchedClasses::may_want(std::string_view internal_name, bool) {
  if (is_untouchable(internal_name)) return false;
  const std::string name = dotted_name(internal_name);
  const std::lock_guard lock(mutex_);
  return patched_.contains(name) || is_wanted(name);
}

// Called for a linked class. A plan may name one method of any class, so the class is only
// retransformed if it has such a method.
bool PatchedClasses::needs_change(jclass klass, std::string_view internal_name, bool) {
  if (is_untouchable(internal_name)) return false;
  const std::string name = dotted_name(internal_name);
  std::vector<Chosen> wanted;
  {
    const std::lock_guard lock(mutex_);
    if (patched_.contains(name)) return true;
    for (const auto& [id, model] : models_) {
      if (const Chosen* const one = chosen(model, name)) wanted.push_back(*one);
    }
  }
  return std::ranges::any_of(wanted, [&](const Chosen& one) {
    return has_method(jvmti_, klass, [&](std::string_view method, std::string_view descriptor) {
      return bci::may_patch(*one.plan, internal_name, method, descriptor);
    });
  });
}

std::vector<Patcher::Part> PatchedClasses::parts(JNIEnv* jni, const LoadingClass& loading,
                                                 bci::ByteSpan) {
  const std::string name = dotted_name(loading.internal_name);
  std::vector<std::pair<std::string, Chosen>> wanted;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, model] : models_) {
      if (const Chosen* const one = chosen(model, name)) wanted.emplace_back(id, *one);
    }
  }
  std::vector<Part> parts;
  for (auto& [id, one] : wanted) {
    if (one.by_loader && !one.by_loader(jni, loading.internal_name, loading.loader)) continue;
    parts.push_back({std::move(one.plan), &counters_, id});
  }
  return parts;
}

void PatchedClasses::patched(JNIEnv*, const LoadingClass& loading, bci::ByteSpan class_file,
                             const std::vector<Part>& parts) {
  const std::string name = dotted_name(loading.internal_name);
  std::set<std::string> models;
  const std::lock_guard lock(mutex_);
  for (const Part& part : parts) {
    if (!part.result.methods.empty()) models.insert(part.whose);
    if (part.whose == changing_model_) outcomes_[name].refused = part.result.refused;
  }
  if (!models.empty()) {
    patched_[name] = {{class_file.begin(), class_file.end()}, std::move(models)};
    return;
  }
  // A wanted class without a plan has only the name of one in another loader, whose patches stay.
  if (!parts.empty() || !is_wanted(name)) patched_.erase(name);
}

void PatchedClasses::incomplete(const std::string& reason) { log_warn("patches: {}", reason); }

void PatchedClasses::refused(std::string_view internal_name, const std::string& reason) {
  const std::string name = dotted_name(internal_name);
  const std::lock_guard lock(mutex_);
  const auto at = models_.find(changing_model_);
  if (at != models_.end() && chosen(at->second, name) != nullptr) {
    outcomes_[name].failed = reason;
  } else {
    log_warn("patches: {} stays patched: {}", internal_name, reason);
  }
}

std::vector<ProbeBudget::Cost> PatchedClasses::new_costs(JNIEnv*, const HitCosts& costs,
                                                         const std::vector<std::int64_t>& counts) {
  std::vector<ProbeBudget::Cost> spent = counters_.new_costs(costs, counts);
  const std::lock_guard lock(mutex_);
  if (models_.empty() && counters_.empty()) budget_.remove_user(*this);
  return spent;
}

std::vector<std::string> PatchedClasses::remove(JNIEnv* jni,
                                                const std::vector<std::uint32_t>& numbers) {
  const std::unique_lock one_change(changing_, std::try_to_lock);
  if (!one_change) return {};  // a command changes classes now; the budget asks again
  ClassNames names, had;
  for (const std::uint32_t number : numbers) names.insert(counters_.class_of(number));
  std::vector<std::string> messages;
  {
    const std::lock_guard lock(mutex_);
    // A class loaded later may have patches of several models.
    for (const auto& [model, of_model] : models_) {
      ClassNames of_this;
      std::copy_if(names.begin(), names.end(), std::inserter(of_this, of_this.end()),
                   [&, id = model](const std::string& name) { return has(id, name); });
      for (const std::string& name : leave_out(model, of_this)) {
        over_budget_[name] = model;
        messages.push_back("the patches of DYPATCH's model " + model + " in " + name +
                           " took more than the budget and are out");
        had.insert(name);
      }
    }
  }
  change(jni, "", had);
  return messages;
}

void PatchedClasses::write_counters(JNIEnv* jni, XmlWriter& xml) const {
  const auto counts = counters_.read(jni);
  for (const auto& [id, counted] : counts) {
    xml.open("RTITEM").attribute("COUNTER", id).attribute("COUNT", counted.count);
    if (counted.ns) xml.attribute("TIME", static_cast<double>(*counted.ns) / 1e6);
    xml.close();
  }
  if (counts.empty()) return;
  xml.open("RTBUDGET").attribute("LIMIT", budget_.limit_percent());
  xml.attribute("USED", budget_.used_percent());
  const std::lock_guard lock(mutex_);
  for (const auto& [name, model] : over_budget_) {
    xml.open("REMOVED").attribute("MODEL", model).attribute("CLASS", name);
    xml.attribute("REASON", "budget").close();
  }
  xml.close();
}

void PatchedClasses::count_threads(JNIEnv* jni, const ChosenThreads& threads) {
  budget_.patches().sinks().cells().choose_threads(jni, threads.ids, threads.all_but_these);
}

}  // namespace ddm
