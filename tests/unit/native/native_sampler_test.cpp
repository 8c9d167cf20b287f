// Sampling in this very process: the libraries of tests/jvm/native are opened and leak.
#include "native/malloc/native_sampler.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "native/malloc/sampling_interval.h"
#include "sanitizers.h"

using namespace ddm;

#ifndef DDM_OWN_MALLOC

namespace {

constexpr std::uint64_t kMean = 4096;

using Leak = void (*)(int, int);

NativeSampler& sampler() {
  static NativeSampler* const one = [] {
    NativeSampler* started = nullptr;
    const std::string error = NativeSampler::create(nullptr, &started);
    if (!error.empty()) FAIL(error);
    REQUIRE(started->start(kMean));
    return started;
  }();
  return *one;
}

// As a program with this library would have it, dlopen() itself is called from a hooked library;
// this program is not (the hooks are its own), so it waits for the watch.
void* open_library(const char* name) {
  void* library = dlopen((std::string(DDM_LIBRARIES "/") + name).c_str(), RTLD_NOW);
  REQUIRE(library != nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  return library;
}

Leak function(const char* name, const char* library = "libnative_load.so") {
  static void* const load = open_library("libnative_load.so");
  void* from = std::strcmp(library, "libnative_load.so") == 0 ? load : open_library(library);
  const auto found = reinterpret_cast<Leak>(dlsym(from, name));
  REQUIRE(found != nullptr);
  return found;
}

std::string function_at(std::uintptr_t frame) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(frame - 1), &info) == 0 || info.dli_sname == nullptr)
    return "";
  return info.dli_sname;
}

double live_bytes_with(const std::string& name) {
  double bytes = 0;
  for (const LiveAllocations& live : sampler().live()) {
    for (const std::uintptr_t frame : live.native) {
      if (function_at(frame) == name) {
        bytes += static_cast<double>(live.bytes) * live.count;
        break;
      }
    }
  }
  return bytes;
}

void check_leak(const char* name, int count, int size, const char* library = "libnative_load.so") {
  sampler();
  const double before = live_bytes_with(name);
  function(name, library)(count, size);
  const double p = sampling_probability(static_cast<std::uint64_t>(size), kMean);
  const double sigma = std::sqrt(count * (1 - p) / p) * size;
  INFO(name << " of " << size << " bytes");
  CHECK(std::abs(live_bytes_with(name) - before - 1.0 * count * size) < 5 * sigma + size);
}

}  // namespace

TEST_CASE("leaks are found under the name of who leaked, with their size") {
  check_leak("leak_by_malloc", 20'000, 100);
  check_leak("leak_by_malloc", 2'000, 5000);
  check_leak("leak_by_calloc", 5'000, 1000);
  check_leak("leak_by_realloc", 5'000, 1000);
  check_leak("leak_by_array", 5'000, 1000);
  check_leak("leak_by_posix_memalign", 5'000, 1000);
  check_leak("leak_by_strdup", 5'000, 1000);
}

TEST_CASE("a library that is opened later is seen too") {
  check_leak("leak_later", 5'000, 1000, "libnative_later.so");
}

TEST_CASE("what is freed is not there any more") {
  sampler();
  function("borrow")(100'000, 1000);
  CHECK(live_bytes_with("borrow") == 0);
}

TEST_CASE("switched off nothing is sampled, and switched on again it begins anew") {
  check_leak("leak_by_malloc", 2'000, 1000);
  sampler().stop();
  const double at_the_end = live_bytes_with("leak_by_malloc");
  CHECK(at_the_end > 0);
  function("leak_by_malloc")(20'000, 1000);
  CHECK(live_bytes_with("leak_by_malloc") == at_the_end);
  CHECK_FALSE(sampler().on());
  for (int round = 0; round < 3; ++round) {
    REQUIRE(sampler().start(kMean));
    CHECK(live_bytes_with("leak_by_malloc") == 0);
    check_leak("leak_by_malloc", 20'000, 100);
    sampler().stop();
  }
  REQUIRE(sampler().start(kMean));
}

TEST_CASE("a forked child allocates as ever and samples nothing") {
  sampler();
  const Leak leak = function("leak_by_malloc");
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = sampler().live().size();
    leak(10'000, 5000);
    _exit(sampler().live().size() == before ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("threads that come and go are sampled without bias") {
  sampler();
  const Leak leak = function("leak_by_calloc");
  const double before = live_bytes_with("leak_by_calloc");
  constexpr int kThreads = 200;
  constexpr int kBlocks = 100;
  constexpr int kSize = 300;
  for (int i = 0; i < kThreads; ++i) std::thread([&] { leak(kBlocks, kSize); }).join();
  const double p = sampling_probability(kSize, kMean);
  const double truth = 1.0 * kThreads * kBlocks * kSize;
  const double sigma = std::sqrt(kThreads * kBlocks * (1 - p) / p) * kSize;
  CHECK(std::abs(live_bytes_with("leak_by_calloc") - before - truth) < 5 * sigma);
}

#endif
