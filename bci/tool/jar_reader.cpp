#include "bci/tool/jar_reader.h"

#include <zlib.h>

#include <fstream>
#include <iterator>
#include <optional>

namespace bci {
namespace {

namespace fs = std::filesystem;
using Use = std::function<void(const std::string&, ByteSpan)>;

std::optional<Bytes> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

bool is_class(const std::string& name) { return name.ends_with(".class"); }

// Zip files are little-endian.
std::uint32_t little(ByteSpan bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i) {
    value |= static_cast<std::uint32_t>(bytes[at + i]) << (8 * i);
  }
  return value;
}

std::optional<Bytes> inflate_raw(ByteSpan packed, std::size_t size) {
  Bytes out(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  stream.next_in = const_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(size);
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) return std::nullopt;
  return out;
}

constexpr std::uint32_t kEndSignature = 0x06054b50;    // end of central directory, 22 bytes
constexpr std::uint32_t kEntrySignature = 0x02014b50;  // central directory entry, 46 bytes
constexpr std::size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30;
constexpr std::uint32_t kMaxClassSize = 64u << 20;

bool read_jar(ByteSpan jar, const Use& use) {
  if (jar.size() < kEndSize) return false;
  std::size_t end = jar.size() - kEndSize;
  while (end > 0 && little(jar, end, 4) != kEndSignature) --end;
  if (little(jar, end, 4) != kEndSignature) return false;
  std::size_t at = little(jar, end + 16, 4);
  for (std::uint32_t left = little(jar, end + 10, 2); left > 0; --left) {
    if (at + kEntrySize > jar.size() || little(jar, at, 4) != kEntrySignature) return false;
    const std::uint32_t method = little(jar, at + 10, 2);
    const std::uint32_t packed_size = little(jar, at + 20, 4);
    const std::uint32_t size = little(jar, at + 24, 4);
    const std::uint32_t name_size = little(jar, at + 28, 2);
    const std::size_t local = little(jar, at + 42, 4);
    if (at + kEntrySize + name_size > jar.size()) return false;
    const std::string name(reinterpret_cast<const char*>(jar.data()) + at + kEntrySize, name_size);
    at += kEntrySize + name_size + little(jar, at + 30, 2) + little(jar, at + 32, 2);
    if (!is_class(name)) continue;
    const std::size_t data =
        local + kLocalSize + little(jar, local + 26, 2) + little(jar, local + 28, 2);
    if (data > jar.size() || packed_size > jar.size() - data || size > kMaxClassSize) return false;
    const ByteSpan packed = jar.subspan(data, packed_size);
    if (method == 0) {
      use(name, packed);
    } else if (const auto bytes = inflate_raw(packed, size)) {
      use(name, *bytes);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool for_each_class(const fs::path& path, const Use& use, std::string& error) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    for (const auto& entry : fs::recursive_directory_iterator(path, failed)) {
      if (!entry.is_regular_file(failed) || !is_class(entry.path().filename())) continue;
      const auto bytes = read_file(entry.path());
      if (!bytes) {
        error = "cannot read " + entry.path().string();
        return false;
      }
      use(fs::relative(entry.path(), path, failed).string(), *bytes);
    }
    return true;
  }
  const auto bytes = read_file(path);
  if (!bytes) {
    error = "cannot read " + path.string();
    return false;
  }
  if (little(*bytes, 0, 2) != 0x4b50) {  // "PK"
    use(path.filename(), *bytes);
    return true;
  }
  if (read_jar(*bytes, use)) return true;
  error = path.string() + " is not a jar that can be read";
  return false;
}

}  // namespace bci
