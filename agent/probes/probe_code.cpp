#include "probes/probe_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bci/descriptor.h"
#include "core/class_names.h"
#include "probes/loaded_sites.h"
#include "probes/plans/probe_sites.h"
#include "probes/plans/sinks.h"
#include "vm/class_methods.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kJustIn{1}, kStaysOut{60};

// A key for probes of one kind in a method, which cost about the same.
std::string with_kind(const std::string& method, const ProbeRequest& request) {
  return method + ' ' + std::to_string(request.what) + ' ' + std::to_string(request.line) + ' ' +
         request.field + ' ' + std::to_string(request.depth.value_or(0)) + ' ' + request.condition;
}

// The first letters of the descriptors of the return value, then of each argument. A method that has
// a probe has a valid descriptor.
std::string kinds_of(std::string_view descriptor) {
  const auto parsed = bci::MethodDescriptor::parse(descriptor);
  if (!parsed) return "";
  std::string kinds(1, parsed->result[0]);
  for (const std::string_view argument : parsed->argument_types()) kinds += argument[0];
  return kinds;
}

// A site without which the probe has no hits.
bool is_main(bci::SiteKind site) {
  return site != bci::SiteKind::kExit && site != bci::SiteKind::kThrow;
}

// Its hits are where calls end, and no such place could be patched.
template <typename IsOfProbe>
bool is_without_exits(const ProbeSpec& spec, const bci::PatchResult& result,
                      IsOfProbe is_of_probe) {
  const auto is_exit = [](const auto& site) { return site.kind == bci::SiteKind::kExit; };
  return spec.at_end() &&
         std::ranges::any_of(result.refused,
                             [&](const auto& one) { return is_of_probe(one) && is_exit(one); }) &&
         std::ranges::none_of(result.methods, [&](const auto& one) {
           return is_of_probe(one) && std::ranges::any_of(one.sites, is_exit);
         });
}

std::string refusal_words(const bci::RefusedSite& site) {
  const std::string detail = site.detail.empty() ? "" : ": " + site.detail;
  if (site.reason != bci::SkipReason::kNoSuchVariable) {
    return std::string(to_string(site.reason)) + detail;
  }
  constexpr std::string_view kField = "FIELD ";
  if (site.detail.starts_with(kField)) {
    return "its class has no field '" + site.detail.substr(kField.size()) + "' of its own";
  }
  return "there is no such variable there, or it is not set yet" + detail;
}

std::string partly_words(const std::string& class_name, const std::string& method) {
  return "some of " + dotted_name(class_name) + "." + method + " is not seen: ";
}

// Of a method without a probe the reason is enough, unless an overload has a probe.
template <typename Probes, typename Probe>
void drop_partly(std::set<std::string>& notes, const Probes& probes, const Probe& gone) {
  for (const auto& [number, probe] : probes) {
    if (probe.class_name == gone.class_name && probe.method == gone.method &&
        probe.removed.empty()) {
      return;
    }
  }
  const std::string words = partly_words(gone.class_name, gone.method);
  std::erase_if(notes, [&](const std::string& note) { return note.starts_with(words); });
}

}  // namespace

void ProbeCode::add(ProbeSetId id, ProbeSpec spec, double budget) {
  const std::lock_guard lock(mutex_);
  ProbeSet& entry = sets_[id];
  entry.filter = MethodFilter(spec.request.methods);
  entry.budget = budget;
  entry.spec = std::make_shared<const ProbeSpec>(std::move(spec));
  adding_.insert(id);
}

std::set<ProbeCode::ProbeSetId> ProbeCode::adding() const {
  const std::lock_guard lock(mutex_);
  return adding_;
}

void ProbeCode::settled(const std::set<ProbeSetId>& added) {
  const std::lock_guard lock(mutex_);
  for (const ProbeSetId id : added) adding_.erase(id);
  for (auto& [number, probe] : probes_) probe.settled = true;
}

void ProbeCode::remove(ProbeSetId id) {
  const std::lock_guard lock(mutex_);
  sets_.erase(id);
  adding_.erase(id);
}

