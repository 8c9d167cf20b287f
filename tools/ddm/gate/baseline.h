// What tests, or sites, are known to allocate: a file that lives in a repository.
//
//   # a comment
//   NAME<TAB>OBJECTS<TAB>BYTES      sorted by name
//   [jdk 21]                        from here on for this version alone
//   NAME<TAB>OBJECTS<TAB>BYTES
//
// NAME: package.Class.method of a test ("[2]" behind it: of a repetition), or of a site
// "Class @ package.Class.method". A comment "# jdk 17" says with which version what stands above all
// sections was measured; names of which another version has other figures get a section of its own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace ddm {

struct Amount {
  std::int64_t objects = 0, bytes = 0;
  friend bool operator==(const Amount&, const Amount&) = default;
};

using Amounts = std::map<std::string, Amount>;

class Baseline {
 public:
  // The error names the line, and what a line is.
  static Result<Baseline> parse(std::string_view text);

  // What holds for a version; 0: not known, only what stands above all sections.
  Amounts of(int jdk) const;
  // With which version that was measured; 0: it does not say.
  int jdk() const { return jdk_; }
  // What was measured with a version takes the place of all that was known for it. Comments stay.
  void update(int jdk, const Amounts& measured);

  std::string text() const;

 private:
  std::string comments_;  // all of them, in their order
  int jdk_ = 0;
  Amounts all_;
  std::map<int, Amounts> sections_;
};

}  // namespace ddm
