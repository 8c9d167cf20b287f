#include "adapters/hprof/hprof_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/option_values.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

// What is decided only when all options are known.
struct Parsing {
  HprofOptions& options;
  bool heap = false;
};

struct HprofRule {
  std::string_view name;
  std::string_view values;
  std::string_view meaning;
  std::string_view fallback;  // the default, for the help
  Wrong (*apply)(Parsing&, std::string_view value);
};

template <typename Number>
Wrong plain_number(std::string_view value, Number low, Number high, Number* to) {
  const auto n = number_in<Number>(value);
  if (!n || !(*n >= low && *n <= high)) {
    return fmt::format("\"{}\" is not a number from {} to {}", value, low, high);
  }
  *to = *n;
  return "";
}

Wrong ignored_yes_no(Parsing&, std::string_view value) {
  bool ignored = false;
  return yes_no(value, &ignored);
}

constexpr std::uint32_t kMaxHprofDepth = std::numeric_limits<std::int16_t>::max();

// In the order of the help text.
const HprofRule kHprofRules[] = {
    {"heap", "dump|sites|all", "heap profiling", "all",
     [](Parsing& p, std::string_view v) {
       if (v != "dump" && v != "sites" && v != "all") return not_one_of(v, "dump, sites, all");
       p.heap = true;
       p.options.dump = v != "sites";
       p.options.sites = v != "dump";
       return Wrong();
     }},
    {"cpu", "samples|times|old", "CPU usage", "off",
     [](Parsing& p, std::string_view v) {
       if (v != "samples" && v != "y" && v != "times" && v != "old") {
         return not_one_of(v, "samples, times, old");
       }
       if (v == "times")
         p.options.times = HprofTimes::kByMethod;
       else if (v == "old")
         p.options.times = HprofTimes::kByCaller;
       else
         p.options.samples = true;
       return Wrong();
     }},
    {"monitor", "y|n", "monitor contention", "n",
     [](Parsing& p, std::string_view v) { return yes_no(v, &p.options.monitor); }},
    {"format", "a|b", "text or binary output", "a",
     [](Parsing& p, std::string_view v) {
       if (v != "a" && v != "b") return not_one_of(v, "a, b");
       p.options.binary = v == "b";
       return Wrong();
     }},
    {"file", "FILE", "write to this file", "java.hprof[.txt]",
     [](Parsing& p, std::string_view v) {
       if (v.empty()) return Wrong("the value is empty");
       p.options.file = v;
       return Wrong();
     }},
    {"net", "HOST:PORT", "send to this address instead", "off",
     [](Parsing& p, std::string_view v) {
       const auto address = parse_address(v);
       const bool whole = address && address->kind == Address::Kind::kTcp && address->port != 0 &&
                          v.find(':') != std::string_view::npos && address->host != "*";
       if (!whole) return fmt::format("\"{}\" is not HOST:PORT", v);
       p.options.net = *address;
       return Wrong();
     }},
    {"depth", "N", "frames of a stack (up to 64 are kept)", "4",
     [](Parsing& p, std::string_view v) {
       return plain_number<std::uint32_t>(v, 0, kMaxHprofDepth, &p.options.depth);
     }},
    {"interval", "MS", "between samples of cpu=samples", "10",
     [](Parsing& p, std::string_view v) {
       return plain_number<std::int64_t>(v, 1, std::numeric_limits<std::int32_t>::max(),
                                         &p.options.interval_ms);
     }},
    {"cutoff", "SHARE", "leave out what is below this share", "0.0001",
     [](Parsing& p, std::string_view v) {
       return plain_number<double>(v, 0, 1, &p.options.cutoff);
     }},
    {"lineno", "y|n", "line numbers in stacks", "y",
     [](Parsing& p, std::string_view v) { return yes_no(v, &p.options.lines); }},
    {"thread", "y|n", "sites of each thread apart", "n",
     [](Parsing& p, std::string_view v) { return yes_no(v, &p.options.threads); }},
    {"doe", "y|n", "write at exit", "y",
     [](Parsing& p, std::string_view v) { return yes_no(v, &p.options.dump_at_exit); }},
    {"msa", "y|n", "without effect (it was Solaris')", "n", ignored_yes_no},
    {"force", "y|n", "overwrite FILE; n: FILE.PID if it exists", "y",
     [](Parsing& p, std::string_view v) { return yes_no(v, &p.options.overwrite); }},
    {"verbose", "y|n", "a line on stderr for each dump", "y",
     [](Parsing& p, std::string_view v) { return yes_no(v, &p.options.verbose); }},
    {"gc_okay", "y|n", "without effect, as in hprof", "y", ignored_yes_no},
};