std::string ProbeCode::remove_over_budget(JNIEnv* jni, Number number, double budget) {
  const std::lock_guard lock(mutex_);
  const auto at = probes_.find(number);
  if (at == probes_.end()) return "";
  Probe& probe = at->second;
  probe.removed = kBudget;
  records_.end(jni, probe.cell);
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(over_budget_, [now](const auto& entry) { return entry.second.until < now; });
  const auto set = sets_.find(probe.set);
  if (set != sets_.end() && now - probe.since <= kJustIn) {
    const std::string name = full_name(probe.class_name, probe.method, probe.descriptor);
    over_budget_[with_kind(name, set->second.spec->request)] = {now + kStaysOut, budget};
  }
  return probe.class_name;
}

bool ProbeCode::is_over_budget(const ProbeSet& set, const std::string& method) const {
  if (over_budget_.empty()) return false;
  const auto at = over_budget_.find(with_kind(method, set.spec->request));
  return at != over_budget_.end() && set.budget <= at->second.budget &&
         std::chrono::steady_clock::now() < at->second.until;
}

void ProbeCode::forget(ProbeSetId id) {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, probe] : probes_) {
    if (probe.set == id && probe.cell >= 0) cells_.give_back(probe.cell);
  }
  std::erase_if(probes_, [&](const auto& entry) { return entry.second.set == id; });
}

bool ProbeCode::any_set() const {
  const std::lock_guard lock(mutex_);
  return !sets_.empty();
}

std::map<ProbeCode::Number, ProbeCode::Probe> ProbeCode::probes() const {
  const std::lock_guard lock(mutex_);
  return probes_;
}

// A class that is being loaded gets the parked probes too, for a set that adopts them later.
bool ProbeCode::may_want(std::string_view internal_name, bool is_platform) {
  const std::lock_guard lock(mutex_);
  return patched_.contains(internal_name) || std::ranges::any_of(sets_, [&](const auto& entry) {
           return entry.second.filter.may_want_class(internal_name, is_platform);
         });
}

// Asked of classes that are linked now: those loaded before the set was added have no probe of it.
bool ProbeCode::needs_change(jclass klass, std::string_view internal_name, bool is_platform) {
  const std::lock_guard lock(mutex_);
  const bool wanted = std::ranges::any_of(sets_, [&](const auto& entry) {
    return !entry.second.parked && entry.second.filter.may_want_class(internal_name, is_platform);
  });
  return wanted && gets_probe(klass, internal_name, is_platform,
                              [](ProbeSetId, const ProbeSet& set) { return !set.parked; });
}

// Classes of other sets than those that come and go keep their code: a change discards what the JIT
// has compiled of it.
bool ProbeCode::comes_or_goes(jclass klass, std::string_view internal_name, bool is_platform) {
  const std::lock_guard lock(mutex_);
  if (has_left(internal_name) && calls_static_of(jvmti_, klass, kSinksClass)) return true;
  const auto is_asked = [&](ProbeSetId id, const ProbeSet& set) {
    return adding_.contains(id) && set.filter.may_want_class(internal_name, is_platform);
  };
  return std::ranges::any_of(
             sets_, [&](const auto& entry) { return is_asked(entry.first, entry.second); }) &&
         gets_probe(klass, internal_name, is_platform, is_asked);
}

// A set has gone that has or had a probe in such a class.
bool ProbeCode::has_left(std::string_view internal_name) const {
  return patched_.contains(internal_name) && std::ranges::any_of(probes_, [&](const auto& entry) {
           const Probe& probe = entry.second;
           return probe.class_name == internal_name && probe.cell >= 0 &&
                  !sets_.contains(probe.set);
         });
}

void ProbeCode::incomplete(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  for (auto& [id, set] : sets_) set.notes.insert("a class stays as it was: " + reason);
}

// The class keeps its previous code, which includes the probes of earlier sets. Where none is being
// added, one goes, or a class that was loaded before its probes has been linked.
void ProbeCode::refused(std::string_view internal_name, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  for (auto& [number, probe] : probes_) {
    if (probe.class_name != internal_name || !probe.removed.empty()) continue;
    if (adding_.empty() ? probe.settled : !adding_.contains(probe.set)) continue;
    probe.removed = "the VM does not take its class with it (" + reason + ")";
  }
}

void ProbeCode::record_hits(JNIEnv* jni, const Probe& probe, const ProbeRequest& request) {
  if (!request.recorded()) return;
  records_.begin(jni, probe.cell, probe.set, request,
                 request.field.empty() ? kinds_of(probe.descriptor) : "");
}

