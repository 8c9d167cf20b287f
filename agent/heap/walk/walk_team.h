// Threads that help with one walk, started and waiting before the safepoint.
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
  // Starts a thread with this name and body; not joinable if none could be started.
  using StartThread = std::function<std::thread(const char* name, std::function<void()>)>;

  WalkTeam(std::size_t helpers, const StartThread& start_thread);
  ~WalkTeam();

  // The helpers, 1, 2, ..., and the caller, member 0.
  std::size_t members() const { return helpers_.size() + 1; }

  // Runs the work as member 0, and on each helper that is running before that ends; returns when
  // all have ended. Call once. Does not allocate.
  void run(const Work& work) noexcept;

 private:
  enum State : int { kWaiting, kOpen, kClosed };

  void help(std::size_t member);

  std::atomic<int> state_{kWaiting};
  std::atomic<int> inside_{0};  // helpers that may be working
  const Work* work_ = nullptr;
  std::vector<std::thread> helpers_;
};

}  // namespace ddm
