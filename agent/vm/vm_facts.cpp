#include "vm/vm_facts.h"

#include <errno.h>  // program_invocation_short_name
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// "sun.java.command" (main class or jar path, then the arguments) -> "Main" or "app.jar". The
// launcher does not quote a jar path with spaces, but with -jar that begins the class path, to which
// Java agents append theirs. A VM that no launcher has started, as that of an office suite, has no
// such property: its name is the program's.
std::string app_name_of(std::string_view java_command, std::string_view class_path) {
  if (java_command.empty()) return program_invocation_short_name;
  const std::string_view jar = class_path.substr(0, class_path.find(':'));
  const bool is_jar = !jar.empty() && java_command.starts_with(jar) &&
                      (java_command.size() == jar.size() || java_command[jar.size()] == ' ');
  if (is_jar) return std::string(jar.substr(jar.rfind('/') + 1));
  return std::string(java_command.substr(0, java_command.find(' ')));
}

}  // namespace

std::string system_property(jvmtiEnv* jvmti, const char* name) {
  JvmtiPtr<char> value(jvmti);
  if (jvmti->GetSystemProperty(name, value.out()) != JVMTI_ERROR_NONE) return "";
  return std::string(text_of(value));
}

int vm_feature_release(jvmtiEnv* jvmti) {
  const std::string release = system_property(jvmti, "java.vm.specification.version");
  int number = 0;
  std::from_chars(release.data(), release.data() + release.size(), number);
  return number;
}

VmFacts read_vm_facts(jvmtiEnv* jvmti) {
  VmFacts facts;
  facts.pid = getpid();
  facts.app = app_name_of(system_property(jvmti, "sun.java.command"),
                          system_property(jvmti, "java.class.path"));
  facts.vm =
      system_property(jvmti, "java.vm.name") + " " + system_property(jvmti, "java.vm.version");
  return facts;
}

}  // namespace ddm
