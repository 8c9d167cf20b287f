// DYPATCH's models: the patched methods, the places in them, and the modes. One thread at a time.
//
//   <MODEL NAME='M1'>
//     <FOR CLASS='shop.Cart' METHOD='total' UPDATE='NEW'>
//       <PATCH WHAT='CALL' MODE='COUNT_METHOD'><WHEN CASE='METHOD' ARG='java.lang.Math.sqrt'
//       /></PATCH>
//     </FOR>
//   </MODEL>
//
// UPDATE NEW, or none, discards the earlier patches of that class and method; ADD keeps them, and replaces
// only a patch with equal WHAT and WHEN. `*` is any class or method.
#pragma once

#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/patching/patch_modes.h"
#include "bci/patch/patch_plan.h"

namespace ddm {

class PatchModels {
 public:
  PatchModes& modes() { return modes_; }

  // `model`: MODEL or PATCHMODEL. A faulty patch is reported, and the others are taken.
  void change(pugi::xml_node model, DyperErrors& errors);

  bool contains(std::string_view name) const { return models_.contains(name); }
  // Empty: the model is unknown or empty.
  bci::PatchPlan plan(std::string_view name) const;

 private:
  struct Target {
    std::string class_name, method;  // internal name
    std::vector<bci::Patch> patches;
  };
  using Model = std::vector<Target>;

  void change(Model& model, pugi::xml_node target, DyperErrors& errors);
  std::optional<bci::Patch> patch_of(pugi::xml_node node, DyperErrors& errors) const;

  PatchModes modes_;
  std::map<std::string, Model, std::less<>> models_;
};

}  // namespace ddm
