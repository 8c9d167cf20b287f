#include "allocations/store/method_kinds.h"

#include <functional>

#include "stack/names/first_use.h"
#include "stack/names/jdk_classes.h"
#include "stack/names/test_frames.h"

namespace ddm {

std::uint32_t MethodKinds::hash_of(const std::string& class_name, const std::string& method) {
  constexpr std::size_t kMultiplier = 31;
  return static_cast<std::uint32_t>(std::hash<std::string>()(class_name) * kMultiplier +
                                    std::hash<std::string>()(method));
}

const MethodKinds::Kind& MethodKinds::classify(NameId method, const NameTable& names) {
  if (method < kMostKept && method >= kinds_.size()) {
    kinds_.resize(method + 1 + kinds_.size() / 2);
  }
  const MethodName& name = names.method(method);
  Kind& kind = method < kMostKept ? kinds_[method] : not_kept_;
  kind.known = true;
  kind.first_use = is_first_use(name.class_name, name.method);
  kind.waiting = is_contention(name.class_name, name.method);
  kind.jdk = is_jdk_class(name.class_name);
  kind.runner = is_test_runner(name.class_name);
  kind.program = is_program_under_test(name.class_name);
  kind.kit = name.class_name.starts_with("ddm.test.");
  kind.name_hash = hash_of(name.class_name, name.method);
  return kind;
}

}  // namespace ddm
