// bci: class file in, class file out. The one header for users.
//
//   bci::ObjectInitHook objects({"java/lang/DdmTracker", "object", "(Ljava/lang/Object;)V"});
//   bci::ArrayHook arrays({"java/lang/DdmTracker", "array", "(Ljava/lang/Object;)V"},
//                         {"java/lang/DdmTracker", "arrays", "(Ljava/lang/Object;I)V"});
//   const bci::Transformation* const all[] = {&objects, &arrays};
//   bci::RewriteResult result = bci::rewrite(class_bytes, all);
//   if (result.status == bci::RewriteStatus::kChanged) use(result.bytes);
//
// Never throws or aborts, whatever the bytes are: what cannot be parsed is left unchanged, with a
// reason. No global state: any thread may rewrite at any time; transformations are shared as const
// objects.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bci/allocation_hooks.h"
#include "bci/bci_map.h"
#include "bci/bytes.h"
#include "bci/call_site_hook.h"
#include "bci/code_shape.h"
#include "bci/constructor_flow.h"
#include "bci/method_hooks.h"
#include "bci/skip_reason.h"
#include "bci/transformation.h"

namespace bci {

enum class RewriteStatus : std::uint8_t {
  kUnchanged,  // no transformation had anything to do here
  kChanged,
  kSkipped,  // the class was not understood, see RewriteResult::reason
};

struct ChangedMethod {
  std::string name, descriptor;
  std::uint64_t shape = 0;      // code_shape() of the bytecode as rewritten
  std::vector<BciRun> bci_map;  // see original_bci(); empty if no offset moved
};

// A method that was not changed (`transformation` empty), or to which one transformation could not
// be applied.
struct SkippedMethod {
  std::string name, descriptor;
  SkipReason reason = SkipReason::kNone;
  std::string transformation;
};

struct RewriteResult {
  RewriteStatus status = RewriteStatus::kUnchanged;
  SkipReason reason = SkipReason::kNone;  // of kSkipped
  std::string class_name;                 // internal name; empty if it could not be read
  Bytes bytes;                            // of kChanged, else empty
  std::vector<ChangedMethod> changed;
  std::vector<SkippedMethod> skipped;  // possible with every status
};

struct RewriteOptions {
  // Decodes and encodes every method, changed or not. For tests: without a transformation the
  // output must equal the input.
  bool reencode_all = false;
  // Writes every branch in its long form, as if out of range. For tests of the frames that this
  // needs.
  bool widen_all = false;
};

// Applies the transformations in order. Classes that contain a hook are not changed.
RewriteResult rewrite(ByteSpan class_file, std::span<const Transformation* const> transformations,
                      RewriteOptions options = {}) noexcept;

}  // namespace bci
