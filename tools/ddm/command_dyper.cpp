// ddm dyper: sends a DYPER or DYPATCH document and prints the reply.

#include "command.h"
#include "core/file_descriptor.h"
#include "dyper_socket.h"
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
