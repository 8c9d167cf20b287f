#include "site_rows.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "json_values.h"
#include "report/report.h"
#include "report/report_words.h"

namespace ddm {
namespace {

using Key = std::tuple<std::string, FrameName, FrameName>;

// Sums for each site and thread of the figures.
class Sums {
 public:
  Sums(const SiteFigures& figures, RowsBy by) : by_(by) { add(figures, 1); }

  void add(const SiteFigures& figures, int sign) {
    const auto put = [&](Key key, std::int64_t bytes, std::int64_t count) -> SiteRow& {
      SiteRow& sum = sums_[std::move(key)];
      sum.bytes += sign * bytes;
      sum.count += sign * count;
      if (sign < 0) {
        sum.bytes_before += bytes;
        sum.count_before += count;
      }
      return sum;
    };
    if (by_ == RowsBy::kThread) {
      for (const ThreadFigure& thread : figures.threads) {
        put({fmt::format("{} {}", thread.id, thread.name), {}, {}}, thread.bytes, thread.count);
      }
      return;
    }
    for (const SiteFigure& site : figures.sites) {
      SiteRow& sum = put({site.class_name, by_ == RowsBy::kSite ? site.at : FrameName{},
                          by_ == RowsBy::kClass ? FrameName{} : site.app},
                         site.bytes, site.count);
      if (sign < 0) continue;
      sum.ages += site.ages;  // of the later moment
      sum.retained += site.retained;
    }
  }

  std::vector<SiteRow> rows() const {
    std::vector<SiteRow> rows;
    // All `app` of one site are adjacent.
    for (const auto& [key, sum] : sums_) {
      const auto& [what, at, app] = key;
      const bool same =
          !rows.empty() && by_ == RowsBy::kSite && rows.back().what == what && rows.back().at == at;
      if (!same) rows.push_back({what, at, app, 0, 0, sum.bytes});
      SiteRow& row = rows.back();
      row.bytes += sum.bytes;
      row.count += sum.count;
      row.bytes_before += sum.bytes_before;
      row.count_before += sum.count_before;
      row.ages += sum.ages;
      row.retained += sum.retained;
      if (sum.bytes > row.app_bytes) {
        row.app = app;
        row.app_bytes = sum.bytes;
      }
    }
    std::ranges::sort(rows, [](const SiteRow& a, const SiteRow& b) {
      return std::tie(b.bytes, b.count, a.what, a.at, a.app) <
             std::tie(a.bytes, a.count, b.what, b.at, b.app);
    });
    return rows;
  }

