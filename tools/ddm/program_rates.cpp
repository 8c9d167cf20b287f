#include "program_rates.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "output.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "switched_options.h"
#include "threads.h"

namespace ddm {
namespace {

constexpr std::size_t kThreadsShown = 8, kLeastThreads = 4;
constexpr std::size_t kLeastWhat = 10;  // columns: a pid is never shortened
constexpr std::size_t kNarrow = 60;     // below it a site's frame has a line of its own

constexpr std::pair<std::string_view, TopSort> kSorts[] = {{"bytes", TopSort::kBytes},
                                                           {"objects", TopSort::kObjects},
                                                           {"died", TopSort::kDied},
                                                           {"class", TopSort::kClass},
                                                           {"at", TopSort::kAt}};

const FrameName& frame_at(const SiteRates& site) {
  return site.row.at.known() ? site.row.at : site.row.app;
}

std::string at_text(const SiteRates& site, std::size_t width) {
  const FrameName& frame = frame_at(site);
  return frame.known() ? frame_text(frame, width) : "";
}

std::int64_t all_ages(const std::array<std::int64_t, AgeClass::kCount>& ages) {
  return std::accumulate(ages.begin(), ages.end(), std::int64_t{0});
}

// Whether what is dead of the sites' bytes is known: objects are followed for as long as they are
// counted, and this agent tells the ages of a site.
bool tells_died(const SiteFigures& figures) {
  constexpr std::int64_t kRoundingMs = 1000;
  if (!figures.summary.contains("gc") ||
      figures.fact("live_followed_ms") + kRoundingMs < figures.fact("tracked_ms")) {
    return false;
  }
  const auto some = [](const SiteFigure& site) { return all_ages(site.ages.count) > 0; };
  return figures.fact("live_count") == 0 || std::ranges::any_of(figures.sites, some);
}

bool knows_died(const ProgramRates& rates) {
  return std::ranges::any_of(rates.sites,
                             [](const SiteRates& site) { return site.died_percent.has_value(); });
}

std::string sites_text(const ProgramRates& rates, std::size_t shown, const TopView& view) {
  const bool narrow = view.width < kNarrow;
  const auto title = [&view](const char* name, TopSort sort) {
    return name + std::string(view.sort == sort ? "*" : "");
  };
  std::vector<std::string> titles{">" + title("BYTES/S", TopSort::kBytes)};
  const bool objects = !narrow || view.sort == TopSort::kObjects;
  const bool died = !narrow || view.sort == TopSort::kDied || knows_died(rates);
  if (objects) titles.push_back(">" + title("OBJECTS/S", TopSort::kObjects));
  if (died) titles.push_back(">" + title("DIED %", TopSort::kDied));
  std::vector<std::vector<std::string>> figures;
  std::size_t widest_class = 0, widest_at = 0;
  std::vector<std::size_t> widths;
  for (const std::string& one : titles) widths.push_back(one.size() - 1);
  for (const SiteRates& site : std::span(rates.sites).first(shown)) {
    std::vector<std::string> cells{human_bytes(static_cast<std::int64_t>(site.bytes_per_second))};
    if (objects) cells.push_back(grouped(static_cast<std::int64_t>(site.objects_per_second)));
    if (died) cells.push_back(site.died_percent ? fmt::format("{:.0f}", *site.died_percent) : "");
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
    figures.push_back(std::move(cells));
    widest_class = std::max(widest_class, columns_of(printable(site.row.what)));
    widest_at = std::max(widest_at, columns_of(at_text(site, kNoWidth)));
  }
  // The frame gets what the class leaves, and most of the room where both are long.
  std::size_t room = view.width;
  for (const std::size_t width : widths) room -= std::min(room, width + 2);
  std::size_t at_width = 0;
  if (!narrow) {
    room -= std::min<std::size_t>(room, 2);
    at_width = std::min(widest_at, std::max(room - std::min(room, widest_class), room * 3 / 5));
  }
  const std::size_t class_width = room - std::min(room, at_width);
  titles.push_back(title("CLASS", TopSort::kClass));
  if (!narrow) titles.push_back(title("AT", TopSort::kAt));
  TextTable table(std::move(titles));
  for (std::size_t i = 0; i < shown; ++i) {
    const SiteRates& site = rates.sites[i];
    std::vector<std::string> cells = std::move(figures[i]);
    cells.push_back(shortened_type(printable(site.row.what), class_width));
    if (!narrow) cells.push_back(at_text(site, at_width));
    table.add(std::move(cells));
    constexpr std::string_view kBelow = "  at ";
    if (narrow && frame_at(site).known()) {
      table.add_line(std::string(kBelow) + at_text(site, view.width - kBelow.size()));
    }
  }
  return table.text(kNoWidth) + more_line(rates.sites.size() - shown, view);
}

}  // namespace

std::optional<double> died_percent(const SiteRow& row) {
  const std::int64_t all = row.bytes_before + row.bytes;
  // Whether those are alive that are newer than the last collection is not known.
  const std::int64_t looked_at = all - row.ages.bytes[0];
  if (looked_at <= 0) return {};
  const double died = static_cast<double>(all - all_ages(row.ages.bytes));
  return std::clamp(100 * died / static_cast<double>(looked_at), 0.0, 100.0);
}

std::optional<TopSort> top_sort(std::string_view word) {
  for (const auto& [name, sort] : kSorts) {
    if (name == word) return sort;
  }
  return {};
}

void ProgramRates::sort(TopSort by) {
  std::ranges::stable_sort(sites, std::greater<>(), &SiteRates::bytes_per_second);
  if (by == TopSort::kObjects) {
    std::ranges::stable_sort(sites, std::greater<>(), &SiteRates::objects_per_second);
  } else if (by == TopSort::kDied) {  // those of which it is not known last
    std::ranges::stable_sort(sites, std::greater<>(), &SiteRates::died_percent);
  } else if (by == TopSort::kClass) {
    std::ranges::stable_sort(sites, {}, [](const SiteRates& site) { return site.row.what; });
  } else if (by == TopSort::kAt) {
    std::ranges::stable_sort(sites, {}, [](const SiteRates& site) { return frame_at(site); });
  }
}

std::size_t rows_shown(std::size_t all, std::size_t top, std::size_t lines, std::size_t each) {
  const std::size_t wanted = std::min(all, top);
  if (wanted * each + (all > wanted ? 1 : 0) <= lines) return wanted;
  return std::max<std::size_t>((lines - std::min<std::size_t>(lines, 1)) / each, 1);
}

std::string more_line(std::size_t more, const TopView& view) {
  if (more == 0) return "";
  return fmt::format("... {} more{}\n", grouped(static_cast<std::int64_t>(more)),
                     view.lines == kNoWidth ? " (--top N shows more)" : "");
}

std::string program_text(const ProgramRates& rates, const TopView& view) {
  constexpr std::size_t kBetween = 3;  // two lines of titles, and the empty one
  const std::size_t each = view.width < kNarrow ? 2 : 1;
  const std::size_t wanted = each * std::min(rates.sites.size(), view.top) + kBetween + 1;
  const std::size_t left = view.lines - std::min(view.lines, wanted);
  const std::size_t for_threads = std::max({view.lines / 3, kLeastThreads, left});
  const std::size_t shown = std::min({rates.threads.size(), kThreadsShown, for_threads});
  TextTable threads({">CPU %", ">TID", "~THREAD"});
  for (const ThreadRates& thread : std::span(rates.threads).first(shown)) {
    threads.add(
        {fmt::format("{:.0f}", thread.cpu_percent), std::to_string(thread.id), thread.name});
  }
  const std::size_t for_sites = view.lines - std::min(view.lines, shown + kBetween);
  const std::string head =
      rates.tracking
          ? sites_text(rates, rows_shown(rates.sites.size(), view.top, for_sites, each), view)
          : "not tracked; `ddm track PID on` shows its sites\n";
  return head + "\n" + threads.text(view.width);
}

std::string head_line(std::string_view what, bool paused, std::string_view rest,
                      std::size_t width) {
  const std::string end = fmt::format("{}   {}", paused ? ", paused" : "", rest);
  return shortened(what, std::max(kLeastWhat, width - std::min(width, columns_of(end)))) + end;
}

Result<ProgramRates> RateMeter::measure(RowsBy by) {
  auto figures = fetch_figures(client_);
  if (!figures) return figures.error();
  const auto threads = list_threads(client_);
  if (!threads) return threads.error();
  const auto now = std::chrono::steady_clock::now();
  const double passed = std::max(std::chrono::duration<double>(now - at_).count(), 0.001);
  ProgramRates rates;
  rates.tracking = figures->covers_whole_run() && is_tracking(client_);
  if (!first_ && rates.tracking && figures->fact("period") == before_.fact("period")) {
    const bool tells = tells_died(*figures);
    for (SiteRow& row : rows_between(before_, *figures, by)) {
      if (row.count <= 0) continue;
      const auto bytes = static_cast<double>(row.bytes), count = static_cast<double>(row.count);
      const auto died = tells ? died_percent(row) : std::nullopt;
      rates.sites.push_back({std::move(row), bytes / passed, count / passed, died});
    }
  }
  std::map<std::int64_t, std::uint32_t> ticks;
  for (const ThreadRow& row : *threads) {
    const std::uint32_t now_ticks = ticks[row.id] = row.cpu_ticks();
    const auto before = ticks_.find(row.id);
    if (first_ || before == ticks_.end()) continue;
    rates.threads.push_back(
        {row.id, row.name, static_cast<double>(now_ticks - before->second) / passed});
  }
  std::ranges::stable_sort(rates.threads, std::greater<>(), &ThreadRates::cpu_percent);
  before_ = std::move(*figures);
  ticks_ = std::move(ticks);
  at_ = now;
  first_ = false;
  return rates;
}

}  // namespace ddm
