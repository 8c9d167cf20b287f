// What the agent does is a list of features (agent.cpp). A feature is one class in a folder of its
// own, made when the VM is live; the core tells it of the moments below, in the order of the list.
//
//   add_chunks         its requests are registered; no server has come yet
//   vm_live            everything is there; servers cannot come yet
//   opened             servers may come from now on
//   take_options       an option string: the first one, and that of every further load
//   start              what the string switches on, once all features have taken it
//   started            all of that is on
//   loaded             all that is over, with what has been logged, for who loads from outside
//   before_main        the program's main method runs next; not at a late attach
//   end                VMDeath: nothing that takes long begins any more. Must not wait long
//   end_after_servers  no server is there any more
//   last_words         the reports of the end; without JNI where the VM must not be asked
//
// What the end may wait for: core/exit_limits.h. Each moment comes on an attached thread, unless said
// otherwise. Features live as long as the process.
#pragma once

#include <jvmti.h>

#include <memory>
#include <string>
#include <vector>

#include "core/given_options.h"

namespace ddm {

class Dispatcher;
class Session;

class Feature {
 public:
  virtual ~Feature() = default;

  virtual void add_chunks(Dispatcher&) {}
  virtual void vm_live(JNIEnv*, bool /*late*/) {}
  virtual void opened(JNIEnv*, bool /*late*/) {}
  virtual void take_options(JNIEnv*, const GivenOptions&) {}
  virtual void start(JNIEnv*, const GivenOptions&) {}
  virtual void started() {}
  virtual void loaded(const std::vector<std::string>& /*logged*/) {}
  virtual void before_main() {}

  // JVMTI's events, on the thread concerned.
  virtual void thread_started(JNIEnv*, jthread) {}
  virtual void thread_ending(JNIEnv*, jthread) {}
  // I/O thread, which is not attached.
  virtual void session_begun(const std::shared_ptr<Session>&) {}
  virtual void session_ended(const std::shared_ptr<Session>&) {}

  virtual void end() {}
  virtual void end_after_servers() {}
  // `told`: the features before have written what they were to write; false once one has not.
  virtual bool last_words(JNIEnv* /*null: without the VM*/, bool told) { return told; }
};

}  // namespace ddm
