#include "heap/walk/walk_team.h"

namespace ddm {

WalkTeam::WalkTeam(std::size_t helpers, const StartThread& start_thread) {
  helpers_.reserve(helpers);
  for (std::size_t member = 1; member <= helpers; ++member) {
    std::thread thread = start_thread("ddm-walk", [this, member] { help(member); });
    if (!thread.joinable()) return;
    helpers_.push_back(std::move(thread));
  }
}

WalkTeam::~WalkTeam() {
  state_ = kClosed;
  state_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void WalkTeam::help(std::size_t member) {
  state_.wait(kWaiting);
  // Increments inside_ before reading state_: run() closes the state and then reads inside_.
  ++inside_;
  if (state_ == kOpen) (*work_)(member);
  if (--inside_ == 0) inside_.notify_all();
}

void WalkTeam::run(const Work& work) noexcept {
  work_ = &work;
  state_ = kOpen;
  state_.notify_all();
  work(0);
  state_ = kClosed;
  for (int inside = inside_; inside != 0; inside = inside_) inside_.wait(inside);
}

}  // namespace ddm
