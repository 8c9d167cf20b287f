// Writes an edited method: assigns offsets, widens branches that no longer reach, and updates
// everything that contains an offset.
#pragma once

#include <optional>
#include <vector>

#include "bci/bci_map.h"
#include "bci/code_editor.h"
#include "bci/type_state.h"

namespace bci {

struct WrittenCode {
  Bytes body;  // of the Code attribute, from max_stack on
  std::uint32_t code_length = 0;
  std::vector<BciRun> bci_map;

  // JVMS 4.7.3:  u2 max_stack | u2 max_locals | u4 code_length | code ...
  static constexpr std::size_t kBytecodeAt = 8;
  ByteSpan bytecode() const { return ByteSpan(body).subspan(kBytecodeAt, code_length); }
};

// nullopt, with the reason, if the method exceeds a limit of the class file format. `widen_all`:
// see RewriteOptions.
std::optional<WrittenCode> write_code(CodeEditor& editor, const MethodShape& method, bool widen_all,
                                      SkipReason& why);

}  // namespace bci
