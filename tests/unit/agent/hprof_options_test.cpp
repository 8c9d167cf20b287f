#include "adapters/hprof/hprof_options.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace ddm {
namespace {

HprofOptions good(std::string_view text, std::string_view more = "") {
  const auto parsed = parse_hprof_options(text, more);
  INFO(text);
  REQUIRE(parsed.error.empty());
  return parsed.options;
}

std::string wrong(std::string_view text) { return parse_hprof_options(text).error; }

}  // namespace

TEST_CASE("hprof's defaults are as hprof had them") {
  const HprofOptions options = good("");
  CHECK(options.sites);
  CHECK(options.file == "java.hprof.txt");
  CHECK_FALSE(options.binary);
  CHECK_FALSE(options.net);
  CHECK(options.depth == 4);
  CHECK(options.cutoff == 0.0001);
  CHECK(options.lines);
  CHECK(options.dump_at_exit);
  CHECK(options.overwrite);
  CHECK(options.verbose);
}

TEST_CASE("every command line of hprof's own help is understood") {
  for (const char* text : {"help",
                           "heap=sites",
                           "heap=dump",
                           "heap=all",
                           "cpu=samples,interval=20,depth=3",
                           "cpu=samples",
                           "cpu=y",
                           "cpu=times",
                           "cpu=old",
                           "monitor=y",
                           "format=b",
                           "format=a",
                           "heap=sites,file=x.txt",
                           "heap=dump,format=b,file=x.hprof",
                           "net=localhost:4711,format=b",
                           "heap=sites,depth=8,cutoff=0,file=x.txt",
                           "lineno=n",
                           "thread=n",
                           "doe=n",
                           "msa=y",
                           "force=n",
                           "verbose=n",
                           "gc_okay=y",
                           "heap=sites,monitor=n",
                           "cutoff=0.01,depth=0"}) {
    good(text);
  }
}

TEST_CASE("hprof's options mean what they meant") {
  const HprofOptions options =
      good("heap=sites,depth=8,cutoff=0,file=x.txt,lineno=n,doe=n,force=n,verbose=n");
  CHECK(options.sites);
  CHECK_FALSE(options.dump);
  CHECK(options.depth == 8);
  CHECK(options.cutoff == 0);
  CHECK(options.file == "x.txt");
  CHECK_FALSE(options.lines);
  CHECK_FALSE(options.dump_at_exit);
  CHECK_FALSE(options.overwrite);
  CHECK_FALSE(options.verbose);
  CHECK(good("format=b").file == "java.hprof");
  CHECK(good("format=b").dump);
  CHECK(good("heap=dump,format=b").sites == false);
  const HprofOptions net = good("net=127.0.0.1:4711,format=b");
  REQUIRE(net.net);
  CHECK(net.net->port == 4711);
  CHECK(net.file.empty());
}

TEST_CASE("_JAVA_HPROF_OPTIONS is appended") {
  const HprofOptions options = good("depth=3,heap=sites", "depth=7,file=y.txt");
  CHECK(options.depth == 7);
  CHECK(options.file == "y.txt");
  CHECK(parse_hprof_options("heap=sites", "nonsense=1").error.find("nonsense") !=
        std::string::npos);
}

