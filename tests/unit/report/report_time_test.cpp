#include "report/report_time.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "report_sample.h"

using namespace ddm;

namespace {

// Two threads in one stack, one in another, and two places where somebody waited.
std::unique_ptr<ReportSample> time_sample() {
  auto sample = std::make_unique<ReportSample>();
  const Frame run = sample->frame("a.Main", "run", "Main.java", 7);
  const Frame pay = sample->frame("shop.Cart", "pay", "Cart.java", 42);
  TimeData& time = sample->data.time;
  time.samples = {
      {60, "one", {pay, run}, false}, {30, "two", {pay, run}, false}, {10, "one", {run}, true}};
  SamplerFigures sampler;
  sampler.requested_ns = 10'000'000;
  sampler.mean_ns = 12'500'000;
  sampler.budget = 5;
  sampler.on_ns = 10'000'000'000;
  sampler.own_ns = 100'000'000;
  sampler.others_ns = 23'000'000;
  sampler.rounds = 800;
  sampler.stacks = 95;
  sampler.failed = {{"JVMTI_ERROR_THREAD_NOT_ALIVE", 3}};
  time.sampler = sampler;
  time.monitor_on = true;
  time.monitors = {{MonitorKind::kPark,
                    sample->names.add_class("a.b.VeryLong$Condition"),
                    4,
                    1'234'567'890,
                    {pay},
                    false,
                    {{"a till with a name that is far too long", 3, 1'000'000'000, {pay}, false},
                     {"main", 1, 234'567'890, {}, false}}},
                   {MonitorKind::kWait, kUnknownName, 1, 100'000, {}, false}};
  sample->data.summary.app = "app.jar";
  sample->data.summary.pid = 4711;
  return sample;
}

bool has(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Waits whose rows read the same are one row of the text") {
  const auto sample = time_sample();
  std::vector<MonitorTime>& monitors = sample->data.time.monitors;
  MonitorTime other = monitors.front();  // at another instruction of the line
  other.frames.front().bci += 1;
  other.holders.front().frames.front().bci += 1;
  monitors.push_back(other);
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "Waiting for locks: 2,469.2 ms in all threads, at 2 places"));
  CHECK(has(text, "2,469.1 ms         8      3 park   a.b.VeryLong$Condition\n"));
  CHECK(has(text, "    1   81.0%      2,000.0 ms         6      5  a till with"));
}

TEST_CASE("Samples whose rows read the same are one row of the text") {
  const auto sample = time_sample();
  std::vector<StackSample>& samples = sample->data.time.samples;
  samples.push_back(samples[0]);
  samples.back().frames.front().bci += 1;  // at another instruction of the line
  samples.push_back(samples[2]);
  samples.back().cut = false;
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "CPU samples: 170, each of 10.0 ms of CPU, in 3 stacks"));
  CHECK(has(text, "    1   88.2%   88.2%         150      1  shop.Cart.pay(Cart.java:42)\n"));
}

