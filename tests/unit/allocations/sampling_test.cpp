#include "allocations/store/sampling.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace ddm {

TEST_CASE("without an interval every allocation stands for itself") {
  const AllocationSampling all;
  CHECK(all.every_allocation());
  CHECK(all.vm_interval_bytes() == 0);
  CHECK(all.takes(16, 0.999999));
  CHECK(all.weight_of(16) == 1);
  const AllocationSampling same(0, false);
  CHECK(same.every_allocation());
  CHECK(same.vm_interval_bytes() == 0);
}

TEST_CASE("a small object stands for the bytes of an interval, a large one for itself") {
  const AllocationSampling sampling(512 * 1024, true);
  CHECK(sampling.weight_of(32) * 32 == Approx(512 * 1024).epsilon(0.001));
  CHECK(sampling.weight_of(512 * 1024) == Approx(1 / (1 - std::exp(-1.0))));
  CHECK(sampling.weight_of(64 << 20) == Approx(1));
  CHECK(sampling.weight_of(std::int64_t{1} << 40) == 1);
}

TEST_CASE("a VM that counts right is asked for as many samples as are taken") {
  const AllocationSampling sampling(4096, true);
  CHECK(sampling.vm_interval_bytes() == 4096);
  CHECK(sampling.takes(8, 0.9999999));
}

TEST_CASE("of a VM that loses count each size is taken at the rate it should have had") {
  constexpr std::int64_t kInterval = 64 * 1024;
  const AllocationSampling sampling(kInterval, false);
  const std::int64_t asked = sampling.vm_interval_bytes();
  REQUIRE(asked * AllocationSampling::kOversampling == kInterval);
  for (const std::int64_t size : {16, 1000, 30000, 64 * 1024, 1 << 20}) {
    std::mt19937_64 random(size);
    std::uniform_real_distribution<double> uniform(0, 1);
    const double told = 1 - std::exp(-static_cast<double>(size) / static_cast<double>(asked));
    int taken = 0;
    constexpr int kEvents = 200000;
    for (int i = 0; i < kEvents; ++i) taken += sampling.takes(size, uniform(random)) ? 1 : 0;
    // told * (taken / events) is how often an object of that size becomes a sample.
    CHECK(told * taken / kEvents * sampling.weight_of(size) == Approx(1).epsilon(0.03));
  }
}

TEST_CASE("countdowns are as far apart as the VM's events, and as random") {
  CHECK(AllocationSampling().countdown(0.5) == 0);
  for (const bool vm_counts_right : {false, true}) {
    const AllocationSampling sampling(512 * 1024, vm_counts_right);
    const auto interval = static_cast<double>(sampling.vm_interval_bytes());
    CHECK(sampling.countdown(0) == 1);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    double sum = 0, beyond = 0;
    constexpr int kDraws = 200000;
    for (int i = 0; i < kDraws; ++i) {
      const auto drawn = static_cast<double>(sampling.countdown(uniform(random)));
      sum += drawn;
      beyond += drawn > interval ? 1 : 0;
    }
    CHECK(sum / kDraws == Approx(interval).epsilon(0.01));
    CHECK(beyond / kDraws == Approx(std::exp(-1.0)).epsilon(0.02));
  }
}

TEST_CASE("the smallest intervals stay intervals") {
  const AllocationSampling sampling(1, false);
  CHECK(sampling.vm_interval_bytes() == 1);
  CHECK_FALSE(sampling.every_allocation());
  CHECK(sampling.weight_of(16) == Approx(1).epsilon(0.001));
}

}  // namespace ddm
