#include "time/totals/waiting_time.h"

#include <catch2/catch.hpp>
#include <random>

#include "one_frame_trace.h"
#include "time/totals/look_rate.h"

using namespace ddm;

namespace {

constexpr std::int64_t kMs = 1'000'000;

class Waits {
 public:
  explicit Waits(std::int64_t head_start_ns = 0) { time.begin(0, 10 * kMs, head_start_ns); }

  std::int64_t at(TraceNumber stack) const {
    for (const StackSample& sample : counts.read(*traces)) {
      if (sample.frames == frames_of(stack)) return sample.count;
    }
    return 0;
  }

  const std::shared_ptr<CallTree> traces = CallTree::create(100, 8);
  const TraceNumber nap = trace_of(*traces, 10), read = trace_of(*traces, 11);
  SampleCounts counts;
  WaitingTime time;

 private:
  std::vector<Frame> frames_of(TraceNumber stack) const {
    std::array<Frame, 8> frames;
    return {frames.begin(),
            frames.begin() + static_cast<std::ptrdiff_t>(traces->read(stack, frames))};
  }
};

}  // namespace

TEST_CASE("A thread that has not run waits where it was found") {
  Waits waits;
  waits.time.checked(10 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.time.is_due());
  CHECK_FALSE(waits.time.is_counted());
  waits.time.found_waiting("a", waits.nap, waits.counts);
  CHECK(waits.at(waits.nap) == 1);
  CHECK(waits.time.is_counted());
  waits.time.checked(55 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.at(waits.nap) == 5);
  waits.time.checked(60 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.at(waits.nap) == 6);
}

TEST_CASE("A wait that ended is divided between both places, and is the first's if it runs now") {
  Waits waits;
  waits.time.found_waiting("a", waits.nap, waits.counts);
  // The check stands for 25 of the 50 ms, in which the thread waited 40.
  waits.time.checked(50 * kMs, 10 * kMs, 25 * kMs, waits.counts);
  CHECK_FALSE(waits.time.is_counted());
  waits.time.found_waiting("a", waits.read, waits.counts);
  CHECK(waits.at(waits.nap) == 2);
  CHECK(waits.at(waits.read) == 2);
  waits.time.checked(90 * kMs, 10 * kMs, 20 * kMs, waits.counts);
  waits.time.found_running(waits.counts);
  CHECK(waits.at(waits.read) == 5);
  // Nothing tells where this one was.
  waits.time.checked(120 * kMs, 10 * kMs, 30 * kMs, waits.counts);
  waits.time.found_running(waits.counts);
  CHECK(waits.at(waits.nap) + waits.at(waits.read) == 7);
  waits.time.found_waiting("a", waits.nap, waits.counts);
  CHECK(waits.at(waits.nap) == 4);
}

TEST_CASE("What a rare check stands for may be taken back from the place before") {
  Waits waits;
  waits.time.found_waiting("a", waits.nap, waits.counts);
  waits.time.checked(60 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.at(waits.nap) == 6);
  waits.time.checked(70 * kMs, 1, 40 * kMs, waits.counts);
  waits.time.found_waiting("a", waits.read, waits.counts);
  CHECK(waits.at(waits.nap) == 3);
  CHECK(waits.at(waits.read) >= 3);
}

TEST_CASE("Waits are told as long as they are, short ones after long ones too") {
  struct Case {
    std::int64_t naps, reads;
  };
  const Case of = GENERATE(Case{35, 10}, Case{20, 5}, Case{100, 10}, Case{50, 50}, Case{1000, 10},
                           Case{300, 30});
  Waits waits;
  LookRate rate;
  std::minstd_rand random(7);
  const std::int64_t cycle = (of.naps + of.reads) * kMs;
  const std::int64_t end = 20'000 * cycle;
  std::int64_t at = 0, before = 0, left = 1;
  while (at < end) {
    const std::int64_t round = 5 * kMs + static_cast<std::int64_t>(random() % (10 * kMs));
    at += round;
    if (--left != 0) continue;
    const auto place = [&](std::int64_t when) { return when % cycle < of.naps * kMs; };
    const bool ran = at / cycle != before / cycle || place(at) != place(before);
    waits.time.checked(at, ran ? 1 : 0, round * rate.rounds(), waits.counts);
    before = at;
    left = rate.next(ran, {.most_quiet = 2, .patience = 4}, random);
    if (waits.time.is_counted() || !waits.time.is_due()) continue;
    waits.time.found_waiting("a", place(at) ? waits.nap : waits.read, waits.counts);
  }
  const auto told = static_cast<double>(waits.at(waits.read)) * 10 / 20'000;
  INFO(of.naps << " ms, then " << of.reads << " ms, told as " << told);
  CHECK(told > static_cast<double>(of.reads) * 0.95);
  CHECK(told < static_cast<double>(of.reads) * 1.05);
}

TEST_CASE("A wait that was one for a processor is taken back as soon as that is known") {
  Waits waits;
  waits.time.checked(20 * kMs, 0, 10 * kMs, waits.counts);
  waits.time.found_waiting("a", waits.nap, waits.counts);
  waits.time.checked(60 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.at(waits.nap) == 6);
  // Since 25 ms it was runnable, and has had a processor for the last 5.
  waits.time.checked(70 * kMs, 45 * kMs, 10 * kMs, waits.counts);
  waits.time.found_running(waits.counts);
  CHECK(waits.at(waits.nap) == 2);
  // It is 25 that it waited: the rest is told with what follows.
  waits.time.checked(75 * kMs, 0, 10 * kMs, waits.counts);
  waits.time.found_waiting("a", waits.nap, waits.counts);
  CHECK(waits.at(waits.nap) == 3);
}

TEST_CASE("No more is taken back than was told, and what is left is told less later") {
  Waits waits;
  waits.time.checked(10 * kMs, 30 * kMs, 10 * kMs, waits.counts);
  waits.time.found_waiting("a", waits.nap, waits.counts);
  waits.time.checked(30 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.at(waits.nap) == 0);
  waits.time.checked(60 * kMs, 0, 10 * kMs, waits.counts);
  CHECK(waits.at(waits.nap) == 3);
}
