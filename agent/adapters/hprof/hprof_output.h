// The destination of hprof's stream: the file of file=, or the peer of net=. One thread at a time.
//
// The first failure is logged, and nothing is written after it, since a stream with a gap cannot be
// parsed. The program continues.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/hprof/hprof_file.h"
#include "adapters/hprof/hprof_options.h"
#include "adapters/hprof/hprof_peer.h"
#include "wire/chunks/stored_data.h"

namespace ddm {

class HprofOutput {
 public:
  // `on_command`: with net= only, see HprofPeer. False: opening failed, and the reason was logged.
  bool open(const HprofOptions& options, std::int64_t pid, HprofPeer::OnCommand on_command);

  bool good() const { return file_ || (peer_ && peer_->connected_or_connecting()); }
  const std::string& name() const { return name_; }

  bool put(std::string_view data);
  bool put(std::shared_ptr<const StoredData> data);

  void command_done() {
    if (peer_) peer_->command_done();
  }
  // Waits until all data has left the process, or cannot any more.
  void finish(std::chrono::milliseconds stall, std::chrono::milliseconds limit);

 private:
  void report(const std::optional<Error>& error);

  std::optional<HprofFile> file_;
  std::shared_ptr<HprofPeer> peer_;
  std::string name_;
};

}  // namespace ddm
