// The agent's side of ddm-test.jar: what a test, or a piece of a program, has allocated.
//
// The jar's class AgentLink calls natives that the VM finds in this library by name. They allocate
// nothing on the Java heap while a scope is open, so that what is measured is the program's alone. The jar
// may be there several times, in several class loaders; nothing is known of it here.
#pragma once

#include <jni.h>

#include <mutex>
#include <string>
#include <unordered_map>

#include "allocations/tracking.h"
#include "core/feature.h"
#include "wire/handler_context.h"

namespace ddm {

class TestKit final : public Feature {
 public:
  // `tracking` null: this VM lacks what it needs.
  TestKit(const HandlerContext& context, Tracking* tracking)
      : context_(context), tracking_(tracking) {}

  // From here on the natives work.
  void opened(JNIEnv* jni, bool late) override;

  // The natives; any attached thread.
  // "" or why nothing can be counted.
  std::string prepare(JNIEnv* jni);
  // `live`: what of it stays alive is wanted, too.
  ScopeNumber begin(JNIEnv* jni, ScopeRoot root, bool live);
  void end(ScopeNumber scope);
  // scope_text() of one that has ended; "": there is no such scope any more.
  std::string take(ScopeNumber scope, std::size_t most_sites, std::size_t most_frames);

 private:
  // After a collection that it makes.
  std::optional<LiveBySite> alive_now();

  const HandlerContext& context_;
  Tracking* const tracking_;

  std::mutex mutex_;
  std::unordered_map<ScopeNumber, LiveBySite> alive_before_;  // where what stays alive is wanted
};

}  // namespace ddm
