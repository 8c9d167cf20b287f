#include "wire/service_options.h"

#include <fmt/format.h>

#include "wire/sockets/address.h"

namespace ddm {
namespace {

Wrong read_debugger(std::string_view value, std::string* to) {
  if (value != "auto" && value != "none") {
    const auto place = parse_address(value);
    if (!place || place->kind != Address::Kind::kTcp || place->port == 0) {
      return fmt::format("\"{}\" is not HOST:PORT, [IPV6]:PORT, PORT, auto or none", value);
    }
  }
  *to = value;
  return "";
}

}  // namespace

std::vector<OptionRow> ServiceOptions::rows() {
  using enum OptionRow::Reload;
  return {
      {"address", "127.0.0.1:0", "HOST:PORT, PORT, scan, unix:PATH or none", kRefused,
       [this](std::string_view v) {
         const auto place = parse_address(v);
         if (!place) return place.message();
         address = v;
         return Wrong();
       }},
      {"server", "y|n", "n: connect to a DDM server (such as DDMS) at address", kRefused,
       [this](std::string_view v) { return yes_no(v, &server); }},
      {"suspend", "y|n", "y: main waits for a DDM server's HELO", kRefused,
       [this](std::string_view v) { return yes_no(v, &suspend); }},
      {"name", "TEXT", "application name shown to servers (main class or jar)", kTaken,
       [this](std::string_view v) { return text(v, &name); }},
      {"access", "user|any", "processes that may connect (user)", kRefused,
       [this](std::string_view v) {
         return one_of(v, "user, any", {false, true}, &access_any);
       }},
      {"compress", "auto|always|never", "ZLIB chunks to DDM servers (auto)", kRefused,
       [this](std::string_view v) {
         return one_of(v, "auto, always, never",
                       {Compression::kAuto, Compression::kAlways, Compression::kNever}, &compress);
       }},
      {"debugger", "HOST:PORT|auto|none", "target of packets that are not DDM (auto)", kRefused,
       [this](std::string_view v) { return read_debugger(v, &debugger); }},
  };
}

}  // namespace ddm
