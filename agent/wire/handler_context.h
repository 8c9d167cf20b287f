// What all request handlers share: the VM, the wire, and the calling thread's JNIEnv.
#pragma once

#include <jvmti.h>

#include "wire/service.h"
#include "wire/sessions/server.h"

namespace ddm {

struct HandlerContext {
  jvmtiEnv* jvmti;
  JavaVM* vm;
  Service& service;

  Dispatcher& dispatcher() const { return service.dispatcher(); }

  // Of the calling thread, which is attached: one of the service's lanes.
  JNIEnv* jni() const {
    void* env = nullptr;
    vm->GetEnv(&env, JNI_VERSION_10);
    return static_cast<JNIEnv*>(env);
  }

  // Sessions past their handshake. Quick and slow lane only, which run once the server exists.
  std::vector<SessionPtr> sessions() const {
    const Server* server = service.server();
    return server != nullptr ? server->sessions() : std::vector<SessionPtr>();
  }
};

}  // namespace ddm
