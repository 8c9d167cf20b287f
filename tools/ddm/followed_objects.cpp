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
  followed.was_off_ = !state->on || !followed.switched_.was_live();
  return followed;
}

FollowedObjects::FollowedObjects(FollowedObjects&& other) noexcept
    : client_(std::exchange(other.client_, nullptr)),
      switched_(std::move(other.switched_)),
      tracked_(other.tracked_),
      was_off_(other.was_off_) {}

// If the program has ended, the request fails, and nothing has to be switched off.
FollowedObjects::~FollowedObjects() {
  if (client_ == nullptr || tracked_) return;
  static_cast<void>(
      client_->request(to_chunk(TrackingRequest{false, false}), DdmClient::kLongWork));
}

}  // namespace ddm
