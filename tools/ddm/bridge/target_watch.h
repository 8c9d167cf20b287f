// The programs that are there now, and word of every change.
//
// A program that comes or goes touches its discovery directory, which inotify reports; one that is
// killed leaves its file behind, so somebody has to look now and then as well. For one thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/file_descriptor.h"
#include "wire/sockets/discovery.h"

namespace ddm {

class TargetWatch {
 public:
  // The first list is there at once. Without inotify it is refresh() alone that finds out.
  TargetWatch();

  // Readable when something has changed; -1: no inotify here.
  int fd() const { return inotify_.get(); }

  // Looks again; true if the programs are others now.
  bool refresh();

  const std::vector<Target>& targets() const { return targets_; }

  // Grows with every change; begins at 1.
  std::uint64_t version() const { return version_; }
  // The same list counts as another one: servers that have lost a program look for it again.
  void repeat() { ++version_; }

 private:
  void watch_directories();

  FileDescriptor inotify_;
  std::vector<Target> targets_;
  std::uint64_t version_ = 1;
};

}  // namespace ddm