std::vector<Patcher::Part> ProbeCode::parts(JNIEnv* jni, const LoadingClass& loading,
                                            bci::ByteSpan class_file) {
  bci::SkipReason why = bci::SkipReason::kNone;
  const auto file = bci::ClassFile::parse(class_file, why);
  if (!file) {
    incomplete(std::string(to_string(why)));
    return {};
  }
  const std::lock_guard lock(mutex_);
  const std::string name(file->name);
  const auto plan = std::make_shared<bci::PatchPlan>();
  plan->test_class = kSinksClass;
  for (auto& [id, set] : sets_) {
    for (const bci::MethodOutline& method : file->methods) {
      if (!set.filter.wants(name, method.name, method.descriptor, loading.is_platform)) continue;
      const Wanted wanted{
          name,
          method.name,
          method.descriptor,
          loading.is_platform,
          loading.is_new,
          why_no_probe(name, method.access, method.descriptor, method.code.has_value()),
          has_site(*set.spec, *file, method)};
      const Number number = row_of(id, set, wanted);
      if (number == 0) continue;
      Probe& probe = probes_[number];
      if (!takes_probe(jni, set, probe, wanted)) continue;
      ProbePlace place{name, std::string(method.name), std::string(method.descriptor), probe.cell};
      if (!set.spec->field.empty()) place.field_owners = field_owners(*set.spec, file->pool);
      plan->methods.push_back(probe_patches(*set.spec, place));
    }
  }
  if (plan->methods.empty()) return {};
  patched_.insert(name);
  return {{plan, &ids_}};
}

void ProbeCode::patched(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan class_file,
                        const std::vector<Part>& parts) {
  if (parts.empty()) return;
  bci::SkipReason why = bci::SkipReason::kNone;
  const auto file = bci::ClassFile::parse(class_file, why);
  const std::string name(loading.internal_name);
  const std::lock_guard lock(mutex_);
  for (const Part& part : parts) {
    record_refusals(jni, name, part.result);
    if (file) record_absences(jni, *file, part.result);
  }
}

void ProbeCode::record_refusals(JNIEnv* jni, const std::string& class_name,
                                const bci::PatchResult& result) {
  for (const bci::RefusedSite& site : result.refused) {
    const std::string reason = refusal_words(site);
    for (auto& [number, probe] : probes_) {
      if (probe.class_name != class_name || !probe.removed.empty()) continue;
      if (!site.name.empty() &&
          (probe.method != site.name || probe.descriptor != site.descriptor)) {
        continue;
      }
      const bool is_whole =
          site.kind == bci::SiteKind::kEnter || (is_main(site.kind) && site.bci < 0);
      if (is_whole && !probe.in_code) {
        probe.removed = "it cannot be rewritten (" + reason + ")";
        records_.end(jni, probe.cell);
        continue;
      }
      const auto set = sets_.find(probe.set);
      if (set == sets_.end()) continue;
      set->second.notes.insert(partly_words(class_name, probe.method) +
                               std::string(to_string(site.kind)) + " (" + reason + ")");
    }
  }
}

// The method lacks the requested line or field, or has it only where no code could be inserted.
// Another loader's class of the same name may have other methods.
void ProbeCode::record_absences(JNIEnv* jni, const bci::ClassFile& file,
                                const bci::PatchResult& result) {
  for (auto& entry : probes_) {
    Probe& probe = entry.second;
    if (probe.class_name != file.name || !probe.removed.empty()) continue;
    const auto is_of_probe = [&probe](const auto& one) {
      return one.name == probe.method && one.descriptor == probe.descriptor;
    };
    if (std::ranges::none_of(file.methods, is_of_probe)) continue;
    probe.in_code = probe.in_code || std::ranges::any_of(result.methods, is_of_probe);
    const auto set = sets_.find(probe.set);
    if (set == sets_.end()) continue;
    if (probe.in_code && !is_without_exits(*set->second.spec, result, is_of_probe)) continue;
    const std::string no_site = why_no_site(set->second.spec->request);
    const auto refused = std::ranges::find_if(result.refused, is_of_probe);
    probe.removed = refused != result.refused.end()
                        ? "it cannot be rewritten (" + refusal_words(*refused) + ")"
                    : no_site.empty() ? "it cannot be rewritten"
                                      : no_site;
    probe.absent = true;
    records_.end(jni, probe.cell);
    drop_partly(set->second.notes, probes_, probe);
  }
}

}  // namespace ddm
