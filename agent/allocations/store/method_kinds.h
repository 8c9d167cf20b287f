// What kinds of methods the stacks of scopes consist of. A method is classified by its name, once
// for all scopes: each test asks for mostly the same ones.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stack/names/name_table.h"

namespace ddm {

class MethodKinds {
 public:
  struct Kind {
    bool known : 1 = false;
    bool first_use : 1 = false, waiting : 1 = false;  // stack/names/first_use.h
    bool jdk : 1 = false, runner : 1 = false, program : 1 = false;
    bool kit : 1 = false;  // ddm-test.jar's
    std::uint32_t name_hash = 0;
  };

  // `names`: always the same table, whose ids are never reused.
  const Kind& of(NameId method, const NameTable& names) {
    if (method < kinds_.size() && kinds_[method].known) return kinds_[method];
    return classify(method, names);
  }

  static std::uint32_t hash_of(const std::string& class_name, const std::string& method);

 private:
  const Kind& classify(NameId method, const NameTable& names);

  // Ids above are classified each time: only names that come and go by the million have such.
  static constexpr NameId kMostKept = 1u << 22;

  std::vector<Kind> kinds_;  // by id
  Kind not_kept_;
};

}  // namespace ddm
