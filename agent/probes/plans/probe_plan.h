// What is put into a method for a probe: calls of the sinks, as the rewriter's data.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bci/patch/patch_plan.h"
#include "core/result.h"
#include "probes/plans/sinks.h"
#include "wire/chunks/probes.h"

namespace ddm {

// A request, understood.
struct ProbeWish {
  ProbeRequest request;
  std::vector<bci::PatchCondition> conditions;
  std::string field_owner, field;  // the class as in the request, with slashes; "": any

  bool timed() const { return (request.what & kProbeTime) != 0; }
  bool whole_method() const { return request.line == 0 && request.field.empty(); }
  // A condition is about what is returned: hits are calls that return.
  bool at_return() const;
  // A class without a package is any of that name, in classes too.
  bool means_field(std::string_view owner, std::string_view name) const;
};

// The error is one sentence: what does not go together, or cannot be read.
Result<ProbeWish> read_probe_wish(ProbeRequest request);

struct ProbePlace {
  std::string class_name, method, descriptor;  // internal name
  std::int32_t cell = 0;                       // its counter or timer
  // Classes whose field is meant, as the class file names them.
  std::vector<std::string> field_owners = {};
};

bci::MethodPatches probe_patches(const ProbeWish& wish, const ProbePlace& place);

}  // namespace ddm
