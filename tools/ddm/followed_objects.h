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

  // live= was off before: objects allocated until then are not followed.
  bool was_off() const { return was_off_; }

 private:
  FollowedObjects(DdmClient& client, SwitchedOptions switched)
      : client_(&client), switched_(std::move(switched)) {}

  DdmClient* client_;  // null: moved from
  SwitchedOptions switched_;
  bool tracked_ = false;  // tracking was on before
  bool was_off_ = false;
};

}  // namespace ddm
