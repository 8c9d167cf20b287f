// ddm dyper: sends a DYPER or DYPATCH document and prints the reply.

#include "command.h"
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

void print_document(const Chunk& chunk) {
  ByteReader in(chunk.data);
  const std::string text = in.str();
  print(text.ends_with('\n') ? text : text + "\n");
}

int dyper(const DyperArguments& options) {
  std::vector<std::string> documents;
  for (const std::string& given : options.documents) {
    auto text = document_of(given);
    if (!text) return misused(text.message());
    documents.push_back(std::move(*text));
  }
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  bool refused = false;
  for (const std::string& text : documents) {
    ByteWriter out;
    out.str(text);
    const auto answer = client->request({kDyperChunk, out.take()}, DdmClient::kLongWork);
    if (!answer) return refuse(answer.message());
    if (answer->type != kDyperChunk) return refuse("the agent of this program knows no DYPER");
    print_document(*answer);
    ByteReader in(answer->data);
    refused = refused || in.str().find("<ERROR ") != std::string::npos;
  }
  const auto ended = listen_for(*client, options.listen_seconds);
  for (const Chunk& event : client->take_events()) {
    if (event.type == kDyperChunk) print_document(event);
  }
  if (ended) return refuse(ended->message);
  return refused ? kExitRefused : kExitOk;
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
