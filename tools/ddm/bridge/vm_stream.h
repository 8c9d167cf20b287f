// The bytes of one connection to a VM, passed through as they are.
#pragma once

#include <functional>

#include "bridge/stream.h"
#include "core/file_descriptor.h"

namespace ddm {

class VmStream : public Stream {
 public:
  // `on_destroy` is called when the stream is destroyed.
  VmStream(FileDescriptor socket, std::function<void()> on_destroy)
      : socket_(std::move(socket)), on_destroy_(std::move(on_destroy)) {}
  ~VmStream() override { on_destroy_(); }

  std::string take(std::size_t max) override;
  bool ended() const override { return ended_; }
  void put(std::string data) override;
  bool wants_data() const override { return to_vm_.empty(); }
  // Once the VM has closed, poll() reports that each time, although take() may have to wait for
  // adb.
  int fd() const override { return hung_up_ ? -1 : socket_.get(); }
  short events(bool reading) const override;
  void on_ready(short revents) override;

 private:
  void drain();

  FileDescriptor socket_;
  std::function<void()> on_destroy_;
  std::string to_vm_;
  bool readable_ = true;  // worth a read
  bool hung_up_ = false;  // all remaining data has arrived
  bool ended_ = false;
};

}  // namespace ddm
