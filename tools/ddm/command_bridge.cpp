// ddm bridge: the programs of `ddm ps` as an Android device.
#include "bridge/bridge.h"
#include "command.h"
#include "output.h"

namespace ddm {
namespace {

// Far from the ports that adb searches for emulators (5555 to 5585) and those of ddmlib (8600 on).
constexpr std::uint16_t kDefaultPort = 7100;

int bridge(std::uint16_t port) {
  auto opened = Bridge::open(port);
  if (!opened) return refuse(opened.message());
  print("listening; now run: adb connect {}\n", to_string(opened->address()));
  if (!output_complete()) return kExitRefused;
  return refuse(opened->run().message);
}

}  // namespace

void add_bridge(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("bridge", "Show the JVMs to adb, as one Android device");
  auto port = std::make_shared<std::uint16_t>(kDefaultPort);
  command->add_option("--port", *port, "Port on 127.0.0.1; 0 = any free one")
      ->capture_default_str()
      ->type_name("PORT");
  command->callback([port, &chosen] { chosen = [port] { return bridge(*port); }; });
}

}  // namespace ddm
