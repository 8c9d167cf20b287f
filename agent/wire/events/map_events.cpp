#include "wire/events/map_events.h"

#include <algorithm>

#include "core/exit_limits.h"
#include "core/log.h"

namespace ddm {

MapEvents::MapEvents(const HandlerContext& context, Pulse& pulse)
    : context_(context), pulse_(pulse), thread_(context.jvmti, "ddmagent-maps") {
  thread_.end_when_idle();
}

std::string MapEvents::start(JNIEnv* jni) {
  if (started_) return "";
  if (!pulse_.start()) return "there is no thread for events";
  const std::string error = thread_.start(jni);
  started_ = error.empty();
  return error;
}

void MapEvents::collected() {
  if (!started_ || waiting_.exchange(true)) return;
  const Pulse::Clock::time_point due{Pulse::Clock::duration(rest_until_.load())};
  const auto begin = [this] {
    context_.service.quick().post([this](JNIEnv*) {
      const std::string error = post([this](JNIEnv* jni) { draw(jni); });
      if (error.empty()) return;
      waiting_ = false;  // the next collection tries again
      if (!closing_) log_error("no maps after this collection: {}", error);
    });
  };
  if (due <= Pulse::Clock::now()) {
    begin();
  } else {
    pulse_.at(kPulseKey, due, begin);
  }
}

void MapEvents::draw(JNIEnv* jni) {
  waiting_ = false;
  const auto begin = Pulse::Clock::now();
  for (const auto& drawer : drawers_) drawer(jni);
  const auto end = Pulse::Clock::now();
  const Pulse::Clock::duration rest =
      std::max<Pulse::Clock::duration>(kRest, kRestFactor * (end - begin));
  rest_until_ = (end + rest).time_since_epoch().count();
}

void MapEvents::begin_close() {
  closing_ = true;
  thread_.stop(std::chrono::milliseconds::zero());
}

void MapEvents::close() { thread_.stop(exit_limits::kMapLimit); }

}  // namespace ddm
