// Applies patches to one method.
#pragma once

#include <vector>

#include "bci/patch/patch_class.h"
#include "bci/patch/site_code.h"

namespace bci {

class MethodPatcher {
 public:
  MethodPatcher(ClassContext& context, MethodContext& method, CodeEditor& editor,
                const PatchPlan& plan, PatchIds& ids, std::vector<const Patch*> patches,
                PatchResult& result);

  void apply();

 private:
  // Whether `this` is initialized in a constructor without a frame there.
  bool this_initialized(Label at) const;
  void collect_added_variables();
  void at_entry();
  void at_instruction(Label label, const TypeState* before, const TypeState* behind);
  void apply_at(const Patch& patch, const Site& site, const TypeState* before,
                const TypeState* behind);
  // Puts the calls of a patch, one list of them, where `insert(code)` puts their code.
  template <typename Insert>
  void apply_calls(const Patch& patch, const Site& site, const TopValue& top,
                   const TypeState* state, bool this_is_initialized, Insert insert,
                   bool whole_method = false);
  void between_instructions(const Patch& patch, const Site& site, const TopValue& top,
                            const TypeState* state);
  void around_instruction(const Patch& patch, const Site& site, const TypeState* before,
                          const TypeState* behind);
  void behind_super_call(Label label, const TypeState* behind);
  void complete_object(Label label, const TypeState& before, const TypeState* behind);
  void at_throws();
  void watch_parameters(const TypeState* before);
  MaybeValue method_lock(const Site& site, const TypeState* state);
  bool is_synchronized() const { return (method_.outline().access & kAccSynchronized) != 0; }
  bool wants_throws(const Patch& patch) const;

  void add_site(const Site& site);
  void refuse(const Site& site, CallRefusal refusal, bool whole_method = false);

  ClassContext& context_;
  MethodContext& method_;
  CodeEditor& editor_;
  const std::vector<const Patch*> patches_;
  PatchResult& result_;
  PatchScope scope_;
  ScratchSlots scratch_;
  SiteCode code_;
  PatchedMethod patched_;
  struct Waiting {
    const Patch* patch;
    Site site;
    bool done = false;
  };
  std::vector<Waiting> waiting_;  // new objects that are passed on after their constructor
  std::vector<FlowType> steady_;  // parameters by slot that keep their type in the whole method
  std::string array_type_;
};

}  // namespace bci
