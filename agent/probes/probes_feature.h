// Probes for a server, and the budget that they share with patches and with sampling.
#pragma once

#include "core/feature.h"
#include "probes/hit_budget.h"
#include "probes/patches.h"
#include "probes/probe_handlers.h"
#include "probes/probes.h"
#include "probes/sinks_class.h"
#include "report/assembly/report_assembly.h"
#include "wire/handler_context.h"

namespace ddm {

class ProbesFeature final : public Feature {
 public:
  ProbesFeature(const HandlerContext& context, HitBudget::Sources sources, Stacks& stacks,
                ReportAssembly& reports);

  HitBudget& budget() { return budget_; }

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void session_ended(const SessionPtr& session) override { handlers_.disconnected(session); }
  void end() override;

 private:
  SinksClass sinks_;
  Patches patches_{sinks_};
  HitBudget budget_;
  Probes probes_;
  ProbeHandlers handlers_;
};

}  // namespace ddm
