#include <catch2/catch.hpp>

#include "report/hprof/hprof_binary.h"
#include "report/hprof/hprof_sites.h"
#include "report/hprof/hprof_text.h"
#include "report_sample.h"

using namespace ddm;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// main calls work, which calls itself and leaf; leaf is called from main as well. Samples of two
// threads in one stack; two locks, of which one was only waited on.
struct TimeSample : ReportSample {
  TimeSample() {
    TimeData& time = data.time;
    const auto method = [&](const char* name, std::int64_t calls, std::int64_t self_ns) {
      const NameId id = names.add_method({"a.Main", name, "()V", "Main.java", false, {}});
      time.methods.push_back({"a.Main", name, "()V", calls, 0, self_ns, self_ns, 0, id});
    };
    method("main", 1, 100 * kMs);
    method("work", 3, 700 * kMs);
    method("leaf", 5, 200 * kMs);
    time.method_paths = {{MethodPath::kNoCaller, 0, 1, 1000 * kMs, 100 * kMs},
                         {0, 1, 2, 850 * kMs, 400 * kMs},
                         {1, 1, 1, 0, 300 * kMs},
                         {2, 2, 4, 150 * kMs, 150 * kMs},
                         {0, 2, 1, 50 * kMs, 50 * kMs}};
    const Frame run = frame("a.Main", "run", "Main.java", 7);
    const Frame pay = frame("shop.Cart", "pay", "Cart.java", 42);
    time.samples = {{60, "one", {pay, run}, false},
                    {30, "two", {pay, run}, false},
                    {10, "one", {run}, false},
                    {5, "one", {}, false}};
    time.sampler.emplace();
    time.monitors = {{MonitorKind::kWait, names.add_class("a.Bell"), 9, 900 * kMs, {run}, false},
                     {MonitorKind::kEnter, names.add_class("a.Till"), 4, 300 * kMs, {pay}, false}};
    time.monitor_on = true;
  }
};

