// A Server with threads for its lanes and a few handlers, and clients to try it with.
#pragma once

#include <condition_variable>
#include <deque>
#include <thread>

#include "wire/chunks/packet.h"
#include "wire/sessions/server.h"

namespace ddm {

// One thread for each lane, like the agent has.
class ThreadExecutor : public Executor {
 public:
  ThreadExecutor();
  ~ThreadExecutor() override;
  void run(Lane lane, const SessionPtr& session, std::function<void()> task) override;

 private:
  struct Worker {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool stopping = false;
    std::thread thread;
    void work();
  };
  Worker quick_;
  Worker slow_;
};

// A blocking client; every read gives up after 10 s.
class TestClient {
 public:
  explicit TestClient(const Address& address);

  int fd() const { return socket_.get(); }
  bool connected() const { return connected_; }
  bool send(ByteSpan data);
  bool send_text(std::string_view text);
  bool send_request(std::uint32_t id, Chunk chunk);
  // Sends the handshake and reads the echo.
  bool shake_hands();
  // Exactly `size` bytes; fewer if the connection ends or nothing comes.
  Bytes read(std::size_t size);
  std::optional<Packet> read_packet();
  // The next reply; events that come before it are kept in `events`.
  std::optional<Packet> read_reply();
  std::optional<Packet> request(std::uint32_t id, Chunk chunk);
  // The other side has closed, and sent nothing more.
  bool at_end();
  void close() { socket_.reset(); }

  std::vector<Packet> events;

 private:
  FileDescriptor socket_;
  bool connected_ = false;
};

std::vector<Chunk> chunks_of(const Packet& packet);

inline constexpr ChunkType kEcho = chunk_type("ECHO");   // inline: the data comes back
inline constexpr ChunkType kQuick = chunk_type("QUIK");  // the same on the quick lane
inline constexpr ChunkType kSlow = chunk_type("SLOW");   // the same on the slow lane, 50 ms
inline constexpr ChunkType kBig = chunk_type("BIGG");    // u4 size: so many bytes

class TestServer {
 public:
  explicit TestServer(ServerOptions options = {});
  Server& operator*() { return *server_; }
  Server* operator->() { return server_.get(); }
  const Address& address() const { return server_->bound_address(); }
  Dispatcher& dispatcher() { return dispatcher_; }
  std::string log() const;

 private:
  mutable std::mutex mutex_;
  std::string log_;
  Dispatcher dispatcher_;
  ThreadExecutor executor_;
  std::unique_ptr<Server> server_;  // first to go
};

// Waits up to 10 s for a condition.
bool eventually(const std::function<bool()>& condition);

int open_descriptors();

}  // namespace ddm
