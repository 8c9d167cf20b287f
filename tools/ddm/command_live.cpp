// ddm live: live objects by site, as of a collection.

#include "command.h"
#include "json_values.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "site_rows.h"
#include "text_pieces.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

struct LiveOptions : TargetOptions {
  std::string by = "site";
  std::size_t top = 25;
  std::string survived;  // collections, at least
  bool gc = false;
};

// The least number of survived collections in each class of ages.
std::vector<std::string> least_ages() {
  std::vector<std::string> ages;
  for (std::size_t i = 1; i < AgeClass::kCount; ++i) {
    ages.push_back(std::to_string(AgeClass::least(i)));
  }
  return ages;
}

struct Survivors {
  std::int64_t count = 0, bytes = 0;
};
Survivors survivors(const LiveAges& ages, std::uint64_t least) {
  Survivors sum;
  for (std::size_t i = AgeClass::of(least); i < AgeClass::kCount; ++i) {
    sum.count += ages.count[i];
    sum.bytes += ages.bytes[i];
  }
  return sum;
}

bool is_estimated(const Json& summary) { return summary.contains("live_estimated"); }

// {"gc":N,"rows":[{"class":,"live_count":,"live_bytes":,"live_ages":[...],"stack":[...]}]}, each
// row printed when it arrives: deep stacks take hundreds of megabytes.
class JsonRows {
 public:
  // `survived`: only objects that have survived at least so many collections.
  explicit JsonRows(std::uint64_t survived) : survived_(survived) {}

  bool feed(std::string_view piece) {
    return lines_.feed(piece, [this](std::string_view text) { return line(text); });
  }
  // False: the data is no list of sites.
  bool finish() {
    if (!begun_ || lines_.stopped()) return false;
    print(rows_ == 0 ? "]}\n" : "\n]}\n");
    return true;
  }

 private:
  bool line(std::string_view line) {
    if (begun_ && line.starts_with(kRecordLine)) return true;
    const Json object = parsed_json(line);
    if (!object.is_object()) return false;
    if (!begun_) {
      begun_ = true;
      estimated_ = is_estimated(object);
      print("{{\"gc\":{},{}{}\"rows\":[", number_of(object, "gc"),
            estimated_ ? "\"estimated\":true," : "",
            survived_ > 0 ? fmt::format("\"survived\":{},", survived_) : "");
      return true;
    }
    // A whole report has other lines, too, and sites of which nothing is alive.
    if (text_of(object, "type") != "site" || number_of(object, "live_count") == 0) return true;
    Json row = Json::object();
    for (const char* member :
         {"class", "live_count", "live_bytes", "live_ages", "stack", "truncated"}) {
      if (object.contains(member)) row[member] = object[member];
    }
    if (survived_ > 0) {
      const Survivors old = survivors(ages_of(object), survived_);
      if (old.count == 0) return true;
      row["live_count"] = old.count;
      row["live_bytes"] = old.bytes;
    }
    if (estimated_) row["estimated"] = true;
    print("{}\n{}", rows_++ == 0 ? "" : ",", json_line(row));
    return true;
  }

  const std::uint64_t survived_;
  LineSplitter lines_;
  bool begun_ = false, estimated_ = false;
  std::size_t rows_ = 0;
};

void print_table(const SiteFigures& figures, const LiveOptions& options) {
  const Json& summary = figures.summary;
  const bool estimated = is_estimated(summary);
  print("{}{} alive, {}, as of collection {}{}\n", estimated ? "about " : "",
        counted(figures.count(), "object"), human_bytes(figures.bytes()), figures.fact("gc"),
        options.survived.empty()
            ? std::string()
            : fmt::format(", that have survived {} or more", options.survived));
  if (const std::int64_t n = figures.fact("live_one_in"); n > 1) {
    print("estimated: one object in {} is followed\n", n);
  }
  if (const auto lost = summary.find("live_not_followed"); lost != summary.end()) {
    for (const auto& [why, count] : lost->items()) {
      if (!count.is_number_integer()) continue;
      print("{} more cannot be followed: {}\n", grouped(count.get<std::int64_t>()), why);
    }
  }
  print_rows(rows_of(figures, *rows_by(options.by)), *rows_by(options.by), options.top,
             Columns::kAges);
  LiveAges ages{};
  for (const SiteFigure& site : figures.sites) ages += site.ages;
  const Survivors all = survivors(ages, 0), old = survivors(ages, 1);
  if (all.count > old.count) {
    print_sentence(
        fmt::format("{} of them, {}, are newer than that collection and may be dead; --survived 1 "
                    "leaves them out{}",
                    grouped(all.count - old.count), human_bytes(all.bytes - old.bytes),
                    options.gc || is_saved_report(options.target) ? "" : ", --gc looks at them"));
  }
}

