#include "bci/patch/method_patcher.h"

#include <algorithm>

#include "bci/code_states.h"
#include "bci/opcodes.h"
#include "bci/patch/site_code.h"

namespace bci {
namespace {

Calls pointers(const std::vector<PatchCall>& calls) {
  Calls all;
  for (const PatchCall& call : calls) all.push_back(&call);
  return all;
}

Calls both(const Patch& patch) {
  Calls all = pointers(patch.before);
  for (const PatchCall& call : patch.after) all.push_back(&call);
  return all;
}

bool asks_for_object(const PatchCall& call) {
  const auto is_object = [](const PatchArgument& argument) {
    return argument.kind == ArgumentKind::kStack;
  };
  return std::ranges::any_of(call.arguments, is_object) ||
         std::ranges::any_of(call.conditions,
                             [&](const PatchCondition& each) { return is_object(each.left); });
}

class MethodPatcher {
 public:
  MethodPatcher(ClassContext& context, MethodContext& method, CodeEditor& editor,
                const PatchPlan& plan, PatchIds& ids, std::vector<const Patch*> patches,
                PatchResult& result)
      : context_(context),
        method_(method),
        editor_(editor),
        patches_(std::move(patches)),
        result_(result),
        scope_(context, method, editor, ids),
        scratch_(editor),
        code_(scope_, scratch_, plan.test_class),
        steady_(scope_.parameters) {
    patched_.name = method.name();
    patched_.descriptor = method.descriptor();
  }

  void apply() {
    collect_added_variables();
    at_entry();
    visit_states(editor_.code(), method_.shape(), context_.pool(),
                 [&](Label label, const TypeState* before, const TypeState* behind) {
                   at_instruction(label, before, behind);
                 });
    for (const Waiting& each : waiting_) {
      if (!each.done) {
        refuse(each.site, {SkipReason::kTypeUnknown, "its constructor call was not found"});
      }
    }
    at_throws();
    if (!patched_.sites.empty()) result_.methods.push_back(std::move(patched_));
  }

 private:
  bool is_synchronized() const { return (method_.outline().access & kAccSynchronized) != 0; }

  void collect_added_variables() {
    for (const Patch* patch : patches_) {
      for (const PatchCall* call : both(*patch)) {
        const auto sink = MethodDescriptor::parse(call->sink.descriptor);
        if (call->result_local.empty() || !sink || sink->result == "V") continue;
        const auto [known, is_new] =
            scope_.added.try_emplace(call->result_local, AddedVariable{std::string(sink->result)});
        if (!is_new && known->second.type != sink->result) known->second.type.clear();
      }
    }
  }

  // Whether `this` is initialized in a constructor without a frame there.
  bool this_initialized(Label at) const {
    const ConstructorFlow* flow = method_.constructor_flow();
    return flow != nullptr && at >= flow->initialized_from;
  }

  MaybeValue method_lock(const Site& site, const TypeState* state) {
    if (!method_.outline().is_static()) {
      return value_of({ArgumentKind::kThis}, {scope_, site, state, true});
    }
    constexpr std::uint16_t kClassConstants = 49;  // ldc of a class
    if (context_.file().major < kClassConstants) return {};
    return some_value("Ljava/lang/Class;",
                      [name = context_.name()](Snippet& code) { code.push_class(name); });
  }

  // Puts the calls of a patch, one list of them, where `insert(code)` puts their code.
  template <typename Insert>
  void apply_calls(const Patch& patch, const Site& site, const TopValue& top,
                   const TypeState* state, bool this_is_initialized, Insert insert,
                   bool whole_method = false) {
    CallRefusal refusal;
    const auto code = code_.between(both(patch), site, top, state, this_is_initialized, refusal);
    if (!code) return refuse(site, std::move(refusal), whole_method);
    insert(*code);
    add_site(site);
  }

  void at_entry() {
    const auto entry = entry_state(editor_.code(), method_.shape(), context_.pool());
    const TypeState* const state = entry ? &*entry : nullptr;
    for (const Patch* patch : patches_) {
      Site site{patch->site, 0, {}, {}, {}, false};
      if (patch->site == SiteKind::kSyncEnter && is_synchronized()) {
        site.of_method = true;
      } else if (patch->site != SiteKind::kEnter || method_.needs_super_call()) {
        continue;
      }
      if (!all_hold(patch->when, site, scope_.tables)) continue;
      const TopValue lock{{}, site.of_method ? method_lock(site, state) : MaybeValue{}};
      apply_calls(*patch, site, lock, state, true,
                  [&](const Snippet& code) { editor_.at_entry(code); });
    }
    if (!method_.needs_super_call() || method_.constructor_flow() != nullptr) return;
    for (const Patch* patch : patches_) {
      if (patch->site != SiteKind::kEnter) continue;
      refuse({SiteKind::kEnter, 0, {}, {}, {}, false}, {SkipReason::kTooComplex, ""});
    }
  }

