// ddm leaks: sites with more live objects after each collection, with their stacks and the paths
// that retain the objects.
//
// A collection of the whole heap is requested at the beginning, after each third of the time and at
// the end, if possible a concurrent one: objects that survive it are reachable. (Young collections
// also keep old objects that are dead.) A late one postpones those that follow. If no objects were
// followed before, the count at the beginning is 0 without a collection. The watch ends early as
// soon as no site can have grown between all collections.
#include <algorithm>
#include <cmath>
#include <functional>

#include "attach.h"
#include "command.h"
#include "core/whole_text.h"
#include "graph/object_choice.h"
#include "graph/root_paths.h"
#include "heap_dump_fetch.h"
#include "interrupt.h"
#include "json_values.h"
#include "jvm_figures.h"
#include "live_growth.h"
#include "path_text.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "switched_options.h"
#include "wire/chunks/app_state.h"
#include "wire/chunks/report_chunk.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;

struct LeaksOptions : TargetOptions {
  std::string agent;
  double seconds = 30;
  std::size_t top = 3;
};

constexpr const char* kNoRoot = "no root";
constexpr int kSpans = 3;  // between the moments that are compared
constexpr std::size_t kMaxRows = 50;
constexpr std::size_t kFramesShown = 5, kPathsShown = 3;

struct Leak {
  GrowingSite site;
  std::uint64_t retained = 0;
  std::vector<RootPath> paths;
  std::string root() const { return paths.empty() ? kNoRoot : paths.front().root; }
  // Of one pool's threads several may hold one site, and others of them another one.
  std::string root_like() const { return paths.empty() ? kNoRoot : paths.front().like; }
};

struct Leaks {
  std::vector<Leak> sites;  // the fastest kMaxRows
  std::size_t growing = 0;  // of all sites that grow
  double bytes_per_minute = 0;
  std::map<std::string, std::uint64_t> retained;  // by root_like(), of all its sites together
};

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The number of objects of each class; none: unknown.
using ClassCounts = std::optional<std::map<std::string, std::int64_t>>;

struct Watched {
  LiveGrowth growth;
  int collections = 0;
  std::int64_t period = 0;  // LiveMoment::period() of all of them
  double seconds = 0;
  // Objects from before the watch are not followed; `classes` is then counted at the first
  // collection.
  bool only_followed_objects = false;
  ClassCounts classes;
};

// The VM's class histogram, for which most collectors run a full collection.
bool collect_and_count(pid_t pid, ClassCounts& classes) {
  const auto jvm = JvmProcess::find(pid);
  auto histogram = jvm ? class_histogram(*jvm) : Result<ClassHistogram>(jvm.error());
  if (!histogram) return false;
  classes = std::move(histogram->counts);
  return histogram->collected;
}

Result<LiveMoment> fetch_moment(DdmClient& client, double at) {
  LiveMoment moment(at);
  auto wrong = fetch_report(client, std::string(kLiveFormat),
                            [&](std::string_view piece) { return moment.feed(piece); });
  if (wrong) return std::move(*wrong);
  if (!moment.complete()) return Error{"what the target says is alive is no list of sites"};
  return moment;
}

std::optional<Error> add_moment(DdmClient& client, pid_t pid, Clock::time_point begin,
                                Watched& watched) {
  const auto tracking = client.get<TrackingState>({TrackingState::kType, {}});
  if (!tracking) return tracking.error();
  if (!tracking->on) return Error{"tracking has been switched off meanwhile"};
  // A full collection keeps what was reachable when it began; during a concurrent one, young
  // collections go on.
  double at = since(begin);
  std::optional<LiveMoment> moment;
  if (watched.only_followed_objects && watched.collections == 0) {
    const auto before = fetch_moment(client, at);
    if (!before) return before.error();
    if (collect_and_count(pid, watched.classes)) {
      auto counted = fetch_moment(client, at);
      if (!counted) return counted.error();
      // Serial and Parallel of JDK 17 do not tell agents of a collection for a histogram.
      if (counted->collections() > before->collections()) moment = std::move(*counted);
    }
  }
  if (!moment) {
    const auto done = client.request(collect_beside_program(), DdmClient::kLongWork);
    if (!done) return done.error();
    if (*done == collect_beside_program()) at = since(begin);
    auto collected = fetch_moment(client, at);
    if (!collected) return collected.error();
    if (collected->collections() == 0) {
      return Error{"its collector does not collect (Epsilon?), so nobody knows what is alive"};
    }
    moment = std::move(*collected);
  }
  if (moment->period() != watched.period) return Error{"tracking has begun anew meanwhile"};
  ++watched.collections;
  watched.growth.add(std::move(*moment));
  return {};
}

