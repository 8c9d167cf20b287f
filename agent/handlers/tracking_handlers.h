// REAE, REAQ, REAL: allocation tracking over the wire.
//
// Switching takes as long as rewriting classes does, so it happens on the slow lane, in the order
// of the requests and with REAL. REAQ is answered at once, but never ahead of a REAE that the same
// server has sent before it; then it is one more task on the slow lane.
#pragma once

#include <array>

#include "ddm/shared_answer.h"
#include "handlers/handler_context.h"
#include "handlers/pending_switches.h"
#include "handlers/thread_handlers.h"
#include "track/tracking.h"

namespace ddm {

class TrackingHandlers {
 public:
  // `tracking` may be null: this VM cannot be tracked.
  TrackingHandlers(const HandlerContext& context, Tracking* tracking, ThreadHandlers& threads)
      : context_(context), tracking_(tracking), threads_(threads) {}

  void add_to(Dispatcher& dispatcher);

 private:
  void enable(const Request& request, Reply reply);
  void query(const Request& request, Reply reply);
  void list(const Request& request, Reply reply);
  Result<Chunk> allocations(const SessionPtr& session);

  void switch_tracking(bool on, Reply& reply);
  void send_state(Reply& reply) const;

  const HandlerContext& context_;
  Tracking* const tracking_;
  ThreadHandlers& threads_;

  PendingSwitches switching_;  // REAE that are not yet answered

  // The slow lane's own.
  std::array<SharedAnswer, 2> allocations_;  // as it is, as ZLIB
};

}  // namespace ddm
