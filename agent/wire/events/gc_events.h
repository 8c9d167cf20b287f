// Notifies listeners after garbage collections.
//
// GarbageCollectionFinish is enabled only while a session's modes need it; its callback only rings
// the Pulse. The event is posted at every pause, which is several times per cycle of a concurrent
// collector, and in bursts: listeners are called once for all pauses within kGap, on the quick
// lane.
#pragma once

#include <functional>
#include <vector>

#include "core/pulse.h"
#include "vm/vm_events.h"
#include "wire/handler_context.h"

namespace ddm {

class GcEvents final : private VmListener {
 public:
  static constexpr std::chrono::milliseconds kGap{20};

  GcEvents(const HandlerContext& context, Pulse& pulse) : context_(context), pulse_(pulse) {}

  // Call before the first session.
  void add_listener(std::function<void(JNIEnv*)> listener) {
    listeners_.push_back(std::move(listener));
  }

  // Call on the quick or slow lane whenever a session's modes have changed. Returns the error, or
  // "".
  std::string refresh();

  // Called by the Pulse after a ring.
  void notify();

 private:
  void garbage_collection_finish() noexcept override { pulse_.ring(); }

  static bool wanted_by(const Session& session);

  const HandlerContext& context_;
  Pulse& pulse_;
  std::vector<std::function<void(JNIEnv*)>> listeners_;
  std::mutex mutex_;  // held by refresh()
  bool on_ = false;
};

}  // namespace ddm
