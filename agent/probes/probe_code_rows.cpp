// The rows of a set's findings: methods that get a probe, and those that get none, with the reason.
// Lock held.
#include <algorithm>

#include "core/class_names.h"
#include "probes/loaded_sites.h"
#include "probes/plans/probe_sites.h"
#include "probes/probe_code.h"

namespace ddm {

std::string ProbeCode::full_name(std::string_view class_name, std::string_view method,
                                 std::string_view descriptor) {
  return std::string(class_name) + ' ' + std::string(method) + std::string(descriptor);
}

ProbeCode::Number ProbeCode::row_of(ProbeSetId id, ProbeSet& set, const Wanted& wanted) {
  const std::string name = full_name(wanted.class_name, wanted.method, wanted.descriptor);
  if (const auto at = set.numbers.find(name); at != set.numbers.end()) return at->second;
  // A method that is named by itself keeps its row, with the reason.
  const bool is_one_of_many = set.spec->request.methods.find('*') != std::string::npos ||
                              set.filter.wants_all_of(wanted.class_name, wanted.is_platform);
  if (is_one_of_many && !wanted.has_site) {
    set.without_site.insert(std::hash<std::string>()(name));
    return 0;
  }
  if (set.methods == kMostMethods) {
    set.left_out.insert(std::hash<std::string>()(name));
    return 0;
  }
  ++set.methods;
  const Number number = next_++;
  set.numbers.emplace(name, number);
  Probe& probe = probes_[number];
  probe.set = id;
  probe.class_name = wanted.class_name;
  probe.method = wanted.method;
  probe.descriptor = wanted.descriptor;
  if (is_over_budget(set, name)) {
    probe.removed = kBudget;
    set.notes.insert(
        "what took far more than the budget is not put in again for a minute, unless with a larger "
        "--budget");
    return number;
  }
  probe.since = std::chrono::steady_clock::now();
  probe.timed = set.spec->timed();
  probe.condition_work = set.spec->condition_work();
  probe.settled = wanted.is_new;  // no retransformation brings it
  probe.removed = !wanted.why_not.empty() ? wanted.why_not
                  : wanted.has_site       ? ""
                                          : why_no_site(set.spec->request);
  probe.absent = !probe.removed.empty();
  // That of a new class has yet to run.
  if (!probe.absent && wanted.method == "<clinit>" && !wanted.is_new) {
    set.with_initialiser.insert(dotted_name(wanted.class_name));
  }
  return number;
}

bool ProbeCode::takes_probe(JNIEnv* jni, const ProbeSet& set, Probe& probe, const Wanted& wanted) {
  bool begins = probe.cell < 0;
  if (probe.absent && wanted.why_not.empty() && wanted.has_site) {
    probe.absent = false;
    probe.removed.clear();
    begins = true;
  }
  if (!probe.removed.empty()) return false;
  if (probe.cell < 0) probe.cell = probe.timed ? cells_.take_timer() : cells_.take_counter();
  if (probe.cell < 0) {
    probe.removed = "there are too many probes in this program";
    return false;
  }
  if (begins && !set.parked) record_hits(jni, probe, set.spec->request);
  return true;
}

bool ProbeCode::gets_probe(jclass klass, std::string_view internal_name, bool is_platform,
                           const std::function<bool(ProbeSetId, const ProbeSet&)>& is_asked) {
  LoadedSites sites(jvmti_, klass, internal_name);
  const auto any_wanted = [&](const auto& is_it) {
    return sites.any([&](const LoadedSites::Method& method) {
      return std::ranges::any_of(sets_, [&](auto& entry) {
        auto& [id, set] = entry;
        return is_asked(id, set) &&
               set.filter.wants(internal_name, method.name, method.descriptor, is_platform) &&
               is_it(id, set,
                     Wanted{internal_name, method.name, method.descriptor, is_platform, false,
                            sites.why_no_probe(method), sites.has_site(*set.spec, method)});
      });
    });
  };
  const bool gets = any_wanted([&](ProbeSetId, const ProbeSet& set, const Wanted& wanted) {
    return wanted.why_not.empty() && wanted.has_site &&
           !is_over_budget(set, full_name(internal_name, wanted.method, wanted.descriptor));
  });
  if (gets) return true;
  any_wanted([&](ProbeSetId id, ProbeSet& set, const Wanted& wanted) {
    if (const Number number = row_of(id, set, wanted); number != 0) {
      Probe& probe = probes_[number];
      // Its time out of the code may have ended since it was asked for.
      if (probe.cell < 0 && probe.removed.empty()) probe.removed = kBudget;
    }
    return false;
  });
  return false;
}

}  // namespace ddm
