#include "live_growth.h"

#include <algorithm>
#include <functional>

#include "site_figures.h"

namespace ddm {
namespace {

// Least squares: units a second.
double slope(const std::vector<double>& seconds, const std::vector<double>& values) {
  const auto count = static_cast<double>(seconds.size());
  double mean_x = 0, mean_y = 0, of_x = 0, of_both = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    mean_x += seconds[i] / count;
    mean_y += values[i] / count;
  }
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    of_x += (seconds[i] - mean_x) * (seconds[i] - mean_x);
    of_both += (seconds[i] - mean_x) * (values[i] - mean_y);
  }
  return of_x > 0 ? of_both / of_x : 0;
}

bool grows_steadily(const std::vector<double>& values) {
  const double mean = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] <= values[i - 1] || 3 * (values[i] - values[i - 1]) < mean) return false;
  }
  return true;
}

}  // namespace

bool LiveMoment::take(std::string_view piece) {
  text_ += piece;
  std::size_t begin = 0;
  for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (!line(std::string_view(text_).substr(begin, end - begin))) return false;
  }
  text_.erase(0, begin);
  return true;
}

bool LiveMoment::line(std::string_view line) {
  const Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return false;
  if (!begun_) {
    begun_ = true;
    gc_ = number_of(object, "gc");
    return true;
  }
  const LiveAges ages = ages_of(object);
  Survived survived;
  for (std::size_t i = AgeClass::of(1); i < AgeClass::kCount; ++i) {
    survived.count += ages.count[i];
    survived.bytes += ages.bytes[i];
    if (i >= AgeClass::of(2)) survived.old_count += ages.count[i];
  }
  if (survived.count == 0) return true;
  std::string site = text_of(object, "class");
  if (const auto stack = object.find("stack"); stack != object.end()) {
    site += json_line(*stack);
  }
  const std::uint64_t key = std::hash<std::string>()(site);
  Survived& all = sites_[key];
  all.count += survived.count;
  all.bytes += survived.bytes;
  all.old_count += survived.old_count;
  lines_.try_emplace(key, line);
  return true;
}

void LiveGrowth::add(LiveMoment moment) {
  if (!moments_.empty()) moments_.back().lines_.clear();
  moments_.push_back(std::move(moment));
}

std::int64_t LiveGrowth::collections() const {
  return moments_.empty() ? 0 : moments_.back().gc_ - moments_.front().gc_ + 1;
}

std::vector<GrowingSite> LiveGrowth::growing(const std::map<std::string, std::int64_t>* net) const {
  std::vector<GrowingSite> result;
  if (moments_.size() < 3) return result;
  std::vector<double> seconds;
  for (const LiveMoment& moment : moments_) seconds.push_back(moment.seconds_);
  std::map<std::string, std::int64_t> of_class;  // that its sites have grown by
  for (const auto& [key, last] : moments_.back().sites_) {
    std::vector<double> bytes, counts;
    for (const LiveMoment& moment : moments_) {
      const auto there = moment.sites_.find(key);
      const Survived at = there != moment.sites_.end() ? there->second : Survived();
      bytes.push_back(static_cast<double>(at.bytes));
      counts.push_back(static_cast<double>(at.count));
    }
    if (last.old_count == 0 || !grows_steadily(counts) || !grows_steadily(bytes)) continue;
    const Json row = Json::parse(moments_.back().lines_.at(key), nullptr, false);
    GrowingSite site;
    site.class_name = text_of(row, "class");
    if (row.contains("stack")) site.stack = row["stack"];
    site.alive = last;
    site.bytes_per_minute = 60 * slope(seconds, bytes);
    site.objects_per_minute = 60 * slope(seconds, counts);
    of_class[site.class_name] += static_cast<std::int64_t>(bytes.back() - bytes.front());
    result.push_back(std::move(site));
  }
  if (net != nullptr) {
    std::erase_if(result, [&](const GrowingSite& site) {
      const auto grown = net->find(site.class_name);
      return grown == net->end() || 2 * grown->second < of_class[site.class_name];
    });
  }
  std::sort(result.begin(), result.end(), [](const GrowingSite& a, const GrowingSite& b) {
    return std::tie(b.bytes_per_minute, a.class_name) < std::tie(a.bytes_per_minute, b.class_name);
  });
  return result;
}

}  // namespace ddm
