// Random bytes of the kernel: for names that no other process may meet or guess, and for secrets.
// Any thread; never waits.
#pragma once

#include <sys/random.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ddm {

// None: the kernel has none yet, shortly after its start; errno says so.
template <std::size_t N>
std::optional<std::array<std::uint8_t, N>> random_bytes() {
  std::array<std::uint8_t, N> bytes;
  if (getrandom(bytes.data(), N, GRND_NONBLOCK) != static_cast<ssize_t>(N)) return {};
  return bytes;
}

inline std::optional<std::uint64_t> random_number() {
  const auto bytes = random_bytes<sizeof(std::uint64_t)>();
  return bytes ? std::optional(std::bit_cast<std::uint64_t>(*bytes)) : std::nullopt;
}

}  // namespace ddm
