// REAE, REAQ, REAL: allocation tracking over the wire.
//
// Switching takes as long as rewriting classes does, so it happens on the slow lane, in the order
// of the requests and with REAL. REAQ is answered at once, but never ahead of a REAE that the same
// server has sent before it; then it is one more task on the slow lane.
//
// Tracking is the program's and goes on when a server leaves, unless REAE asks for it only while the
// connection lasts: then whatever ends the server, its kill too, switches tracking off.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <unordered_set>
#include <utility>

#include "allocations/tracking.h"
#include "wire/chunks/shared_answer.h"
#include "wire/chunks/switch_request.h"
#include "wire/handler_context.h"
#include "wire/pending_switches.h"

namespace ddm {

class TrackingHandlers {
 public:
  // The small ids of threads that may have ended, by Java's id. Attached threads.
  using SmallIds = std::function<std::map<std::int64_t, std::uint16_t>(
      JNIEnv*, const std::unordered_set<std::int64_t>&)>;
  // `tracking` may be null: this VM cannot be tracked.
  TrackingHandlers(const HandlerContext& context, Tracking* tracking, SmallIds small_ids)
      : context_(context), tracking_(tracking), small_ids_(std::move(small_ids)) {}

  void add_to(Dispatcher& dispatcher);
  // What was switched on for as long as this session lives is switched off.
  void disconnected(const SessionPtr& session);
  // The program ends: tracking stays as it is.
  void close() {
    const std::lock_guard lock(lease_mutex_);
    leased_ = false;
    lessees_.clear();
  }

 private:
  void enable(const Request& request, Reply reply);
  void query(const Request& request, Reply reply);
  void list(const Request& request, Reply reply);
  Result<Chunk> allocations(const SessionPtr& session);

  void switch_tracking(const TrackingRequest& wanted, const SessionPtr& session, Reply& reply);
  void send_state(Reply& reply) const;

  const HandlerContext& context_;
  Tracking* const tracking_;
  const SmallIds small_ids_;

  PendingSwitches switching_;  // REAE that are not yet answered

  std::mutex lease_mutex_;
  bool leased_ = false;  // on, and only for these sessions
  std::set<std::uint64_t> lessees_;

  // The slow lane's own.
  std::array<SharedAnswer, 2> allocations_;  // as it is, as ZLIB
};

}  // namespace ddm
