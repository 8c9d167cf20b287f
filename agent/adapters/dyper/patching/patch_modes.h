// Patch modes, which MODEL names: the code that a patch inserts. Built in, or from documents.
//
//   <DYPATCH_MODE NAME='COUNT_METHOD' CONTEXT='ddm.Tracker'>
//     <CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem' SIGNATURE='(int)'>
//       <CONDITION TYPE='ARG' LVALUE='1' RVALUE='NONNULL' />
//       <ARG TYPE='METHODID' />
//     </CODE>
//     <INSTRUCTION />                          code after this runs after the instruction
//   </DYPATCH_MODE>
//
// CLASS='ddm.Tracker' means the agent's own sinks; another class is called itself. One thread at a
// time.
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

// The class name that means the sinks.
inline constexpr std::string_view kTrackerName = "ddm.Tracker";

struct PatchMode {
  std::vector<bci::PatchCall> before, after;
};

class PatchModes {
 public:
  // Starts with the built-in modes.
  PatchModes();

  // Reads all DYPATCH_MODE and MODE children of `root`; a known name is redefined. A faulty element
  // is reported, and the others are taken.
  void add(pugi::xml_node root, DyperErrors& errors);
  const PatchMode* find(std::string_view name) const;

  // Reads one element; none: the reason is in `errors`.
  static std::optional<PatchMode> read(pugi::xml_node mode, DyperErrors& errors);

 private:
  std::map<std::string, PatchMode, std::less<>> modes_;
};

}  // namespace ddm
