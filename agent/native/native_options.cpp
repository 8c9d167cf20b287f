#include "native/native_options.h"

namespace ddm {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;

}  // namespace

std::vector<OptionRow> NativeOptions::rows() {
  return {{"native", "BYTES", "native allocations: bytes between samples (0 = off)",
           OptionRow::Reload::kTaken,
           [this](std::string_view v) { return number(v, 0, kMaxBytes, true, &interval); }}};
}

}  // namespace ddm