// How many bytes the heap may still grow by. None: the target does not tell its limit.
std::optional<std::uint64_t> bytes_left(DdmClient& client) {
  const auto usage = heap_usage(client);
  const auto max = usage && *usage ? heap_max(**usage) : std::nullopt;
  if (!max) return {};
  return *max - std::min(*max, (*usage)->used_bytes);
}

// By how many objects each class has grown since the first collection.
std::map<std::string, std::int64_t> grown_since(const std::map<std::string, std::int64_t>& first,
                                                const HeapGraph& graph) {
  std::vector<std::int64_t> counts(graph.classes());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto object = static_cast<ObjectNumber>(i);
    if (!graph.is_class(object)) ++counts[graph.class_of(object)];
  }
  std::map<std::string, std::int64_t> grown;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) grown[graph.class_name(static_cast<std::uint32_t>(i))] += counts[i];
  }
  for (auto& [name, count] : grown) {
    const auto before = first.find(name);
    if (before != first.end()) count -= before->second;
  }
  return grown;
}

Result<Leaks> explain(const Watched& watched, DdmClient& client, Progress& progress) {
  Leaks leaks;
  std::vector<GrowingSite> sites = watched.growth.growing();
  if (sites.empty()) return leaks;
  const auto dump = fetch_nameless_heap_dump(client, /*with_stacks=*/true, progress);
  if (!dump) return dump.error();
  auto graph = HeapGraph::read(dump->get(), [&](auto bytes) { progress.show(bytes); });
  if (!graph) return graph.error();
  if (watched.classes) drop_replaced_sites(sites, grown_since(*watched.classes, *graph));
  leaks.growing = sites.size();
  for (const GrowingSite& site : sites) leaks.bytes_per_minute += site.bytes_per_minute;
  if (sites.size() > kMaxRows) sites.resize(kMaxRows);
  SiteObjects objects(*graph);
  RootPaths paths(*graph);
  // A dump knows the stacks of the objects that are followed, which may be a sample.
  const auto scaled = [&](std::uint64_t bytes, std::size_t count, std::int64_t alive) {
    if (!watched.growth.estimated() || count == 0) return bytes;
    return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(alive) /
                                      static_cast<double>(count));
  };
  struct Held {
    std::vector<ObjectNumber> objects;
    std::int64_t alive = 0;
  };
  std::map<std::string, Held> held;
  for (GrowingSite& site : sites) {
    const std::vector<ObjectNumber> found = objects.of(site.class_name, site.stack);
    const Leak& leak = leaks.sites.emplace_back(
        Leak{std::move(site), scaled(paths.retained_by(found), found.size(), site.alive.count),
             paths.of(found)});
    Held& all = held[leak.root_like()];
    all.objects.insert(all.objects.end(), found.begin(), found.end());
    all.alive += leak.site.alive.count;
  }
  for (const auto& [root, all] : held) {
    leaks.retained[root] = scaled(paths.retained_by(all.objects), all.objects.size(), all.alive);
  }
  return leaks;
}

// At the rate of all leaks together. None: nothing grows, or `left` is unknown.
std::optional<std::int64_t> seconds_to_full(const Leaks& leaks, std::optional<std::uint64_t> left) {
  if (!left || leaks.bytes_per_minute <= 0) return {};
  return std::llround(60 * static_cast<double>(*left) / leaks.bytes_per_minute);
}

