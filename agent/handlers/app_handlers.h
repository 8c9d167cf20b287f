// HELO, FEAT, DBGD, EXIT, and the events APNM and WAIT: the program as a whole.
//
// HELO, FEAT and DBGD are answered on the I/O thread, without JNI.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>

#include "ddm/hello.h"
#include "handlers/handler_context.h"

namespace ddm {

class AppHandlers {
 public:
  // Live phase.
  AppHandlers(const HandlerContext& context, const VmFacts& facts);

  void add_to(Dispatcher& dispatcher);

  // The program is going to wait for a HELO: servers are told from now on.
  void expect_hello();
  // Blocks the program's main thread until a server has said HELO, or close().
  void wait_for_hello();

  // The application has another name; servers are told by APNM. Any thread.
  void rename(const std::string& name);

  // The agent has been loaded while the program ran, and had this to say. Any thread.
  void loaded(const std::vector<std::string>& warnings);

  void close();

 private:
  void hello(const Request& request, Reply reply);
  void exit(const Request& request, Reply reply);

  const HandlerContext& context_;

  std::mutex mutex_;
  HelloReply hello_;  // changes with the name
  SaidAtLoad said_at_load_;
  std::condition_variable changed_;
  bool hello_said_ = false;
  bool waiting_ = false;
  bool closed_ = false;
};

}  // namespace ddm
