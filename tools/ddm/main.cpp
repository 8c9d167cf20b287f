// ddm: looks into JVMs that run under libddmagent, and shows them to adb.
#include <csignal>
#include <exception>

#include "command.h"
#include "output.h"

int main(int argc, char** argv) {
  // A reader that has enough (`ddm allocs 1 | head`) is told by the failed write, not by a signal.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app("Looks into Java programs that run with -agentlib:ddmagent.", "ddm");
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "ddm: " + std::string(error.what()) + "; see `ddm --help`, `ddm COMMAND --help`\n";
  });
  ddm::Command chosen;
  ddm::add_ps(app, chosen);
  ddm::add_info(app, chosen);
  ddm::add_threads(app, chosen);
  ddm::add_stack(app, chosen);
  ddm::add_heap(app, chosen);
  ddm::add_gc(app, chosen);
  ddm::add_track(app, chosen);
  ddm::add_allocs(app, chosen);
  ddm::add_dump(app, chosen);
  ddm::add_attach(app, chosen);
  ddm::add_bridge(app, chosen);
  ddm::add_send(app, chosen);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? ddm::kExitOk : ddm::kExitUsage;
  }
  try {
    const int code = chosen();
    return ddm::output_complete() ? code : ddm::kExitRefused;
  } catch (const std::exception& failure) {  // no memory, in practice
    return ddm::refuse(failure.what());
  }
}
