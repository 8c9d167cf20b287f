// Methods and classes that could not be rewritten, counted by reason: each once, however often
// another agent has its class transformed again. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

#include "bci/rewrite.h"

namespace bci {

class SkippedCode {
 public:
  using Counts = std::map<std::string, std::int64_t>;

  void add(const RewriteResult& result);
  // A class of which nothing but the reason is known.
  void add_unnamed(const std::string& reason) { classes_[reason].insert(++unnamed_); }
  void clear() { *this = {}; }

  Counts methods() const { return counts_of(methods_); }
  Counts classes() const { return counts_of(classes_); }

 private:
  using Hashes = std::map<std::string, std::unordered_set<std::size_t>>;  // of names, by reason
  static Counts counts_of(const Hashes& hashes);

  Hashes methods_, classes_;
  std::size_t unnamed_ = 0;
};

}  // namespace bci
