// Native memory for a server: malloc's map, and sampled allocations (native=BYTES, NHGE).
#pragma once

#include "core/feature.h"
#include "native/native_heap_handlers.h"
#include "native/native_options.h"
#include "native/native_sampling.h"
#include "wire/events/agent_events.h"

namespace ddm {

class NativeFeature final : public Feature {
 public:
  // `options` are those of the last load.
  NativeFeature(const HandlerContext& context, AgentEvents& events, const NativeOptions& options);

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void start(JNIEnv* jni, const GivenOptions& given) override;
  void end_after_servers() override { sampling_.end(); }

 private:
  const NativeOptions& options_;
  NativeSampling sampling_;
  NativeHeapHandlers handlers_;
};

}  // namespace ddm
