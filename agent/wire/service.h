// The agent's end of the wire: address, discovery file, dispatcher and the threads that handlers
// run on.
//
// Sockets live on an unattached thread of their own (wire/sessions/io_loop.h); handlers that need JNI run
// on two agent threads, one for quick requests and one for slow ones (heap dumps, REAL).
#pragma once

#include <jvmti.h>

#include <future>
#include <memory>
#include <mutex>
#include <optional>

#include "vm/agent_thread.h"
#include "vm/vm_facts.h"
#include "wire/chunks/dispatcher.h"
#include "wire/chunks/fair_queue.h"
#include "wire/lane_watch.h"
#include "wire/service_options.h"
#include "wire/sessions/debugger_relay.h"
#include "wire/sessions/server.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// Of servers, to the agent's log.
void log_of_server(Severity severity, const std::string& text);

class Service final : public Executor {
 public:
  explicit Service(jvmtiEnv* jvmti);
  ~Service() override;

  // A debugger may come to hold all threads: servers are answered even so. Before the lanes are
  // started.
  void expect_debuggers();

  // Handlers register here before open().
  Dispatcher& dispatcher() { return dispatcher_; }

  // Binds or connects, tells people where (one line on stderr, the discovery file). A port that
  // cannot be had is one line too, and the program runs on without a server.
  void open(JNIEnv* jni, const ServiceOptions& options, const VmFacts& facts,
            SessionObserver* observer);

  // The thread of all sockets. One thread at a time.
  Result<std::shared_ptr<IoLoop>> io();

  // Where DYPER's documents are served, for the discovery file. Before open().
  void serves_dyper_at(std::string address) { dyper_ = std::move(address); }

  // The application has another name: for the discovery file.
  void rename_app(const std::string& app);

  // The lanes, without a server too (address=none): the program may ask for itself. False: the VM
  // gives no thread. Attached threads; once they are there, it does nothing.
  bool start_lanes(JNIEnv* jni);

  // Milliseconds; called in VMDeath.
  void close();

  // The debugger of this session has gone; the session stays.
  void debugger_gone(const SessionPtr& session);

  Server* server() const { return server_.get(); }  // null: none is open
  AgentThread& quick() { return quick_; }
  AgentThread& slow() { return slow_; }

  void run(Lane lane, const SessionPtr& session, std::function<void()> task) override;
  void resume() override;
  void answered_later(std::weak_ptr<OpenRequest> request) override;

 private:
  void publish(const VmFacts& facts, const std::string& address);
  static void take_turn(AgentThread& thread, FairQueue& queue);
  void prepare_debugger(const std::string& option);
  std::future<Result<DebuggerRelay::Backend>> find_jdwp_agent(const std::shared_ptr<Waker>& waker);

  jvmtiEnv* const jvmti_;
  AgentThread quick_;
  AgentThread slow_;
  FairQueue quick_requests_;
  FairQueue slow_requests_;
  std::unique_ptr<LaneWatch> lane_watch_;  // null: this VM has no debugger's agent
  Dispatcher dispatcher_;
  std::unique_ptr<DebuggerRelay> debugger_;  // null: debugger=none
  std::shared_ptr<IoLoop> io_;               // null: nobody has asked for it
  std::unique_ptr<Server> server_;
  std::string dyper_;  // "" = nowhere
  std::mutex discovery_mutex_;
  std::optional<DiscoveryFile> discovery_;
};

}  // namespace ddm
