#include "heap/heap_options.h"

#include <fmt/format.h>

namespace ddm {
namespace {

Wrong read_unit(std::string_view value, std::int64_t* to) {
  Wrong error = number(value, 8, 64, false, to);
  if (!error.empty() || (*to & (*to - 1)) != 0) {
    return fmt::format("\"{}\" is not a power of two from 8 to 64", value);
  }
  return error;
}

}  // namespace

std::vector<OptionRow> HeapOptions::rows() {
  return {{"unit", "BYTES", "allocation unit of heap maps (8)", OptionRow::Reload::kRefused,
           [this](std::string_view v) { return read_unit(v, &unit); }}};
}

}  // namespace ddm
