// Draws maps of memory after collections, for the sessions that requested them, on a thread of
// their own.
//
// Drawers run in the order in which they were added, so a server gets HPIF (sent by the quick lane
// before), then HPSG, then NHSG. Collections during a drawing, or soon after it, are covered by one
// more map when that time is over: the last collection always gets a map, and drawing takes at most
// a fifth of the time.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "core/pulse.h"
#include "wire/handler_context.h"

namespace ddm {

class MapEvents {
 public:
  static constexpr std::chrono::milliseconds kRest{100};
  static constexpr int kRestFactor = 4;  // pause after a round, as a multiple of its duration

  MapEvents(const HandlerContext& context, Pulse& pulse);

  // Call before the first session. A drawer checks itself whether a session wants its map.
  void add_drawer(std::function<void(JNIEnv*)> drawer) { drawers_.push_back(std::move(drawer)); }

  // Quick lane: starts the threads, before a server is promised a map. "" or the error.
  std::string start(JNIEnv* jni);

  // Runs the task on the maps' thread, between two rounds of drawers. "" or the error. Quick lane,
  // after start().
  std::string post(AgentThread::Task task) {
    return thread_.run_soon(context_.jni(), std::move(task));
  }

  // Call on the quick lane after a collection.
  void collected();

  // Starts no further drawing; maps in progress may be cut short. Never blocks.
  void begin_close();
  bool closing() const { return closing_; }
  // Waits briefly for a drawing in progress.
  void close();

 private:
  static constexpr std::uint64_t kPulseKey = ~std::uint64_t{0};

  void draw(JNIEnv* jni);

  const HandlerContext& context_;
  Pulse& pulse_;
  AgentThread thread_;
  std::vector<std::function<void(JNIEnv*)>> drawers_;
  bool started_ = false;              // accessed by the quick lane only
  std::atomic<bool> waiting_{false};  // a round of drawers is scheduled
  std::atomic<Pulse::Clock::rep> rest_until_{0};
  std::atomic<bool> closing_{false};
};

}  // namespace ddm
