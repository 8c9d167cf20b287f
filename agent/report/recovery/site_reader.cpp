#include "report/recovery/site_reader.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "allocations/store/sites.h"

namespace ddm {
namespace {

// Larger sums are damage.
constexpr double kLargestSum = 1e18;

bool makes_sense(double sum) { return sum >= 0 && sum < kLargestSum; }

}  // namespace

RecoveredSites recover_sites(const SiteCopy::Reading& reading, const TreeCopy& tree,
                             const RecordSet& records, std::uint64_t oldest_kept,
                             const FileNames& names, const SiteSum& known) {
  RecoveredSites result;
  const std::shared_ptr<Sites> sites = Sites::of(CallTree::read_only(tree, [&](Frame frame) {
    if (frame.method != kLeftOutName) frame.method = names.method_of(frame.method);
    return frame;
  }));
  if (!sites) return result;
  const CallTree& stacks = sites->traces();
  const auto sound = [&](TraceNumber trace) {
    if (trace <= kCutTrace) return trace;
    return trace <= stacks.last() && stacks.is_node(trace) ? trace : kNoTrace;
  };
  result.complete = reading.whole;
  SiteReadings sums;
  SiteSum all;
  for (SiteSum sum : reading.sites) {
    if (sum.count == 0 && sum.bytes == 0) continue;
    const TraceNumber trace = sound(sum.trace);
    const bool good = makes_sense(sum.count) && makes_sense(sum.bytes);
    if (!good || trace != sum.trace) result.complete = false;
    if (!good) continue;
    all.count += sum.count;
    all.bytes += sum.bytes;
    sum.class_id = names.class_of(sum.class_id);
    sum.trace = trace;
    sums.sums.push_back(sum);
  }
  // What found no room in the file, or is too recent.
  const auto raise_to = [&](double count, double bytes) {
    if (!makes_sense(count) || !makes_sense(bytes) || count - all.count < 1) return;
    const SiteSum rest{kUnknownName, kNoTrace, count - all.count, std::max(bytes - all.bytes, 0.0)};
    sums.sums.push_back(rest);
    all.count += rest.count;
    all.bytes += rest.bytes;
  };
  if (result.complete) raise_to(reading.count, reading.bytes);
  std::vector<SiteEntry> later;
  std::uint64_t without_book = 0;  // the newest record of a thread whose book was closed
  for (std::size_t i = 0; i < records.size(); ++i) {
    const AllocRecord& record = records[i].record;
    if (record.book == 0) without_book = std::max(without_book, record.seq);
    if (reading.includes(record.book, record.seq)) continue;
    later.emplace_back(record.class_id, sound(record.trace), record.size, double{record.weight});
    all.add(later.back());
  }
  // Records after the reading may have been overwritten since, and so may one from before it that
  // its thread had not counted yet.
  std::uint64_t newest = 0;
  for (const auto& [number, book] : reading.counted) {
    newest = std::max(newest, book.up_to);
    if (book.recording && book.up_to + 1 < oldest_kept) result.complete = false;
  }
  // Nothing tells whether the sites include what an ended thread allocated at last.
  if (newest + 1 < oldest_kept || without_book > newest) result.complete = false;
  if (!result.complete) raise_to(known.count, known.bytes);
  result.count = std::llround(all.count);
  result.bytes = std::llround(all.bytes);
  result.sites = SiteSet(sites, std::move(sums), later, result.count, result.bytes);
  return result;
}

}  // namespace ddm
