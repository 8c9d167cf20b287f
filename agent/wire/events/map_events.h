// When maps of memory are drawn: after collections, for those who asked, on a thread of its own.
//
// Drawers run one after the other, in the order in which they were added, so that a server gets
// HPIF (sent by the quick lane before), then HPSG, then NHSG. Collections that come while a map is
// being drawn, or soon after, are answered by one more map when that time is over: the last
// collection always gets one, and drawing never takes more than a fifth of the time.
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
  static constexpr int kRestFactor = 4;  // of the time that the last maps took

  MapEvents(const HandlerContext& context, Pulse& pulse);

  // Before the first session. A drawer looks for itself whether anybody wants it.
  void add_drawer(std::function<void(JNIEnv*)> drawer) { drawers_.push_back(std::move(drawer)); }

  // Quick lane: what has to stand before a server is promised a map. "" or what is wrong.
  std::string start(JNIEnv* jni);

  // Runs the task on the maps' thread, between two rounds of drawers. "" or what is wrong. Quick lane,
  // after start().
  std::string post(AgentThread::Task task) {
    return thread_.run_soon(context_.jni(), std::move(task));
  }

  // Quick lane, after a collection.
  void collected();

  // Nothing is drawn any more, and what is being sent need not be whole. Never waits.
  void begin_close();
  bool closing() const { return closing_; }
  // Waits for what is being drawn, not long.
  void close();

 private:
  static constexpr std::uint64_t kPulseKey = ~std::uint64_t{0};

  void draw(JNIEnv* jni);

  const HandlerContext& context_;
  Pulse& pulse_;
  AgentThread thread_;
  std::vector<std::function<void(JNIEnv*)>> drawers_;
  bool started_ = false;              // the quick lane's own
  std::atomic<bool> waiting_{false};  // a round of drawers is due and has not begun
  std::atomic<Pulse::Clock::rep> rest_until_{0};
  std::atomic<bool> closing_{false};
};

}  // namespace ddm
