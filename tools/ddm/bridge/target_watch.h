// The current list of programs, and notification of its changes.
//
// A program that comes or goes touches its discovery directory, which inotify reports; one that is
// killed leaves its file behind, so the list is also refreshed periodically. For one thread.
#pragma once

#include <vector>

#include "core/file_descriptor.h"
#include "wire/sockets/discovery.h"

namespace ddm {

class TargetWatch {
 public:
  // Reads the first list. Without inotify only refresh() notices changes.
  TargetWatch();

  // Readable when something has changed; -1: no inotify here.
  int fd() const { return inotify_.get(); }

  // Reads the list again.
  void refresh();

  const std::vector<Target>& targets() const { return targets_; }

  // Grows with every change; begins at 1.
  std::uint64_t version() const { return version_; }
  // Counts the same list as changed, so that servers look for a program that they have lost.
  void repeat() { ++version_; }

 private:
  void watch_directories();

  FileDescriptor inotify_;
  std::vector<Target> targets_;
  std::uint64_t version_ = 1;
};

}  // namespace ddm
