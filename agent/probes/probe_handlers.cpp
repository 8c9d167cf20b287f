#include "probes/probe_handlers.h"

#include <memory>
#include <utility>

namespace ddm {
namespace {

Probes::Answer answer_to(const Request& request, std::shared_ptr<Reply> reply) {
  return [reply, type = request.type](const Result<ProbeFindings>& found) {
    if (!found) return reply->fail(FailCode::kRefused, found.message());
    reply->send(Chunk{type, encode(*found)});
  };
}

// An Answer can be copied.
std::shared_ptr<Reply> kept(Reply reply) { return std::make_shared<Reply>(std::move(reply)); }

}  // namespace

void ProbeHandlers::add_to(Dispatcher& dispatcher) {
  dispatcher.offer({kProbesFeature});
  dispatcher.add(ProbeRequest::kType, Lane::kQuick, [this](const Request& request, Reply reply) {
    const auto wanted = decode<ProbeRequest>(request.data);
    if (!wanted) {
      return reply.fail_bad_data(
          "u1 what, str methods, str condition, u4 line, str field, u4 records, u4 budget");
    }
    const SessionPtr session = request.session;
    const auto answered = kept(std::move(reply));
    probes_.install(
        context_.jni(), session->id(), *wanted,
        [this, session, answered, answer = answer_to(request, answered)](auto found) {
          // Probes stay in only if the client can receive the answer.
          if (!session->is_open() || !answered->wanted()) probes_.disconnected(session->id());
          answer(std::move(found));
        },
        [to = std::weak_ptr(session)](const ProbeFindings& found) {
          if (const SessionPtr open = to.lock()) {
            open->send_event(Chunk{kEndProbes, encode(found)});
          }
        });
  });
  dispatcher.add(OutlookRequest::kType, Lane::kQuick, [this](const Request& request, Reply reply) {
    auto wanted = decode<OutlookRequest>(request.data);
    if (!wanted) return reply.fail_bad_data("str methods, str more methods");
    auto held = std::make_shared<Reply>(std::move(reply));
    probes_.outlook(context_.jni(), std::move(*wanted),
                    [held](const Result<ClassOutlook>& outlook) {
                      if (!outlook) return held->fail(FailCode::kRefused, outlook.message());
                      held->send(Chunk{ClassOutlook::kType, encode(*outlook)});
                    });
  });
  dispatcher.add(kAskProbes, Lane::kQuick, [this](const Request& request, Reply reply) {
    const bool with_records = !request.data.empty() && request.data[0] != 0;
    probes_.read(context_.jni(), request.session->id(), with_records,
                 answer_to(request, kept(std::move(reply))));
  });
  dispatcher.add(kEndProbes, Lane::kQuick, [this](const Request& request, Reply reply) {
    probes_.remove(context_.jni(), request.session->id(),
                   answer_to(request, kept(std::move(reply))));
  });
}

}  // namespace ddm