const HprofRule* find_hprof_rule(std::string_view name) {
  for (const HprofRule& rule : kHprofRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::string all_hprof_names() {
  std::string names = "help";
  for (const HprofRule& rule : kHprofRules) names += fmt::format(", {}", rule.name);
  return names;
}

Wrong apply(Parsing& parsing, std::string_view part) {
  if (part == "help") {
    parsing.options.help = true;
    return "";
  }
  const std::size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals);
  const HprofRule* rule = find_hprof_rule(name);
  if (rule == nullptr) {
    return fmt::format("unknown option \"{}\"; valid options: {}", name, all_hprof_names());
  }
  if (equals == std::string_view::npos) {
    return fmt::format("option {} needs a value: {}={}", name, name, rule->values);
  }
  const Wrong error = rule->apply(parsing, part.substr(equals + 1));
  return error.empty() ? "" : fmt::format("bad value for option {}: {}", name, error);
}

// What does not go together.
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
  ParsedHprofOptions result;
  HprofOptions& options = result.options;
  Parsing parsing{options};
  for (std::string_view rest : {text, more}) {
    while (!rest.empty() && result.error.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view part = rest.substr(0, comma);
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
      if (!part.empty()) result.error = apply(parsing, part);
    }
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
  if (options.file.empty() && !options.net)
    options.file = options.binary ? "java.hprof" : "java.hprof.txt";
  return result;
}

Options agent_options(const HprofOptions& hprof) {
  Options options;
  options.help = hprof.help;
  options.service.address = "none";  // hprof opened no port
  // A dump's objects have the stacks of their allocations, too.
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
  options.allocations.records = 1024;  // hprof shows sites alone
  // A reader at the other end may ask for another depth.
  std::uint32_t depth = hprof.net ? kMaxDepth : hprof.depth;
  if (hprof.threads) ++depth;  // the thread stands as a frame
  options.allocations.sites_depth = std::clamp<std::uint32_t>(depth, 1, kMaxDepth);
  options.allocations.threads_apart = hprof.threads;
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
  for (const HprofRule& rule : kHprofRules) {
    out += fmt::format("{:<21} {:<41} {}\n", fmt::format("{}={}", rule.name, rule.values),
                       rule.meaning, rule.fallback);
  }
  out +=
      "\nThe environment variable _JAVA_HPROF_OPTIONS is appended to the options.\n"
      "kill -QUIT PID writes what there is by then; the program goes on.\n"
      "format=b goes with heap= and cpu=samples, not with monitor=y and cpu=times|old.\n\n"
      "Examples\n"
      "  who allocated what, and what of it is alive:\n"
      "      java -agentlib:hprof=heap=sites,depth=8 Main\n"
      "  the same with every site, in a file of its own:\n"
      "      java -agentlib:hprof=heap=sites,cutoff=0,file=sites.txt Main\n"
      "  where the CPU goes, and where threads wait for each other:\n"
      "      java -agentlib:hprof=cpu=samples,monitor=y,depth=8 Main\n"
      "  a heap dump for the usual tools:\n"
      "      java -agentlib:hprof=heap=dump,format=b,file=heap.hprof Main\n";
  return out;
}

}  // namespace ddm