int print_leaks_json(const Leaks& leaks, const Watched& watched,
                     std::optional<std::uint64_t> left) {
  Json rows = json_list(leaks.sites, [](const Leak& leak) -> Json {
    return {{"class", json_text(leak.site.class_name)},
            {"stack", leak.site.stack},
            {"live_count", leak.site.alive.count},
            {"live_bytes", leak.site.alive.bytes},
            {"bytes_per_minute", std::llround(leak.site.bytes_per_minute)},
            {"objects_per_minute", std::llround(leak.site.objects_per_minute)},
            {"retained_bytes", leak.retained},
            {"paths", paths_json(leak.paths)}};
  });
  return print_json({{"collections", watched.collections},
                     {"seconds", std::round(watched.seconds * 10) / 10},
                     {"estimated", watched.growth.estimated()},
                     {"sites", leaks.growing},
                     {"seconds_to_full", json_or_null(seconds_to_full(leaks, left))},
                     {"rows", std::move(rows)}});
}

// The leaks that one root holds, which grow together: an object, its fields, and the node of the
// map.
struct RootLeaks {
  std::string like, root;
  std::vector<const Leak*> leaks;  // largest retained size first
  double bytes_per_minute = 0;
  std::uint64_t retained = 0;
};

std::vector<RootLeaks> group_by_root(const Leaks& leaks) {
  std::vector<RootLeaks> all;
  for (const Leak& leak : leaks.sites) {
    const std::string like = leak.root_like();
    auto held = std::ranges::find(all, like, &RootLeaks::like);
    if (held == all.end()) {
      held = all.insert(held, RootLeaks{like, leak.root(), {}, 0, leaks.retained.at(like)});
    }
    held->leaks.push_back(&leak);
    held->bytes_per_minute += leak.site.bytes_per_minute;
  }
  std::ranges::stable_sort(all, std::greater<>(), &RootLeaks::bytes_per_minute);
  for (RootLeaks& held : all) {
    std::ranges::stable_sort(held.leaks, std::greater<>(), &Leak::retained);
  }
  return all;
}

void print_site(const Leak& leak) {
  const GrowingSite& site = leak.site;
  const std::string figures =
      printable_format("{}: {} more a minute, {}; {} alive", site.class_name,
                       grouped(std::llround(site.objects_per_minute)),
                       human_bytes(std::llround(site.bytes_per_minute)), grouped(site.alive.count));
  print("\n   " + wrapped(figures, 3, output_width()) + "\n");
  for (std::size_t i = 0; i < std::min(site.stack.size(), kFramesShown); ++i) {
    print("     {} {}\n", i == 0 ? "allocated at" : "          by",
          frame_text(frame_of(site.stack[i]), output_width() - 18));
  }
  if (site.stack.size() > kFramesShown) {
    print("               {} more\n", counted(site.stack.size() - kFramesShown, "frame"));
  }
  for (std::size_t i = 0; i < std::min(leak.paths.size(), kPathsShown); ++i) {
    const std::string line =
        fmt::format("{} ({})", path_line(leak.paths[i]), grouped(leak.paths[i].count));
    print(fmt::format("     {} {}\n", i == 0 ? "held by     " : "and by      ",
                      wrapped(printable(line), 18, output_width())));
  }
}

void print_held(const RootLeaks& held, std::size_t number, std::size_t top) {
  const std::string line = printable_format(
      "{}. {}: {} more a minute; what grows there holds {}", number, held.root,
      human_bytes(std::llround(held.bytes_per_minute)), human_bytes(held.retained));
  print("\n" + wrapped(line, 3, output_width()) + "\n");
  if (held.root == kNoRoot) print("   " + wrapped(kNoPath, 3, output_width()) + "\n");
  for (std::size_t i = 0; i < std::min(held.leaks.size(), top); ++i) print_site(*held.leaks[i]);
  if (held.leaks.size() > top) {
    print("\n   {} more; --top shows more\n", counted(held.leaks.size() - top, "site"));
  }
}

