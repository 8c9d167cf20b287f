// Switch requests, which take as long as rewriting classes: they run on the slow lane, in their
// order. A query of the state does not overtake those of its session. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "wire/service.h"

namespace ddm {

class PendingSwitches {
 public:
  // Runs `step`, also for a session that was closed meanwhile, unless the request was refused; what
  // it throws is told to the server.
  void run(Service& service, const Request& request, Reply reply,
           std::function<void(const Request&, Reply&)> step);
  // Runs `query` at once, or on the slow lane after the session's pending switches.
  void after(Service& service, const Request& request, Reply reply,
             std::function<void(Reply&)> query);

 private:
  // A switch is pending as long as somebody keeps the result.
  std::shared_ptr<const void> begin(std::uint64_t session);
  bool any(std::uint64_t session);

  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<const void>> pending_;
};

}  // namespace ddm
