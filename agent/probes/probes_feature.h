// Probes for a server (PRBS, PRBQ, PRBE, PRBW), and the budget that they share with patches and with
// sampling. Probes belong to a connection and end with it.
#pragma once

#include "core/feature.h"
#include "probes/hit_budget.h"
#include "probes/patches.h"
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

  void add_chunks(Dispatcher& dispatcher) override;
  void session_ended(const SessionPtr& session) override { probes_.disconnected(session->id()); }
  void end() override;

 private:
  const HandlerContext& context_;
  SinksClass sinks_;
  Patches patches_{sinks_};
  HitBudget budget_;
  Probes probes_;
};

}  // namespace ddm
