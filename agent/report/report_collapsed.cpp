// The collapsed report: one merged stack per line, outermost frame first, the input of flame graph
// scripts.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "report/collapsed_stack.h"
#include "report/report.h"
#include "report/report_names.h"
#include "report/report_time.h"

namespace ddm {
namespace {

class Collapsed {
 public:
  explicit Collapsed(const ReportData& data)
      : data_(data), names_(data.names), remark_(estimated_frame(data.summary)) {}

  std::string write() {
    if (has_time_only(data_)) {
      add_time();
    } else if (data_.sites.counted()) {
      add_sites();
    } else {
      add_records();
    }
    std::string out;
    for (const auto& [stack, amount] : amounts_) {
      out += fmt::format("{} {}\n", stack, std::llround(amount));
    }
    return out;
  }

 private:
  void append(std::string& stack, std::span<const Frame> frames, bool cut) {
    if (cut) append_collapsed(stack, kDeeperFramesCut);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      append_collapsed(stack, names_.method(frame->method).qualified);
    }
  }

  void add_allocation(std::span<const Frame> frames, bool cut, NameId class_id, double bytes) {
    std::string stack;
    if (!remark_.empty()) append_collapsed(stack, remark_);
    append(stack, frames, cut);
    append_collapsed(stack, names_.class_name(class_id) + "_[new]");
    amounts_[std::move(stack)] += bytes;
  }

  // Stacks of small sites are shortened as in jsonl, or the file would have hundreds of megabytes.
  void add_sites() {
    const SiteSet sites = data_.sites.folded(kSpeltOutFrames);
    SiteSet::FrameBuffer buffer;
    for (const Site& site : sites.list()) {
      add_allocation(sites.frames(site, buffer), sites.cut(site), site.class_id,
                     static_cast<double>(site.bytes));
    }
  }

  void add_records() {
    for (std::size_t i = 0; i < data_.records.size(); ++i) {
      const auto [record, frames] = data_.records[i];
      add_allocation(frames, (record.flags & kStackTruncated) != 0, record.class_id,
                     record.weighted_bytes());
    }
  }

  // Samples; without these the microseconds of self time of the innermost timed method; without
  // those, of the waits for locks by kind, with the class as the last frame.
  void add_time() {
    const TimeStacks stacks = TimeStacks::first_of(data_.time);
    const std::int64_t unit = stacks.of == TimeStacks::Of::kSamples ? 1 : 1000;
    for (const TimeStack& one : stacks.list) {
      const std::int64_t amount = one.amount / unit;
      if (amount <= 0) continue;
      std::string stack;
      if (stacks.of == TimeStacks::Of::kLocks) append_collapsed(stack, name_of(one.kind));
      append(stack, one.frames, one.cut);
      if (one.frames.empty()) append_collapsed(stack, "(no Java frame)");
      if (one.class_id != kUnknownName) append_collapsed(stack, names_.class_name(one.class_id));
      amounts_[std::move(stack)] += static_cast<double>(amount);
    }
  }

  const ReportData& data_;
  ReportNames names_;
  const std::string remark_;
  std::map<std::string, double> amounts_;
};

}  // namespace

std::string collapsed_report(const ReportData& data) { return Collapsed(data).write(); }

}  // namespace ddm
