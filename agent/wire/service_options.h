// The options of the wire: the address for servers, the permission to connect, and the displayed
// name. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/option_table.h"
#include "wire/sessions/server_options.h"

namespace ddm {

struct ServiceOptions {
  std::string address = "127.0.0.1:0";
  bool server = true;    // false: the agent connects out to `address`
  bool suspend = false;  // main waits for a server's HELO
  std::string name;      // "" = main class or jar
  Compression compress = Compression::kAuto;
  std::string debugger = "auto";
  bool access_any = false;

  // The rows store into this object, which must outlive them.
  std::vector<OptionRow> rows();
};

}  // namespace ddm
