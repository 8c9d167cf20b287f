// The natives of the jar's class AgentLink.
#pragma once

#include <jni.h>

namespace ddm {

class ClientApi;

// The natives do nothing before this call. `api` must live as long as the process.
void set_client_api(ClientApi* api);

// Binds the natives to a class that could not find them. False: the class declares none of them.
bool register_client_natives(JNIEnv* jni, jclass link);

}  // namespace ddm
