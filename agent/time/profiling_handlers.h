// MPSS, MPSE, MPRS, MPRE, MPRQ: method tracing for a DDM server, into an answer or into a file.
// SPSS, SPSE: the same from samples of stacks.
//
// Starting and stopping retransform classes, and reading builds the file: slow lane. MPRQ, which
// servers send right after, waits for its session's pending requests. A trace belongs to its
// connection, which alone can stop it, and ends with it; if the program ends before both, it is
// written to a file where the server has named one.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "stack/stacks.h"
#include "time/cpu_sampler.h"
#include "time/method_tracing.h"
#include "wire/chunks/profiling.h"
#include "wire/handler_context.h"
#include "wire/pending_switches.h"

namespace ddm {

class ProfilingHandlers {
 public:
  ProfilingHandlers(const HandlerContext& context, MethodTracing& tracing, CpuSampler& sampler,
                    Stacks& stacks)
      : context_(context), tracing_(tracing), sampler_(sampler), stacks_(stacks) {}

  // The option methods=, for requests without patterns.
  void use_methods(const std::string& methods) {
    const std::lock_guard lock(mutex_);
    methods_ = methods;
  }

  void add_to(Dispatcher& dispatcher);
  void disconnected(const SessionPtr& session);
  // The program ends: connections that end from now on leave their traces.
  void begin_close();
  void write_at_end();

 private:
  // Of a trace.
  struct Owner {
    SessionPtr session;  // null: there is no trace
    std::string file;    // where the server wants it; "": in the reply
    std::string at_end;  // where to write it if the program ends; "": nowhere
  };
  using Handler = void (ProfilingHandlers::*)(const Request&, Reply&);
  void add_switch(Dispatcher& dispatcher, ChunkType type, Handler handler);
  void send_state(const Request& request, Reply reply);
  void start(const Request& request, Reply& reply);
  void stop(const Request& request, Reply& reply);
  void start_to_file(const Request& request, Reply& reply);
  void stop_to_file(const Request& request, Reply& reply);
  void start_sampling(const Request& request, Reply& reply);
  void stop_sampling(const Request& request, Reply& reply);
  void start_trace(const Request& request, TraceRequest wanted, const std::string& file,
                   Reply& reply);
  void started(const Request& request, Owner& owner, Owner fresh, Reply& reply);
  Owner disown(Owner& owner);
  bool take_from(const SessionPtr& session, Owner& owner);
  Owner held(const Owner& owner);
  bool is_of_another(const SessionPtr& session, const Owner& owner);

  const HandlerContext& context_;
  MethodTracing& tracing_;
  CpuSampler& sampler_;
  Stacks& stacks_;

  std::mutex mutex_;  // taken on the I/O thread too: never held while a trace is built or written
  std::string methods_;
  bool closing_ = false;
  Owner owner_, sampling_owner_;
  PendingSwitches switching_;
};

}  // namespace ddm
