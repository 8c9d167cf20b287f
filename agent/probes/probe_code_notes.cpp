// What there is to say of a set of probes beside its methods.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/class_names.h"
#include "probes/probe_code.h"
#include "vm/jdwp_agent.h"

namespace ddm {
namespace {

std::string note_of_initialisers(const std::set<std::string>& classes) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t named = std::min(classes.size(), kMostNamed);
  const auto last = std::next(classes.begin(), static_cast<std::ptrdiff_t>(named));
  const std::size_t others = classes.size() - named;
  return fmt::format(
      "a static initialiser runs once: where the class was initialised before, it is not seen "
      "({}{})",
      fmt::join(classes.begin(), last, ", "),
      others > 0 ? fmt::format(" and {} more", others) : "");
}

// Of the methods that match and have no probe, since they lack what it is for.
std::string note_of_absences(const ProbeRequest& request, std::size_t methods) {
  const bool one = methods == 1;
  return fmt::format(
      "{} {} and {}", methods, one ? "method matches" : "methods match",
      request.line > 0
          ? fmt::format("{} no code at line {}", one ? "has" : "have", request.line)
          : fmt::format("{} not use the field {}", one ? "does" : "do", request.field));
}

}  // namespace

std::vector<std::string> ProbeCode::notes(ProbeSetId id) const {
  const std::lock_guard lock(mutex_);
  const auto at = sets_.find(id);
  if (at == sets_.end()) return {};
  std::vector<std::string> notes(at->second.notes.begin(), at->second.notes.end());
  if (const auto& classes = at->second.with_initialiser; !classes.empty()) {
    notes.push_back(note_of_initialisers(classes));
  }
  std::set<std::string> odd;
  for (const ProbeComparison& comparison : at->second.spec->conditions) {
    odd.merge(paths_.notes(comparison.path));
  }
  notes.insert(notes.end(), odd.begin(), odd.end());
  if (const auto& absent = at->second.without_site; !absent.empty()) {
    notes.push_back(note_of_absences(at->second.spec->request, absent.size()));
  } else if (at->second.numbers.empty()) {
    notes.push_back(with_meant_pattern(
        "no loaded class has such a method; one that is loaded later gets its probe",
        at->second.spec->request.methods));
  }
  const bool changed = std::ranges::any_of(
      probes_, [id](const auto& probe) { return probe.second.set == id && probe.second.in_code; });
  if (changed && !jdwp_library().empty()) {
    notes.push_back(
        "putting probes in and taking them out removes a debugger's breakpoints in these classes, "
        "until it clears and sets them again");
  }
  if (!at->second.left_out.empty()) {
    notes.push_back(std::to_string(at->second.left_out.size()) +
                    " more methods match and have no probe: " + std::to_string(kMostMethods) +
                    " is the most");
  }
  return notes;
}

}  // namespace ddm
