#include "text_pieces.h"

#include <array>
#include <cstdio>
#include <memory>

#include "core/file_descriptor.h"

namespace ddm {

std::optional<Error> read_pieces(const std::string& path,
                                 const std::function<bool(std::string_view)>& use) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             std::fclose);
  if (!file) return errno_error(path);
  std::array<char, 65536> piece;
  for (;;) {
    const std::size_t size = std::fread(piece.data(), 1, piece.size(), file.get());
    if (size == 0 && std::ferror(file.get()) != 0) return errno_error(path);
    if (size == 0 || !use({piece.data(), size})) return {};
  }
}

}  // namespace ddm
