#include "probes/probes_feature.h"

#include <optional>
#include <utility>

namespace ddm {

ProbesFeature::ProbesFeature(const HandlerContext& context, HitBudget::Sources sources,
                             Stacks& stacks, ReportAssembly& reports)
    : budget_(context.jvmti, patches_, std::move(sources)),
      probes_(context.jvmti, budget_, [&stacks](JNIEnv* jni) { return stacks.naming(jni); }),
      handlers_(context, probes_) {
  reports.include(probes_);
}

void ProbesFeature::end() {
  probes_.program_ends();
  budget_.close();
}

}  // namespace ddm
