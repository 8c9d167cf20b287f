// The agent's side of ddm-instrumenter.jar, which has the class names of java-allocation-instrumenter.
//
// The jar's class AgentLink calls natives that the VM finds in this library by name. The jar keeps the
// program's samplers and callbacks; one method of it is called for every object (ObjectListener).
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

  // From now on the natives work.
  void opened(JNIEnv* jni, bool late) override;
  void thread_ending(JNIEnv* jni, jthread thread) override;
  void end() override;

  // The natives; any attached thread. "" or the error. prepare() precedes listen().
  std::string prepare(JNIEnv* jni);
  std::string listen(JNIEnv* jni, jclass listener);
  // Reports the calling thread's objects that have not been reported yet.
  void settle(JNIEnv* jni);
  // Ends reporting to this listener; tracking continues.
  void ignore(JNIEnv* jni, jclass listener);

 private:
  const HandlerContext& context_;
  Tracking* const tracking_;
};

}  // namespace ddm
