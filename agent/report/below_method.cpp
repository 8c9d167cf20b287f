#include "report/below_method.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "report/report_sites.h"

namespace ddm {
namespace {

class BelowMethod {
 public:
  BelowMethod(const NameTable& names, const std::string& name) : names_(names), name_(name) {}

  bool has(std::span<const Frame> frames) {
    return std::ranges::any_of(frames, [this](const Frame& frame) {
      const auto [known, is_new] = known_.try_emplace(frame.method);
      if (is_new) known->second = is_called(names_.method(frame.method), name_);
      return known->second;
    });
  }

 private:
  const NameTable& names_;
  const std::string& name_;
  std::unordered_map<NameId, bool> known_;
};

// Lowest sequence number first, as append_newer() takes them.
RecordSet records_below(const RecordSet& records, BelowMethod& method) {
  RecordSet result;
  for (std::size_t i = records.size(); i-- > 0;) {
    const auto [record, frames] = records[i];
    if (method.has(frames)) result.append_newer(record, frames);
  }
  result.set_overtaken(records.overtaken());
  return result;
}

// Of the sites that are not below the method, as far as their stacks go, those that are cut.
std::int64_t unknown_bytes(const SiteSet& sites, BelowMethod& method) {
  SiteSet::FrameBuffer buffer;
  std::int64_t bytes = 0;
  for (const Site& site : sites.list()) {
    if (sites.cut(site) && !method.has(sites.frames(site, buffer))) bytes += site.bytes;
  }
  return bytes;
}

}  // namespace

bool is_called(const MethodName& method, std::string_view name) {
  return ("." + method.class_name + "." + method.method).ends_with("." + std::string(name));
}

void keep_below(ReportData& data, const std::string& name) {
  BelowMethod method(*data.names, name);
  data.records = records_below(data.records, method);
  ReportSummary& summary = data.summary;
  summary.below = name;
  summary.seen = summary.seen_bytes = 0;
  if (data.sites.counted()) {
    summary.below_unknown_bytes = unknown_bytes(data.sites, method);
    data.sites = data.sites.with([&](std::span<const Frame> frames) { return method.has(frames); });
    for (const Site& site : data.sites.list()) {
      summary.seen += site.count;
      summary.seen_bytes += site.bytes;
    }
  } else {
    const WeightedSum sum = recorded(data.records);
    summary.seen = sum.count();
    summary.seen_bytes = sum.bytes();
  }
  if (summary.live) {
    const SiteLife life = data.sites.life();
    summary.live->count = life.live_count;
    summary.live->bytes = life.live_bytes;
  }
  summary.threads.clear();
  summary.allocated_bytes = summary.unattributed_bytes = summary.virtual_thread_stack_bytes = {};
  const auto elsewhere = [&](const auto& one) { return !method.has(one.frames); };
  std::erase_if(data.time.samples, elsewhere);
  std::erase_if(data.time.monitors, elsewhere);
  std::erase_if(data.time.waiting, elsewhere);
  data.time.methods.clear();
  data.time.method_paths.clear();
}

}  // namespace ddm
