// Tells those who asked that the VM has collected garbage.
//
// The VM's GarbageCollectionFinish event is on only while a session's modes want it; its callback
// does nothing but ring. It comes at every pause, which is several times for one cycle of a
// concurrent collector, and may come in bursts: listeners are told once for all within kGap, on the
// quick lane.
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

  // Before the first session.
  void add_listener(std::function<void(JNIEnv*)> listener) {
    listeners_.push_back(std::move(listener));
  }

  // To be called on the quick or slow lane whenever a session's modes have changed. What went
  // wrong, or "".
  std::string refresh();

  // The Pulse has heard the bell.
  void heard();

 private:
  void garbage_collection_finish() noexcept override { pulse_.ring(); }

  static bool wanted_by(const Session& session);

  const HandlerContext& context_;
  Pulse& pulse_;
  std::vector<std::function<void(JNIEnv*)>> listeners_;
  std::mutex mutex_;  // of refresh()
  bool on_ = false;
};

}  // namespace ddm
