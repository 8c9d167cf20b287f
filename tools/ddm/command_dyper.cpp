// ddm dyper: sends a DYPER or DYPATCH document and prints the reply.
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "command.h"
#include "containers/inside.h"
#include "containers/published.h"
#include "core/file_descriptor.h"
#include "wire/chunks/bytes.h"

namespace ddm {
namespace {

constexpr ChunkType kDyperChunk = chunk_type("DYPR");

struct DyperArguments {
  std::string target;
  std::vector<std::string> documents;
  double listen_seconds = 0;
};

// "@FILE" stands for the contents of the file.
Result<std::string> document_of(const std::string& given) {
  if (!given.starts_with('@')) return given;
  auto text = file_text(given.substr(1));
  if (!text) return Error{"cannot read " + given.substr(1) + ": " + text.message()};
  return text;
}

void print_document(const std::string& text) { print(text.ends_with('\n') ? text : text + "\n"); }

std::string document_of(const Chunk& chunk) {
  ByteReader in(chunk.data);
  return in.str();
}

constexpr std::string_view kMessageEnd = "\nENDDYPERMSG\n", kReplyEnd = "\nENDDYPERREPLY\n";
constexpr std::size_t kMostReceived = DdmClient::kLongWork.bytes;

// False: the socket is not ready at the deadline.
bool wait_for(int socket, short events, std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd polled{socket, events, 0};
  return left.count() >= 0 && poll(&polled, 1, static_cast<int>(left.count())) != 0;
}

// A client of an agent's own DYPER server (dyper=), for programs that listen for nothing else. The
// lines are those of docs/dyper.md.
class DyperSocket {
 public:
  // Connected, and the agent has said CONNECT and START.
  static Result<DyperSocket> connect(const TargetAddress& address);

  // The reply to a document.
  Result<std::string> ask(std::string_view document);

  // Receives messages for this time. The error: the connection has ended.
  std::optional<Error> listen(std::chrono::milliseconds time);

  // Those so far, oldest first.
  std::vector<std::string> take_messages() { return std::exchange(messages_, {}); }

 private:
  using Clock = std::chrono::steady_clock;

  DyperSocket(FileDescriptor socket, std::string name)
      : socket_(std::move(socket)), name_(std::move(name)) {}
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

Result<DyperSocket> DyperSocket::connect(const TargetAddress& address) {
  auto socket = connect_to_target_at(address, DdmClient::kConnectTime);
  if (!socket) return socket.error();
  DyperSocket dyper(std::move(*socket), to_string(address));
  const auto deadline = Clock::now() + DdmClient::kConnectTime;
  while (dyper.messages_.size() < 2) {
    const auto received = dyper.receive(deadline);
    if (!received) return received.error();
    if (*received) continue;
    const bool silent = dyper.buffer_.empty();
    return Error{dyper.name_ +
                 (silent ? " does not answer" : " does not begin as a DYPER server does")};
  }
  dyper.greeted_ = true;
  dyper.messages_.erase(dyper.messages_.begin(), dyper.messages_.begin() + 2);
  return dyper;
}

Result<std::string> DyperSocket::ask(std::string_view document) {
  const std::string whole = std::string(document).append(kMessageEnd);
  if (auto error = send(whole, DdmClient::kLongWork.silence)) return std::move(*error);
  const auto deadline = Clock::now() + DdmClient::kLongWork.silence;
  while (!reply_) {
    const auto received = receive(deadline);
    if (!received) return received.error();
    if (!*received) return Error{name_ + " does not answer"};
  }
  return *std::exchange(reply_, {});
}

std::optional<Error> DyperSocket::send(std::string_view text, std::chrono::seconds silence) {
  auto deadline = Clock::now() + silence;
  while (!text.empty()) {
    const ssize_t size = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (size > 0) {
      text.remove_prefix(static_cast<std::size_t>(size));
      deadline = Clock::now() + silence;
    } else if (errno == EAGAIN) {
      if (!wait_for(socket_.get(), POLLOUT, deadline)) return Error{name_ + " does not answer"};
    } else if (errno != EINTR) {
      return errno_error("writing to " + name_);
    }
  }
  return {};
}

std::optional<Error> DyperSocket::listen(std::chrono::milliseconds time) {
  for (const auto deadline = Clock::now() + time;;) {
    const auto received = receive(deadline);
    if (!received) return received.error();
    if (!*received) return {};
  }
}

Result<bool> DyperSocket::receive(Clock::time_point deadline) {
  if (!wait_for(socket_.get(), POLLIN, deadline)) return false;
  std::array<char, 65536> bytes;
  const ssize_t size = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (size == 0) {
    return Error{name_ + " has closed the connection" +
                 (greeted_ ? "" : "; it may have its 16 clients already, or refuse this user")};
  }
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (size < 0) return errno_error("reading from " + name_);
  // What was searched before may end with the beginning of a marker.
  std::size_t from = buffer_.size() - std::min(buffer_.size(), kReplyEnd.size());
  buffer_.append(bytes.data(), static_cast<std::size_t>(size));
  if (buffer_.size() > kMostReceived) return Error{name_ + " answers with more than it may"};
  for (;; from = 0) {
    const std::size_t reply = buffer_.find(kReplyEnd, from);
    const std::size_t message = buffer_.find(kMessageEnd, from);
    const std::size_t end = std::min(reply, message);
    if (end == std::string::npos) return true;
    std::string whole = buffer_.substr(0, end + 1);
    buffer_.erase(0, end + (end == reply ? kReplyEnd : kMessageEnd).size());
    if (end == reply) {
      reply_ = std::move(whole);
    } else {
      messages_.push_back(std::move(whole));
    }
  }
}

// Documents as chunks, to what DyperSocket does with them.
class DyperChunks {
 public:
  explicit DyperChunks(DdmClient client) : client_(std::move(client)) {}

