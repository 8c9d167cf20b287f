#include "time/totals/sample_counts.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>

#include "one_frame_trace.h"
#include "time/sampling_pace.h"

using namespace ddm;

TEST_CASE("Samples add up by thread and stack, most first") {
  const auto traces = CallTree::create(100, 8);
  REQUIRE(traces);
  const TraceNumber here = trace_of(*traces, 10);
  SampleCounts counts;
  counts.add("a", here, 1);
  counts.add("b", here, 5);
  counts.add("a", here, 1);
  counts.add("a", kEmptyTrace, 1);

  const std::vector<StackSample> found = counts.read(*traces);
  REQUIRE(found.size() == 3);
  CHECK(found[0].thread == "b");
  CHECK(found[0].count == 5);
  CHECK(found[0].frames == std::vector<Frame>{{10, 3}});
  CHECK(found[1].count == 2);
  CHECK(found[2].frames.empty());
  counts.clear();
  CHECK(counts.read(*traces).empty());
}

TEST_CASE("Samples without room are still counted") {
  const auto traces = CallTree::create(100, 8);
  REQUIRE(traces);
  SampleCounts counts;
  constexpr std::size_t kNames = ThreadNumbers::kMost + 1000;
  for (std::size_t i = 0; i < kNames; ++i) counts.add("thread-" + std::to_string(i), kNoTrace, 2);
  std::int64_t all = 0, others = 0;
  for (const StackSample& sample : counts.read(*traces)) {
    all += sample.count;
    if (sample.thread == ThreadNumbers::kOthers) others = sample.count;
  }
  CHECK(all == 2 * std::int64_t{kNames});
  CHECK(others == 2000);
}

TEST_CASE("Looks that cost little come as often as asked") {
  SamplingPace pace(1'000'000, 5);
  for (int i = 0; i < 100; ++i) pace.add_round(20'000);
  CHECK(pace.interval_ns() == 1'000'000);
  CHECK(pace.pause_ns(0) == 500'000);
  CHECK(pace.pause_ns(0xffffffff) == Approx(1'500'000).margin(2));
}

TEST_CASE("Pauses are as long as asked on average, however they vary") {
  const SamplingPace pace(1'000'000, 5);
  std::minstd_rand random;
  for (const SamplingDelay delay :
       {SamplingDelay::kVaried, SamplingDelay::kExponential, SamplingDelay::kFixed}) {
    constexpr int kPauses = 100'000;
    double sum = 0, short_ones = 0;
    for (int i = 0; i < kPauses; ++i) {
      const std::int64_t pause = pace.pause_ns(static_cast<std::uint32_t>(random() << 1), delay);
      sum += static_cast<double>(pause);
      short_ones += pause < 100'000 ? 1 : 0;
    }
    CHECK(sum / kPauses == Approx(1'000'000).epsilon(0.02));
    const double expected = delay == SamplingDelay::kExponential ? 1 - std::exp(-0.1) : 0;
    CHECK(short_ones / kPauses == Approx(expected).margin(0.01));
  }
}

TEST_CASE("Looks that cost more than the budget come more seldom, and often again afterwards") {
  SamplingPace pace(1'000'000, 5);
  for (int i = 0; i < 200; ++i) pace.add_round(400'000);
  const double share = 400'000.0 / static_cast<double>(pace.interval_ns());
  CHECK(share < 0.05);
  CHECK(share > 0.035);
  for (int i = 0; i < 200; ++i) pace.add_round(1'000);
  CHECK(pace.interval_ns() == 1'000'000);
}

TEST_CASE("the budget holds from the first look on") {
  for (const std::int64_t budget : {1, 5, 10}) {
    SamplingPace pace(1'000'000, budget);
    double cost = 0, time = 0;
    for (int i = 0; i < 20; ++i) {
      const std::int64_t look = i == 0 ? 3'000'000 : 1'400'000;
      pace.add_round(look);
      cost += static_cast<double>(look);
      time += static_cast<double>(pace.interval_ns());
      CHECK(cost * 100 / time <= static_cast<double>(budget));
    }
  }
}

TEST_CASE("what is spent while looks become dearer is made good") {
  SamplingPace pace(1'000'000, 5);
  double cost = 0, time = 0;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t look = i < 10 ? 20'000 : 2'000'000;
    pace.add_round(look);
    cost += static_cast<double>(look);
    time += static_cast<double>(pace.interval_ns());
  }
  CHECK(cost * 100 / time <= 5);
  CHECK(cost * 100 / time >= 3.5);
}

TEST_CASE("what others take of the budget is left to them, but for a quarter") {
  SamplingPace pace(1'000'000, 4);
  for (int i = 0; i < 200; ++i) pace.add_round(1'000'000);
  const std::int64_t alone = pace.interval_ns();
  pace.set_others_percent(2);
  CHECK(std::abs(pace.interval_ns() - 2 * alone) < 10);
  pace.set_others_percent(100);
  CHECK(std::abs(pace.interval_ns() - 4 * alone) < 10);
  pace.set_others_percent(0);
  CHECK(pace.interval_ns() == alone);
}

TEST_CASE("One very dear look does not stop the sampling for good") {
  SamplingPace pace(1'000'000, 1);
  pace.add_round(60'000'000'000);
  CHECK(pace.interval_ns() <= 10'000'000'000);
  SamplingPace slow(1'000'000'000, 1);
  slow.add_round(60'000'000'000);
  CHECK(slow.interval_ns() <= 10'000'000'000);
}
