// The option string of -agentlib:hprof=... -> struct HprofOptions. Pure: no JVM, no files.
//
// hprof's options: NAME=VALUE, separated by commas, with its defaults. docs/hprof.md tells which of
// them are served, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/options.h"
#include "wire/sockets/address.h"

namespace ddm {

enum class HprofTimes {
  kOff,
  kByMethod,
  kByCaller,  // cpu=old
};

struct HprofOptions {
  bool help = false;
  bool sites = false;  // heap=sites|all
  bool dump = false;   // heap=dump|all
  HprofTimes times = HprofTimes::kOff;
  bool samples = false;
  std::int64_t interval_ms = 10;  // of cpu=samples
  bool monitor = false;
  bool binary = false;
  std::string file;  // as given, or the default name; "" with net=
  std::optional<Address> net;
  std::uint32_t depth = 4;
  double cutoff = 0.0001;
  bool lines = true;
  bool threads = false;
  bool dump_at_exit = true;
  bool overwrite = true;
  bool verbose = true;
  std::vector<std::string> not_served;  // sentences, to be told once
};

struct ParsedHprofOptions {
  HprofOptions options;
  std::string error;  // one sentence that names the option and the valid choices; "" = good
};

// `more`: the value of _JAVA_HPROF_OPTIONS, appended; "" = none.
ParsedHprofOptions parse_hprof_options(std::string_view text, std::string_view more = "");

// What they mean for the agent itself.
Options agent_options(const HprofOptions& hprof);

// What `help` prints: at most 80 columns.
std::string hprof_help_text();

}  // namespace ddm
