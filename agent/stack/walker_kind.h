// walker=: how stacks are walked. Pure.
#pragma once

namespace ddm {

enum class WalkerKind { kAuto, kVm, kAsgct, kJvmti };

}  // namespace ddm
