// The agent's end of the wire: address, discovery file, dispatcher and the threads that handlers
// run on.
//
// Sockets live on an unattached thread of their own (net/io_loop.h); handlers that need JNI run on
// two agent threads, one for quick requests and one for slow ones (heap dumps, REAL).
#pragma once

#include <jvmti.h>

#include <memory>
#include <mutex>
#include <optional>

#include "ddm/dispatcher.h"
#include "jvm/agent_thread.h"
#include "jvm/vm_facts.h"
#include "sockets/discovery.h"
#include "net/server.h"
#include "options.h"

namespace ddm {

class Service final : public Executor {
 public:
  explicit Service(jvmtiEnv* jvmti);
  ~Service() override;

  // Handlers register here before open().
  Dispatcher& dispatcher() { return dispatcher_; }

  // Binds or connects, tells people where (one line on stderr, the discovery file). A port that
  // cannot be had is one line too, and the program runs on without a server.
  void open(JNIEnv* jni, const Options& options, const VmFacts& facts, SessionObserver* observer);

  // The application has another name: for the discovery file.
  void rename_app(const std::string& app);

  // Milliseconds; called in VMDeath.
  void close();

  Server* server() const { return server_.get(); }  // null: none is open
  AgentThread& quick() { return quick_; }

  void run(Lane lane, std::function<void()> task) override;

 private:
  bool start_threads(JNIEnv* jni);

  AgentThread quick_;
  AgentThread slow_;
  bool threads_started_ = false;
  Dispatcher dispatcher_;
  std::unique_ptr<Server> server_;
  std::mutex discovery_mutex_;
  std::optional<DiscoveryFile> discovery_;
};

}  // namespace ddm
