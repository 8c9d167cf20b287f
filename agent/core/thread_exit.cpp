#include "core/thread_exit.h"

#include <pthread.h>

#include <array>
#include <cstddef>

namespace ddm {
namespace {

struct Releases {
  std::array<ThreadExit::Release, 8> list;
  std::size_t count;
};
constinit thread_local Releases t_releases{};

void run_releases(void*) {
  while (t_releases.count > 0) t_releases.list[--t_releases.count]();
}

struct Key {
  pthread_key_t key = 0;
  bool good = pthread_key_create(&key, run_releases) == 0;
};

}  // namespace

// Without a key (the process has 1,024), or memory for its value, nothing is given back.
void ThreadExit::call(Release release) noexcept {
  static const Key key;
  if (!key.good || t_releases.count == t_releases.list.size()) return;
  if (t_releases.count == 0 && pthread_setspecific(key.key, &t_releases) != 0) return;
  t_releases.list[t_releases.count++] = release;
}

}  // namespace ddm
