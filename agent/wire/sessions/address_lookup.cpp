#include "wire/sessions/address_lookup.h"

#include <new>

#include "core/native_thread.h"

namespace ddm {

AddressLookup look_up(const Address& address, const std::shared_ptr<Waker>& waker) {
  using Answer = Result<std::vector<SocketAddress>>;
  if (auto known = resolve_at_once(address)) return at_once<Answer>(std::move(*known));
  auto promise = std::make_shared<std::promise<Answer>>();
  AddressLookup answer = promise->get_future();
  std::thread thread = start_native_thread("ddm-lookup", [promise, address, waker] {
    try {
      promise->set_value(resolve(address));
    } catch (const std::bad_alloc&) {
      promise->set_value(Error{"no memory"});
    }
    waker->wake();
  });
  if (!thread.joinable()) {
    return at_once<Answer>(Error{"no thread could be started to look up '" + address.host + "'"});
  }
  thread.detach();
  return answer;
}

}  // namespace ddm
