// Switches live= on in a target for the time of a command, if it was off.
#pragma once

#include <utility>

#include "ddm_client.h"
#include "switched_options.h"

namespace ddm {

class FollowedObjects {
 public:
  static Result<FollowedObjects> of(DdmClient& client);
  FollowedObjects(FollowedObjects&& other) noexcept;
  FollowedObjects& operator=(FollowedObjects&&) = delete;
  ~FollowedObjects();

  // Objects allocated before that are not followed.
  bool began_now() const { return began_now_; }

 private:
  FollowedObjects(DdmClient& client, SwitchedOptions switched)
      : client_(&client), switched_(std::move(switched)) {}

  DdmClient* client_;  // null: moved from
  SwitchedOptions switched_;
  bool tracked_ = false;  // before
  bool began_now_ = false;
};

}  // namespace ddm
