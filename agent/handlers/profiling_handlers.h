// MPSS, MPSE, MPRS, MPRE, MPRQ: method tracing for a DDM server, into an answer or into a file.
//
// Starting and stopping retransform classes: slow lane. A trace is its connection's and ends with it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "handlers/handler_context.h"
#include "time/method_tracing.h"

namespace ddm {

class ProfilingHandlers {
 public:
  // `methods`: the option of that name, for servers that do not say.
  ProfilingHandlers(const HandlerContext& context, MethodTracing& tracing, std::string methods)
      : context_(context), tracing_(tracing), methods_(std::move(methods)) {}

  void add_to(Dispatcher& dispatcher);
  void disconnected(const SessionPtr& session);

 private:
  void start(const Request& request, std::uint32_t buffer_bytes, std::uint32_t flags,
             const std::string& methods, const std::string& file, Reply reply);
  void stop(Reply reply);
  void stop_to_file(Reply reply);

  const HandlerContext& context_;
  MethodTracing& tracing_;
  const std::string methods_;

  std::mutex mutex_;
  std::uint64_t owner_ = 0;  // the session that traces; 0: none
  std::string file_;         // where to, "" into the answer
};

}  // namespace ddm
