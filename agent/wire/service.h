// The agent's end of the wire: address, discovery file, dispatcher and the threads that handlers
// run on.
//
// Sockets are served by an unattached thread (wire/sessions/io_loop.h); handlers that need JNI run
// on two agent threads, one for quick requests and one for slow ones (heap dumps, REAL).
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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

// Writes a server's messages to the agent's log.
void log_of_server(LogLevel level, const std::string& text);

class Service final : public Executor {
 public:
  explicit Service(jvmtiEnv* jvmti);
  ~Service() override;

  // A debugger may suspend all threads: requests are answered even then. Call before the lanes are
  // started.
  void expect_debuggers();

  // Handlers must be registered before open().
  Dispatcher& dispatcher() { return dispatcher_; }

  // Binds or connects, and publishes the address (one line on stderr, the discovery file). An
  // address that cannot be bound is logged in one line, and the program continues without a server.
  void open(JNIEnv* jni, const ServiceOptions& options, const VmFacts& facts,
            SessionObserver* observer);

  // The thread of all sockets, created on demand. One thread at a time.
  Result<std::shared_ptr<IoLoop>> io();

  // The address of the DYPER server, for the discovery file. Call before open().
  void serves_dyper_at(std::string address) { dyper_ = std::move(address); }

  // The application's name has changed: updates the discovery file.
  void rename_app(const std::string& app);

  // Starts the lanes; also needed without a server (address=none), for requests of the program
  // itself. False: the VM gives no thread. Attached threads; a repeated call does nothing.
  bool start_lanes(JNIEnv* jni);

  // Takes milliseconds; called in VMDeath.
  void close();

  // The debugger of this session has disconnected; the session stays open.
  void debugger_gone(const SessionPtr& session);

  Server* server() const { return serving_.load(std::memory_order_acquire); }  // null: not open
  AgentThread& quick() { return quick_; }
  AgentThread& slow() { return slow_; }

  void run(Lane lane, const SessionPtr& session, std::function<void()> task) override {
    run(lane, session, std::move(task), FairQueue::Kind::kRequest);
  }
  void run(Lane lane, const SessionPtr& session, std::function<void()> task, FairQueue::Kind kind);
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
  std::unique_ptr<LaneWatch> lane_watch_;  // null: no jdwp agent is loaded
  Dispatcher dispatcher_;
  std::unique_ptr<DebuggerRelay> debugger_;  // null: debugger=none
  std::shared_ptr<IoLoop> io_;               // null: not created yet
  std::unique_ptr<Server> server_;
  std::atomic<Server*> serving_{nullptr};  // server_, for other threads
  std::string dyper_;                      // "" = nowhere
  std::mutex discovery_mutex_;
  std::optional<DiscoveryFile> discovery_;
};

}  // namespace ddm
