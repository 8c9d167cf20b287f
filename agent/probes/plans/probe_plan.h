// The code that a probe adds to a method: calls of the sinks, as data for the rewriter.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bci/patch/patch_plan.h"
#include "core/result.h"
#include "probes/plans/hit_costs.h"
#include "probes/plans/probe_condition.h"
#include "probes/plans/sinks.h"
#include "wire/chunks/probes.h"

namespace ddm {

// A parsed request.
struct ProbeSpec {
  ProbeRequest request;
  std::vector<ProbeComparison> conditions;
  std::string field_owner, field;  // the class as in the request, with slashes; "": any

  bool timed() const { return (request.what & kProbeTime) != 0; }
  // A condition uses the return value, so only calls that return count as hits.
  bool at_return() const { return compares(bci::ArgumentKind::kReturn); }
  // A condition uses the duration, so calls that end count as hits.
  bool at_end() const { return compares(bci::ArgumentKind::kNewLocal); }
  ConditionWork condition_work() const;
  // A class name without a package matches classes of any package, nested classes too.
  bool means_field(std::string_view owner, std::string_view name) const;

 private:
  bool compares(bci::ArgumentKind left) const;
};

// The error is one sentence: options that exclude each other, or text that cannot be parsed.
Result<ProbeSpec> parse_probe(ProbeRequest request);

struct ProbePlace {
  std::string class_name, method, descriptor;  // internal name
  std::int32_t cell = 0;                       // its counter or timer
  // The classes that own the requested field, as the class file names them.
  std::vector<std::string> field_owners = {};
};

bci::MethodPatches probe_patches(const ProbeSpec& spec, const ProbePlace& place);

}  // namespace ddm
