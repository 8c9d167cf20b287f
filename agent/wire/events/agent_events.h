// Events shared by several features: timers, GC notifications, and the maps of memory drawn after
// collections.
#pragma once

#include "core/feature.h"
#include "core/pulse.h"
#include "wire/events/gc_events.h"
#include "wire/events/map_events.h"
#include "wire/handler_context.h"

namespace ddm {

class AgentEvents final : public Feature {
 public:
  explicit AgentEvents(const HandlerContext& context)
      : context_(context),
        pulse_([this] { collections_.notify(); }, GcEvents::kGap),
        collections_(context, pulse_),
        maps_(context, pulse_) {}

  Pulse& pulse() { return pulse_; }
  GcEvents& collections() { return collections_; }
  MapEvents& maps() { return maps_; }

  // Registered after the features that report a collection themselves: maps follow those events.
  void add_chunks(Dispatcher&) override {
    collections_.add_listener([this](JNIEnv*) { maps_.collected(); });
  }
  // The modes ended with the session; whatever only they needed is switched off.
  void session_ended(const SessionPtr& session) override {
    pulse_.cancel(session->id());
    context_.service.quick().post([this](JNIEnv*) { collections_.refresh(); });
  }
  void end() override {
    pulse_.stop();
    maps_.begin_close();
  }
  void end_after_servers() override { maps_.close(); }

 private:
  const HandlerContext& context_;
  Pulse pulse_;
  GcEvents collections_;
  MapEvents maps_;
};

}  // namespace ddm
