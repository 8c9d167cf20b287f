// live= in a target, switched on for as long as a command looks, if it was off.
#pragma once

#include <string>

#include "ddm_client.h"
#include "jvm_process.h"

namespace ddm {

class FollowedObjects {
 public:
  // `target`: as the user gave it; only a pid can be switched. `agent`: as in find_or_load().
  // `switched_on`: just now, with the agent.
  static Result<FollowedObjects> of(DdmClient& client, const std::string& target,
                                    const std::string& agent, bool switched_on);
  FollowedObjects(FollowedObjects&& other) noexcept;
  ~FollowedObjects();

  // What was allocated before is not followed.
  bool began_now() const { return jvm_.has_value(); }

 private:
  FollowedObjects(DdmClient& client, std::string library)
      : client_(&client), library_(std::move(library)) {}

  DdmClient* client_;
  std::string library_;
  std::optional<JvmProcess> jvm_;  // that was switched
  bool tracked_ = false;           // before
};

}  // namespace ddm
