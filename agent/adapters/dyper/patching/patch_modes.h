// What a patch does where it is put: the modes that MODEL names, built in or from documents.
//
//   <DYPATCH_MODE NAME='COUNT_METHOD' CONTEXT='ddm.Tracker'>
//     <CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem' SIGNATURE='(int)'>
//       <CONDITION TYPE='ARG' LVALUE='1' RVALUE='NONNULL' />
//       <ARG TYPE='METHODID' />
//     </CODE>
//     <INSTRUCTION />                          what stands behind it runs behind the instruction
//   </DYPATCH_MODE>
//
// CLASS='ddm.Tracker' is the agent's own sinks; any other is called as it is. One thread at a time.
#pragma once

#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/dyper/documents/request.h"
#include "bci/patch/patch_plan.h"
#include "probes/plans/sinks.h"

namespace ddm {

// Stands for the sinks.
inline constexpr std::string_view kTrackerName = "ddm.Tracker";

struct PatchMode {
  std::vector<bci::PatchCall> before, after;
};

class PatchModes {
 public:
  // With those that are built in.
  PatchModes();

  // All DYPATCH_MODE and MODE elements inside of `root`; a name that is there already gets the new
  // meaning. What is wrong with one leaves the others.
  void add(pugi::xml_node root, std::vector<DyperError>& errors);
  const PatchMode* find(std::string_view name) const;

  // One element; none, with the reason in `errors`.
  static std::optional<PatchMode> read(pugi::xml_node mode, std::vector<DyperError>& errors);

 private:
  std::map<std::string, PatchMode, std::less<>> modes_;
};

}  // namespace ddm
