// Parses the option string of -agentlib:hprof=... into HprofOptions. Pure: no JVM, no files.
//
// The syntax is hprof's: NAME=VALUE, separated by commas, with hprof's defaults. docs/hprof.md
// describes which options are supported, and how.
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
  std::vector<std::string> not_served;  // sentences for people, each to be logged once
};

struct ParsedHprofOptions {
  HprofOptions options;
  std::string error;  // one sentence with the option and its valid choices; "": none
};

// `more`: the value of _JAVA_HPROF_OPTIONS, which is appended; "": none.
ParsedHprofOptions parse_hprof_options(std::string_view text, std::string_view more = "");

// The equivalent options of the agent itself.
Options agent_options(const HprofOptions& hprof);

// The text of `help`, at most 80 columns wide.
std::string hprof_help_text();

}  // namespace ddm