  Result<std::string> ask(std::string_view document) {
    ByteWriter out;
    out.str(document);
    const auto answer = client_.request({kDyperChunk, out.take()}, DdmClient::kLongWork);
    if (!answer) return answer.error();
    if (answer->type != kDyperChunk) return Error{"the agent of this program knows no DYPER"};
    return document_of(*answer);
  }

  std::optional<Error> listen(std::chrono::milliseconds time) { return client_.listen(time); }

  std::vector<std::string> take_messages() {
    std::vector<std::string> messages;
    for (const Chunk& event : client_.take_events()) {
      if (event.type == kDyperChunk) messages.push_back(document_of(event));
    }
    return messages;
  }

 private:
  DdmClient client_;
};

template <typename Server>
int exchange(Result<Server> server, const std::vector<std::string>& documents, double seconds) {
  if (!server) return refuse(server.message());
  bool refused = false;
  for (const std::string& document : documents) {
    const auto reply = server->ask(document);
    if (!reply) return refuse(reply.message());
    print_document(*reply);
    refused = refused || reply->find("<ERROR ") != std::string::npos;
  }
  const auto ended = listen_for(*server, seconds);
  for (const std::string& message : server->take_messages()) print_document(message);
  if (ended) return refuse(ended->message);
  return refused ? kExitRefused : kExitOk;
}

int dyper(const DyperArguments& options) {
  std::vector<std::string> documents;
  for (const std::string& given : options.documents) {
    auto text = document_of(given);
    if (!text) return misused(text.message());
    documents.push_back(std::move(*text));
  }
  if (const auto alone = find_dyper_alone(options.target)) {
    return exchange(DyperSocket::connect(*alone), documents, options.listen_seconds);
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  return exchange(Result(DyperChunks(std::move(*client))), documents, options.listen_seconds);
}

}  // namespace

void add_dyper(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "dyper", "Send DYPER or DYPATCH documents", dyper);
  require(add_text(command, "PID", options.target, kTargetHelp));
  require(add_texts(
      command, "XML", options.documents,
      "The document, or @FILE: \"<DYPER COMMAND='SHOWSTACK' />\"; several are sent in order"));
  add_duration(command, "--listen", options.listen_seconds,
               "How long to wait for messages after the replies", 0, 86400);
}

}  // namespace ddm
