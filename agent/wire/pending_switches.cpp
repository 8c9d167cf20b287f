#include "wire/pending_switches.h"

#include <exception>
#include <utility>

namespace ddm {

// Replies are shared because a std::function must be copyable.
void PendingSwitches::run(Service& service, const Request& request, Reply reply,
                          std::function<void(const Request&, Reply&)> step) {
  service.run(
      Lane::kSlow, request.session,
      [step = std::move(step), request, pending = begin(request.session->id()),
       shared = std::make_shared<Reply>(std::move(reply))] {
        if (!shared->wanted()) return;
        try {
          step(request, *shared);
        } catch (const std::exception& failure) {
          shared->fail(FailCode::kInternal, failure.what());
        }
      },
      FairQueue::Kind::kSwitch);
}

void PendingSwitches::after(Service& service, const Request& request, Reply reply,
                            std::function<void(Reply&)> query) {
  if (!any(request.session->id())) return query(reply);
  service.run(Lane::kSlow, request.session,
              [query = std::move(query), shared = std::make_shared<Reply>(std::move(reply))] {
                query(*shared);
              });
}

std::shared_ptr<const void> PendingSwitches::begin(std::uint64_t session) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pending_, [](const auto& one) { return one.second.expired(); });
  std::shared_ptr<const void> one = pending_[session].lock();
  if (!one) pending_[session] = one = std::make_shared<char>();
  return one;
}

bool PendingSwitches::any(std::uint64_t session) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(session);
  return found != pending_.end() && !found->second.expired();
}

}  // namespace ddm
