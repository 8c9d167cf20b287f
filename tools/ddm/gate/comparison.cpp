#include "gate/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/whole_text.h"

namespace ddm {

std::optional<Tolerance> Tolerance::parse(std::string_view text) {
  Tolerance result;
  if (text.ends_with('%')) {
    const auto percent = number_in<double>(text.substr(0, text.size() - 1));
    if (!percent || !std::isfinite(*percent) || *percent < 0) return {};
    result.share_ = *percent / 100;
    return result;
  }
  std::int64_t unit = 1;
  if (text.ends_with('k')) unit = std::int64_t{1} << 10;
  if (text.ends_with('m')) unit = std::int64_t{1} << 20;
  if (unit > 1) text.remove_suffix(1);
  const auto bytes = number_in<std::int64_t>(text);
  if (!bytes || *bytes < 0 || *bytes > (std::int64_t{1} << 40)) return {};
  result.bytes_ = *bytes * unit;
  return result;
}

bool Tolerance::exceeded(const Amount& before, const Amount& now) const {
  if (bytes_ > 0) return now.bytes > before.bytes + bytes_;
  const auto exceeds = [this](std::int64_t known, std::int64_t here) {
    return static_cast<double>(here) > static_cast<double>(known) * (1 + share_);
  };
  return exceeds(before.bytes, now.bytes) || exceeds(before.objects, now.objects);
}

Comparison compare(const Amounts& before, const Amounts& now, const Tolerance& tolerance) {
  Comparison result;
  for (const auto& [name, amount] : now) {
    const auto known = before.find(name);
    if (known == before.end()) {
      result.added.push_back({name, {}, amount});
    } else if (tolerance.exceeded(known->second, amount)) {
      result.grown.push_back({name, known->second, amount});
    } else if (tolerance.exceeded(amount, known->second)) {
      result.shrunk.push_back({name, known->second, amount});
    } else {
      ++result.same;
    }
  }
  for (const auto& [name, amount] : before) {
    if (!now.contains(name)) result.removed.push_back({name, amount, {}});
  }
  // Their names are in order, as in the maps.
  for (auto* list : {&result.grown, &result.shrunk, &result.added, &result.removed}) {
    std::ranges::stable_sort(*list, std::greater<>(), [](const Changed& one) {
      return std::abs(one.now.bytes - one.before.bytes);
    });
  }
  return result;
}

bool is_far_too_high(const Changed& shrunk) { return shrunk.before.bytes > 2 * shrunk.now.bytes; }

}  // namespace ddm
