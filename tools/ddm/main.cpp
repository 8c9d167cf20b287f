// ddm: looks into JVMs that run under libddmagent, and shows them to adb.
#include "command.h"

int main(int argc, char** argv) { return ddm::run_command_line(argc, argv); }
