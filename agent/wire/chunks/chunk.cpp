#include "wire/chunks/chunk.h"

namespace ddm {

std::string chunk_name(ChunkType type) {
  std::string name;
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto letter = static_cast<char>(type >> shift & 0xff);
    name += letter >= 0x20 && letter < 0x7f ? letter : '?';
  }
  return name;
}

std::optional<std::vector<ChunkView>> split_chunks(ByteSpan payload, std::size_t max_chunks) {
  std::vector<ChunkView> chunks;
  ByteReader in(payload);
  while (!in.at_end() && chunks.size() < max_chunks) {
    const ChunkType type = in.u4();
    const ByteSpan data = in.bytes(in.u4());
    if (!in.ok()) break;
    chunks.push_back({type, data});
  }
  if (chunks.empty() && !payload.empty()) return {};
  return chunks;
}

}  // namespace ddm
