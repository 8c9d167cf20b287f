// Where the instructions of rewritten methods stood before: what bci::rewrite() told, kept for as
// long as the agent lives, since frames of such methods may be read at any time. Any thread.
//
// The key holds the rewritten code's length, so that code which another agent has changed since
// (or another class of the same name) is not taken for ours.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bci/rewrite.h"

namespace ddm {

class RewrittenMethods {
 public:
  void add(const bci::RewriteResult& result);

  // Empty: not rewritten, or nothing moved. `signature` is the class's, "Ljava/util/List;".
  std::vector<bci::BciRun> moves_of(std::string_view signature, std::string_view method,
                                    std::string_view descriptor, std::uint32_t code_length) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::vector<bci::BciRun>> moves_;  // by hash of the key
};

}  // namespace ddm