  void at_instruction(Label label, const TypeState* before, const TypeState* behind) {
    scratch_.begin();
    watch_parameters(before);
    // Sites between instructions first: a block begins before the effects of its first instruction.
    for (const bool between : {true, false}) {
      for (const Patch* patch : patches_) {
        const bool is_between =
            patch->site == SiteKind::kBlockStart || patch->site == SiteKind::kLine;
        if (is_between != between) continue;
        const auto site = site_at(patch->site, label, editor_.code(), context_.pool(),
                                  scope_.tables, array_type_);
        if (site && all_hold(patch->when, *site, scope_.tables)) {
          apply_at(*patch, *site, before, behind);
        }
        if (patch->site != SiteKind::kSyncExit || !is_synchronized()) continue;
        if (!is_return(editor_.code().instructions[label].opcode)) continue;
        const Site exit{SiteKind::kSyncExit, label, {}, {}, {}, true};
        if (!all_hold(patch->when, exit, scope_.tables)) continue;
        between_instructions(*patch, exit, {{}, method_lock(exit, before)}, before);
      }
    }
    if (before != nullptr && !waiting_.empty()) complete_object(label, *before, behind);
    if (method_.needs_super_call()) behind_super_call(label, behind);
  }

  void apply_at(const Patch& patch, const Site& site, const TypeState* before,
                const TypeState* behind) {
    if (site.has_instruction()) return around_instruction(patch, site, before, behind);
    TopValue top;
    if (site.kind == SiteKind::kExit && scope_.descriptor && scope_.descriptor->result != "V") {
      top.type = scope_.descriptor->result;
    }
    between_instructions(patch, site, top, before);
  }

  void between_instructions(const Patch& patch, const Site& site, const TopValue& top,
                            const TypeState* state) {
    const bool movable = site.kind == SiteKind::kBlockStart || site.kind == SiteKind::kLine;
    const Label at = movable ? behind_own_handler(site.label) : site.label;
    apply_calls(patch, site, top, at == site.label ? state : nullptr, this_initialized(at),
                [&](const Snippet& code) { editor_.before(at, code); });
  }

  // The first instruction behind a handler of itself, if straight code that nothing else enters
  // leads there. Else `label`.
  Label behind_own_handler(Label label) const {
    const Code& code = editor_.code();
    Label at = label;
    while (in_handler_of_itself(at)) {
      const bool goes_on = code.falls_through(at) && !is_branch(code.instructions[at].opcode);
      if (!goes_on || scope_.tables.blocks.begins(++at)) return label;
    }
    return at;
  }

  void around_instruction(const Patch& patch, const Site& site, const TypeState* before,
                          const TypeState* behind) {
    Calls calls_before = pointers(patch.before), calls_behind;
    if (site.kind == SiteKind::kSyncExit && in_handler_of_itself(site.label)) {
      calls_behind = std::exchange(calls_before, {});
    }
    bool waits = false;
    for (const PatchCall& call : patch.after) {
      // A new object can be passed on only after its constructor has run.
      const bool later = site.kind == SiteKind::kObjectAlloc && asks_for_object(call);
      waits = waits || later;
      if (!later) calls_behind.push_back(&call);
    }
    CallRefusal refusal;
    const auto code = code_.around(calls_before, calls_behind, site, before, behind,
                                   this_initialized(site.label), refusal);
    if (!code) return refuse(site, std::move(refusal));
    if (!code->before.bytes().empty()) editor_.before(site.label, code->before);
    if (!code->behind.bytes().empty()) editor_.after(site.label, code->behind);
    if (waits) waiting_.push_back({&patch, site});
    if (!patch.before.empty() || !calls_behind.empty()) add_site(site);
  }

  // The handler in which javac releases a lock covers its own beginning. A call that throws before
  // the release, at the stack's end, would enter it again with the lock held, for ever.
  bool in_handler_of_itself(Label label) const {
    return std::ranges::any_of(editor_.code().handlers, [&](const ExceptionHandler& one) {
      const auto covers = [&one](Label at) { return one.start <= at && at < one.end; };
      return covers(label) && covers(one.handler);
    });
  }

