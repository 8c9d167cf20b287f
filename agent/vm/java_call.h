// Guards a native method of one of the agent's jars: no C++ exception may pass through Java.
#pragma once

#include <exception>
#include <string_view>

#include "core/log.h"

namespace ddm {

// work(*server), or `otherwise` if there is no server yet or it throws, which is logged after `what`.
template <typename Server, typename Value, typename Work>
Value guarded_call(std::string_view what, Server* server, Value otherwise, Work work) {
  if (server == nullptr) return otherwise;
  try {
    return work(*server);
  } catch (const std::exception& failure) {
    log_failure(what, failure.what());
    return otherwise;
  }
}

}  // namespace ddm
