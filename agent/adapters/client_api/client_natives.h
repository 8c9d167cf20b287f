// The natives of the jar's class AgentLink.
#pragma once

#include <jni.h>

namespace ddm {

class ClientApi;

// Where they hand their calls to; before that, they do nothing. Lives as long as the process.
void set_client_api(ClientApi* api);

// Binds them to a class that has looked for them in vain. False: it has no such natives.
bool register_client_natives(JNIEnv* jni, jclass link);

}  // namespace ddm
