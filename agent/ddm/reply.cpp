#include "ddm/reply.h"

#include <exception>

namespace ddm {

Reply::~Reply() {
  if (!sink_) return;
  try {
    fail(FailCode::kInternal, chunk_name(request_) + " was not answered");
  } catch (const std::exception&) {
    // Not even memory for the FAIL: the server waits in vain for this one.
  }
}

void Reply::send(Chunk answer) {
  if (!sink_) return;
  const std::function<void(Chunk)> sink = std::exchange(sink_, nullptr);
  sink(std::move(answer));
}

void Reply::fail_bad_data(std::string_view right) {
  fail(FailCode::kRefused,
       "the data of " + chunk_name(request_) + " is bad; it is: " + std::string(right));
}

}  // namespace ddm
