#include "bridge/target_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace ddm {
namespace {

constexpr std::uint32_t kChanges = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR;

bool same(const std::vector<Target>& a, const std::vector<Target>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Target& x, const Target& y) {
    return x.pid == y.pid && x.start == y.start && x.address == y.address;
  });
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

TargetWatch::TargetWatch() : inotify_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  watch_directories();
  targets_ = list_targets();
}

void TargetWatch::refresh() {
  if (inotify_.valid()) {
    // What has changed does not matter, only that something has.
    std::array<char, 4096> events;
    while (read(inotify_.get(), events.data(), events.size()) > 0) {
    }
  }
  watch_directories();  // before reading the list: later changes are then reported
  std::vector<Target> now = list_targets();
  if (same(now, targets_)) return;
  targets_ = std::move(now);
  ++version_;
}

void TargetWatch::watch_directories() {
  if (!inotify_.valid()) return;
  for (const std::string& directory : discovery_directories(geteuid())) {
    // The first program creates the directory. Its parent is often /tmp, with many events, so it is
    // watched only until then. Watching a directory twice has no effect.
    if (inotify_add_watch(inotify_.get(), directory.c_str(), kChanges) < 0) {
      (void)inotify_add_watch(inotify_.get(), parent_of(directory).c_str(), kChanges);
    }
  }
}

}  // namespace ddm
