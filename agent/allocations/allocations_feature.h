// Allocation tracking for servers, from the start with track=y, and in a file with ring=.
#pragma once

#include <memory>

#include "allocations/tracking.h"
#include "allocations/tracking_handlers.h"
#include "allocations/tracking_options.h"
#include "core/feature.h"
#include "vm/vm_facts.h"
#include "wire/handler_context.h"

namespace ddm {

class AllocationsFeature final : public Feature {
 public:
  // `load_time`: seconds since the epoch.
  AllocationsFeature(const HandlerContext& context, JNIEnv* jni, Stacks& stacks,
                     ReportAssembly& reports, const VmFacts& facts, std::int64_t load_time,
                     const AllocationOptions& options, TrackingHandlers::SmallIds small_ids);

  // Null: this VM lacks what tracking needs.
  Tracking* tracking() { return tracking_.get(); }
  FollowedObjects& followed();

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void opened(JNIEnv* jni, bool late) override;
  void apply_options(JNIEnv* jni, const GivenOptions& given) override;
  void start(JNIEnv* jni, const GivenOptions& given) override;
  void thread_started(JNIEnv* jni, jthread thread) override {
    if (tracking_) tracking_->thread_started(jni, thread);
  }
  void thread_ending(JNIEnv* jni, jthread thread) override {
    if (tracking_) tracking_->thread_ending(jni, thread);
  }
  void session_ended(const SessionPtr& session) override { handlers_.disconnected(session); }
  void halting() override {
    if (tracking_) tracking_->vm_halts();
  }
  void end() override {
    handlers_.end_leases();
    if (tracking_) tracking_->vm_ends();
  }
  bool write_final_reports(JNIEnv* jni, bool complete) override;

 private:
  const HandlerContext& context_;
  const AllocationOptions& options_;
  const std::unique_ptr<Tracking> tracking_;
  TrackingHandlers handlers_;
  bool applied_ = false;  // the options of the first load
};

}  // namespace ddm
