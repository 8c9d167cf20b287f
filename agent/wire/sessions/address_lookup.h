// Resolves an address without blocking on the system's resolver.
#pragma once

#include <future>
#include <memory>
#include <vector>

#include "core/waker.h"
#include "wire/sockets/socket_address.h"

namespace ddm {

using AddressLookup = std::future<Result<std::vector<SocketAddress>>>;

// Numeric addresses and paths are resolved at once. A name is looked up on a thread that is never
// joined, not even at the program's exit: a silent name server blocks it for ten seconds and more.
// `waker` is woken when the result is available.
AddressLookup look_up(const Address& address, const std::shared_ptr<Waker>& waker);

template <typename T>
bool is_there(const std::future<T>& later) {
  return later.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

// A future that is ready.
template <typename T>
std::future<T> at_once(T value) {
  std::promise<T> promise;
  promise.set_value(std::move(value));
  return promise.get_future();
}

}  // namespace ddm
