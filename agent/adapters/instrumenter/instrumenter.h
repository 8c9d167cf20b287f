// The agent's side of ddm-instrumenter.jar, which has the names of java-allocation-instrumenter's classes.
//
// The jar's class AgentLink calls natives that the VM finds in this library by name; samplers and callbacks
// of the program are kept by the jar, whose one method is told of every object (ObjectListener).
#pragma once

#include <jni.h>

#include <string>

#include "allocations/tracking.h"
#include "core/feature.h"
#include "wire/handler_context.h"

namespace ddm {

class Instrumenter final : public Feature {
 public:
  // `tracking` null: this VM lacks what it needs.
  Instrumenter(const HandlerContext& context, Tracking* tracking)
      : context_(context), tracking_(tracking) {}

  // From here on the natives work.
  void opened(JNIEnv* jni, bool late) override;
  void thread_ending(JNIEnv* jni, jthread thread) override;
  void end() override;

  // The natives; any attached thread. "" or why nothing can be told. prepare(): something will listen.
  std::string prepare(JNIEnv* jni);
  std::string listen(JNIEnv* jni, jclass listener);
  // Tells what the calling thread has made and not told yet.
  void settle(JNIEnv* jni);
  // Tells no more; the agent goes on counting.
  void ignore(JNIEnv* jni);

 private:
  const HandlerContext& context_;
  Tracking* const tracking_;
};

}  // namespace ddm
