#include "options/options.h"

#include <algorithm>
#include <iterator>

namespace ddm {
namespace {

OptionTable table_of(Options& options) {
  using enum OptionRow::Reload;
  OptionTable table;
  table.add({{"help", "", "print this and exit", kRefused, [&options](std::string_view) {
                options.help = true;
                return Wrong();
              }}});
  table.add(options.service.rows());
  table.add(options.allocations.rows());
  table.add(options.reports.rows());
  table.add(options.time.rows());
  table.add(options.heap.rows());
  table.add(options.native.rows());
  table.add(options.dyper.rows());
  table.add({{"log", "error|warn|info|debug", "messages on stderr (warn)", kRefused,
              [&options](std::string_view v) {
                return one_of(
                    v, "error, warn, info, debug",
                    {LogLevel::kError, LogLevel::kWarn, LogLevel::kInfo, LogLevel::kDebug},
                    &options.log);
              }}});
  table.add({{"quiet", "y|n", "y: only errors on stderr, as log=error (n)", kRefused,
              [&options](std::string_view v) {
                bool quiet = false;
                Wrong wrong = yes_no(v, &quiet);
                if (quiet) options.log = LogLevel::kError;
                return wrong;
              }}});
  return table;
}

// Options that every string sets again: a second load starts, stops and writes reports by its own
// string.
void begin_string(Options& options) {
  options.help = false;
  options.allocations.track.reset();
  options.reports = {};
  options.given = {};
}

}  // namespace

ParsedOptions parse_options(std::string_view text, const Options& present) {
  Options options = present;
  begin_string(options);
  return parse_further_options(text, options);
}

ParsedOptions parse_further_options(std::string_view text, const Options& earlier) {
  ParsedOptions result{earlier, ""};
  Options& options = result.options;
  OptionTable::Parsed parsed = table_of(options).parse(text);
  std::ranges::move(parsed.given.names, std::back_inserter(options.given.names));
  result.error = std::move(parsed.error);
  if (result.error.empty()) result.error = options.allocations.conflict(options.given);
  if (result.error.empty()) {
    result.error =
        options.reports.conflict(options.allocations.live > 0, options.allocations.sites > 0);
  }
  options.allocations.start = options.track_from_start();
  return result;
}

std::string help_text() {
  Options options;
  return table_of(options).help();
}

std::string reload_error(const Options& later) {
  Options options;
  return table_of(options).reload_error(later.given);
}

bool Options::track_from_start() const {
  const bool of_time = (given.has("cpu") && (time.cpu_times || time.cpu_samples)) ||
                       (given.has("monitor") && time.monitor);
  const bool of_live = given.has("live") && allocations.live > 0;
  return allocations.track.value_or((!reports.dumps.empty() && !of_time) || of_live);
}

}  // namespace ddm
