// DYPATCH's models: which methods are patched, where and in which mode. One thread at a time.
//
//   <MODEL NAME='M1'>
//     <FOR CLASS='shop.Cart' METHOD='total' UPDATE='NEW'>
//       <PATCH WHAT='CALL' MODE='COUNT_METHOD'><WHEN CASE='METHOD' ARG='java.lang.Math.sqrt'
//       /></PATCH>
//     </FOR>
//   </MODEL>
//
// UPDATE NEW forgets what was there for that class and method, ADD keeps what is put elsewhere: a
// patch of the same WHAT and WHEN takes the place of the former. `*` is any class or method.
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

  // `model`: MODEL or PATCHMODEL. What is wrong with a patch leaves the others.
  void change(pugi::xml_node model, std::vector<DyperError>& errors);

  bool contains(std::string_view name) const { return models_.contains(name); }
  // Empty: there is no such model, or nothing in it.
  bci::PatchPlan plan(std::string_view name) const;

 private:
  struct Target {
    std::string class_name, method;  // internal name
    std::vector<bci::Patch> patches;
  };
  using Model = std::vector<Target>;

  void change(Model& model, pugi::xml_node target, std::vector<DyperError>& errors);
  std::optional<bci::Patch> patch_of(pugi::xml_node node, std::vector<DyperError>& errors) const;

  PatchModes modes_;
  std::map<std::string, Model, std::less<>> models_;
};

}  // namespace ddm
