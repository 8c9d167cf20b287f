// REAE, REAQ, REAL: allocation tracking over the wire.
//
// Switching takes as long as rewriting classes does, so it happens on the slow lane, in the order
// of the requests and with REAL. REAQ is answered at once, but never ahead of a REAE that came
// before it.
#pragma once

#include <mutex>
#include <vector>

#include "handlers/handler_context.h"
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
  void query(Reply reply);
  void list(Reply reply);

  void switch_tracking(bool on, Reply& reply);
  void send_state(Reply& reply) const;

  const HandlerContext& context_;
  Tracking* const tracking_;
  ThreadHandlers& threads_;

  std::mutex mutex_;
  int switching_ = 0;           // REAE received and not yet answered
  std::vector<Reply> waiting_;  // REAQ behind them
};

}  // namespace ddm
