// The services that the device offers to adb: maps a service's name to a stream.
//
//   track-jdwp   pids, one a line, after a length of four hex digits; again after every change
//   jdwp         the same list once, without the length
//   jdwp:PID     the DDM port of that program, byte for byte
//   shell:...    see shell.h; also exec: and shell,v2:
//
// Everything else is refused. For the bridge's one thread.
#pragma once

#include <memory>

#include "bridge/stream.h"
#include "bridge/target_watch.h"

namespace ddm {

class Services {
 public:
  explicit Services(TargetWatch& targets) : targets_(targets) {}

  // Null: unknown service, or the program cannot be reached.
  std::unique_ptr<Stream> open(std::string_view name);

  // A connection to a program that is still alive has ended since the last call. ddmlib reopens a
  // dropped program only after it receives a list.
  bool take_lost_connection() { return std::exchange(*lost_, false); }

 private:
  std::unique_ptr<Stream> open_vm(std::string_view pid);

  TargetWatch& targets_;
  std::shared_ptr<bool> lost_ = std::make_shared<bool>(false);
};

}  // namespace ddm
