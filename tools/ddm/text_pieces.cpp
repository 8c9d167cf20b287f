#include "text_pieces.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/file_descriptor.h"

namespace ddm {

std::optional<Error> refused_as_device(const std::string& path) {
  std::error_code unknown;
  const auto kind = std::filesystem::status(path, unknown).type();
  using Kind = std::filesystem::file_type;
  if (kind != Kind::character && kind != Kind::block) return {};
  return Error{path + " is a device, not a file"};
}

std::optional<std::string> rest_of(std::istream& in, std::size_t most) {
  std::string text;
  std::array<char, 65536> piece;
  while (in) {
    in.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > most) return {};
  }
  return text;
}

std::optional<Error> read_pieces(const std::string& path,
                                 const std::function<bool(std::string_view)>& use) {
  if (auto device = refused_as_device(path)) return device;
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