TEST_CASE("cpu= and monitor= stand for themselves, or beside the heap") {
  const HprofOptions samples = good("cpu=samples,interval=20");
  CHECK((samples.samples && samples.times == HprofTimes::kOff));
  CHECK(samples.interval_ms == 20);
  CHECK((agent_options(samples).time.cpu_samples && !agent_options(samples).time.cpu_times));
  CHECK(agent_options(samples).time.interval_ms == 20);
  CHECK(agent_options(samples).given.has("cpu"));
  CHECK(good("cpu=y").samples);
  CHECK(agent_options(good("cpu=times")).time.cpu_times);
  const Options both = agent_options(good("cpu=samples,cpu=times"));
  CHECK((both.time.cpu_times && both.time.cpu_samples));
  CHECK(agent_options(good("cpu=times")).time.methods.empty());
  CHECK(good("cpu=old,depth=9").depth == 2);
  CHECK(good("monitor=y").monitor);
  CHECK(agent_options(good("monitor=y")).time.monitor);
  CHECK_FALSE(agent_options(good("heap=sites")).time.monitor);
  CHECK(good("cpu=samples,format=b").binary);
  for (const char* text : {"cpu=samples", "cpu=times", "cpu=old", "monitor=y"}) {
    const HprofOptions options = good(text);
    CHECK(options.not_served.empty());
    CHECK_FALSE(options.dump);
    CHECK_FALSE(agent_options(options).track_from_start());
  }
  CHECK_FALSE(good("cpu=samples").sites);
  CHECK(good("cpu=samples,heap=sites").sites);
  CHECK(good("thread=y").threads);
  CHECK(agent_options(good("thread=y,depth=4")).allocations.per_thread_sites);
  CHECK(agent_options(good("thread=y,depth=4")).allocations.sites_depth == 5);
  CHECK(good("monitor=n,heap=sites").not_served.empty());
  CHECK(good("heap=dump").dump);
  CHECK(agent_options(good("heap=dump")).track_from_start());  // its objects have their stacks
  CHECK(agent_options(good("heap=dump")).allocations.live == 1);
  CHECK(good("heap=dump").not_served.empty());
  const HprofOptions dump = good("heap=dump,net=localhost:1");
  CHECK(dump.sites);
  CHECK_FALSE(dump.dump);
  CHECK(dump.not_served.size() == 1);
}

TEST_CASE("a wrong option of hprof's is named with what would be right") {
  CHECK(wrong("heep=sites").find("unknown option \"heep\"; valid options: help, heap, cpu") == 0);
  CHECK(wrong("heap=some").find("\"some\" is not one of dump, sites, all") != std::string::npos);
  CHECK(wrong("depth=-1").find("depth") != std::string::npos);
  CHECK(wrong("depth=x").find("\"x\" is not a number") != std::string::npos);
  CHECK(wrong("cutoff=2").find("from 0 to 1") != std::string::npos);
  CHECK(wrong("cutoff=nan").find("cutoff") != std::string::npos);
  CHECK(wrong("interval=0").find("interval") != std::string::npos);
  CHECK(wrong("net=4711").find("HOST:PORT") != std::string::npos);
  CHECK(wrong("net=unix:/tmp/x").find("HOST:PORT") != std::string::npos);
  CHECK(wrong("net=localhost:0").find("HOST:PORT") != std::string::npos);
  CHECK(wrong("net=localhost:1,file=x").find("cannot be combined") != std::string::npos);
  CHECK(wrong("format=b,monitor=y").find("format=b") == 0);
  CHECK(wrong("format=b,cpu=times").find("format=b") == 0);
  CHECK(wrong("heap").find("needs a value") != std::string::npos);
  CHECK(wrong("doe=maybe").find("y, n") != std::string::npos);
}

TEST_CASE("the agent behind hprof's options records sites of that depth and opens no port") {
  const Options options = agent_options(good("heap=sites,depth=8"));
  CHECK(options.service.address == "none");
  CHECK(options.track_from_start());
  CHECK(options.allocations.sites > 0);
  CHECK(options.allocations.sites_depth == 8);
  CHECK(options.allocations.live == 1);
  CHECK(options.reports.dump_none);
  CHECK(agent_options(good("depth=0")).allocations.sites_depth == 1);
  CHECK(agent_options(good("depth=1000")).allocations.sites_depth == 64);
  CHECK(agent_options(good("net=localhost:1,depth=2")).allocations.sites_depth == 64);
  CHECK_FALSE(agent_options(good("cpu=samples")).track_from_start());
}

TEST_CASE("hprof's help names every option in at most 80 columns") {
  std::istringstream lines(hprof_help_text());
  std::string line;
  while (std::getline(lines, line)) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
  for (const char* option :
       {"heap=", "cpu=", "monitor=", "format=", "file=", "net=", "depth=", "interval=", "cutoff=",
        "lineno=", "thread=", "doe=", "msa=", "force=", "verbose=", "gc_okay="}) {
    CHECK(hprof_help_text().find(option) != std::string::npos);
  }
}

}  // namespace ddm
