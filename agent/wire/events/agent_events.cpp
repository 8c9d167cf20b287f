#include "wire/events/agent_events.h"

namespace ddm {

AgentEvents::AgentEvents(const HandlerContext& context)
    : context_(context),
      pulse_([this] { collections_.notify(); }, GcEvents::kGap),
      collections_(context, pulse_),
      maps_(context, pulse_) {}

void AgentEvents::add_chunks(Dispatcher&) {
  collections_.add_listener([this](JNIEnv*) { maps_.collected(); });
}

// The modes ended with the session; whatever only they needed is switched off.
void AgentEvents::session_ended(const SessionPtr& session) {
  pulse_.cancel(session->id());
  context_.service.quick().post([this](JNIEnv*) { collections_.refresh(); });
}

void AgentEvents::end() {
  pulse_.stop();
  maps_.begin_close();
}

}  // namespace ddm
