#include "adapters/hprof/hprof_output.h"

#include <utility>

#include "core/log.h"

namespace ddm {

bool HprofOutput::open(const HprofOptions& options, std::int64_t pid,
                       HprofPeer::OnCommand on_command) {
  if (options.net) {
    name_ = to_string(*options.net);
    if (!is_loopback(*options.net)) {
      log_warn(
          "hprof: net={} is another machine: whoever answers there may read this program's "
          "heap and end it, and so may whoever listens in between",
          name_);
    }
    auto peer = HprofPeer::start(*options.net, std::move(on_command),
                                 [](std::string_view line) { log_error("hprof: {}", line); });
    if (peer) {
      peer_ = std::move(*peer);
      return true;
    }
    log_error("hprof: net={}: {}", name_, peer.message());
    return false;
  }
  auto file = HprofFile::open(options.file, options.overwrite, pid, options.dump);
  if (!file) {
    log_error("hprof: {}; nothing is written, the program runs on", file.message());
    return false;
  }
  name_ = file->path();
  file_ = std::move(*file);
  return true;
}

void HprofOutput::report(const std::optional<Error>& error) {
  if (!error) return;
  log_error("hprof: {}; nothing more is written, the program goes on", error->message);
  file_.reset();
}

bool HprofOutput::put(std::string_view data) {
  if (peer_) peer_->send(data);
  if (file_) report(file_->append(data));
  return good();
}

bool HprofOutput::put(std::shared_ptr<const StoredData> data) {
  if (file_) {
    report(data->read_to([this](ByteSpan piece) {
      return file_->append({reinterpret_cast<const char*>(piece.data()), piece.size()});
    }));
  }
  if (peer_) peer_->send(std::move(data));
  return good();
}

void HprofOutput::finish(std::chrono::milliseconds stall, std::chrono::milliseconds limit) {
  if (!peer_ || !peer_->connected_or_connecting()) return;
  if (!peer_->finish(stall, limit)) {
    log_error("hprof: net={}: what was to be sent last is cut off, the program ends", name_);
  }
}

}  // namespace ddm
