#include "gate/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "core/whole_text.h"
#include "site_figures.h"

namespace ddm {
namespace {

constexpr std::string_view kJdkComment = "# jdk ";
constexpr std::string_view kBelowComment = "# below ";
constexpr std::string_view kSection = "[jdk ";
// ddm-test.jar's mark of a list that lacks allocations; the reason follows.
constexpr std::string_view kIncomplete = "incomplete: ";

// "NAME<TAB>OBJECTS<TAB>BYTES".
std::optional<std::pair<std::string, Amount>> entry_of(std::string_view line) {
  const std::size_t second = line.rfind('\t');
  if (second == std::string_view::npos || second == 0) return {};
  const std::size_t first = line.rfind('\t', second - 1);
  if (first == std::string_view::npos || first == 0) return {};
  const auto objects = number_in<std::int64_t>(line.substr(first + 1, second - first - 1));
  const auto bytes = number_in<std::int64_t>(line.substr(second + 1));
  if (!objects || !bytes || *objects < 0 || *bytes < 0) return {};
  return std::pair(std::string(line.substr(0, first)), Amount{*objects, *bytes});
}

void append(std::string& text, const Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    text += fmt::format("{}\t{}\t{}\n", name, amount.objects, amount.bytes);
  }
}

bool is_site(std::string_view name) { return site_at(name) != std::string_view::npos; }

// A site without objects is none; a test may allocate nothing.
bool is_gone(std::string_view name, const Amount& amount) {
  return is_site(name) && amount == Amount{};
}

std::string known_as(const std::string& name) {
  return is_site(name) ? without_number(name) : name;
}

}  // namespace

Amounts added_up(const Amounts& amounts, std::string (*name_of)(const std::string&)) {
  Amounts sums;
  for (const auto& [name, amount] : amounts) sums[name_of(name)] += amount;
  return sums;
}

std::size_t site_at(std::string_view name) {
  constexpr std::size_t kNone = std::string_view::npos;
  for (std::size_t at = name.find(kSiteAt); at != kNone; at = name.find(kSiteAt, at + 1)) {
    std::string_view type = name.substr(0, at), place = name.substr(at + kSiteAt.size());
    // In the file beside a baseline of tests, the test comes first.
    if (const auto test = type.rfind(": "); test != kNone) type.remove_prefix(test + 2);
    while (type.ends_with("[]")) type.remove_suffix(2);
    const bool is_type = !type.empty() && type.find_first_of(" ()[]") == kNone;
    const bool is_method = place.find('.') != kNone && place.find_first_of("[]") == kNone;
    if (is_type && (is_method || place == kNoJavaFrame)) return at;
  }
  return kNone;
}

Result<Baseline> Baseline::parse(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Baseline baseline;
  Amounts* to = &baseline.all_;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.starts_with(kJdkComment)) {
      baseline.jdk_ = number_in<int>(line.substr(kJdkComment.size())).value_or(0);
      baseline.has_head_ = true;
    } else if (line.starts_with(kBelowComment)) {
      baseline.below_ = line.substr(kBelowComment.size());
      baseline.has_head_ = true;
    } else if (line.starts_with(kIncomplete)) {
      return Error{std::string(line)};
    } else if (line.starts_with('#')) {
      baseline.comments_.append(line).append("\n");
    } else if (line.starts_with(kSection) && line.ends_with(']')) {
      line.remove_prefix(kSection.size());
      line.remove_suffix(1);
      const auto jdk = number_in<int>(line);
      if (!jdk || *jdk <= 0) return Error{fmt::format("line {}: a section is [jdk 21]", number)};
      to = &baseline.sections_[*jdk];
    } else if (auto entry = entry_of(line)) {
      if (!to->emplace(entry->first, entry->second).second) {
        return Error{fmt::format("line {}: {} is there twice", number, entry->first)};
      }
    } else {
      return Error{fmt::format(
          "line {}: a line is a name, objects and bytes with tabs between them", number)};
    }
  }
  baseline.drop_numbers();
  return baseline;
}

void Baseline::drop_numbers() {
  for (auto& [jdk, section] : sections_) {
    const Amounts whole = added_up(of(jdk), known_as);
    Amounts renamed;
    for (const auto& [name, amount] : section) {
      const auto known = whole.find(known_as(name));
      renamed[known_as(name)] = known != whole.end() ? known->second : Amount{};
    }
    section = std::move(renamed);
  }
  all_ = added_up(all_, known_as);
}

Amounts Baseline::of(int jdk) const {
  Amounts amounts = all_;
  if (const auto section = sections_.find(jdk); section != sections_.end()) {
    for (const auto& [name, amount] : section->second) {
      if (is_gone(name, amount)) {
        amounts.erase(name);
      } else {
        amounts[name] = amount;
      }
    }
  }
  return amounts;
}

void Baseline::update(int jdk, const Amounts& measured, const std::string& below) {
  below_ = below;
  if (all_.empty() || jdk_ == 0 || jdk_ == jdk || jdk == 0) {
    if (jdk != 0) jdk_ = jdk;
    all_ = measured;
    if (jdk != 0) sections_.erase(jdk);
    return;
  }
  Amounts& section = sections_[jdk];
  section.clear();
  for (const auto& [name, amount] : measured) {
    const auto known = all_.find(name);
    if (known == all_.end() || known->second != amount) section[name] = amount;
  }
  for (const auto& [name, amount] : all_) {
    if (is_site(name) && !measured.contains(name)) section[name] = {};
  }
  if (section.empty()) sections_.erase(jdk);
}

bool Baseline::says_nothing() const { return !has_head_ && !has_entries(); }

bool Baseline::has_entries() const {
  return !all_.empty() ||
         std::ranges::any_of(sections_, [](const auto& of) { return !of.second.empty(); });
}

bool Baseline::by_site() const {
  if (!below_.empty()) return true;
  std::size_t entries = 0, with_at = 0, sites = 0;
  const auto count = [&](const Amounts& amounts) {
    entries += amounts.size();
    for (const auto& [name, amount] : amounts) {
      with_at += name.find(kSiteAt) != std::string::npos ? 1 : 0;
      sites += is_site(name) ? 1 : 0;
    }
  };
  count(all_);
  for (const auto& [jdk, amounts] : sections_) count(amounts);
  return sites > 0 && with_at == entries;
}

std::string Baseline::text() const {
  std::string text = comments_;
  if (jdk_ != 0) {
    text += fmt::format("{}{}\n", kJdkComment, jdk_);
  } else if (!has_entries() && below_.empty()) {
    text += fmt::format("{}unknown\n", kJdkComment);
  }
  if (!below_.empty()) text += fmt::format("{}{}\n", kBelowComment, below_);
  append(text, all_);
  for (const auto& [jdk, amounts] : sections_) {
    text += fmt::format("{}{}]\n", kSection, jdk);
    append(text, amounts);
  }
  return text;
}

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
