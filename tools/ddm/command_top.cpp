// ddm top: the current allocation rates of programs; of one program by site, with the CPU use of
// its threads.
#define NCURSES_NOMACROS
#include <ncurses.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <span>
#include <sstream>
#include <thread>

#include "command.h"
#include "core/jvm_text.h"
#include "interrupt.h"
#include "json_values.h"
#include "jvm_figures.h"
#include "program_rates.h"
#include "report/report_words.h"
#include "report_fetch.h"
#include "target.h"
#include "wire/chunks/report_chunk.h"

namespace ddm {
namespace {

constexpr const char* kBySort = "bytes";

struct TopOptions : TargetOptions {
  std::string by;  // "": by site
  std::string sort = kBySort;
  std::size_t top = 25;
  double seconds = 1;
  bool once = false;
};

// The whole terminal, by ncurses; the destructor restores it.
class Screen {
 public:
  Screen() {
    if (isatty(STDIN_FILENO) == 0) {
      fault_ = "stdin is no terminal, so there are no keys";
      return;
    }
    std::setlocale(LC_CTYPE, "");
    const char* const set = std::getenv("TERM");
    const std::string term = set == nullptr ? "" : set;
    // Where initscr() would end the process.
    screen_ = term.empty() ? nullptr : newterm(nullptr, stdout, stdin);
    if (screen_ == nullptr) {
      fault_ = term.empty() ? "TERM is not set" : "the terminal '" + term + "' is not known";
      return;
    }
    const char* const moves = tigetstr("cup");
    if (moves == nullptr || moves == reinterpret_cast<const char*>(-1)) {
      fault_ = "the terminal '" + term + "' cannot move its cursor";
      return;
    }
    cbreak();
    noecho();
    curs_set(0);
  }
  ~Screen() {
    if (screen_ == nullptr) return;
    endwin();
    delscreen(screen_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Why nothing can be shown; "": it can.
  const std::string& fault() const { return fault_; }

  // Lines from the top, each cut at the right edge; lines that do not fit are left out. The first
  // line is shown in reverse.
  void show(const std::string& text) {
    werase(stdscr);
    std::istringstream lines(text);
    std::string line;
    for (int row = 0; row < LINES && std::getline(lines, line); ++row) {
      // A row of its own: wide characters, which take two columns, do not run on into the next one.
      WINDOW* const window = derwin(stdscr, 1, COLS, row, 0);
      if (row == 0) wattron(window, A_REVERSE);
      waddnstr(window, line.c_str(), static_cast<int>(head_bytes(line, columns())));
      wsyncup(window);
      delwin(window);
    }
    wrefresh(stdscr);
  }
  // The key that is pressed within this time; 0: none.
  int key(int milliseconds) {
    wtimeout(stdscr, milliseconds);
    return std::max(wgetch(stdscr), 0);
  }
  std::size_t columns() const { return static_cast<std::size_t>(COLS); }
  std::size_t lines() const { return static_cast<std::size_t>(LINES); }

 private:
  SCREEN* screen_ = nullptr;
  std::string fault_;
};

using TopClock = std::chrono::steady_clock;

constexpr std::int64_t kLongestWaitMs = 3'600'000;  // for a key; an int has 24 days

std::string rate(double bytes) { return human_bytes(static_cast<std::int64_t>(bytes)) + "/s"; }

using Figure = std::optional<std::int64_t>;

// None: the figure is not known, or the program does not answer.
Figure figure_of(const WatchedJvm& jvm, Figure JvmFigures::*figure) {
  return jvm.figures ? *jvm.figures.*figure : std::nullopt;
}

std::string bytes_or_nothing(Figure bytes) { return bytes ? human_bytes(*bytes) : ""; }

std::string jvms_text(const std::vector<WatchedJvm>& jvms, const TopView& view) {
  TextTable table({">PID", ">ALLOCATED", ">HEAP USED", ">ALIVE", ">CPU %", ".APP"});
  constexpr std::size_t kTitles = 1;
  const std::size_t shown =
      rows_shown(jvms.size(), view.top, view.lines - std::min(view.lines, kTitles));
  for (const WatchedJvm& jvm : std::span(jvms).first(shown)) {
    table.add({std::to_string(jvm.pid),
               !jvm.figures            ? "(no answer)"
               : jvm.bytes_per_second  ? rate(*jvm.bytes_per_second)
               : jvm.figures->tracking ? ""
                                       : "(not tracked)",
               bytes_or_nothing(figure_of(jvm, &JvmFigures::heap_used)),
               bytes_or_nothing(figure_of(jvm, &JvmFigures::live_bytes)),
               fmt::format("{:.0f}", jvm.cpu_percent), jvm.app});
  }
  return table.text(view.width) + more_line(jvms.size() - shown, view);
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
  Json sites = json_list(rates.sites, [](const SiteRates& site) -> Json {
    return {{"class", json_text(site.row.what)},
            {"site", json_text(frame_text(site.row.at))},
            {"app", json_text(frame_text(site.row.app))},
            {"bytes_per_second", static_cast<std::int64_t>(site.bytes_per_second)},
            {"objects_per_second", static_cast<std::int64_t>(site.objects_per_second)},
            {"died_percent",
             site.died_percent ? Json(std::round(*site.died_percent * 10) / 10) : Json(nullptr)}};
  });
  Json threads = json_list(rates.threads, [](const ThreadRates& thread) -> Json {
    return {{"id", thread.id},
            {"name", json_text(thread.name)},
            {"cpu_percent", std::round(thread.cpu_percent * 10) / 10}};
  });
  return {{"sites", std::move(sites)}, {"threads", std::move(threads)}};
}

std::optional<TopSort> sort_of_key(int key) {
  switch (key) {
    case 'b':
      return TopSort::kBytes;
    case 'o':
      return TopSort::kObjects;
    case 'd':
      return TopSort::kDied;
    case 'c':
      return TopSort::kClass;
    case 'a':
      return TopSort::kAt;
    default:
      return {};
  }
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

// What the screen shows below its first line.
struct Pane {
  std::string what;
  std::string keys;  // beside those of all
  std::function<std::optional<Error>()> measure;
  std::function<std::string(const TopView&)> text;
  std::function<std::string(int)> pressed;  // what there is to say about it
};

// Runs until `q`. None: nothing can be shown on this terminal, which is said. A key does not
// measure: rates of a moment would be those of noise. Signals are caught for the sake of the
// terminal; elsewhere nothing has to be restored.
std::optional<int> watch_on_screen(const TopOptions& options, const Pane& pane) {
  if (options.once || options.json || output_width() == kNoWidth) return {};
  auto screen = std::make_unique<Screen>();
  if (const std::string fault = screen->fault(); !fault.empty()) {
    screen.reset();
    complain(fault + ": printed once, as by --once");
    return {};
  }
  const auto interval = std::chrono::duration_cast<TopClock::duration>(
      std::chrono::duration<double>(options.seconds));
  catch_interrupts();
  std::string status;
  bool paused = false;
  TopClock::time_point next = TopClock::now();
  while (!interrupted()) {
    if (!paused && TopClock::now() >= next) {
      if (const auto error = pane.measure()) {
        screen.reset();
        return interrupted() ? kExitOk : refuse(error->message);
      }
      next = TopClock::now() + interval;
    }
    const TopView view{
        .top = options.top, .width = screen->columns(), .lines = screen->lines() - 1};
    screen->show(head_line(pane.what, paused,
                           status.empty() ? "q: quit  p: pause" + pane.keys : status, view.width) +
                 "\n" + pane.text(view));
    const TopClock::duration left = paused ? interval : next - TopClock::now();
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int key = screen->key(static_cast<int>(std::clamp<std::int64_t>(ms, 0, kLongestWaitMs)));
    if (key == 'q') break;
    if (key == 'p') paused = !paused;
    if (key != 0) status = pane.pressed(key);
  }
  return kExitOk;
}

TopView whole_view(const TopOptions& options) {
  return {.top = options.top, .width = output_width()};
}

int top_of_all(const TopOptions& options) {
  JvmWatch watch{JvmWatch::Clock::duration::zero()};
  std::vector<WatchedJvm> found = watch.read();
  const auto read = [&]() -> std::optional<Error> {
    found = watch.read();
    return {};
  };
  const auto code =
      watch_on_screen(options, {.what = "programs with the agent",
                                .keys = "",
                                .measure = read,
                                .text = [&](const TopView& view) { return jvms_text(found, view); },
                                .pressed = [](int) { return std::string(); }});
  if (code) return *code;
  pause(options.seconds);
  read();
  if (options.json) return print_json(rates_json(found));
  if (found.empty()) complain(kNoPrograms);
  print(jvms_text(found, whole_view(options)));
  return kExitOk;
}

int top_of_one(const TopOptions& options) {
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  if (!client->offers(kReportFeature)) {
    return refuse("the target is another DDM server, which does not count its sites");
  }
  client->cancel_when(interrupted);
  const RowsBy by = options.by.empty() ? RowsBy::kSite : *rows_by(options.by);
  TopSort sort = *top_sort(options.sort);
  RateMeter meter(*client);
  ProgramRates rates;
  const auto measure = [&]() -> std::optional<Error> {
    auto measured = meter.measure(by);
    if (!measured) return measured.error();
    rates = std::move(*measured);
    rates.sort(sort);
    return {};
  };
  const auto text = [&](TopView view) {
    view.sort = sort;
    return program_text(rates, view);
  };
  const auto pressed = [&](int key) -> std::string {
    if (key == 'e') return write_page(*client, options.target);
    if (const auto asked = sort_of_key(key)) {
      sort = *asked;
      rates.sort(sort);
    }
    return {};
  };
  if (const auto error = measure()) return refuse(error->message);
  const auto code = watch_on_screen(options, {.what = options.target,
                                              .keys = "  e: report  sort by title: b o d c a",
                                              .measure = measure,
                                              .text = text,
                                              .pressed = pressed});
  if (code) return *code;
  pause(options.seconds);
  if (const auto error = measure()) return refuse(error->message);
  if (options.json) return print_json(program_json(rates));
  print(text(whole_view(options)));
  return kExitOk;
}

int top(const TopOptions& options) {
  if (options.target.empty() && !options.by.empty()) {
    return misused("--by is for one program: ddm top PID --by " + options.by);
  }
  if (options.target.empty() && options.sort != kBySort) {
    return misused("--sort is for one program: ddm top PID --sort " + options.sort);
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
  add_choice(command, "--sort", options.sort, {"bytes", "objects", "died", "class", "at"},
             "Order of a program's rows; on a terminal the keys b, o, d, c and a", "COLUMN");
  add_top(command, options.top, "Number of rows to show");
  add_duration(command, "-d", options.seconds, "Time between updates", 0.1, kMaxSeconds);
  add_flag(command, "--json", options.json,
           "Once: {jvms: [{pid, app, bytes_per_second, heap_used_bytes, live_bytes, "
           "cpu_percent}]}; of a program {sites: [{class, site, app, bytes_per_second, "
           "objects_per_second, died_percent}], threads: [{id, name, cpu_percent}]}");
}

}  // namespace ddm
