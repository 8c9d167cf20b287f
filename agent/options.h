// The option string of -agentlib:ddmagent=... and of late attach -> struct Options.
//
// Pure: no JVM, no files. Separator `,`; a literal comma is `\,`; sizes take k, m, g.
// docs/options.md describes every option to users; help_text() is its short form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/alloc_record.h"
#include "records/traces.h"

namespace ddm {

enum class EngineKind { kBci, kVm };
enum class WalkerKind { kAuto, kVm, kAsgct, kJvmti };
enum class LogLevel { kError, kWarn, kInfo, kDebug };
enum class Compress { kAuto, kAlways, kNever };
enum class SamplingDelay { kVaried, kExponential, kFixed };

struct Options {
  bool help = false;

  std::string address = "127.0.0.1:0";
  bool server = true;
  bool suspend = false;
  std::string name;
  bool access_any = false;
  std::string debugger = "auto";
  std::string dypatch_modes;  // a file of DYPATCH's modes; "" = none
  std::string dyper;          // where its documents are exchanged, as given; "" = nowhere
  Compress compress = Compress::kAuto;
  LogLevel log = LogLevel::kWarn;

  // Not given: on when it is asked what is alive, or for a dump and neither for cpu= nor monitor=.
  std::optional<bool> track;
  EngineKind engine = EngineKind::kVm;
  bool hooks_at_start = false;  // engine=bci: rewrite classes at load, not when tracking starts
  std::int64_t interval = 0;    // bytes between samples of engine=vm; 0 = every allocation
  std::uint32_t records = kDefaultRecords;
  std::uint32_t depth = kDefaultDepth;
  std::uint32_t sites = kDefaultTraces;  // stacks that the whole run is counted by; 0 = none
  std::uint32_t sites_depth = kMaxDepth;
  bool threads_apart = false;  // sites of each thread; under hprof's name alone
  std::uint32_t live = 0;  // what of the allocated is still alive: one object in so many; 0 = off
  std::vector<std::string> dumps;  // as given, %p and %t not yet filled in
  bool dump_none = false;
  std::int64_t every_seconds = 0;  // 0 = off

  std::optional<std::string> ring;  // as given; "" = a name of the agent's choice
  std::int64_t native_bytes = 0;    // 0 = off
  WalkerKind walker = WalkerKind::kAuto;
  std::int64_t unit = 8;

  bool cpu_times = false, cpu_samples = false;  // cpu=times,cpu=samples: both
  std::string methods;                          // classes and methods for cpu=times, as given
  bool monitor = false;
  std::int64_t interval_ms = 10;  // of cpu=samples
  SamplingDelay delay = SamplingDelay::kVaried;
  std::int64_t budget = 5;  // percent of the CPU that sampling may take

  std::vector<std::string> given;  // the names of the options in the string, in its order

  // A second load of the agent: engine, interval, records, depth, sites, sites_depth, live and those
  // of time, each if it is given.
  void take_tracking_from(const Options& later);

  bool is_given(std::string_view option) const;
  bool times() const { return cpu_times || cpu_samples || monitor; }
  bool track_from_start() const {
    return track.value_or((!dumps.empty() && !times()) || (is_given("live") && live > 0));
  }
};

struct ParsedOptions {
  Options options;
  std::string error;  // one sentence that names the option and the valid choices; "" = good
};

// `present`: what holds where the string says nothing, at a second load of the agent.
ParsedOptions parse_options(std::string_view text, const Options& present = {});

// What `help` prints: one line an option, at most 80 columns.
std::string help_text();

// What a second load of the agent cannot change: one sentence, "" = good.
std::string reload_error(const Options& later);

}  // namespace ddm
