// HELO, FEAT, DBGD, EXIT, and the events APNM and WAIT: the program as a whole.
//
// HELO, FEAT and DBGD are answered on the I/O thread, without JNI.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "core/feature.h"
#include "wire/chunks/hello.h"
#include "wire/handler_context.h"

namespace ddm {

class AppHandlers final : public Feature {
 public:
  // Live phase.
  AppHandlers(const HandlerContext& context, const VmFacts& facts, const ServiceOptions& options);

  void add_chunks(Dispatcher& dispatcher) override;
  // With suspend=y: from now on servers get WAIT, since main is going to wait for a HELO.
  void vm_live(JNIEnv* jni, bool late) override;
  // With suspend=y: blocks the program's main thread until a server has sent HELO, or the program
  // ends.
  void before_main() override;
  void apply_options(JNIEnv* jni, const GivenOptions& given) override;
  void loaded(const std::vector<std::string>& logged) override;
  void halting() override;
  void end() override;

 private:
  void hello(const Request& request, Reply reply);
  void exit(const Request& request, Reply reply);

  // The application's name has changed; sends APNM to servers.
  void rename(const std::string& name);

  const HandlerContext& context_;
  const ServiceOptions& options_;

  std::mutex mutex_;
  HelloReply hello_;  // updated with the name
  SaidAtLoad said_at_load_;
  std::condition_variable changed_;
  bool hello_said_ = false;
  bool waiting_ = false;
  jobject main_ = nullptr;  // the main thread while it is blocked, a global reference
  bool closed_ = false;
};

}  // namespace ddm
