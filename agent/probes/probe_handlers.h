// PRBS, PRBQ, PRBE, PRBW: probes for a DDM server. Probes belong to a connection and end with it.
#pragma once

#include "probes/probes.h"
#include "wire/handler_context.h"

namespace ddm {

class ProbeHandlers {
 public:
  ProbeHandlers(const HandlerContext& context, Probes& probes)
      : context_(context), probes_(probes) {}

  void add_to(Dispatcher& dispatcher);
  void disconnected(const SessionPtr& session) { probes_.disconnected(session->id()); }

 private:
  const HandlerContext& context_;
  Probes& probes_;
};

}  // namespace ddm
