// What the device offers to adb: a service's name -> its stream.
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

  // Null: there is no such service, or the program cannot be reached.
  std::unique_ptr<Stream> open(std::string_view name);

  // A connection to a program that lives on has ended since the last call. ddmlib opens a program
  // that it has dropped only when it is sent a list.
  bool take_lost_connection() { return std::exchange(*lost_, false); }

 private:
  std::unique_ptr<Stream> open_vm(std::string_view pid);

  TargetWatch& targets_;
  std::shared_ptr<bool> lost_ = std::make_shared<bool>(false);
};

}  // namespace ddm
