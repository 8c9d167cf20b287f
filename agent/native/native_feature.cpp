#include "native/native_feature.h"

#include "core/log.h"

namespace ddm {

NativeFeature::NativeFeature(const HandlerContext& context, AgentEvents& events,
                             const NativeOptions& options)
    : options_(options),
      sampling_(context.jvmti, context.vm),
      handlers_(context, events.collections(), events.maps(), sampling_) {}

void NativeFeature::start(JNIEnv* jni, const GivenOptions& given) {
  if (!given.has("native")) return;
  const std::string error = sampling_.set(jni, static_cast<std::uint64_t>(options_.interval));
  if (!error.empty()) {
    log_error("native={}: {}; native allocations are not sampled", options_.interval, error);
  }
}

}  // namespace ddm
