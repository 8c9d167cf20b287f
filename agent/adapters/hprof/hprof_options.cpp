#include "adapters/hprof/hprof_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "core/option_table.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

struct HprofRow {
  OptionRow row;
  std::string_view fallback;  // the default, for the help text
};

// Values that depend on several options.
struct Parsing {
  HprofOptions options;
  bool heap = false;

  // In the order of the help text. They store into this object, which must outlive them.
  std::vector<HprofRow> rows();

 private:
  static HprofRow row(std::string_view name, std::string_view values, std::string_view meaning,
                      std::string_view fallback, std::function<Wrong(std::string_view)> set) {
    return {{.name = name, .values = values, .meaning = meaning, .set = std::move(set)}, fallback};
  }
  static HprofRow flag(std::string_view name, std::string_view meaning, std::string_view fallback,
                       bool* to) {
    return row(name, "y|n", meaning, fallback, [to](std::string_view v) {
      bool ignored = false;
      return yes_no(v, to != nullptr ? to : &ignored);
    });
  }
};

constexpr std::int64_t kMaxHprofDepth = std::numeric_limits<std::int16_t>::max();

std::vector<HprofRow> Parsing::rows() {
  return {
      row("heap", "dump|sites|all", "heap profiling", "all",
          [this](std::string_view v) {
            if (v != "dump" && v != "sites" && v != "all") return not_one_of(v, "dump, sites, all");
            heap = true;
            options.dump = v != "sites";
            options.sites = v != "dump";
            return Wrong();
          }),
      row("cpu", "samples|times|old", "CPU usage", "off",
          [this](std::string_view v) {
            if (v == "times") {
              options.times = HprofTimes::kByMethod;
            } else if (v == "old") {
              options.times = HprofTimes::kByCaller;
            } else if (v == "samples" || v == "y") {
              options.samples = true;
            } else {
              return not_one_of(v, "samples, times, old");
            }
            return Wrong();
          }),
      flag("monitor", "monitor contention", "n", &options.monitor),
      row("format", "a|b", "text or binary output", "a",
          [this](std::string_view v) {
            return one_of(v, "a, b", {false, true}, &options.binary);
          }),
      row("file", "FILE", "write to this file", "java.hprof[.txt]",
          [this](std::string_view v) { return text(v, &options.file); }),
      row("net", "HOST:PORT", "send to this address instead", "off",
          [this](std::string_view v) {
            const auto address = parse_address(v);
            const bool whole = address && address->kind == Address::Kind::kTcp &&
                               address->port != 0 && v.find(':') != std::string_view::npos &&
                               address->host != "*";
            if (!whole) return fmt::format("\"{}\" is not HOST:PORT", v);
            options.net = *address;
            return Wrong();
          }),
      row("depth", "N", "frames of each stack (at most 64 kept)", "4",
          [this](std::string_view v) {
            std::int64_t depth = options.depth;
            const Wrong error = number(v, 0, kMaxHprofDepth, false, &depth);
            options.depth = static_cast<std::uint32_t>(depth);
            return error;
          }),
      row("interval", "MS", "cpu=samples: ms between samples", "10",
          [this](std::string_view v) {
            return number(v, 1, std::numeric_limits<std::int32_t>::max(), false,
                          &options.interval_ms);
          }),
      row("cutoff", "SHARE", "omit entries below this share", "0.0001",
          [this](std::string_view v) {
            const auto n = number_in<double>(v);
            if (!n || !(*n >= 0 && *n <= 1)) {
              return fmt::format("\"{}\" is not a number from 0 to 1", v);
            }
            options.cutoff = *n;
            return Wrong();
          }),
      flag("lineno", "line numbers in stacks", "y", &options.lines),
      flag("thread", "separate sites for each thread", "n", &options.threads),
      flag("doe", "write the profile at exit", "y", &options.dump_at_exit),
      flag("msa", "no effect (Solaris only)", "n", nullptr),
      flag("force", "overwrite FILE; n: FILE.PID if it exists", "y", &options.overwrite),
      flag("verbose", "print a line on stderr for each dump", "y", &options.verbose),
      flag("gc_okay", "no effect, as in hprof", "y", nullptr),
  };
}

