// The agent's side of ddm-client.jar: the program's own chunk types, and its requests to the
// agent.
//
// The jar's class AgentLink calls natives that the VM finds in this library by name; the natives
// use the Dispatcher, as a server's requests do. The program's handlers run on a separate thread,
// so a slow handler does not delay the agent. Several class loaders may have loaded the jar; the
// agent's references keep none of them alive.
//
// The I/O thread takes the lock, so neither Java nor JNI may run while it is held: both can block
// for long, in a debugger or at a safepoint.
#pragma once

#include <jvmti.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "core/feature.h"
#include "vm/agent_thread.h"
#include "wire/service.h"

namespace ddm {

class ProgramClass;

class ClientApi final : public Feature {
 public:
  ClientApi(jvmtiEnv* jvmti, Service& service);

  // Live phase, when the service is open: from here on the natives work. After a late attach, this
  // notifies the jar's classes that were initialised before the agent was loaded.
  void opened(JNIEnv* jni, bool late) override;

  void session_begun(const SessionPtr& session) override;
  void session_ended(const SessionPtr& session) override;

  // Afterwards no handler of the program runs.
  void end() override;

  // The natives; any attached thread. An exception may be pending afterwards.
  bool add(JNIEnv* jni, jclass link, ChunkType type);  // true: the type is the agent's own
  void remove(ChunkType type);
  void send(JNIEnv* jni, ChunkType type, jbyteArray data, jint offset, jint length);
  jbyteArray request(JNIEnv* jni, ChunkType type, jbyteArray data, bool for_all);

 private:
  void adopt_loaded_classes(JNIEnv* jni);
  // Every class once, however many types it has.
  std::set<std::shared_ptr<ProgramClass>> programs();
  // The class that registered the type; null: none.
  std::shared_ptr<ProgramClass> owner(ChunkType type);
  // Removes the type if `program` is its owner.
  void remove(ChunkType type, const std::shared_ptr<ProgramClass>& program);
  // Lock held, so that notifications keep the order of the events.
  void notify(int event);

  jvmtiEnv* const jvmti_;
  Service& service_;
  AgentThread thread_;
  const SessionPtr own_session_;  // for the program's own requests

  std::mutex mutex_;
  std::map<ChunkType, std::shared_ptr<ProgramClass>> programs_;
  int connections_ = 0;
};

}  // namespace ddm
