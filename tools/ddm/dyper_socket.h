// A client of an agent's own DYPER server (dyper=), for programs that listen for nothing else. The
// lines are those of docs/dyper.md. For one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/inside.h"

namespace ddm {

class DyperSocket {
 public:
  // Connected, and the agent has said CONNECT and START.
  static Result<DyperSocket> connect(const TargetAddress& address);

  // The reply to a document.
  Result<std::string> ask(std::string_view document);

  // Receives messages for this time. The error: the connection has ended.
  std::optional<Error> listen(std::chrono::milliseconds time);

  // Those so far, oldest first.
  std::vector<std::string> take_messages();

 private:
  using Clock = std::chrono::steady_clock;

  DyperSocket(FileDescriptor socket, std::string name);
  std::optional<Error> send(std::string_view text, std::chrono::seconds silence);
  // Waits for bytes, and takes out what is complete; false: none until `deadline`.
  Result<bool> receive(Clock::time_point deadline);

  FileDescriptor socket_;
  std::string name_;    // of the address, for messages
  std::string buffer_;  // the beginning of a reply or message
  bool greeted_ = false;
  std::optional<std::string> reply_;
  std::vector<std::string> messages_;
};

}  // namespace ddm
