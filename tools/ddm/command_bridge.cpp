// ddm bridge: the programs of `ddm ps` as an Android device.
#include "bridge/bridge.h"
#include "command.h"

namespace ddm {
namespace {

// Far from the ports that adb searches for emulators (5555 to 5585) and those of ddmlib (8600 on).
constexpr std::uint16_t kDefaultPort = 7100;

struct BridgeOptions {
  std::uint16_t port = kDefaultPort;
};

int bridge(const BridgeOptions& options) {
  auto opened = Bridge::open(options.port);
  if (!opened) return refuse(opened.message());
  print("listening; now run: adb connect {}\n", to_string(opened->address()));
  if (!output_complete()) return kExitRefused;
  return refuse(opened->run().message);
}

}  // namespace

void add_bridge(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "bridge", "Present the JVMs to adb as one Android device", bridge);
  add_number(command, "--port", options.port, "Port on 127.0.0.1; 0 = any free one", 0, 65535,
             "PORT");
}

}  // namespace ddm
