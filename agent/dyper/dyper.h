// DYPER as a whole: its address, the thread that answers commands, and the DDM chunk that carries
// the same documents.
//
//   DYPR  request and reply: str document. Messages that nobody asked for are events of that type,
//         to the DDM servers that have sent one.
#pragma once

#include <jvmti.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ddm/dispatcher.h"
#include "dyper/documents/dyper_server.h"
#include "dyper/dyper_commands.h"
#include "dyper/dyper_monitor.h"
#include "handlers/chunk_handlers.h"
#include "jvm/agent_thread.h"
#include "options.h"
#include "sockets/dyper_address.h"

namespace ddm {

class Dyper {
 public:
  // `tracking` may be null: then no stacks are taken.
  Dyper(jvmtiEnv* jvmti, Tracking* tracking, ChunkHandlers& handlers, SamplerThread& sampler,
        HitBudget& budget, std::string modes_file);

  // Before the service is opened.
  void add_to(Dispatcher& dispatcher, const HandlerContext& context);

  // dyper=. Tells people where, in one line on stderr; the address for others to find, "" = none.
  std::string open(JNIEnv* jni, const Options& options);

  // In VMDeath: milliseconds.
  void close();

 private:
  void take(const Request& request, Reply reply);
  void send(const std::string& document);

  const DyperIdentity self_;
  DyperMonitor monitor_;
  DyperCommands commands_;
  AgentThread thread_;

  std::mutex mutex_;                              // of what follows
  std::unique_ptr<DyperServer> server_;           // null: dyper= is not given; set once
  std::vector<std::weak_ptr<Session>> sessions_;  // that have sent a DYPR
};

}  // namespace ddm
