#include "probes/probes_feature.h"

#include <memory>
#include <utility>

namespace ddm {
namespace {

// An answer can be copied.
std::shared_ptr<Reply> kept(Reply reply) { return std::make_shared<Reply>(std::move(reply)); }

auto answer_to(const Request& request, std::shared_ptr<Reply> reply) {
  return [reply, type = request.type](const auto& found) {
    if (!found) return reply->fail(FailCode::kRefused, found.message());
    reply->send(Chunk{type, encode(*found)});
  };
}

}  // namespace

ProbesFeature::ProbesFeature(const HandlerContext& context, HitBudget::Sources sources,
                             Stacks& stacks, ReportAssembly& reports)
    : context_(context),
      budget_(context.jvmti, patches_, std::move(sources)),
      probes_(context.jvmti, budget_, [&stacks](JNIEnv* jni) { return stacks.naming(jni); }) {
  reports.include(probes_);
}

void ProbesFeature::add_chunks(Dispatcher& dispatcher) {
  dispatcher.offer({kProbesFeature});
  dispatcher.add(ProbeRequest::kType, Lane::kQuick, [this](const Request& request, Reply reply) {
    const auto wanted = decode<ProbeRequest>(request.data);
    if (!wanted) {
      return reply.fail_bad_data(
          "u1 what, str methods, str condition, u4 line, str field, u4 records, u4 budget[, u1 "
          "depth]");
    }
    const SessionPtr session = request.session;
    const auto answered = kept(std::move(reply));
    probes_.install(
        context_.jni(), session->id(), *wanted,
        [this, session, answered, answer = answer_to(request, answered)](auto found) {
          // Probes stay in only if the client can receive the answer.
          if (!session->is_open() || !answered->wanted()) probes_.disconnected(session->id());
          answer(found);
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
    probes_.outlook(context_.jni(), std::move(*wanted), answer_to(request, kept(std::move(reply))));
  });
  dispatcher.add(kAskProbes, Lane::kQuick, [this](const Request& request, Reply reply) {
    const auto asks = [&](std::size_t at) {
      return request.data.size() > at && request.data[at] != 0;
    };
    probes_.read(context_.jni(), request.session->id(), asks(0), !asks(1),
                 answer_to(request, kept(std::move(reply))));
  });
  dispatcher.add(kEndProbes, Lane::kQuick, [this](const Request& request, Reply reply) {
    probes_.remove(context_.jni(), request.session->id(),
                   answer_to(request, kept(std::move(reply))));
  });
}

void ProbesFeature::end() {
  probes_.program_ends();
  budget_.close();
}

}  // namespace ddm
