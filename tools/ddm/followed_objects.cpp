#include "followed_objects.h"

#include <utility>

#include "attach.h"
#include "core/whole_text.h"
#include "report_fetch.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/switch_request.h"

namespace ddm {

Result<FollowedObjects> FollowedObjects::of(DdmClient& client, const std::string& target,
                                            const std::string& agent, bool switched_on) {
  const auto state = client.get<TrackingState>({TrackingState::kType, {}});
  if (!state) return state.error();
  FollowedObjects followed(client, "");
  followed.tracked_ = state->on && !switched_on;
  const auto summary = fetch_summary(client);
  if (!summary) return summary.error();
  const bool on = state->on && summary->contains("gc");
  if (on && !switched_on) return followed;
  const pid_t pid = number_in<pid_t>(target).value_or(0);
  const auto jvm = JvmProcess::find(pid);
  if (pid <= 0 || !jvm) {
    return Error{
        "live= is off in the target, and can be switched on here only by a pid: "
        "`ddm attach PID live=y`"};
  }
  const auto library = agent_path(agent);
  if (!library) return library.error();
  followed.library_ = *library;
  if (!on) {
    if (auto problem = load_agent(*jvm, *library, "live=y")) return std::move(*problem);
  }
  followed.jvm_ = *jvm;
  return followed;
}

FollowedObjects::FollowedObjects(FollowedObjects&& other) noexcept
    : client_(other.client_),
      library_(std::move(other.library_)),
      jvm_(std::exchange(other.jvm_, std::nullopt)),
      tracked_(other.tracked_) {}

FollowedObjects::~FollowedObjects() {
  if (!jvm_) return;
  // A program that is gone needs neither.
  static_cast<void>(load_agent(*jvm_, library_, "live=n"));
  if (!tracked_)
    static_cast<void>(
        client_->request(to_chunk(TrackingRequest{false, false}), DdmClient::kLongWork));
}

}  // namespace ddm
