#include "allocations/store/site_set.h"

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "allocations/store/small_sites.h"

namespace ddm {

namespace {

// The sum of all ages is the number of live objects: rounding errors go to the youngest class.
LiveAges ages_of(const AgeSum& sum, const LiveSum& live, const SiteLife& life) {
  LiveAges ages;
  std::int64_t count = life.live_count, bytes = life.live_bytes;
  for (std::size_t i = AgeClass::kCount - 1; i > 0; --i) {
    ages.count[i] = std::min<std::int64_t>(std::llround(sum.count[i] * live.count_scale()), count);
    ages.bytes[i] = std::min<std::int64_t>(std::llround(sum.bytes[i] * live.bytes_scale()), bytes);
    count -= ages.count[i];
    bytes -= ages.bytes[i];
  }
  return ages;
}

}  // namespace

SiteLife& SiteLife::operator+=(const SiteLife& more) {
  seen_count += more.seen_count;
  seen_bytes += more.seen_bytes;
  live_count += more.live_count;
  live_bytes += more.live_bytes;
  lived_ms += more.lived_ms;
  peak_count += more.peak_count;
  peak_bytes += more.peak_bytes;
  top_count += more.top_count;
  top_bytes += more.top_bytes;
  return *this;
}

SiteSet::SiteSet(std::shared_ptr<const Sites> sites, SiteReadings sums,
                 const std::vector<SiteEntry>& more, std::int64_t count, std::int64_t bytes,
                 LiveReading live)
    : sites_(std::move(sites)), history_(std::move(live.history)) {
  struct Late {
    SiteSum sum;
    LiveSum live;
    bool is_new = true;  // no site of `sums`
  };
  std::unordered_map<std::uint64_t, Late> late;
  std::unordered_map<std::uint64_t, AgeSum> ages(live.ages.begin(), live.ages.end());
  const std::uint64_t gc = live.gc.value_or(0);
  double unplaced = 0;
  for (const SiteSum& sum : sums.sums) {
    if (sum.trace == kNoTrace) unplaced += sum.count;
  }
  for (const SiteEntry& one : more) {
    if (one.trace == kNoTrace) unplaced += one.weight;
    Late& reading = late[SiteSum::key_of(one.class_id, one.trace)];
    reading.sum.class_id = one.class_id;
    reading.sum.trace = one.trace;
    reading.sum.add(one);
    if (one.born == 0) continue;
    if (const std::uint64_t age = BirthGc::age(one.born_gc, gc); one.handle != 0 && age > 0) {
      ages[reading.sum.key()].add(age, one.weight, one.weight * static_cast<double>(one.size));
    }
    reading.live.seen(one.weight, one.weight * static_cast<double>(one.size), one.handle != 0,
                      static_cast<double>(BirthTime::ms(one.born)));
  }
  // Samples are fractions, which are rounded class by class.
  std::vector<std::uint32_t> order(sums.sums.size());
  std::iota(order.begin(), order.end(), 0);
  const auto is_whole = [](const SiteSum& sum) { return sum.count == std::floor(sum.count); };
  if (!std::ranges::all_of(sums.sums, is_whole)) {
    const auto by_class = [&](std::uint32_t i) {
      return std::pair(sums.sums[i].class_id, sums.sums[i].trace);
    };
    std::ranges::sort(order, {}, by_class);
  }
  const auto for_each_site = [&](const auto& use) {
    for (const std::uint32_t i : order) {
      SiteSum sum = sums.sums[i];
      LiveSum life = sums.live_of(i);
      if (const auto found = late.find(sum.key()); found != late.end()) {
        sum.count += found->second.sum.count;
        sum.bytes += found->second.sum.bytes;
        life.add_seen(found->second.live);
        found->second.is_new = false;
      }
      use(sum, life);
    }
    for (const auto& [key, reading] : late) {
      if (reading.is_new) use(reading.sum, reading.live);
    }
  };
  const auto ages_at = [&](const SiteSum& sum) -> const AgeSum* {
    const auto aged = ages.find(sum.key());
    return aged == ages.end() ? nullptr : &aged->second;
  };
  SmallSites small(live.one_in, live.now_ms);
  if (live.one_in > 1) {
    for_each_site([&](const SiteSum& sum, const LiveSum& life) {
      if (small.has(life)) small.add(sum.class_id, life, ages_at(sum));
    });
  }
  // Sites without a stack are merged by class, whatever the reason.
  std::unordered_map<NameId, Site> without;
  Rest counts, all_bytes;
  OwnLives own(live.now_ms);
  const auto take = [&](const SiteSum& sum, const LiveSum& life) {
    Site site{sum.class_id, sum.trace, counts.take(sum.count), all_bytes.take(sum.bytes)};
    std::optional<LiveAges> aged;
    if (small.has(life)) {
      SmallSites::Share share = small.share(sum.class_id, life, site.count, site.bytes);
      site.life = share.life;
      if (site.life.live_count > 0) aged = share.ages;
    } else {
      site.life = own.take(life, site.count, site.bytes);
      if (const AgeSum* known = ages_at(sum)) aged = ages_of(*known, life, site.life);
    }
    if (aged) {
      ages_.push_back(*aged);
      site.ages = static_cast<std::uint32_t>(ages_.size());
    }
    if (sum.trace > kEmptyTrace) {
      list_.push_back(site);
      return;
    }
    Site& all = without[sum.class_id];
    all.class_id = sum.class_id;
    all.trace = kEmptyTrace;
    add(all, site);
  };
  list_.reserve(sums.sums.size() + late.size());
  for_each_site(take);
  for (const auto& [id, site] : without) list_.push_back(site);
  unplaced_ = std::llround(unplaced);
  for (const Site& site : list_) {
    if (sites_->traces().lacks_frames(site.trace)) shortened_ += site.count;
    count -= site.count;
    bytes -= site.bytes;
  }
  if (list_.empty()) return;
  // The totals are rounded thread by thread.
  std::ranges::max_element(list_, {}, &Site::count)->count += count;
  std::ranges::max_element(list_, {}, &Site::bytes)->bytes += bytes;
  sort();
}

void SiteSet::sort() {
  const auto identity = [](const Site& site) {
    const Frame innermost = site.innermost.value_or(Frame());
    return std::tuple(-site.bytes, -site.count, site.class_id, site.trace, innermost.method,
                      innermost.bci);
  };
  std::ranges::sort(list_, {}, identity);
}

SiteLife SiteSet::life() const {
  SiteLife sum;
  for (const Site& site : list_) sum += site.life;
  return sum;
}

void SiteSet::add(Site& sum, const Site& more) {
  sum.count += more.count;
  sum.bytes += more.bytes;
  sum.life += more.life;
  if (sum.ages == 0) {
    sum.ages = more.ages;
  } else if (more.ages != 0) {
    ages_[sum.ages - 1] += ages_[more.ages - 1];
  }
}

LiveAges SiteSet::ages(const Site& site) const {
  LiveAges ages;
  if (site.ages != 0) ages = ages_[site.ages - 1];
  ages.count[0] =
      std::accumulate(ages.count.begin(), ages.count.end(), site.life.live_count, std::minus());
  ages.bytes[0] =
      std::accumulate(ages.bytes.begin(), ages.bytes.end(), site.life.live_bytes, std::minus());
  return ages;
}

LiveAges SiteSet::ages() const {
  LiveAges sum;
  for (const Site& site : list_) sum += ages(site);
  return sum;
}

SiteSet SiteSet::living() const {
  SiteSet result;
  result.sites_ = sites_;
  result.ages_ = ages_;
  for (Site site : list_) {
    if (site.life.live_count == 0) continue;
    site.count = site.life.live_count;
    site.bytes = site.life.live_bytes;
    result.list_.push_back(site);
  }
  result.sort();
  return result;
}

SiteSet SiteSet::with(const std::function<bool(std::span<const Frame>)>& wanted) const {
  FrameBuffer buffer;
  const auto unwanted = [&](const Site& site) { return !wanted(frames(site, buffer)); };
  const auto unwanted_at = [&](const auto& one) {
    return unwanted({.trace = sites_->table()[one.site].trace});
  };
  SiteSet result = *this;
  result.unplaced_ = result.shortened_ = 0;  // figures of the whole run alone
  std::erase_if(result.list_, unwanted);
  result.history_.erase_if(unwanted_at);
  result.times_.moments.erase_if(unwanted_at);
  return result;
}

std::span<const Frame> SiteSet::frames(const Site& site, FrameBuffer& buffer) const {
  const CallTree& tree = sites_->traces();
  TraceNumber from = site.trace;
  std::size_t count = 0;
  if (site.innermost || tree.has_gap(from)) {
    buffer[count++] = site.innermost ? *site.innermost : tree.frame(from);
    if (buffer[0].method != kLeftOutName) buffer[count++] = {kLeftOutName, kNativeFrameBci};
    if (!site.innermost) from = tree.caller(from);
  }
  return {buffer, count + tree.read(from, std::span(buffer).subspan(count))};
}

// The bytes allocated at each node and in its callees.
std::vector<double> SiteSet::bytes_of_callers() const {
  const CallTree& tree = sites_->traces();
  std::vector<double> bytes;
  for (const Site& site : list_) {
    if (site.trace >= bytes.size()) bytes.resize(std::size_t{site.trace} + 1);
    bytes[site.trace] += static_cast<double>(site.bytes);
  }
  for (std::size_t node = bytes.size(); node-- > std::size_t{kCutTrace} + 1;) {
    bytes[tree.caller(static_cast<TraceNumber>(node))] += bytes[node];
  }
  return bytes;
}

SiteSet SiteSet::folded(std::size_t frames) const {
  constexpr double kWorthShowing = 0.01;  // of all bytes
  SiteSet result;
  result.sites_ = sites_;
  result.unplaced_ = unplaced_;
  result.shortened_ = shortened_;
  result.ages_ = ages_;
  if (list_.empty()) return result;
  const CallTree& tree = sites_->traces();
  std::vector<double> bytes;
  double least = 0;
  using Shown = std::tuple<NameId, NameId, std::int32_t, TraceNumber>;
  const auto shown = [&](const Site& site, TraceNumber caller) {
    const Frame innermost = tree.frame(site.trace);
    return Shown(site.class_id, innermost.method, innermost.bci, caller);
  };
  std::map<Shown, Site> others;
  std::map<Shown, std::size_t> like_others;  // unchanged, but with a gap: indices
  for (const Site& site : list_) {
    const std::size_t depth = tree.size(site.trace);
    if (depth <= frames) {
      frames -= depth;
      if (tree.has_gap(site.trace)) {
        like_others[shown(site, tree.caller(site.trace))] = result.list_.size();
      }
      result.list_.push_back(site);
      continue;
    }
    if (frames > 0 || bytes.empty()) {
      frames = 0;
      bytes = bytes_of_callers();
      for (const Site& each : list_) least += kWorthShowing * static_cast<double>(each.bytes);
    }
    TraceNumber caller = tree.caller(site.trace);
    while (caller > kCutTrace && bytes[caller] < least) caller = tree.caller(caller);
    Site& sum = others[shown(site, caller)];
    sum.class_id = site.class_id;
    sum.trace = caller;
    sum.innermost = tree.frame(site.trace);
    result.add(sum, site);
  }
  for (const auto& [key, site] : others) {
    if (const auto like = like_others.find(key); like != like_others.end()) {
      result.add(result.list_[like->second], site);
    } else {
      result.list_.push_back(site);
    }
  }
  result.sort();
  return result;
}

}  // namespace ddm
