// REAE, REAQ, REAL: allocation tracking over the wire.
//
// Switching takes as long as rewriting classes, so it runs on the slow lane, in the order of the
// requests and with REAL. REAQ is answered at once, unless the same server has a pending REAE
// before it; then it is queued on the slow lane, too.
//
// Tracking belongs to the program and continues when a server disconnects, unless REAE requests it
// for the duration of the connection: then it is switched off however the server ends, even if it
// is killed.
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
  // The small ids of threads by Java id, ended ones included. Attached threads.
  using SmallIds = std::function<std::map<std::int64_t, std::uint16_t>(
      JNIEnv*, const std::unordered_set<std::int64_t>&)>;
  // `tracking` may be null: this VM cannot be tracked.
  TrackingHandlers(const HandlerContext& context, Tracking* tracking, SmallIds small_ids)
      : context_(context), tracking_(tracking), small_ids_(std::move(small_ids)) {}

  void add_to(Dispatcher& dispatcher);
  // Ends tracking that was requested for the duration of this session.
  void disconnected(const SessionPtr& session);
  // Tracking outlasts the sessions: the program's options have switched it on, or the program ends.
  void end_leases() {
    const std::lock_guard lock(lease_mutex_);
    leased_ = false;
    lessees_.clear();
  }

 private:
  void enable(const Request& request, Reply reply);
  void query(const Request& request, Reply reply);
  void list(const Request& request, Reply reply);
  Result<Chunk> allocations(const SessionPtr& session);

  bool ends_lease(const SessionPtr& session);
  void switch_tracking(const TrackingRequest& wanted, const SessionPtr& session, Reply& reply);

  const HandlerContext& context_;
  Tracking* const tracking_;
  const SmallIds small_ids_;

  PendingSwitches switching_;  // unanswered REAE

  std::mutex lease_mutex_;
  bool leased_ = false;  // on, for the duration of these sessions only
  std::set<std::uint64_t> lessees_;

  // Used by the slow lane only.
  std::array<SharedAnswer, 2> allocations_;  // uncompressed, and as ZLIB
};

}  // namespace ddm
