// Native memory for a server: malloc's map, and sampled allocations with native=BYTES.
#pragma once

#include <memory>

#include "core/feature.h"
#include "native/native_heap_handlers.h"
#include "native/native_options.h"
#include "native/native_sampling.h"
#include "wire/events/agent_events.h"

namespace ddm {

class NativeFeature final : public Feature {
 public:
  NativeFeature(const HandlerContext& context, JNIEnv* jni, AgentEvents& events,
                const NativeOptions& options);

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void end_after_servers() override;

 private:
  const std::unique_ptr<NativeSampling> sampling_;  // null: without native=
  NativeHeapHandlers handlers_;
};

}  // namespace ddm
