#include "core/thread_exit.h"

#include <pthread.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <string>
#include <thread>

#include "core/reader_place.h"

namespace ddm {
namespace {

std::string g_released;

// As the destructor of a program's key that calls Java code while its thread ends.
void use_once_more(void*) {
  ThreadExit::call([]() noexcept { g_released += "late "; });
  ReaderPlace::own();
}

std::size_t places() {
  std::size_t count = 0;
  for (const ReaderPlace* place = ReaderPlace::first(); place != nullptr; place = place->next) {
    ++count;
  }
  return count;
}

TEST_CASE("What an ending thread has is given back, also what it makes while it ends") {
  // Destructors come in the order of keys; the agent's may be made before this one or after it.
  pthread_key_t key = 0;
  REQUIRE(pthread_key_create(&key, use_once_more) == 0);
  std::thread([] { ReaderPlace::own(); }).join();
  const std::size_t known = places();
  for (const bool early : {false, true}) {
    g_released.clear();
    std::thread([&] {
      pthread_setspecific(key, &g_released);
      if (!early) return;
      ReaderPlace::own();
      ThreadExit::call([]() noexcept { g_released += "first "; });
      ThreadExit::call([]() noexcept { g_released += "second "; });
    }).join();
    CHECK(places() == known);
    CHECK(g_released.find("late ") != std::string::npos);
    if (early) CHECK(g_released.find("second first ") != std::string::npos);
  }
  pthread_key_delete(key);
}

}  // namespace
}  // namespace ddm
