// ddm top: the current allocation rates of programs; of one program by site, with the CPU use of
// its threads.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <thread>

#include "command.h"
#include "interrupt.h"
#include "json_values.h"
#include "jvm_watch.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "top/program_rates.h"
#include "top/screen.h"
#include "wire/chunks/report_chunk.h"

namespace ddm {
namespace {

struct TopOptions : TargetOptions {
  std::string by;  // "": by site
  std::size_t top = 25;
  double seconds = 1;
  bool once = false;
};

using TopClock = std::chrono::steady_clock;

constexpr std::size_t kThreadsShown = 8;
constexpr std::int64_t kLongestWaitMs = 3'600'000;  // for a key; an int has 24 days

std::string rate(double bytes) { return human_bytes(static_cast<std::int64_t>(bytes)) + "/s"; }

using Figure = std::optional<std::int64_t>;

// None: the figure is not known, or the program does not answer.
Figure figure_of(const WatchedJvm& jvm, Figure JvmFigures::*figure) {
  return jvm.figures ? *jvm.figures.*figure : std::nullopt;
}

std::string bytes_or_nothing(Figure bytes) { return bytes ? human_bytes(*bytes) : ""; }

std::string jvms_text(const std::vector<WatchedJvm>& jvms, std::size_t top, std::size_t width) {
  TextTable table({">PID", ">ALLOCATED", ">HEAP USED", ">ALIVE", ">CPU %", ".APP"});
  for (std::size_t i = 0; i < std::min(jvms.size(), top); ++i) {
    const WatchedJvm& jvm = jvms[i];
    table.add({std::to_string(jvm.pid),
               !jvm.figures            ? "(no answer)"
               : jvm.bytes_per_second  ? rate(*jvm.bytes_per_second)
               : jvm.figures->tracking ? ""
                                       : "(not tracked)",
               bytes_or_nothing(figure_of(jvm, &JvmFigures::heap_used)),
               bytes_or_nothing(figure_of(jvm, &JvmFigures::live_bytes)),
               fmt::format("{:.0f}", jvm.cpu_percent), jvm.app});
  }
  std::string text = table.text(width);
  if (jvms.size() > top)
    text += fmt::format("... {} more (--top N shows more)\n", grouped(jvms.size() - top));
  return text;
}

std::string program_text(const ProgramRates& rates, std::size_t top, std::size_t width) {
  TextTable sites({">BYTES/S", ">OBJECTS/S", ".CLASS", ".AT"});
  for (std::size_t i = 0; i < std::min(rates.sites().size(), top); ++i) {
    const SiteRates& site = rates.sites()[i];
    const FrameName& frame = site.row.at.known() ? site.row.at : site.row.app;
    sites.add({human_bytes(static_cast<std::int64_t>(site.bytes_per_second)),
               grouped(static_cast<std::int64_t>(site.objects_per_second)), site.row.what,
               frame.known() ? frame_text(frame) : ""});
  }
  TextTable threads({">CPU %", ">TID", "~THREAD"});
  for (std::size_t i = 0; i < std::min(rates.threads().size(), kThreadsShown); ++i) {
    const ThreadRates& thread = rates.threads()[i];
    threads.add(
        {fmt::format("{:.0f}", thread.cpu_percent), std::to_string(thread.id), thread.name});
  }
  const std::string head =
      rates.tracking() ? sites.text(width) : "not tracked; `ddm track PID on` shows its sites\n";
  return head + "\n" + threads.text(width);
}

Json rates_json(const std::vector<WatchedJvm>& jvms) {
  return {{"jvms", json_list(jvms, [](const WatchedJvm& jvm) -> Json {
             return {{"pid", jvm.pid},
                     {"app", json_text(jvm.app)},
                     {"bytes_per_second", json_of_rate(jvm.bytes_per_second)},
                     {"heap_used_bytes", json_or_null(figure_of(jvm, &JvmFigures::heap_used))},
                     {"live_bytes", json_or_null(figure_of(jvm, &JvmFigures::live_bytes))},
                     {"cpu_percent", std::round(jvm.cpu_percent * 10) / 10}};
           })}};
}

Json program_json(const ProgramRates& rates) {
  Json sites = json_list(rates.sites(), [](const SiteRates& site) -> Json {
    return {{"class", json_text(site.row.what)},
            {"site", json_text(frame_text(site.row.at))},
            {"app", json_text(frame_text(site.row.app))},
            {"bytes_per_second", static_cast<std::int64_t>(site.bytes_per_second)},
            {"objects_per_second", static_cast<std::int64_t>(site.objects_per_second)}};
  });
  Json threads = json_list(rates.threads(), [](const ThreadRates& thread) -> Json {
    return {{"id", thread.id},
            {"name", json_text(thread.name)},
            {"cpu_percent", std::round(thread.cpu_percent * 10) / 10}};
  });
  return {{"sites", std::move(sites)}, {"threads", std::move(threads)}};
}

void pause(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// What `e` writes: the report, in the working directory.
std::string write_page(DdmClient& client, const std::string& target) {
  const std::time_t now = std::time(nullptr);
  char time[32];
  std::strftime(time, sizeof time, "%H%M%S", std::localtime(&now));
  const std::string path = fmt::format("ddm-{}-{}.html", in_file_name(target), time);
  const auto error = save_report(client, path, false);
  return error ? error->message : "report written to " + path;
}

// Runs until `q`. `render`: measures, and makes the text below the head; `write`: the action of
// `e`, and its message. A key does not measure: rates of a moment would be those of noise. Signals
// are caught for the sake of the terminal; elsewhere nothing has to be restored.
int watch_on_screen(const TopOptions& options, const std::string& what,
                    const std::function<Result<std::string>(std::size_t)>& render,
                    const std::function<std::string()>& write) {
  const auto interval = std::chrono::duration_cast<TopClock::duration>(
      std::chrono::duration<double>(options.seconds));
  catch_interrupts();
  Screen screen;
  std::string shown, status;
  bool paused = false;
  TopClock::time_point next = TopClock::now();
  while (!interrupted()) {
    if (!paused && TopClock::now() >= next) {
      auto text = render(screen.columns());
      if (!text) break;
      shown = std::move(*text);
      next = TopClock::now() + interval;
    }
    screen.show(fmt::format("{}{}   q: quit  p: pause{}{}{}\n", what, paused ? ", paused" : "",
                            write ? "  e: write the report" : "", status.empty() ? "" : "   ",
                            status) +
                shown);
    const TopClock::duration left = paused ? interval : next - TopClock::now();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int key = screen.key(static_cast<int>(std::clamp<std::int64_t>(ms, 0, kLongestWaitMs)));
    if (key == 'q') break;
    if (key == 'p') paused = !paused;
    if (key == 'e' && write) status = write();
  }
  return kExitOk;
}

int top_of_all(const TopOptions& options) {
  JvmWatch watch{JvmWatch::Clock::duration::zero()};
  watch.read();
  if (!options.once && output_width() != kNoWidth && !options.json) {
    return watch_on_screen(
        options, "programs with the agent",
        [&](std::size_t width) {
          return Result<std::string>(jvms_text(watch.read(), options.top, width));
        },
        {});
  }
  pause(options.seconds);
  const std::vector<WatchedJvm> found = watch.read();
  if (options.json) return print_json(rates_json(found));
  print(jvms_text(found, options.top, output_width()));
  return kExitOk;
}

int top_of_one(const TopOptions& options) {
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  if (!client->offers(kReportFeature)) {
    return refuse("the target is another DDM server, which does not count its sites");
  }
  const RowsBy by = options.by.empty() ? RowsBy::kSite : *rows_by(options.by);
  ProgramRates rates(*client);
  if (const auto error = rates.measure(by)) return refuse(error->message);
  if (!options.once && output_width() != kNoWidth && !options.json) {
    client->cancel_when(interrupted);
    std::string problem;
    const int code = watch_on_screen(
        options, options.target,
        [&](std::size_t width) -> Result<std::string> {
          if (const auto error = rates.measure(by)) {
            problem = error->message;
            return *error;
          }
          return program_text(rates, options.top, width);
        },
        [&] { return write_page(*client, options.target); });
    return problem.empty() || interrupted() ? code : refuse(problem);
  }
  pause(options.seconds);
  if (const auto error = rates.measure(by)) return refuse(error->message);
  if (options.json) return print_json(program_json(rates));
  print(program_text(rates, options.top, output_width()));
  return kExitOk;
}

int top(const TopOptions& options) {
  if (options.target.empty() && !options.by.empty()) {
    return misused("--by is for one program: ddm top PID --by " + options.by);
  }
  return options.target.empty() ? top_of_all(options) : top_of_one(options);
}

}  // namespace

void add_top_command(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "top",
                  "Show current allocation rates and busy threads (ddmagent: the agent's)", top);
  add_text(command, "PID", options.target, std::string(kTargetHelp) + "; by default all programs");
  add_flag(command, "--once", options.once,
           "Print once, as text; the default if stdout is no terminal");
  add_choice(command, "--by", options.by, {"class", "site", "app"},
             "Rows of a program: class, site or app; by default site", "WHAT");
  add_top(command, options.top, "Number of rows to show");
  add_duration(command, "-d", options.seconds, "Time between updates", 0.1, kMaxSeconds);
  add_flag(command, "--json", options.json,
           "Once: {jvms: [{pid, app, bytes_per_second, heap_used_bytes, live_bytes, "
           "cpu_percent}]}; of a program {sites: [...], threads: [...]}");
}

}  // namespace ddm
