// The C callbacks that JVMTI asks for, each handing on to the Agent.
#pragma once

#include <jvmti.h>

namespace ddm {

class Agent;

// Sets all callbacks of the environment; `agent` lives as long as the process.
jvmtiError set_callbacks(jvmtiEnv* jvmti, Agent* agent);

}  // namespace ddm
