#include "bci/skipped_code.h"

#include <functional>

namespace bci {

void SkippedCode::add(const RewriteResult& result) {
  const std::hash<std::string> hash;
  for (const SkippedMethod& method : result.skipped) {
    methods_[std::string(to_string(method.reason))].insert(
        hash(result.class_name + '.' + method.name + method.descriptor));
  }
  if (result.status == RewriteStatus::kSkipped) {
    classes_[std::string(to_string(result.reason))].insert(hash(result.class_name));
  }
}

SkippedCode::Counts SkippedCode::counts_of(const Hashes& hashes) {
  Counts counts;
  for (const auto& [reason, names] : hashes) {
    counts[reason] = static_cast<std::int64_t>(names.size());
  }
  return counts;
}

}  // namespace bci
