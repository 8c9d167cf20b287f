#include "adapters/dyper/dyper_options.h"

#include "wire/sockets/address.h"

namespace ddm {

std::vector<OptionRow> DyperOptions::rows() {
  using enum OptionRow::Reload;
  return {
      {"dyper", "listen:HOST:PORT", "serve DYPER documents; or unix:PATH, connect:HOST:PORT",
       kRefused,
       [this](std::string_view v) {
         const auto place = parse_dyper_address(v);
         if (!place) return place.message();
         address = v;
         return Wrong();
       }},
      {"dypatch_modes", "PATH", "XML file with modes for DYPATCH's models", kRefused,
       [this](std::string_view v) { return text(v, &modes_file); }},
  };
}

}  // namespace ddm
