// Text as the wire has it (UTF-16) and as everything else here has it (UTF-8). Pure functions.
//
// Names from the VM are modified UTF-8 (JVMS 4.4.7), others may come from a foreign or broken
// peer, so every byte and every unit is accepted; what cannot be said becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace ddm {

// UTF-8 or modified UTF-8 (C0 80 for U+0000, surrogates of three bytes each). A bad byte becomes
// one U+FFFD.
std::u16string to_utf16(std::string_view text);

// Always valid UTF-8: a surrogate without its other half becomes U+FFFD.
std::string to_utf8(std::u16string_view text);

}  // namespace ddm
