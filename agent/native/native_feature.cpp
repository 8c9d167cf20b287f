#include "native/native_feature.h"

#include "core/log.h"

namespace ddm {
namespace {

std::unique_ptr<NativeSampling> start_sampling(const HandlerContext& context, JNIEnv* jni,
                                               const NativeOptions& options) {
  if (options.interval <= 0) return nullptr;
  auto sampling = NativeSampling::start(context.jvmti, context.vm, jni,
                                        static_cast<std::uint64_t>(options.interval));
  if (!sampling) return nullptr;
  if (!sampling->watch().start()) {
    log_warn(
        "native=: libraries that are loaded later are not watched: no thread could be started");
  }
  return sampling;
}

}  // namespace

NativeFeature::NativeFeature(const HandlerContext& context, JNIEnv* jni, AgentEvents& events,
                             const NativeOptions& options)
    : sampling_(start_sampling(context, jni, options)),
      handlers_(context, events.collections(), events.maps(), sampling_.get()) {}

void NativeFeature::end_after_servers() {
  if (sampling_) LibraryWatch::stop();
}

}  // namespace ddm