void print_leaks(const Leaks& leaks, const Watched& watched, std::size_t top,
                 std::optional<std::uint64_t> left) {
  print("{} had more alive after each of {} in {:.0f} s\n",
        leaks.sites.empty() ? "nothing grows: no site" : counted(leaks.growing, "site"),
        counted(watched.collections, "collection"), watched.seconds);
  if (watched.growth.estimated()) print("all figures are estimated from samples\n");
  if (leaks.sites.empty()) return;
  if (const auto seconds = seconds_to_full(leaks, left)) {
    print("at the rate of all together the heap is full in {}\n", human_duration(*seconds * 1000));
  }
  if (leaks.growing > leaks.sites.size()) {
    print("below are the {} fastest of {}\n", leaks.sites.size(), counted(leaks.growing, "site"));
  }
  const std::vector<RootLeaks> all = group_by_root(leaks);
  for (std::size_t i = 0; i < std::min(all.size(), top); ++i) print_held(all[i], i + 1, top);
  if (all.size() > top) {
    print("\n{} more; --top shows more\n", counted(all.size() - top, "root"));
  }
}

// `was_off`: no objects were followed before.
int watch(const LeaksOptions& options, DdmClient& client, Progress& progress, bool was_off) {
  const pid_t pid = number_in<pid_t>(options.target).value_or(0);
  Watched watched;
  const auto summary = fetch_summary(client);
  if (!summary) return refuse(summary.message());
  watched.period = number_of(*summary, "period");
  watched.only_followed_objects = was_off;
  if (was_off) watched.growth.add(LiveMoment(0));
  const Clock::time_point begin = Clock::now();
  const double span = options.seconds / kSpans;
  double due = was_off ? span : 0;
  for (int i = was_off ? 1 : 0; i <= kSpans && watched.growth.may_grow(); ++i) {
    const auto gone = client.idle(due - since(begin), interrupted);
    if (gone) return refuse(gone->message);
    if (interrupted() && watched.growth.moments() >= kSpans) break;
    if (const auto wrong = add_moment(client, pid, begin, watched)) return refuse(wrong->message);
    if (interrupted()) break;
    // What is left is divided evenly, and not among moments too close to tell anything.
    const double now = since(begin);
    if (i < kSpans) due = now + std::max((options.seconds - now) / (kSpans - i), span / 2);
  }
  watched.seconds = since(begin);
  if (watched.growth.moments() < 3 && watched.growth.may_grow()) {
    return refuse("ended before there was anything to compare");
  }
  const auto left = bytes_left(client);
  auto leaks = explain(watched, client, progress);
  if (!leaks) return refuse(leaks.message());
  progress.clear();
  if (options.json) return print_leaks_json(*leaks, watched, left);
  print_leaks(*leaks, watched, options.top, left);
  return kExitOk;
}

int leaks(const LeaksOptions& given) {
  LeaksOptions options = given;
  bool loaded = false;
  auto client = connect_or_load(options.target, options.agent, loaded);
  if (!client) return refuse(client.message());
  if (!client->offers(kReportFeature)) {
    return refuse("the target is another DDM server, which does not tell what is alive");
  }
  catch_interrupts();
  const auto state = client->get<TrackingState>({TrackingState::kType, {}});
  if (!state) return refuse(state.message());
  // What is switched off at the end is asked for, too: that goes before this.
  Progress progress(fmt::format("watching for {} s, Ctrl-C ends it", options.seconds));
  client->on_progress([&progress](std::size_t) { progress.show(0); });
  const auto followed = SwitchedOptions::on(*client, {.live = true});
  if (!followed) return refuse(followed.message());
  const TrackingScope tracked(*client);
  return watch(options, *client, progress, !state->on || !followed->was_live());
}

}  // namespace

void add_leaks(CLI::App& app, Command& chosen) {
  const auto [command, options] = add_command(
      app, chosen, "leaks",
      "Show growing sites, with their stacks and the paths that retain the objects", leaks);
  add_text(command, "PID", options.target, kTargetHelp);
  add_duration(command, "-d,--for", options.seconds,
               "Duration, with three or four collections of the whole heap", 1, kMaxSeconds);
  add_top(command, options.top, "Number of roots, and of sites of each");
  add_flag(command, "--json", options.json,
           "All, at most 50 rows: {collections, seconds, estimated, sites, seconds_to_full, rows: "
           "[{class, stack, live_count, live_bytes, bytes_per_minute, objects_per_minute, "
           "retained_bytes, paths}]}");
  add_agent(command, options.agent);
}

}  // namespace ddm
