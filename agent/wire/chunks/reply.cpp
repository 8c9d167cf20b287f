#include "wire/chunks/reply.h"

#include <exception>

namespace ddm {
namespace {

thread_local std::string_view t_drop_reason;

}  // namespace

Reply::DropReason::DropReason(std::string_view reason) { t_drop_reason = reason; }
Reply::DropReason::~DropReason() { t_drop_reason = {}; }

Reply::~Reply() {
  if (!sink_) return;
  try {
    std::string message = chunk_name(request_) + " was not answered";
    if (t_drop_reason.empty()) {
      fail(FailCode::kInternal, std::move(message));
    } else {
      fail(FailCode::kRefused, message.append(": ").append(t_drop_reason));
    }
  } catch (const std::exception&) {
    // No memory even for the FAIL: this request stays unanswered.
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
