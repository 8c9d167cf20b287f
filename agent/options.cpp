#include "options.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "option_values.h"
#include "records/report.h"
#include "sockets/address.h"
#include "sockets/dyper_address.h"
#include "time/calls/method_filter.h"

namespace ddm {
namespace {

struct OptionRule {
  std::string_view name;
  std::string_view values;  // for help and error messages
  std::string_view meaning;
  bool tracking;
  Wrong (*apply)(Options&, std::string_view value);
};

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMaxLiveShare = 65536;
// JVMTI SetHeapSamplingInterval takes a jint.
constexpr std::int64_t kMaxInterval = std::numeric_limits<std::int32_t>::max();

// In the order of the help text.
const OptionRule kRules[] = {
    {"help", "", "print this and exit", false,
     [](Options& o, std::string_view) {
       o.help = true;
       return Wrong();
     }},
    {"address", "127.0.0.1:0", "HOST:PORT, PORT, scan, unix:PATH or none", false,
     [](Options& o, std::string_view v) {
       const auto address = parse_address(v);
       if (!address) return address.message();
       o.address = v;
       return Wrong();
     }},
    {"server", "y|n", "n: connect to a DDM server (such as DDMS) at address", false,
     [](Options& o, std::string_view v) { return yes_no(v, &o.server); }},
    {"suspend", "y|n", "y: main waits for a DDM server's HELO", false,
     [](Options& o, std::string_view v) { return yes_no(v, &o.suspend); }},
    {"name", "TEXT", "application name shown to servers (main class or jar)", false,
     [](Options& o, std::string_view v) { return text(v, &o.name); }},
    {"track", "y|n", "record allocations from the start (y if dump= is given)", true,
     [](Options& o, std::string_view v) {
       bool on = false;
       Wrong error = yes_no(v, &on);
       if (error.empty()) o.track = on;
       return error;
     }},
    {"engine", "vm|bci", "the VM's own allocation events, or rewritten bytecode", true,
     [](Options& o, std::string_view v) {
       if (v != "bci" && v != "vm") return not_one_of(v, "vm, bci");
       o.engine = v == "vm" ? EngineKind::kVm : EngineKind::kBci;
       return Wrong();
     }},
    {"hooks", "demand|start", "engine=bci: when classes are rewritten (demand)", false,
     [](Options& o, std::string_view v) {
       if (v != "demand" && v != "start") return not_one_of(v, "demand, start");
       o.hooks_at_start = v == "start";
       return Wrong();
     }},
    {"interval", "BYTES", "engine=vm: one sample every so many bytes (0 = all)", true,
     [](Options& o, std::string_view v) { return number(v, 0, kMaxInterval, true, &o.interval); }},
    {"records", "N", "allocations kept, 1 to 1m (65536)", true,
     [](Options& o, std::string_view v) { return number32(v, kMaxRecords, &o.records); }},
    {"depth", "N", "frames kept of each stack, 1 to 64 (16)", true,
     [](Options& o, std::string_view v) { return number32(v, kMaxDepth, &o.depth); }},
    {"sites", "N", "stacks to count the whole run by, 0 = none (256k)", true,
     [](Options& o, std::string_view v) {
       std::int64_t n = 0;
       Wrong error = number(v, 0, kMaxTraces, true, &n);
       if (error.empty()) o.sites = static_cast<std::uint32_t>(n);
       return error;
     }},
    {"sites_depth", "N", "frames of each of these stacks, 1 to 64 (64)", true,
     [](Options& o, std::string_view v) { return number32(v, kMaxDepth, &o.sites_depth); }},
    {"live", "n|y|1/N", "what is still alive, by site; 1/N: one object in N", true,
     [](Options& o, std::string_view v) {
       std::int64_t n = v == "y" ? 1 : 0;
       if (v != "y" && v != "n" &&
           !(v.starts_with("1/") && number(v.substr(2), 1, kMaxLiveShare, false, &n).empty())) {
         return fmt::format("\"{}\" is not n, y or 1/N with N from 1 to {}", v, kMaxLiveShare);
       }
       o.live = static_cast<std::uint32_t>(n);
       return Wrong();
     }},
    {"dump", "PATH", "at exit: .html .txt .jsonl .collapsed .pb.gz .hprof", true,
     [](Options& o, std::string_view v) {
       if (v == "none") {
         o.dump_none = true;
         return Wrong();
       }
       if (v.empty()) return Wrong("the value is empty");
       if (v != "-" && !report_format_of(v) && !is_heap_dump(v)) {
         return fmt::format("\"{}\" does not end in {}, or .hprof (or: - for stderr, none)", v,
                            kReportEndings);
       }
       o.dumps.emplace_back(v);
       return Wrong();
     }},
    {"every", "SECONDS", "rewrite the reports while the program runs", true,
     [](Options& o, std::string_view v) { return number(v, 1, 86400, false, &o.every_seconds); }},
    {"cpu", "times|samples|off", "time of methods, exactly or by samples (off)", true,
     [](Options& o, std::string_view v) {
       if (v == "times")
         o.cpu_times = true;
       else if (v == "samples")
         o.cpu_samples = true;
       else if (v == "off" || v.empty())
         o.cpu_times = o.cpu_samples = false;
       else
         return not_one_of(v, "times, samples, off");
       return Wrong();
     }},
    {"methods", "PATTERN", "cpu=times: of which, such as shop.* or *.Cart.total", true,
     [](Options& o, std::string_view v) {
       const Wrong error = MethodFilter::fault(v);
       return error.empty() ? text(v, &o.methods) : error;
     }},
    {"interval_ms", "N", "cpu=samples: milliseconds between samples (10)", true,
     [](Options& o, std::string_view v) { return number(v, 1, 1000, false, &o.interval_ms); }},
    {"delay", "varied|exponential|fixed", "cpu=samples: how the pauses between samples vary", true,
     [](Options& o, std::string_view v) {
       if (v == "varied")
         o.delay = SamplingDelay::kVaried;
       else if (v == "exponential")
         o.delay = SamplingDelay::kExponential;
       else if (v == "fixed")
         o.delay = SamplingDelay::kFixed;
       else
         return not_one_of(v, "varied, exponential, fixed");
       return Wrong();
     }},
    {"budget", "PERCENT", "of CPU, what sampling, probes and patches may take (5)", true,
     [](Options& o, std::string_view v) { return number(v, 1, 10'000, false, &o.budget); }},
    {"monitor", "y|n", "where threads wait for locks, and for how long (n)", true,
     [](Options& o, std::string_view v) { return yes_no(v, &o.monitor); }},
    {"ring", "PATH", "keep the records in a file that survives a kill", false,
     [](Options& o, std::string_view v) {
       o.ring = v;
       return Wrong();
     }},
    {"native", "BYTES", "sample native allocations every so many bytes", false,
     [](Options& o, std::string_view v) { return number(v, 1, kMaxBytes, true, &o.native_bytes); }},
    {"walker", "auto|vm|asgct|jvmti", "what walks the stacks", false,
     [](Options& o, std::string_view v) {
       return one_of(v, "auto, vm, asgct, jvmti",
                     {WalkerKind::kAuto, WalkerKind::kVm, WalkerKind::kAsgct, WalkerKind::kJvmti},
                     &o.walker);
     }},
    {"compress", "auto|always|never", "ZLIB chunks to DDM servers", false,
     [](Options& o, std::string_view v) {
       return one_of(v, "auto, always, never",
                     {Compress::kAuto, Compress::kAlways, Compress::kNever}, &o.compress);
     }},
    {"unit", "BYTES", "allocation unit of heap maps (8)", false,
     [](Options& o, std::string_view v) {
       Wrong error = number(v, 8, 64, false, &o.unit);
       if (error.empty() && (o.unit & (o.unit - 1)) != 0) {
         return fmt::format("\"{}\" is not a power of two from 8 to 64", v);
       }
       return error;
     }},
    {"debugger", "HOST:PORT|auto|none", "jdwp agent for packets that are not DDM", false,
     [](Options& o, std::string_view v) {
       if (v != "auto" && v != "none") {
         const auto place = parse_address(v);
         if (!place) return place.message();
         if (place->kind != Address::Kind::kTcp || place->port == 0) {
           return fmt::format("\"{}\" is not HOST:PORT, auto or none", v);
         }
       }
       o.debugger = v;
       return Wrong();
     }},
    {"dyper", "listen:HOST:PORT", "DYPER documents; or unix:PATH, connect:HOST:PORT", false,
     [](Options& o, std::string_view v) {
       const auto place = parse_dyper_address(v);
       if (!place) return place.message();
       o.dyper = v;
       return Wrong();
     }},
    {"dypatch_modes", "PATH", "XML file with modes for DYPATCH's models", false,
     [](Options& o, std::string_view v) { return text(v, &o.dypatch_modes); }},
    {"access", "user|any", "who may connect", false,
     [](Options& o, std::string_view v) {
       if (v != "user" && v != "any") return not_one_of(v, "user, any");
       o.access_any = v == "any";
       return Wrong();
     }},
    {"log", "error|warn|info|debug", "what goes to stderr (warn)", false,
     [](Options& o, std::string_view v) {
       return one_of(v, "error, warn, info, debug",
                     {LogLevel::kError, LogLevel::kWarn, LogLevel::kInfo, LogLevel::kDebug},
                     &o.log);
     }},
};

const OptionRule* find_rule(std::string_view name) {
  for (const OptionRule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::string all_names() {
  std::string names;
  for (const OptionRule& rule : kRules) {
    if (!names.empty()) names += ", ";
    names += rule.name;
  }
  return names;
}

// Cuts at commas that no backslash precedes and takes the backslashes of `\,` away.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      parts.back() += ',';
      ++i;
    } else if (text[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

// A report that says nothing without live=; "": none is asked for.
std::string dump_without_live(const Options& options) {
  const auto lacks = [](const std::string& dump) {
    const auto format = report_format_of(dump);
    return format && needs_live(*format);
  };
  const auto dump = std::ranges::find_if(options.dumps, lacks);
  return options.live > 0 || dump == options.dumps.end() ? std::string() : *dump;
}

}  // namespace

ParsedOptions parse_options(std::string_view text, const Options& present) {
  ParsedOptions result;
  result.options.engine = present.engine;
  result.options.live = present.live;
  for (const std::string& part : split(text)) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const OptionRule* rule = find_rule(name);
    if (rule == nullptr) {
      result.error = fmt::format("unknown option \"{}\"; valid options: {}", name, all_names());
      return result;
    }
    const bool has_value = equals != std::string::npos;
    if (!has_value && !rule->values.empty()) {
      result.error = fmt::format("option {} needs a value: {}={}", name, name, rule->values);
      return result;
    }
    if (has_value && rule->values.empty()) {
      result.error = fmt::format("option {} takes no value", name);
      return result;
    }
    const Wrong error =
        rule->apply(result.options, has_value ? std::string_view(part).substr(equals + 1) : "");
    if (!error.empty()) {
      result.error = fmt::format("bad value for option {}: {}", name, error);
      return result;
    }
    result.options.given.push_back(name);
  }
  if (result.options.interval > 0 && result.options.engine != EngineKind::kVm) {
    result.error = "option interval needs engine=vm";
  } else if (result.options.hooks_at_start && result.options.engine != EngineKind::kBci) {
    result.error = "option hooks=start needs engine=bci";
  } else if (const std::string dump = dump_without_live(result.options); !dump.empty()) {
    result.error = fmt::format("dump={} needs live=y (or live=1/N)", dump);
  } else if (result.options.is_given("live") && result.options.live > 0 &&
             result.options.sites == 0) {
    result.error = "option live needs sites, and sites=0 switches them off";
  } else if (result.options.dump_none && !result.options.dumps.empty()) {
    result.error = fmt::format("dump=none and dump={} cannot be combined", result.options.dumps[0]);
  }
  return result;
}

std::string help_text() {
  std::string out =
      "Usage: java -agentlib:ddmagent[=OPTION=VALUE,...] or\n"
      "       jcmd PID JVMTI.agent_load /path/to/libddmagent.so \\\n"
      "           '\"OPTION=VALUE,...\"'\n\n";
  for (const OptionRule& rule : kRules) {
    std::string left(rule.name);
    if (!rule.values.empty()) left += fmt::format("={}", rule.values);
    if (left.size() > 22) {
      out += fmt::format("  {}\n", left);
      left.clear();
    }
    out += fmt::format("  {:<22} {}\n", left, rule.meaning);
    if (rule.name == "dump") {
      out += fmt::format("  {:<22} {}\n  {:<22} {}\n", "", "with live=: .dhat.json .firefox.json",
                         "", "- stderr, none nothing; %p pid, %t time; may repeat");
    }
  }
  out += "\nA literal comma in a value is written \\, and sizes take k, m, g.\n";
  return out;
}

bool Options::is_given(std::string_view option) const {
  return std::find(given.begin(), given.end(), option) != given.end();
}

void Options::take_tracking_from(const Options& later) {
  for (const std::string& option : later.given) {
    if (option == "engine") {
      engine = later.engine;
      given.push_back(option);
    }
    if (option == "interval") interval = later.interval;
    if (option == "records") records = later.records;
    if (option == "depth") depth = later.depth;
    if (option == "sites") sites = later.sites;
    if (option == "sites_depth") sites_depth = later.sites_depth;
    if (option == "cpu") {
      cpu_times = later.cpu_times;
      cpu_samples = later.cpu_samples;
    }
    if (option == "methods") methods = later.methods;
    if (option == "interval_ms") interval_ms = later.interval_ms;
    if (option == "delay") delay = later.delay;
    if (option == "budget") budget = later.budget;
    if (option == "monitor") monitor = later.monitor;
    if (option == "live") live = later.live;
  }
}

std::string reload_error(const Options& later) {
  for (const std::string& name : later.given) {
    const OptionRule* rule = find_rule(name);
    if (rule->tracking || name == "name") continue;
    return fmt::format(
        "the agent is loaded already: a second load can only change track, engine, interval, "
        "records, depth, sites, sites_depth, live, dump, every, cpu, methods, interval_ms, "
        "delay, budget, monitor and name, not {}",
        name);
  }
  return {};
}

}  // namespace ddm
