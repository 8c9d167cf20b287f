#include "followed_objects.h"

#include "wire/chunks/app_state.h"
#include "wire/chunks/switch_request.h"

namespace ddm {

Result<FollowedObjects> FollowedObjects::of(DdmClient& client) {
  const auto state = client.get<TrackingState>({TrackingState::kType, {}});
  if (!state) return state.error();
  WantedOptions wanted;
  wanted.live = true;
  auto switched = SwitchedOptions::on(client, wanted);
  if (!switched) return switched.error();
  FollowedObjects followed(client, std::move(*switched));
  followed.tracked_ = state->on;
  followed.began_now_ = !state->on || !followed.switched_.was_live();
  return followed;
}

FollowedObjects::FollowedObjects(FollowedObjects&& other) noexcept
    : client_(std::exchange(other.client_, nullptr)),
      switched_(std::move(other.switched_)),
      tracked_(other.tracked_),
      began_now_(other.began_now_) {}

// A program that is gone needs nothing switched.
FollowedObjects::~FollowedObjects() {
  if (client_ == nullptr || tracked_) return;
  static_cast<void>(
      client_->request(to_chunk(TrackingRequest{false, false}), DdmClient::kLongWork));
}

}  // namespace ddm
