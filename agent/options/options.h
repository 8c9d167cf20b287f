// The option string of -agentlib:ddmagent=... and of late attach -> struct Options.
//
// Pure: no JVM, no files. Each part's rows stand in its own folder; docs/options.md describes every
// option to users; help_text() is its short form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/dyper/dyper_options.h"
#include "allocations/tracking_options.h"
#include "core/given_options.h"
#include "core/log.h"
#include "heap/heap_options.h"
#include "native/native_options.h"
#include "reports/report_options.h"
#include "time/time_options.h"
#include "wire/service_options.h"

namespace ddm {

struct Options {
  bool help = false;
  LogLevel log = LogLevel::kWarn;
  ServiceOptions service;
  AllocationOptions allocations;
  ReportOptions reports;
  TimeOptions time;
  HeapOptions heap;
  NativeOptions native;
  DyperOptions dyper;

  GivenOptions given;  // in the last string

  // Whether the last string switches tracking on: track=y; without track=, for a dump that is not of
  // times alone, or when it is asked what is alive.
  bool track_from_start() const;
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