TEST_CASE("A text report of time has tables of samples and of locks, and no allocations") {
  const auto sample = time_sample();
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "Time of app.jar, pid 4711"));
  CHECK_FALSE(has(text, "llocation"));
  CHECK(has(text, "CPU samples: 100, each of 10.0 ms of CPU, in 2 stacks"));
  CHECK(has(text, "  95 stacks taken; each counts for its thread's CPU since the last one\n"));
  CHECK(has(text, "looked 800 times in 10.0 s, every 12.5 ms on average, asked for 10.0 ms"));
  CHECK(has(text, "took 1.2% of one CPU; the budget is 5%"));
  CHECK(has(text, "3 stacks could not be had: JVMTI_ERROR_THREAD_NOT_ALIVE"));
  CHECK(has(text, "    1   90.0%   90.0%          90      1  shop.Cart.pay(Cart.java:42)\n"));
  CHECK(has(text, "    2   10.0%  100.0%          10      2  a.Main.run(Main.java:7)\n"));
  CHECK(has(text, "Waiting for locks: 1,234.6 ms in all threads, at 2 places"));
  CHECK(has(text, "1,234.5 ms         4      3 park   a.b.VeryLong$Condition\n"));
  CHECK(has(text, "wait   -\n"));
  CHECK(has(text, "    1   81.0%      1,000.0 ms         3      5  a till with"));
  CHECK(has(text, "    1   19.0%        234.5 ms         1      -  main\n"));
  CHECK(
      has(text, "TRACE 1:\n    at shop.Cart.pay(Cart.java:42)\n    at a.Main.run(Main.java:7)\n"));
  CHECK(has(text, "TRACE 2:\n    at a.Main.run(Main.java:7)\n    ... deeper frames were not kept"));
  CHECK(has(text, "  a till with a name that is far too long\n"));
  std::string shown;
  text_report(sample->data, into(shown), 80);
  CHECK(has(shown, "  a till with a ...is far too long\n"));
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("Lines about samples fit a terminal") {
  const auto sample = time_sample();
  SamplerFigures& sampler = *sample->data.time.sampler;
  sampler.wall = true;
  sampler.requested_ns = 1'000'000'000;
  sampler.stacks = 9'999'999;
  sample->data.time.samples.front().count = 99'999'999;
  std::string shown;
  text_report(sample->data, into(shown), 80);
  CHECK(has(shown,
            "\nWall-clock samples: 100,000,039, each of 1,000.0 ms elapsed, in 2 stacks\n"
            "  of threads that waited as well as of those that ran\n"));
  std::istringstream lines(shown);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("Reports tell what could not be timed") {
  const auto sample = time_sample();
  CHECK_FALSE(has(whole_report(ReportFormat::kText, sample->data), "not timed"));
  CHECK_FALSE(has(whole_report(ReportFormat::kJsonl, sample->data), "not_timed"));
  sample->data.time.not_timed = {{"code-too-long", 2}, {"retransform: JVMTI_ERROR_X", 1}};
  CHECK(has(whole_report(ReportFormat::kText, sample->data),
            "not timed, since they cannot be rewritten:\n"
            "        2  code-too-long\n        1  retransform: JVMTI_ERROR_X\n"));
  CHECK(has(whole_report(ReportFormat::kJsonl, sample->data),
            R"("not_timed":{"code-too-long":2,"retransform: JVMTI_ERROR_X":1})"));
}

TEST_CASE("A report tells once why it lacks times") {
  const auto sample = time_sample();
  const std::string why = "cpu=times: no class was loaded";
  sample->data.time.incomplete = why;
  const auto told = [&] {
    const std::string text = whole_report(ReportFormat::kText, sample->data);
    const std::size_t first = text.find(why);
    return first != std::string::npos && text.find(why, first + 1) == std::string::npos;
  };
  CHECK(told());
  sample->data.time.monitor_on = std::nullopt;
  CHECK(told());
}

TEST_CASE("A pin's time is not added to that of its park") {
  const auto sample = time_sample();
  sample->data.time.monitors.push_back(
      {MonitorKind::kPin, kUnknownName, 1, 1'000'000'000, {}, false});
  CHECK(has(whole_report(ReportFormat::kText, sample->data), "Waiting for locks: 1,234.6 ms"));
}

TEST_CASE("A report of allocations and time has both") {
  const auto sample = time_sample();
  sample->data.summary.engine = "vm";
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "Allocations of app.jar"));
  CHECK(has(text, "CPU samples: 100"));
  CHECK(has(text, "No allocation was recorded."));
}

TEST_CASE("Collapsed stacks of a run that was only sampled are its samples") {
  const auto sample = time_sample();
  CHECK(whole_report(ReportFormat::kCollapsed, sample->data) ==
        "[deeper_frames_cut];a.Main.run 10\na.Main.run;shop.Cart.pay 90\n");
}

TEST_CASE("Without samples collapsed stacks are microseconds of methods, or of waiting") {
  const auto sample = time_sample();
  TimeData& time = sample->data.time;
  time.sampler.reset();
  time.samples.clear();
  CHECK(whole_report(ReportFormat::kCollapsed, sample->data) ==
        "park;shop.Cart.pay;a.b.VeryLong$Condition 1234567\nwait;(no_Java_frame) 100\n");
  const NameId pay = sample->frame("shop.Cart", "pay", "Cart.java", 42).method;
  time.methods = {{"shop.Cart", "pay", "()V", 2, 0, 9'000, 9'000, 0, pay}};
  time.method_paths = {{MethodPath::kNoCaller, 0, 1, 9'000, 7'900}, {0, 0, 1, 0, 1'100}};
  CHECK(whole_report(ReportFormat::kCollapsed, sample->data) ==
        "shop.Cart.pay 7\nshop.Cart.pay;shop.Cart.pay 1\n");
}

TEST_CASE("The summary of time is short, and nothing where nothing was asked for") {
  const auto sample = time_sample();
  TimeData& time = sample->data.time;
  for (int i = 0; i < 100; ++i) {
    const Frame frame = sample->frame("a.C" + std::to_string(i), "m", "C.java", 1);
    time.samples.push_back({1, "one", {frame}, false});
    time.monitors.push_back({MonitorKind::kEnter, kUnknownName, 1, 1, {frame}, false});
  }
  time.sampler->failed.clear();
  const std::string summary = time_summary(sample->data);
  CHECK(std::count(summary.begin(), summary.end(), '\n') <= 16);
  CHECK(has(summary, "samples: "));
  CHECK(has(summary, "Waiting for locks: "));
  CHECK_FALSE(has(summary, "TRACE"));
  CHECK(time_summary(ReportSample().data).empty());
}

TEST_CASE("In the summary of all threads a stack is told by the program's frame") {
  const auto sample = time_sample();
  TimeData& time = sample->data.time;
  const Frame park = sample->frame("jdk.internal.misc.Unsafe", "park", "", -2);
  const Frame take = sample->frame("shop.Jobs", "take", "Jobs.java", 3);
  time.samples = {{9, "one", {park, take}, false}};
  CHECK(has(time_summary(sample->data), "Unsafe.park("));
  time.sampler->wall = true;
  CHECK(has(time_summary(sample->data), "  shop.Jobs.take(Jobs.java:3)\n"));
}

TEST_CASE("Samples of all threads are ranked without idle ones, which have a table of their own") {
  const auto sample = time_sample();
  TimeData& time = sample->data.time;
  const Frame park = sample->frame("jdk.internal.misc.Unsafe", "park", "", -2);
  const Frame pool =
      sample->frame("java.util.concurrent.ThreadPoolExecutor", "getTask", "T.java", 9);
  const Frame pay = sample->frame("shop.Cart", "pay", "Cart.java", 12);
  const Frame start = sample->frame("java.lang.VirtualThread", "run", "V.java", 3);
  time.samples = {{90, "idle", {park, pool}, false}, {10, "busy", {park, pay}, false}};
  time.sampler->wall = true;
  std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "  not ranked: 90 samples, 90.0%, of idle threads of pools and timers\n"));
  CHECK(has(text, "    1  100.0%  100.0%          10      1  shop.Cart.pay(Cart.java:12)\n"));
  CHECK(has(text, "\nSamples of idle threads of pools and timers\n"));
  CHECK_FALSE(has(text, "virtual threads"));
  time.samples.push_back({1, "virtual", {pay, start}, false});
  text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "  but of virtual threads only while they had a carrier: monitor=y tells"));
}

