// The option string of -agentlib:ddmagent=... and of late attach -> struct Options.
//
// Pure: no JVM, no files. Each feature's rows are in its folder; docs/options.md describes every option
// to users; help_text() is its short form.
#pragma once

#include <string>
#include <string_view>

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

  GivenOptions given;  // in the last string, or in all that started the agent

  // Whether the last string switches tracking on: by track=y; without track=, by live=, or by a dump
  // that is not of times only.
  bool track_from_start() const;
};

struct ParsedOptions {
  Options options;
  std::string error;  // one sentence that names the option and the valid choices; "" = good
};

// `present`: the values of options that the string does not contain, at a second load of the agent.
ParsedOptions parse_options(std::string_view text, const Options& present = {});

// The options of a string that is given together with an earlier one, as on the command line with one
// in JAVA_TOOL_OPTIONS: those of both hold, and of an option in both the later value. Each dump= is kept.
ParsedOptions parse_further_options(std::string_view text, const Options& earlier);

// The text of `help`: one line per option, at most 80 columns.
std::string help_text();

// Why a second load may not change these options: one sentence; "" = it may.
std::string reload_error(const Options& later);

}  // namespace ddm
