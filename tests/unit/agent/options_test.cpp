#include "options/options.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace ddm {
namespace {

std::string error_of(std::string_view text) { return parse_options(text).error; }

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("no options give the documented defaults") {
  const auto [options, error] = parse_options("");
  CHECK(error.empty());
  CHECK(options.service.address == "127.0.0.1:0");
  CHECK(options.service.server);
  CHECK_FALSE(options.service.suspend);
  CHECK_FALSE(options.track_from_start());
  CHECK(options.allocations.engine == EngineKind::kVm);
  CHECK(options.allocations.interval == 0);
  CHECK(options.allocations.records == 65536);
  CHECK(options.allocations.depth == 16);
  CHECK(options.allocations.sites == 262144);
  CHECK(options.allocations.sites_depth == 1024);
  CHECK_FALSE((options.time.cpu_times || options.time.cpu_samples));
  CHECK(options.time.methods.empty());
  CHECK(options.time.interval_ms == 10);
  CHECK(options.time.budget == 5);
  CHECK_FALSE(options.time.monitor);
  CHECK(options.heap.unit == 8);
  CHECK(options.log == LogLevel::kWarn);
}

TEST_CASE("a dump switches tracking on unless track says otherwise") {
  CHECK(parse_options("dump=a.html").options.track_from_start());
  CHECK_FALSE(parse_options("dump=a.html,track=n").options.track_from_start());
  CHECK(parse_options("track=y").options.track_from_start());
  CHECK_FALSE(parse_options("dump=none").options.track_from_start());
}

TEST_CASE("a dump of times switches tracking on only where track says so") {
  CHECK_FALSE(parse_options("dump=a.html,monitor=y").options.track_from_start());
  CHECK_FALSE(parse_options("cpu=samples,dump=a.html").options.track_from_start());
  CHECK_FALSE(parse_options("cpu=times,methods=shop.*,dump=a.html").options.track_from_start());
  CHECK(parse_options("dump=a.html,monitor=y,track=y").options.track_from_start());
  CHECK(parse_options("dump=a.html,monitor=n").options.track_from_start());
  CHECK(parse_options("dump=a.html,cpu=off").options.track_from_start());
}

TEST_CASE("the options of time are understood") {
  const auto [options, error] = parse_options(
      "cpu=times,methods=shop.*\\,*.Cart.total,interval_ms=1000,budget=100,monitor=y,"
      "delay=exponential");
  CHECK(error.empty());
  CHECK((options.time.cpu_times && !options.time.cpu_samples));
  CHECK(options.time.methods == "shop.*,*.Cart.total");
  CHECK(options.time.interval_ms == 1000);
  CHECK(options.time.budget == 100);
  CHECK(options.time.delay == SamplingDelay::kExponential);
  CHECK(parse_options("cpu=samples").options.time.delay == SamplingDelay::kVaried);
  CHECK(parse_options("delay=fixed").options.time.delay == SamplingDelay::kFixed);
  CHECK(options.time.monitor);
  const Options samples = parse_options("cpu=samples").options;
  CHECK((samples.time.cpu_samples && !samples.time.cpu_times));
  CHECK_FALSE(samples.time.wall);
  const Options wall = parse_options("cpu=wall").options;
  CHECK((wall.time.cpu_samples && wall.time.wall));
  CHECK_FALSE(parse_options("cpu=wall,cpu=samples").options.time.wall);
  CHECK_FALSE(parse_options("cpu=samples,cpu=").options.time.cpu_samples);
  const Options both = parse_options("cpu=times,cpu=samples").options;
  CHECK((both.time.cpu_samples && both.time.cpu_times));
}

TEST_CASE("methods that can be no method are refused") {
  for (const char* text : {"methods=shop.Cart.total(", "methods=)", "methods=a.b\\,(int)"}) {
    INFO(text);
    const std::string error = parse_options(std::string("cpu=times,") + text).error;
    CHECK(error.find("option methods") != std::string::npos);
    CHECK(error.find("shop.Cart.total(int,java.lang.String)") != std::string::npos);
  }
}

TEST_CASE("a second load changes of time what it names") {
  Options first = parse_options("cpu=samples,interval_ms=20,monitor=y,methods=a.*").options;
  first = parse_options("cpu=off,budget=2", first).options;
  CHECK_FALSE((first.time.cpu_samples || first.time.cpu_times));
  CHECK(first.time.budget == 2);
  CHECK(first.time.interval_ms == 20);
  CHECK(first.time.monitor);
  CHECK(first.time.methods == "a.*");
  first = parse_options("monitor=n,methods=b.*,interval_ms=1,delay=fixed", first).options;
  CHECK(first.time.delay == SamplingDelay::kFixed);
  CHECK_FALSE(first.time.monitor);
  CHECK(first.time.methods == "b.*");
  CHECK(first.time.interval_ms == 1);
}

TEST_CASE("Of two strings at the start the options of both hold, and the later values") {
  const auto both = [](std::string_view first, std::string_view second) {
    return parse_further_options(second, parse_options(first).options);
  };
  const Options options = both("track=y,records=5,dump=a.html", "records=7,dump=b.html").options;
  CHECK(options.allocations.records == 7);
  CHECK(options.allocations.start);
  CHECK(options.reports.dumps == std::vector<std::string>{"a.html", "b.html"});
  CHECK(options.given.has("track"));
  CHECK(both("dump=a.html", "dump=none").options.reports.dumps.empty());
  CHECK_FALSE(both("dump=none", "dump=a.html").options.reports.dump_none);
  CHECK(both("dump=none", "dump=a.html").error.empty());
  CHECK_FALSE(both("", "dump=none,dump=a.html").error.empty());
  CHECK(both("live=y", "sites=0").error.empty() == false);
}

TEST_CASE("cpu= with a sign concerns samples only") {
  Options options = parse_options("cpu=times").options;
  CHECK_FALSE(options.time.times_kept);
  options = parse_options("cpu=+wall", options).options;
  CHECK((options.time.cpu_times && options.time.cpu_samples && options.time.wall));
  CHECK(options.time.times_kept);
  options = parse_options("cpu=-samples", options).options;
  CHECK((options.time.cpu_times && !options.time.cpu_samples && options.time.times_kept));
  options = parse_options("cpu=times,cpu=+samples", options).options;
  CHECK((options.time.cpu_times && options.time.cpu_samples && !options.time.wall));
  CHECK_FALSE(options.time.times_kept);
  options = parse_options("cpu=samples", options).options;
  CHECK((!options.time.cpu_times && options.time.cpu_samples && !options.time.times_kept));
  CHECK(parse_options("cpu=-times").error ==
        "bad value for option cpu: \"-times\" is not one of times, samples, wall, off, +samples, "
        "+wall, -samples");
}

TEST_CASE("dump may be given several times and keeps its order") {
  const auto parsed = parse_options("dump=a.html,dump=-,dump=b.jsonl");
  CHECK(parsed.error.empty());
  CHECK(parsed.options.reports.dumps == std::vector<std::string>{"a.html", "-", "b.jsonl"});
}

TEST_CASE("an escaped comma belongs to the value") {
  const auto parsed = parse_options("name=a\\,b,dump=x\\,y.txt");
  CHECK(parsed.error.empty());
  CHECK(parsed.options.service.name == "a,b");
  CHECK(parsed.options.reports.dumps == std::vector<std::string>{"x,y.txt"});
}

TEST_CASE("sizes take k, m and g") {
  CHECK(parse_options("engine=vm,interval=512k").options.allocations.interval == 512 * 1024);
  CHECK(parse_options("records=64k").options.allocations.records == 65536);
  CHECK(parse_options("records=1m").options.allocations.records == 1048576);
  CHECK(parse_options("engine=vm,interval=1g").options.allocations.interval == 1073741824);
}

TEST_CASE("an unknown option is named together with the valid ones") {
  const std::string error = error_of("trakc=y");
  CHECK(mentions(error, "\"trakc\""));
  for (const char* name :
       {"help",     "address", "server", "suspend",  "name",        "track",       "engine",
        "interval", "records", "depth",  "sites",    "sites_depth", "dump",        "every",
        "ring",     "native",  "walker", "compress", "unit",        "debugger",    "access",
        "log",      "hooks",   "cpu",    "quiet",    "methods",     "interval_ms", "delay",
        "budget",   "monitor", "live"}) {
    CHECK(mentions(error, name));
  }
}

TEST_CASE("a bad value is named together with what would be right") {
  const std::pair<const char*, const char*> cases[] = {
      {"track=maybe", "y, n"},
      {"engine=jit", "vm, bci"},
      {"records=0", "1 to 1048576"},
      {"records=2m", "1 to 1048576"},
      {"records=ten", "1 to 1048576"},
      {"records=-1", "1 to 1048576"},
      {"records=", "1 to 1048576"},
      {"records=99999999999999999999", "1 to 1048576"},
      {"records=9999999999999999g", "1 to 1048576"},
      {"depth=65", "1 to 64"},
      {"depth=16x", "1 to 64"},
      {"sites=513k", "0 to 524288"},
      {"sites_depth=0", "1 to 1024"},
      {"live=maybe", "n, y or 1/N"},
      {"live=1/0", "N from 1 to 65536"},
      {"live=1/65537", "N from 1 to 65536"},
      {"live=2", "n, y or 1/N"},
      {"live=y,sites=0", "needs sites"},
      {"dump=x.dhat.json", "dump=x.dhat.json needs live=y"},
      {"dump=a.txt,dump=x.sites.jsonl,sites=0", "dump=x.sites.jsonl needs sites"},
      {"dump=a.txt,dump=x.firefox.json,live=n", "dump=x.firefox.json needs live=y"},
      {"engine=vm,interval=3g", "0 to 2147483647"},
      {"every=0", "1 to 86400, or off"},
      {"cpu=old", "times, samples, wall, off"},
      {"methods=", "empty"},
      {"interval_ms=0", "1 to 1000"},
      {"delay=random", "varied, exponential, fixed"},
      {"interval_ms=1001", "1 to 1000"},
      {"budget=0", "1 to 10000"},
      {"budget=10001", "1 to 10000"},
      {"monitor=yes", "y, n"},
      {"dump=report.json", ".jsonl"},
      {"dump=", "empty"},
      {"walker=fp", "auto, vm, asgct, jvmti"},
      {"unit=12", "power of two"},
      {"access=all", "user, any"},
      {"log=loud", "error, warn, info, debug"},
      {"debugger=foo", "\"foo\" is not HOST:PORT, [IPV6]:PORT, PORT, auto or none"},
      {"debugger=scan", "\"scan\" is not HOST:PORT, [IPV6]:PORT, PORT, auto or none"},
      {"compress=yes", "auto, always, never"},
      {"track", "needs a value"},
      {"help=1", "takes no value"},
      {"engine=bci,interval=512k", "engine=vm"},
      {"hooks=always", "demand, start"},
      {"hooks=start", "engine=bci"},
      {"dump=none,dump=a.txt", "combined"},
  };
  for (const auto& [text, right] : cases) {
    const std::string error = error_of(text);
    INFO(text << " -> " << error);
    CHECK(mentions(error, right));
    CHECK_FALSE(mentions(error, "\n"));
  }
}

TEST_CASE("stray commas are harmless") {
  CHECK(error_of(",,track=y,") == "");
  CHECK(parse_options("track=y,").options.given.names == std::vector<std::string>{"track"});
}

TEST_CASE("the help text names every option in lines of at most 80 columns") {
  std::istringstream lines(help_text());
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
  CHECK(mentions(help_text(), "dump=PATH"));
  CHECK(mentions(help_text(), "ring=PATH"));
}

TEST_CASE("who asks what is alive has allocations tracked, unless told otherwise") {
  CHECK(parse_options("live=y").options.allocations.live == 1);
  CHECK(parse_options("live=1/16").options.allocations.live == 16);
  CHECK(parse_options("live=n").options.allocations.live == 0);
  CHECK(parse_options("live=y").options.track_from_start());
  CHECK_FALSE(parse_options("live=n").options.track_from_start());
  CHECK_FALSE(parse_options("live=y,track=n").options.track_from_start());
  Options present;
  present.allocations.live = 1;
  CHECK(parse_options("dump=x.dhat.json", present).error.empty());
  CHECK_FALSE(parse_options("dump=x.dhat.json,live=n", present).error.empty());
}

TEST_CASE("only tracking options may change at a second load") {
  CHECK(reload_error(parse_options("track=y,dump=r.html,name=x").options).empty());
  CHECK(reload_error(
            parse_options("cpu=samples,methods=a.*,interval_ms=5,budget=3,monitor=y").options)
            .empty());
  const std::string error = reload_error(parse_options("track=y,address=8000").options);
  CHECK(mentions(error, "not address"));
  CHECK(mentions(error, "track"));
}

TEST_CASE("a second load may give the interval alone when the engine is vm already") {
  Options present;
  present.allocations.engine = EngineKind::kVm;
  CHECK(parse_options("interval=512k", present).error.empty());
  CHECK(parse_options("interval=512k", present).options.allocations.interval == 512 * 1024);
  CHECK_FALSE(parse_options("interval=512k,engine=bci", present).error.empty());
  present.allocations.engine = EngineKind::kBci;
  CHECK_FALSE(parse_options("interval=512k", present).error.empty());
  CHECK(parse_options("interval=512k,engine=vm", present).error.empty());
}

}  // namespace ddm