std::size_t lines_with(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("samples of one stack are one row, whatever the thread") {
  TimeSample sample;
  ReportNames names(&sample.names);
  HprofNumbers numbers;
  const TimeStacks stacks = TimeStacks::of_samples(sample.data.time);
  const HprofCosts costs(stacks, names, {});
  CHECK(costs.total() == 105);
  REQUIRE(costs.list().size() == 3);
  CHECK(costs.list()[0].count == 90);
  const std::string text = hprof_text_costs(stacks, names, {}, numbers, 0);
  CHECK(text.find("TRACE 300001:\n\tshop.Cart.pay(Cart.java:42)\n\ta.Main.run(Main.java:7)\n") !=
        std::string::npos);
  CHECK(text.find("CPU SAMPLES BEGIN (total = 105) ") != std::string::npos);
  CHECK(text.find("\nrank   self  accum   count trace method\n"
                  "   1 85.71% 85.71%      90 300001 shop.Cart.pay\n"
                  "   2  9.52% 95.24%      10 300002 a.Main.run\n"
                  "   3  4.76% 100.00%       5 300000 <empty trace>\nCPU SAMPLES END\n") !=
        std::string::npos);
  // A second dump repeats no stack.
  CHECK(lines_with(hprof_text_costs(stacks, names, {}, numbers, 0), "TRACE ") == 0);
}

TEST_CASE("times stand under their callers, as deep as was asked for") {
  TimeSample sample;
  ReportNames names(&sample.names);
  HprofNumbers numbers;
  const TimeStacks stacks = TimeStacks::of_methods(sample.data.time);
  const HprofCosts deep(stacks, names, {});
  REQUIRE(deep.list().size() == 5);
  CHECK(deep.total() == 1000 * kMs);
  const std::string text = hprof_text_costs(stacks, names, {}, numbers, 0);
  CHECK(text.find("CPU TIME (ms) BEGIN (total = 1000) ") != std::string::npos);
  CHECK(text.find("   1 40.00% 40.00%       2 300001 a.Main.work\n") != std::string::npos);
  CHECK(text.find("TRACE 300001:\n\ta.Main.work(Main.java:Unknown line)\n"
                  "\ta.Main.main(Main.java:Unknown line)\n") != std::string::npos);
  HprofView flat;
  flat.depth = 1;
  const HprofCosts by_method(stacks, names, flat);
  REQUIRE(by_method.list().size() == 3);
  CHECK(by_method.list()[0].count == 3);
  CHECK(by_method.list()[0].cost == 700 * kMs);
  flat.cutoff = 0.15;
  CHECK(HprofCosts(stacks, names, flat).list().size() == 2);
  flat.depth = 0;
  CHECK(HprofCosts(stacks, names, flat).list().size() == 1);
}

TEST_CASE("cpu=old names callee and caller of each pair") {
  TimeSample sample;
  ReportNames names(&sample.names);
  HprofView pairs;
  pairs.depth = 2;
  CHECK(hprof_text_callers(TimeStacks::of_methods(sample.data.time), names, pairs) ==
        "count callee caller time\n"
        "2 a.Main.work()V a.Main.main()V 400\n"
        "1 a.Main.work()V a.Main.work()V 300\n"
        "4 a.Main.leaf()V a.Main.work()V 150\n"
        "1 a.Main.main()V <unknown caller> 100\n"
        "1 a.Main.leaf()V a.Main.main()V 50\n");
}

TEST_CASE("MONITOR TIME is of entering alone, as hprof's was") {
  TimeSample sample;
  ReportNames names(&sample.names);
  HprofNumbers numbers;
  const std::string text =
      hprof_text_costs(TimeStacks::of_locks(sample.data.time), names, {}, numbers, 0);
  CHECK(text.find("MONITOR TIME BEGIN (total = 300 ms) ") != std::string::npos);
  CHECK(text.find("rank   self  accum   count trace monitor\n"
                  "   1 100.00% 100.00%       4 300001 a.Till (Java)\nMONITOR TIME END\n") !=
        std::string::npos);
  CHECK(text.find("a.Bell") == std::string::npos);
}

TEST_CASE("MONITOR TIME does not say which class a lock is, as hprof did not") {
  TimeSample sample;
  sample.data.time.monitors[1].class_id = sample.names.add_class("java.lang.Class for a.Till");
  ReportNames names(&sample.names);
  HprofNumbers numbers;
  const std::string text =
      hprof_text_costs(TimeStacks::of_locks(sample.data.time), names, {}, numbers, 0);
  CHECK(text.find(" java.lang.Class (Java)\n") != std::string::npos);
}

TEST_CASE("a report in hprof's text has the tables of what was asked for") {
  TimeSample sample;
  const std::string text = whole_report(ReportFormat::kHprofText, sample.data);
  for (const char* table :
       {"\nCPU SAMPLES BEGIN ", "\nCPU TIME (ms) BEGIN ", "\nMONITOR TIME BEGIN "}) {
    CHECK(lines_with(text, table) == 1);
  }
  CHECK(text.find("SITES BEGIN") == std::string::npos);  // allocations were not asked for
  sample.data.summary.engine = "vm";
  CHECK(whole_report(ReportFormat::kHprofText, sample.data).find("SITES BEGIN") !=
        std::string::npos);
}

TEST_CASE("CPU SAMPLES in the binary format are counts and traces") {
  TimeSample sample;
  sample.data.time.samples = {{std::int64_t{5} << 32, "one", {}, false}};
  ReportNames names(&sample.names);
  HprofBinary writer(0);
  writer.traces(HprofSites(sample.data, names, {}), names, 0);
  writer.heap_summary({}, 0);
  writer.take();
  writer.cpu_samples(HprofCosts(TimeStacks::of_samples(sample.data.time), names, {}), names, 0);
  const std::string first = writer.take();  // with the empty stack, that nothing has needed so far
  writer.cpu_samples(HprofCosts(TimeStacks::of_samples(sample.data.time), names, {}), names, 0);
  const std::string record(
      "\x0D\0\0\0\0\0\0\0\x10\xFF\xFF\xFF\xFF\0\0\0\1\xFF\xFF\xFF\xFF\0\4\x93\xE0", 25);
  CHECK(writer.take() == record);
  CHECK(first.size() == 9 + 12 + record.size());
}
