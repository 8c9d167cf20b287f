// ddm: looks into JVMs that run under libddmagent, and shows them to adb.
#include "command.h"
#include "core/standard_descriptors.h"

int main(int argc, char** argv) {
  ddm::fill_standard_descriptors();
  return ddm::run_command_line(argc, argv);
}