TEST_CASE(
    "In the summary waits for work are one line, in the report a table below those for locks") {
  const auto sample = time_sample();
  TimeData& time = sample->data.time;
  const Frame task =
      sample->frame("java.util.concurrent.ThreadPoolExecutor", "getTask", "T.java", 9);
  const Frame take = sample->frame("shop.Jobs", "take", "Jobs.java", 3);
  const NameId condition = sample->names.add_class(
      "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject");
  const NameId lock =
      sample->names.add_class("java.util.concurrent.locks.ReentrantLock$NonfairSync");
  time.monitors.insert(time.monitors.begin(),
                       {{MonitorKind::kPark, condition, 9, 90'000'000'000, {take, task}, false},
                        {MonitorKind::kPark, condition, 8, 80'000'000'000, {task}, false},
                        {MonitorKind::kPark, lock, 7, 70'000'000'000, {take, task}, false}});
  time.waiting = {{MonitorKind::kPark, condition, 5, "", 80'000'000'000, "", {take, task}, false},
                  {MonitorKind::kEnter, lock, 7, "", 4'000'000'000, "", {take}, false},
                  {MonitorKind::kEnter, lock, 8, "", 5'000'000'000, "", {take}, false}};
  time.monitors.push_back(
      {MonitorKind::kEnter, sample->names.add_class("int[]"), 1, 1, {take}, false});
  const std::string summary = time_summary(sample->data);
  CHECK(has(whole_report(ReportFormat::kText, sample->data), " enter  int[] (a class is init"));
  CHECK(has(summary, "Waiting for locks: 71,234.6 ms in all threads, at 4 places"));
  const std::string text = whole_report(ReportFormat::kText, sample->data);
  CHECK(has(text, "\nStill waiting for locks, by number of threads and their time until now\n"));
  CHECK(has(text, "    1  100.0%      9,000.0 ms         2 "));
  CHECK(has(summary, "Not counted: 2 threads still wait, for 5,000.0 ms at the longest"));
  CHECK(has(summary, "Not counted: 170,000.0 ms of waiting for work, at 2 places"));
  CHECK(has(summary, "fairSync\n      at shop.Jobs.take(Jobs.java:3)\n"));
  CHECK_FALSE(has(summary, "itionObject"));
  CHECK(has(text, "Waiting for locks: 71,234.6 ms in all threads, at 4 places"));
  const std::string idle = text.substr(text.find("\nWaiting for work"));
  CHECK(has(idle, "    1   52.9%     90,000.0 ms         9 "));
  CHECK(has(idle, "itionObject"));
  CHECK_FALSE(has(idle, "fairSync"));
}
