#include "handlers/probe_handlers.h"

#include <memory>
#include <utility>

namespace ddm {
namespace {

Probes::Answer answer_to(const Request& request, Reply reply) {
  auto held = std::make_shared<Reply>(std::move(reply));  // an Answer can be copied
  return [held, type = request.type](const Result<ProbeFindings>& found) {
    if (!found) return held->fail(FailCode::kRefused, found.message());
    held->send(Chunk{type, found->encode()});
  };
}

}  // namespace

void ProbeHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.add(ProbeRequest::kType, Lane::kQuick, [this](const Request& request, Reply reply) {
    const auto wanted = ProbeRequest::decode(request.data);
    if (!wanted) {
      return reply.fail_bad_data(
          "u1 what, str methods, str condition, u4 line, str field, u4 records, u4 budget");
    }
    const SessionPtr session = request.session;
    probes_.put_in(
        context_.jni(), session->id(), *wanted,
        [this, session, answer = answer_to(request, std::move(reply))](auto found) {
          if (!session->is_open()) probes_.owner_gone(session->id());
          answer(std::move(found));
        },
        [to = std::weak_ptr(session)](const ProbeFindings& found) {
          if (const SessionPtr open = to.lock()) {
            open->send_event(Chunk{kEndProbes, found.encode()});
          }
        });
  });
  dispatcher.add(kAskProbes, Lane::kQuick, [this](const Request& request, Reply reply) {
    const bool with_records = !request.data.empty() && request.data[0] != 0;
    probes_.ask(context_.jni(), request.session->id(), with_records,
                answer_to(request, std::move(reply)));
  });
  dispatcher.add(kEndProbes, Lane::kQuick, [this](const Request& request, Reply reply) {
    probes_.take_out(context_.jni(), request.session->id(), answer_to(request, std::move(reply)));
  });
}

}  // namespace ddm
