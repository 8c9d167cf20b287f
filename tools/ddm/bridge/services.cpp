#include "bridge/services.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "bridge/shell.h"
#include "core/whole_text.h"
#include "wire/sockets/connect.h"

namespace ddm {
namespace {

// On loopback a connection attempt succeeds or fails at once.
constexpr std::chrono::milliseconds kProgramTime{500};

constexpr std::size_t kMaxList = 0xffff;  // the largest length in four hex digits

std::string pid_list(const std::vector<Target>& targets) {
  std::string list;
  for (const Target& target : targets) {
    const std::string line = std::to_string(target.pid) + "\n";
    if (list.size() + line.size() > kMaxList) break;
    list += line;
  }
  return list;
}

// A text, and then the end.
class TextStream : public Stream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}

  std::string take(std::size_t max) override {
    std::string piece = text_.substr(0, max);
    text_.erase(0, piece.size());
    return piece;
  }
  bool ended() const override { return text_.empty(); }
  void put(std::string) override {}  // whatever a user types

 protected:
  std::string text_;  // not yet taken
};

// The list of pids after its length, again after each change. A change that is superseded before it
// could be sent is skipped.
class ListStream : public TextStream {
 public:
  explicit ListStream(const TargetWatch& targets) : TextStream(""), targets_(targets) {}

  std::string take(std::size_t max) override {
    if (text_.empty() && sent_ != targets_.version()) {
      const std::string list = pid_list(targets_.targets());
      text_ = fmt::format("{:04x}{}", list.size(), list);
      sent_ = targets_.version();
    }
    return TextStream::take(max);
  }
  bool ended() const override { return false; }

 private:
  const TargetWatch& targets_;
  std::uint64_t sent_ = 0;  // versions begin at 1
};

// The bytes of one connection to a VM, passed through as they are.
class VmStream : public Stream {
 public:
  // `lost` is set when the stream is destroyed.
  VmStream(FileDescriptor socket, std::shared_ptr<bool> lost)
      : socket_(std::move(socket)), lost_(std::move(lost)) {}
  ~VmStream() override { *lost_ = true; }

  std::string take(std::size_t max) override {
    if (!readable_ || ended_) return {};
    std::string data(max, '\0');
    ssize_t size = 0;
    do {
      size = recv(socket_.get(), data.data(), data.size(), 0);
    } while (size < 0 && errno == EINTR);
    if (size > 0) {
      data.resize(static_cast<std::size_t>(size));
      return data;
    }
    if (size < 0 && errno == EAGAIN) {
      readable_ = false;
    } else {
      ended_ = true;
    }
    return {};
  }
  bool ended() const override { return ended_; }
  void put(std::string data) override {
    to_vm_ += data;
    drain();
  }
  bool wants_data() const override { return to_vm_.empty(); }
  // Once the VM has closed, poll() reports that each time, although take() may have to wait for
  // adb.
  int fd() const override { return hung_up_ ? -1 : socket_.get(); }
  short events(bool reading) const override {
    if (ended_) return 0;
    return static_cast<short>((reading ? POLLIN : 0) | (to_vm_.empty() ? 0 : POLLOUT));
  }
  void on_ready(short revents) override {
    if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0) readable_ = true;
    if ((revents & (POLLOUT | POLLHUP | POLLERR)) != 0) drain();
    if ((revents & (POLLHUP | POLLERR)) != 0) hung_up_ = true;
  }

 private:
  void drain() {
    while (!to_vm_.empty()) {
      const ssize_t size = send(socket_.get(), to_vm_.data(), to_vm_.size(), MSG_NOSIGNAL);
      if (size > 0) {
        to_vm_.erase(0, static_cast<std::size_t>(size));
      } else if (errno == EAGAIN) {
        return;
      } else if (errno != EINTR) {
        // What the VM has sent before it went is still to be read; that ends the stream.
        to_vm_.clear();
        readable_ = true;
      }
    }
  }

  FileDescriptor socket_;
  std::shared_ptr<bool> lost_;
  std::string to_vm_;
  bool readable_ = true;  // worth a read
  bool hung_up_ = false;  // all remaining data has arrived
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Stream> Services::open(std::string_view name) {
  if (name == "track-jdwp") return std::make_unique<ListStream>(targets_);
  if (name == "jdwp") return std::make_unique<TextStream>(pid_list(targets_.targets()));
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return nullptr;
  const std::string_view kind = name.substr(0, colon);
  const std::string_view rest = name.substr(colon + 1);
  if (kind == "jdwp") return open_vm(rest);
  if (kind == "shell" || kind == "exec") {
    return std::make_unique<TextStream>(answer_shell(rest).text);
  }
  // shell,v2,TERM=xterm,raw:COMMAND
  if (kind == "shell,v2" || kind.starts_with("shell,v2,")) {
    return std::make_unique<TextStream>(as_shell_v2(answer_shell(rest)));
  }
  return nullptr;
}

std::unique_ptr<Stream> Services::open_vm(std::string_view text) {
  const auto pid = number_in<pid_t>(text);
  if (!pid) return nullptr;
  for (const Target& target : targets_.targets()) {
    if (target.pid != *pid) continue;
    const auto address = parse_address(target.address);
    if (!address) return nullptr;
    auto socket = connect_to(*address, kProgramTime);
    if (!socket) return nullptr;
    return std::make_unique<VmStream>(std::move(*socket), lost_);
  }
  return nullptr;
}

}  // namespace ddm
