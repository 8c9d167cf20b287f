// The nodes of the frames that a thread has allocated in lately, each found by its caller's node.
//
// The allocating frame is in no trail (stack_trail.h), so every record asks for its node. A tree's
// nodes are never dropped, so an entry is valid as long as the tree. One thread.
#pragma once

#include <array>
#include <cstdint>

#include "stack/tree/call_tree.h"

namespace ddm {

class CalleeCache {
 public:
  // kNoTrace: the tree has no room for the node.
  TraceNumber find(CallTree& tree, TraceNumber caller, Frame frame) {
    if (tree_ != tree.id()) [[unlikely]] {
      callees_.fill({});
      tree_ = tree.id();
    }
    Callee& known =
        callees_[(frame.method + static_cast<std::uint32_t>(frame.bci)) % callees_.size()];
    if (known.caller != caller || known.frame != frame) {
      TraceNumber node = caller;
      if (tree.descend(node, {&frame, 1}, nullptr) != 0) return kNoTrace;
      known = {frame, caller, node};
    }
    return known.node;
  }

 private:
  struct Callee {
    Frame frame;
    TraceNumber caller = kNoTrace, node = kNoTrace;
  };

  std::array<Callee, 32> callees_;
  std::uint32_t tree_ = 0;  // its id()
};

}  // namespace ddm