// Rejects combinations that exclude each other.
Wrong combined(const Parsing& parsing) {
  const HprofOptions& options = parsing.options;
  if (options.net && !options.file.empty()) return "options file and net cannot be combined";
  if (options.binary && options.monitor) return "format=b cannot be combined with monitor=y";
  if (options.binary && options.times != HprofTimes::kOff) {
    return "format=b cannot be combined with cpu=times or cpu=old";
  }
  return "";
}

}  // namespace

ParsedHprofOptions parse_hprof_options(std::string_view text, std::string_view more) {
  Parsing parsing;
  HprofOptions& options = parsing.options;
  OptionTable table;
  table.add({{.name = "help", .values = "", .meaning = "", .set = [&](std::string_view) {
                options.help = true;
                return Wrong();
              }}});
  for (HprofRow& one : parsing.rows()) table.add({std::move(one.row)});
  ParsedHprofOptions result;
  for (const std::string_view string : {text, more}) {
    if (result.error.empty()) result.error = table.parse(string).error;
  }
  if (result.error.empty()) result.error = combined(parsing);
  const bool time = options.samples || options.times != HprofTimes::kOff || options.monitor;
  if (!parsing.heap && !time) options.dump = options.sites = true;
  if (options.times == HprofTimes::kByCaller) options.depth = 2;
  if (options.dump && !options.binary && options.net) {
    options.dump = false;
    options.sites = true;
    options.not_served.emplace_back(
        "net= carries a heap dump with format=b only; the sites are sent");
  }
  if (options.file.empty() && !options.net) {
    options.file = options.binary ? "java.hprof" : "java.hprof.txt";
  }
  result.options = std::move(options);
  return result;
}

Options agent_options(const HprofOptions& hprof) {
  Options options;
  options.help = hprof.help;
  options.service.address = "none";  // hprof opened no port
  // Objects in dumps have their allocation stacks, too.
  options.allocations.track = hprof.sites || hprof.dump;
  options.allocations.live = options.allocations.track ? 1 : 0;
  options.time.cpu_samples = hprof.samples;
  options.time.cpu_times = hprof.times != HprofTimes::kOff;
  if (options.time.cpu_samples || options.time.cpu_times) {
    options.given.names.emplace_back("cpu");
  }
  options.time.interval_ms = hprof.interval_ms;
  options.time.monitor = hprof.monitor;
  options.reports.dump_none = true;
  options.allocations.records = 1024;  // hprof shows sites only
  // The peer may request another depth.
  std::uint32_t depth = hprof.net ? kMaxDepth : hprof.depth;
  if (hprof.threads) ++depth;  // the thread is one of the frames
  options.allocations.sites_depth = std::clamp<std::uint32_t>(depth, 1, kMaxDepth);
  options.allocations.per_thread_sites = hprof.threads;
  options.allocations.depth = 1;
  options.allocations.start = options.track_from_start();
  return options;
}

std::string hprof_help_text() {
  std::string out =
      "Usage: java -agentlib:hprof[=help|OPTION=VALUE,...], with the directory of\n"
      "libhprof.so on LD_LIBRARY_PATH; or java -agentpath:/path/to/libhprof.so=...;\n"
      "or java -Xrunhprof[:help|OPTION=VALUE,...].\n\n";
  out += fmt::format("{:<21} {:<41} {}\n", "Option", "Meaning", "Default");
  for (const auto& [row, fallback] : Parsing().rows()) {
    out += fmt::format("{:<21} {:<41} {}\n", fmt::format("{}={}", row.name, row.values),
                       row.meaning, fallback);
  }
  out +=
      "\nThe environment variable _JAVA_HPROF_OPTIONS is appended to the options.\n"
      "kill -QUIT PID writes the data so far; the program continues.\n"
      "format=b excludes monitor=y and cpu=times|old.\n\n"
      "Examples\n"
      "  allocations and live objects by site:\n"
      "      java -agentlib:hprof=heap=sites,depth=8 Main\n"
      "  the same for every site, in another file:\n"
      "      java -agentlib:hprof=heap=sites,cutoff=0,file=sites.txt Main\n"
      "  CPU samples and contended monitors, by stack:\n"
      "      java -agentlib:hprof=cpu=samples,monitor=y,depth=8 Main\n"
      "  a binary heap dump:\n"
      "      java -agentlib:hprof=heap=dump,format=b,file=heap.hprof Main\n";
  return out;
}

}  // namespace ddm
