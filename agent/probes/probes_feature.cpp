#include "probes/probes_feature.h"

#include <optional>
#include <utility>

namespace ddm {

ProbesFeature::ProbesFeature(const HandlerContext& context, HitBudget::Sources sources,
                             Tracking* tracking)
    : budget_(context.jvmti, sinks_, std::move(sources)),
      probes_(context.jvmti, budget_,
              [tracking](JNIEnv* jni) {
                return tracking != nullptr ? std::optional(tracking->naming(jni)) : std::nullopt;
              }),
      handlers_(context, probes_) {
  if (tracking != nullptr) tracking->include(probes_);
}

void ProbesFeature::end() {
  probes_.program_ends();
  budget_.close();
}

}  // namespace ddm