// Keeps the objects that have survived at least so many collections.
void keep_survivors(SiteFigures& figures, std::uint64_t least) {
  for (SiteFigure& site : figures.sites) {
    const Survivors old = survivors(site.ages, least);
    site.count = old.count;
    site.bytes = old.bytes;
    for (std::size_t i = 0; i < AgeClass::of(least); ++i) site.ages.count[i] = 0;
  }
  std::erase_if(figures.sites, [](const SiteFigure& site) { return site.count == 0; });
}

// Of a saved report; that it is whole is known before anything is printed.
int live_of_file(const LiveOptions& options, std::uint64_t survived) {
  const std::string& path = options.target;
  if (options.gc) return misused("--gc: " + path + " is a saved report, not a program");
  auto figures = read_live_file(path);
  if (!figures) return refuse(figures.message());
  if (options.json) {
    JsonRows rows(survived);
    const auto error = read_pieces(path, [&](std::string_view piece) { return rows.feed(piece); });
    if (error) return refuse(error->message);
    return rows.finish() ? kExitOk : refuse(path + " has changed while it was read");
  }
  if (survived > 0) keep_survivors(*figures, survived);
  print_table(*figures, options);
  return kExitOk;
}

int live(const LiveOptions& options) {
  const std::uint64_t survived = options.survived.empty() ? 0 : std::stoull(options.survived);
  if (is_saved_report(options.target)) return live_of_file(options, survived);
  auto client = connect_to_target(options.target);
  if (!client) return refuse(no_target_text(options.target, client.message()));
  if (!client->offers(kReportFeature)) {
    return refuse("the target is another DDM server, which does not tell what is alive");
  }
  const auto state = client->get<TrackingState>({TrackingState::kType, {}});
  if (!state) return refuse(state.message());
  Progress progress("live objects");
  client->on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  if (options.gc) {
    // Without live= there is nothing to show, and no reason to collect.
    const auto summary = fetch_summary(*client);
    if (summary && summary->contains("gc")) {
      if (!state->on) {
        return refuse(
            "tracking is off, so a collection shows nothing new; without --gc the figures "
            "are those of when it went off");
      }
      const auto done = client->request({kCollectGarbage, {}}, DdmClient::kLongWork);
      if (!done) return refuse(done.message());
    }
  }
  if (options.json) {
    JsonRows rows(survived);
    const auto error = fetch_report(*client, std::string(kLiveFormat),
                                    [&](std::string_view piece) { return rows.feed(piece); });
    if (error) return refuse(error->message);
    return rows.finish() ? kExitOk : refuse("what the target says is alive is no list of sites");
  }
  FigureReader reader(FigureReader::Objects::kLive);
  const auto error = fetch_report(*client, std::string(kLiveFormat),
                                  [&](std::string_view piece) { return reader.feed(piece); });
  if (error) return refuse(error->message);
  auto figures = reader.finish();
  if (!figures) return refuse(figures.message());
  if (survived > 0) keep_survivors(*figures, survived);
  progress.clear();
  print_table(*figures, options);
  if (!state->on) print_sentence("tracking is off: these are the figures of when it went off");
  return kExitOk;
}

}  // namespace

void add_live(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "live", "Show live objects by site (live=y)", live);
  add_text(command, "PID", options.target,
           std::string(kTargetHelp) + "; or a saved report (.jsonl)");
  add_flag(command, "--gc", options.gc,
           "Run a garbage collection first; otherwise as of the last one");
  add_choice(command, "--survived", options.survived, least_ages(),
             "Only objects that have survived at least so many collections: 1, 2, 4, 8, ... 1024",
             "N");
  add_row_options(command, options.by, options.top);
  add_flag(command, "--json", options.json,
           "All: {gc, rows: [{class, live_count, live_bytes, live_ages, stack}]}");
}

}  // namespace ddm
