// The agent is a list of features (agent.cpp). A feature is one class in a folder of its own,
// constructed when the VM is live; the core calls the methods below in the order of the list.
//
//   add_chunks           registers request handlers; no server is connected
//   vm_live              all features exist and are registered; servers cannot connect yet
//   opened               servers can connect
//   apply_options        an option string: the first one, and that of every further load
//   start                switches on what the string asks for, after apply_options of all features
//   started              start() of all features has returned
//   loaded               loading is complete; with what it logged, for the attaching tool
//   before_main          the program's main method runs next; not called at a late attach
//   halting              the VM is about to halt: ends frequent JVMTI events, and waits in callbacks.
//                        Called from JDK 26 on, and not if the last thread returns
//                        (vm/halt_watch.h)
//   end                  VMDeath: the feature starts no further long work. Must not block for long
//   end_after_servers    all sessions are closed
//   write_final_reports  writes the final reports; without JNI where the VM must not be entered
//
// core/exit_limits.h lists what the exit may wait for. Each method is called on an attached thread
// unless noted. Features live as long as the process.
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
  virtual void apply_options(JNIEnv*, const GivenOptions&) {}
  virtual void start(JNIEnv*, const GivenOptions&) {}
  virtual void started() {}
  // These options were lent to a server and have been undone: what they measured was for it.
  virtual void loan_ended(const GivenOptions& /*undone*/) {}
  virtual void loaded(const std::vector<std::string>& /*logged*/) {}
  virtual void before_main() {}

  // JVMTI ThreadStart and ThreadEnd, on the thread concerned.
  virtual void thread_started(JNIEnv*, jthread) {}
  virtual void thread_ending(JNIEnv*, jthread) {}
  // Called on the I/O thread, which is not attached.
  virtual void session_begun(const std::shared_ptr<Session>&) {}
  virtual void session_ended(const std::shared_ptr<Session>&) {}

  virtual void halting() {}
  virtual void end() {}
  virtual void end_after_servers() {}
  // `complete`: whether every earlier feature in the list could write its reports; the result says
  // the same including this one.
  virtual bool write_final_reports(JNIEnv* /*null: without the VM*/, bool complete) {
    return complete;
  }
};

}  // namespace ddm