 private:
  const RowsBy by_;
  std::map<Key, SiteRow> sums_;
};

void add_row(TextTable& table, const SiteRow& row, RowsBy by, Columns columns) {
  const std::size_t width = output_width();
  const bool difference = columns == Columns::kDifference;
  std::vector<std::string> cells{count_text(row.bytes, difference),
                                 count_text(row.count, difference)};
  if (difference) cells.push_back(grouped(row.bytes_before + row.bytes));
  if (columns == Columns::kAges) cells.push_back(age_words(row.ages.middle()));
  if (columns == Columns::kRetained) cells.insert(cells.begin(), grouped(row.retained));
  cells.push_back(row.what);
  table.add(std::move(cells));
  const auto below = [&](std::string_view before, const FrameName& frame, std::string_view after) {
    // An object of a heap dump has no stack if its allocation was not seen.
    if (columns == Columns::kRetained && !frame.known()) {
      return table.add_line(fmt::format("{}(allocation not known)", before));
    }
    const std::size_t taken = before.size() + after.size();
    table.add_line(fmt::format("{}{}{}", before, frame_text(frame, width - taken), after));
  };
  if (by == RowsBy::kSite) below(row.at.known() ? "    at " : "    ", row.at, "");
  if (by == RowsBy::kApp) below(row.app.known() ? "    from " : "    ", row.app, "");
  if (by == RowsBy::kSite && row.app != row.at) {
    const bool retained = columns == Columns::kRetained;
    const std::int64_t part = retained ? row.app_retained : row.app_bytes;
    const std::int64_t whole = retained ? row.retained : row.bytes;
    const bool some = part != whole && whole > 0 && part > 0;
    below("    from ", row.app, some ? ", " + share_of(part, whole) + " of it" : std::string());
  }
}

bool is_lower_bound(const Json& summary) { return summary.contains("seen_at_least"); }

}  // namespace

std::string count_text(std::int64_t count, bool with_sign) {
  return (with_sign && count > 0 ? "+" : "") + grouped(count);
}

std::optional<RowsBy> rows_by(std::string_view word) {
  if (word == "class") return RowsBy::kClass;
  if (word == "site") return RowsBy::kSite;
  if (word == "app") return RowsBy::kApp;
  if (word == "thread") return RowsBy::kThread;
  return {};
}

std::vector<SiteRow> rows_of(const SiteFigures& figures, RowsBy by) {
  return Sums(figures, by).rows();
}

std::vector<SiteRow> rows_between(const SiteFigures& before, const SiteFigures& after, RowsBy by) {
  Sums sums(after, by);
  sums.add(before, -1);
  std::vector<SiteRow> rows = sums.rows();
  std::erase_if(rows, [](const SiteRow& row) { return row.bytes == 0 && row.count == 0; });
  return rows;
}

void name_retaining_apps(std::vector<SiteRow>& rows, const SiteFigures& parts) {
  std::map<std::pair<std::string, FrameName>, const SiteFigure*> most;
  for (const SiteFigure& part : parts.sites) {
    const SiteFigure*& best = most[{part.class_name, part.at}];
    if (best == nullptr ||
        std::tie(part.retained, part.bytes) > std::tie(best->retained, best->bytes)) {
      best = &part;
    }
  }
  for (SiteRow& row : rows) {
    const auto found = most.find({row.what, row.at});
    if (found == most.end()) continue;
    row.app = found->second->app;
    row.app_retained = found->second->retained;
  }
}

std::string nothing_below_text(const std::string& what, const std::string& below,
                               std::int64_t cut_bytes) {
  return fmt::format(
      "no allocation of {} is below {}: the name of a method that is on their stacks, as "
      "shop.Shop.serve or serve{}",
      what, below, cut_bytes > 0 ? "; " + cut_below_text(cut_bytes, below) : "");
}

std::string cut_below_text(std::int64_t bytes, const std::string& below) {
  return fmt::format(
      "{} bytes are at stacks whose outer frames are cut: whether they are below {} is not known",
      grouped(bytes), below);
}

Json rows_json(const std::vector<SiteRow>& rows, RowsBy by, bool difference) {
  return json_list(rows, [&](const SiteRow& row) {
    Json object = {{by == RowsBy::kThread ? "thread" : "class", json_text(row.what)}};
    if (by == RowsBy::kSite) object["site"] = json_text(frame_text(row.at));
    if (by == RowsBy::kSite || by == RowsBy::kApp) object["app"] = json_text(frame_text(row.app));
    object["bytes"] = row.bytes;
    object["count"] = row.count;
    if (difference) {
      object["bytes_before"] = row.bytes_before;
      object["count_before"] = row.count_before;
      object["bytes_after"] = row.bytes_before + row.bytes;
      object["count_after"] = row.count_before + row.count;
    }
    return object;
  });
}

void print_rows(const std::vector<SiteRow>& rows, RowsBy by, std::size_t top, Columns columns) {
  static constexpr std::string_view kTitles[] = {".CLASS", ".CLASS, ALLOCATED AT",
                                                 ".CLASS, FIRST FRAME OUTSIDE THE JDK", "~THREAD"};
  std::vector<std::string> titles{">BYTES", ">COUNT"};
  if (columns == Columns::kDifference) titles.emplace_back(">BYTES NOW");
  if (columns == Columns::kAges) titles.emplace_back(">SURVIVED");
  if (columns == Columns::kRetained) titles.insert(titles.begin(), ">RETAINED");
  titles.emplace_back(kTitles[static_cast<std::size_t>(by)]);
  TextTable table(std::move(titles));
  const std::vector<const SiteRow*> shown = both_ends(rows, top);
  for (const SiteRow* row : shown) add_row(table, *row, by, columns);
  print(table.text());
  if (rows.size() > shown.size()) {
    print("... {} more (--top N shows more)\n", grouped(rows.size() - shown.size()));
  }
}

std::string sampled_note(std::int64_t interval, std::int64_t samples) {
  ReportSummary summary;
  summary.interval = interval;
  return fmt::format("estimated{}: {}",
                     samples > 0 ? fmt::format(" from {}", counted(samples, "sample")) : "",
                     sampling_words(summary));
}

std::string estimate_note(const SiteFigures& figures, bool of_whole_run) {
  const std::int64_t interval = figures.fact("interval");
  if (interval <= 0) return "";
  return sampled_note(interval, of_whole_run ? figures.fact("samples") : 0);
}

bool is_recovered(const SiteFigures& figures) { return figures.summary.contains("recovered"); }

std::vector<std::string> run_notes(const SiteFigures& figures, bool tracking) {
  std::vector<std::string> notes;
  if (figures.fact("period") == 0 && !is_recovered(figures)) {
    notes.emplace_back("Nothing is counted yet: tracking is off; `ddm track PID on` starts it.");
    return notes;
  }
  notes.push_back(fmt::format(
      "{}{}, {} in the whole run: {} of tracking{}",
      is_lower_bound(figures.summary) ? "at least " : "",
      counted(figures.fact("seen"), "allocation"), human_bytes(figures.fact("seen_bytes")),
      human_duration(figures.fact("tracked_ms")), tracking ? "" : ", which is off now"));
  if (const std::int64_t missing = figures.fact("unattributed_bytes"); missing > 0) {
    notes.push_back(
        fmt::format("{} more, which the VM has counted, were not seen", human_bytes(missing)));
  }
  if (auto note = estimate_note(figures, true); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

std::string lower_bounds_note(const std::string& path, const Json& summary) {
  return is_lower_bound(summary) ? fmt::format("{} has {}", path, kLowerBounds) : "";
}

}  // namespace ddm
