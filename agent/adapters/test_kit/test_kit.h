// The agent's side of ddm-test.jar: the allocations of tests and other parts of a program.
//
// The jar's class AgentLink calls natives that the VM finds in this library by name. They allocate
// nothing on the Java heap while a scope is open, so that a scope measures only the program.
// Several class loaders may have loaded the jar; the agent keeps no state about them.
#pragma once

#include <jni.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/test_kit/site_lines.h"
#include "allocations/scopes/scope_figures.h"
#include "allocations/tracking.h"
#include "core/feature.h"
#include "wire/handler_context.h"

namespace ddm {

class TestKit final : public Feature {
 public:
  // `tracking` null: this VM cannot track allocations.
  TestKit(const HandlerContext& context, Tracking* tracking)
      : context_(context), tracking_(tracking) {}

  // From now on the natives work.
  void opened(JNIEnv* jni, bool late) override;

  // The natives; any attached thread.
  // "" or the error.
  std::string prepare(JNIEnv* jni);
  // `live`: also find out which of the scope's objects stay alive.
  ScopeNumber begin_scope(JNIEnv* jni, ScopeRoot root, bool live);
  void end_scope(ScopeNumber scope);
  // An ended scope as the jar reads it (scope_text()); "": the scope no longer exists.
  std::string take(ScopeNumber scope, std::size_t most_sites, std::size_t most_frames);
  // Begins a file of tests' sites (SiteLines); returns its number.
  std::uint64_t begin_lines();
  // The same, for such a file: scope_sums(), then the lines of `test`.
  std::string take_lines(ScopeNumber scope, std::uint64_t file, std::string_view test);

 private:
  struct Taken {
    std::shared_ptr<const void> names_held;
    ScopeFigures figures;
    std::optional<LiveAmount> alive;
  };
  std::optional<Taken> take_figures(ScopeNumber scope);
  // Forces a collection first.
  std::optional<LiveBySite> alive_now();

  const HandlerContext& context_;
  Tracking* const tracking_;

  std::mutex mutex_;
  std::unordered_map<ScopeNumber, LiveBySite> alive_before_;  // of scopes begun with `live`

  // Held while figures are computed: tests may end on several threads at once.
  std::mutex figures_mutex_;
  MethodKinds kinds_;
  std::vector<SiteLines> files_;  // by number
};

}  // namespace ddm
