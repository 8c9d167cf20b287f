// ddm send: sends one chunk and prints its answer, for experiments and for chunk types of one's
// own.
#include <algorithm>
#include <cctype>
#include <iterator>

#include "chunk_json.h"
#include "command.h"
#include "hex.h"
#include "json_values.h"
#include "wire/chunks/fail.h"

namespace ddm {
namespace {

struct SendOptions : TargetOptions {
  std::string type;
  std::vector<std::string> hex;
  double listen_seconds = 0;
};

// 48 65 6c 6c 6f  Hello, 16 bytes a line, each with its offset.
std::string hex_dump(ByteSpan data) {
  constexpr std::size_t kBytesPerLine = 16;
  std::string out;
  for (std::size_t at = 0; at < data.size(); at += kBytesPerLine) {
    const ByteSpan line = data.subspan(at, std::min(kBytesPerLine, data.size() - at));
    std::string hex;
    std::string text;
    for (const std::uint8_t byte : line) {
      hex += fmt::format("{:02x} ", byte);
      text += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    out += fmt::format("{:08x}  {:<{}} {}\n", at, hex, 3 * kBytesPerLine, text);
  }
  return out;
}

// "48 65 6C" or "48656c"; blanks are free. None: no hex digits, or an odd number of them.
std::optional<Bytes> parse_hex(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits),
                       [](unsigned char c) { return std::isspace(c) == 0; });
  Bytes result;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    const auto byte = hex_byte(std::string_view(digits).substr(at));
    if (!byte) return {};
    result.push_back(*byte);
  }
  return result;
}

Json json_of_chunk(const Chunk& chunk) {
  if (chunk.type == 0) return {{"type", nullptr}, {"length", 0}};
  Json result = {{"type", chunk_name(chunk.type)}, {"length", chunk.data.size()}};
  if (auto decoded = chunk_to_json(chunk)) {
    result["data"] = std::move(*decoded);
  } else {
    result["hex"] = to_hex(chunk.data);
  }
  return result;
}

void print_chunk(const std::string& what, const Chunk& chunk) {
  if (chunk.type == 0) {
    print(what + ": done, no data\n");
    return;
  }
  print("{}: {}, {} bytes\n", what, chunk_name(chunk.type), chunk.data.size());
  if (const auto decoded = chunk_to_json(chunk)) {
    print_json(*decoded);
  } else {
    print(hex_dump(chunk.data));
  }
}

int send_chunk(const SendOptions& options) {
  const auto is_letter = [](char c) { return c > 0x20 && c < 0x7f; };
  if (options.type.size() != 4 || !std::ranges::all_of(options.type, is_letter)) {
    return misused("'" + options.type + "' is not a chunk type: four ASCII letters");
  }
  std::string digits;
  for (const std::string& part : options.hex) digits += part + ' ';
  auto data = parse_hex(digits);
  if (!data) return misused("'" + digits + "' is not hex: pairs of digits, as in 00ff or '00 ff'");
  ByteReader letters(ByteSpan(reinterpret_cast<const std::uint8_t*>(options.type.data()), 4));

  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  const auto answer = client->ask({letters.u4(), std::move(*data)}, DdmClient::kLongWork);
  if (!answer) return refuse(answer.message());

  const auto ended = listen_for(*client, options.listen_seconds);
  const auto events = client->take_events();
  if (options.json) {
    print_json({{"reply", json_of_chunk(*answer)}, {"events", json_list(events, json_of_chunk)}});
  } else {
    print_chunk("reply", *answer);
    for (const Chunk& event : events) print_chunk("event", event);
  }
  if (ended) return refuse(ended->message);
  return answer->type == Fail::kType ? kExitRefused : kExitOk;
}

}  // namespace

void add_send(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "send", "Send one chunk and show the answer", send_chunk);
  require(add_text(command, "PID", options.target, kTargetHelp));
  require(add_text(command, "CHUNK", options.type, "The chunk's type, four letters: HELO"));
  add_texts(command, "HEX", options.hex, "The chunk's data, in hex: 00000001");
  add_duration(command, "--listen", options.listen_seconds,
               "How long to wait for events after the answer", 0, 86400);
  add_flag(command, "--json", options.json, "{reply, events}, each {type, length, data or hex}");
}

}  // namespace ddm
