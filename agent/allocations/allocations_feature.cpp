#include "allocations/allocations_feature.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "allocations/open_ring_file.h"
#include "core/log.h"

namespace ddm {
namespace {

class NothingFollowed final : public FollowedObjects {
  std::optional<DumpSites> hold(JNIEnv*) override { return std::nullopt; }
  std::string why_none() const override { return "allocations of this VM cannot be tracked"; }
};

}  // namespace

AllocationsFeature::AllocationsFeature(const HandlerContext& context, JNIEnv* jni, Stacks& stacks,
                                       ReportAssembly& reports, const VmFacts& facts,
                                       std::int64_t load_time, const AllocationOptions& options,
                                       TrackingHandlers::SmallIds small_ids)
    : context_(context),
      options_(options),
      tracking_(Tracking::create(context.jvmti, jni, facts, stacks)),
      handlers_(context, tracking_.get(), std::move(small_ids)) {
  if (!tracking_) return;
  reports.include(*tracking_);
  if (!options_.ring) return;
  if (auto file = open_ring_file(*options_.ring, facts.pid, load_time, options_)) {
    tracking_->keep_in(std::move(file));
  }
}

FollowedObjects& AllocationsFeature::followed() {
  static NothingFollowed& nothing = *new NothingFollowed;
  if (!tracking_) return nothing;
  return *tracking_;
}

void AllocationsFeature::opened(JNIEnv* jni, bool) {
  if (!options_.hooks_at_start || !tracking_) return;
  const std::string error = tracking_->prepare_hooks(jni);
  if (!error.empty()) log_error("hooks=start: {}", error);
}

// A later load that does not concern tracking keeps what tests have switched on meanwhile.
void AllocationsFeature::apply_options(JNIEnv* jni, const GivenOptions& given) {
  if (!tracking_) return;
  const std::vector<OptionRow> rows = AllocationOptions().rows();
  const auto is_given = [&](const OptionRow& row) { return given.has(row.name); };
  if (std::exchange(applied_, true) && std::ranges::none_of(rows, is_given)) return;
  if (options_.track == false) {
    const std::string error = tracking_->stop(jni);
    if (!error.empty()) log_error("allocation tracking: {}", error);
  }
  if (!tracking_->use(jni, options_)) {
    log_warn(
        "tracking goes on as it is; the options given hold from the next start on "
        "(track=n, then track=y)");
  }
}

void AllocationsFeature::start(JNIEnv* jni, const GivenOptions& given) {
  if (!tracking_ || !options_.start) return;
  context_.service.start_lanes(jni);        // for tracking's background work
  if (!given.lent) handlers_.end_leases();  // first: the end of a lease switches tracking off
  const std::string error = tracking_->start(jni);
  if (!error.empty()) log_error("allocation tracking: {}", error);
}

bool AllocationsFeature::write_final_reports(JNIEnv* jni, bool complete) {
  if (!tracking_) return complete;
  // A ring file is kept for an exit that the VM did not announce.
  if (complete && jni != nullptr) tracking_->remove_ring_file();
  tracking_->close();
  return complete;
}

}  // namespace ddm
