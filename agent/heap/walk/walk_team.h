// Threads that help with one walk: they are started, and wait, before the program is stopped.
//
// The walk does not wait for a helper that gets no processor in time: the others do its share.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace ddm {

class WalkTeam {
 public:
  using Work = std::function<void(std::size_t member)>;
  // A thread with this name that runs this; not joinable if there is none to be had.
  using StartThread = std::function<std::thread(const char* name, std::function<void()>)>;

  WalkTeam(std::size_t helpers, const StartThread& start_thread);
  ~WalkTeam();
  WalkTeam(const WalkTeam&) = delete;
  WalkTeam& operator=(const WalkTeam&) = delete;

  // With the caller, who is member 0. Helpers are 1, 2, ...
  std::size_t members() const { return helpers_.size() + 1; }

  // Runs the work as member 0 and, on the helpers that are there before that has ended, as they
  // are numbered; returns when all have ended. Once. Allocates nothing.
  void run(const Work& work) noexcept;

 private:
  enum State : int { kWaiting, kOpen, kClosed };

  void help(std::size_t member);

  std::atomic<int> state_{kWaiting};
  std::atomic<int> inside_{0};  // helpers that may be at work
  const Work* work_ = nullptr;
  std::vector<std::thread> helpers_;
};

}  // namespace ddm