  void complete_object(Label label, const TypeState& before, const TypeState* behind) {
    const auto object = completed_object(label, scope_, before);
    if (!object || !object->made_at) return;
    for (Waiting& each : waiting_) {
      const Patch* const patch = each.patch;
      const Site& site = each.site;
      if (site.label != *object->made_at) continue;
      Calls calls;
      bool others = !patch->before.empty();
      for (const PatchCall& call : patch->after) {
        if (asks_for_object(call))
          calls.push_back(&call);
        else
          others = true;
      }
      CallRefusal refusal;
      const auto code = code_.behind_constructor(calls, site, label, before, behind, refusal);
      if (!code) {
        refuse(site, std::move(refusal));
        continue;
      }
      editor_.after(label, *code);
      if (!others && !each.done) add_site(site);
      each.done = true;
    }
  }

  void behind_super_call(Label label, const TypeState* behind) {
    const ConstructorFlow* flow = method_.constructor_flow();
    if (flow == nullptr || std::ranges::find(flow->super_calls, label) == flow->super_calls.end()) {
      return;
    }
    for (const Patch* patch : patches_) {
      const Site site{SiteKind::kEnter, 0, {}, {}, {}, false};
      if (patch->site != SiteKind::kEnter || !all_hold(patch->when, site, scope_.tables)) continue;
      apply_calls(*patch, site, {}, behind, this_initialized(label + 1),
                  [&](const Snippet& code) { editor_.after(label, code); });
    }
  }

  bool wants_throws(const Patch& patch) const {
    return patch.site == SiteKind::kThrow ||
           (patch.site == SiteKind::kSyncExit && is_synchronized());
  }

  void watch_parameters(const TypeState* before) {
    for (std::size_t slot = 0; slot < steady_.size(); ++slot) {
      if (before == nullptr) {
        if (context_.file().has_frames() || scope_.is_stored(static_cast<std::uint32_t>(slot))) {
          steady_[slot] = {};
        }
        continue;
      }
      const FlowType now = slot < before->locals.size() ? before->locals[slot] : FlowType{};
      const bool raw = slot == 0 && now.tag == kUninitializedThis;
      if (!raw && !(now == scope_.parameters[slot])) steady_[slot] = {};
    }
  }

  void at_throws() {
    if (std::ranges::none_of(patches_, [&](const Patch* patch) { return wants_throws(*patch); })) {
      return;
    }
    const Label last = editor_.code().end_label() - 1;
    SkipReason why{};
    const auto start = method_.catch_all_start(why);
    // The handler may load locals that are valid in all of the covered code.
    TypeState state;
    state.locals = steady_;
    std::vector<VerificationType> locals;
    for (const FlowType& type : frame_entries(steady_)) {
      const auto verified = verification_type(type, editor_.pool());
      if (!verified) why = SkipReason::kPoolFull;
      locals.push_back(verified.value_or(VerificationType{}));
    }
    while (!locals.empty() && locals.back().tag == kTop) locals.pop_back();
    for (const Patch* patch : patches_) {
      if (!wants_throws(*patch)) continue;
      Site site{patch->site, last, {}, {}, {}, patch->site == SiteKind::kSyncExit};
      if (!all_hold(patch->when, site, scope_.tables)) continue;
      if (!start || why != SkipReason::kNone) {
        refuse(site, {why, ""}, true);
        continue;
      }
      scratch_.begin();
      TopValue top;
      if (site.of_method) {
        top.elsewhere = method_lock(site, &state);
      } else {
        top.type = "Ljava/lang/Throwable;";
      }
      apply_calls(
          *patch, site, top, &state, true,
          [&](const Snippet& code) { editor_.catch_all(*start, code, locals); },
          /*whole_method=*/true);
    }
  }

  void add_site(const Site& site) {
    patched_.sites.push_back({site.kind, editor_.code().bci_of(site.label), site.label});
  }

  void refuse(const Site& site, CallRefusal refusal, bool whole_method = false) {
    const bool has_place = !whole_method && site.kind != SiteKind::kEnter;
    result_.refused.push_back({std::string(method_.name()), std::string(method_.descriptor()),
                               site.kind, refusal.why, std::move(refusal.detail),
                               has_place ? editor_.code().bci_of(site.label) : -1});
  }

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

}  // namespace

void patch_method(ClassContext& context, MethodContext& method, CodeEditor& editor,
                  const PatchPlan& plan, PatchIds& ids, std::vector<const Patch*> patches,
                  PatchResult& result) {
  MethodPatcher(context, method, editor, plan, ids, std::move(patches), result).apply();
}

}  // namespace bci
