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

bool rises(const std::vector<double>& values) {
  return std::ranges::is_sorted(values, std::less_equal<>());
}

bool grows_steadily(const std::vector<double>& seconds, const std::vector<double>& values) {
  const double whole = seconds.back() - seconds.front(), grown = values.back() - values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double span = seconds[i] - seconds[i - 1];
    if (3 * (values[i] - values[i - 1]) * whole < grown * span) return false;
  }
  return rises(values);
}

}  // namespace

bool LiveMoment::feed(std::string_view piece) {
  return lines_of_list_.feed(piece, [this](std::string_view text) { return line(text); });
}

bool LiveMoment::line(std::string_view line) {
  const Json object = parsed_json(line);
  if (!object.is_object()) return false;
  if (!begun_) {
    begun_ = true;
    collections_ = number_of(object, "gc");
    period_ = number_of(object, "period");
    estimated_ = object.contains("live_estimated");
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

std::vector<double> LiveGrowth::series(std::uint64_t site, std::int64_t Survived::*figure) const {
  std::vector<double> values;
  for (const LiveMoment& moment : moments_) {
    const auto there = moment.sites_.find(site);
    values.push_back(there != moment.sites_.end() ? static_cast<double>(there->second.*figure) : 0);
  }
  return values;
}

bool LiveGrowth::may_grow() const {
  return moments_.size() < 2 ||
         std::ranges::any_of(moments_.back().sites_, [this](const auto& site) {
           return rises(series(site.first, &Survived::count));
         });
}

std::vector<GrowingSite> LiveGrowth::growing() const {
  std::vector<GrowingSite> result;
  if (moments_.size() < 3) return result;
  std::vector<double> seconds;
  for (const LiveMoment& moment : moments_) seconds.push_back(moment.seconds_);
  for (const auto& [key, last] : moments_.back().sites_) {
    const std::vector<double> counts = series(key, &Survived::count);
    const std::vector<double> bytes = series(key, &Survived::bytes);
    if (last.old_count == 0 || !grows_steadily(seconds, counts) ||
        !grows_steadily(seconds, bytes)) {
      continue;
    }
    const Json row = parsed_json(moments_.back().lines_.at(key));
    GrowingSite site;
    site.class_name = text_of(row, "class");
    if (row.contains("stack")) site.stack = row["stack"];
    site.alive = last;
    site.bytes_per_minute = 60 * slope(seconds, bytes);
    site.objects_per_minute = 60 * slope(seconds, counts);
    site.grown = static_cast<std::int64_t>(counts.back() - counts[1]);
    result.push_back(std::move(site));
  }
  std::ranges::sort(result, [](const GrowingSite& a, const GrowingSite& b) {
    return std::tie(b.bytes_per_minute, a.class_name) < std::tie(a.bytes_per_minute, b.class_name);
  });
  return result;
}

void drop_replaced_sites(std::vector<GrowingSite>& sites,
                         const std::map<std::string, std::int64_t>& grown) {
  std::map<std::string, std::int64_t> of_sites;
  for (const GrowingSite& site : sites) of_sites[site.class_name] += site.grown;
  std::erase_if(sites, [&](const GrowingSite& site) {
    const auto as_a_whole = grown.find(site.class_name);
    return as_a_whole == grown.end() || 2 * as_a_whole->second < of_sites[site.class_name];
  });
}

}  // namespace ddm
