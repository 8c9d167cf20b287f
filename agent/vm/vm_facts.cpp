#include "vm/vm_facts.h"

#include <unistd.h>

#include <charconv>
#include <string_view>

#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// "sun.java.command" (main class or jar path, then the arguments) -> "Main" or "app.jar".
std::string app_name_of(std::string_view java_command) {
  // The launcher does not quote a jar path with spaces, but ".jar " marks its end.
  std::size_t end = java_command.find(' ');
  const std::size_t jar = java_command.find(".jar ");
  if (jar != std::string_view::npos) {
    end = jar + 4;
  } else if (java_command.ends_with(".jar")) {
    end = java_command.size();
  }
  std::string_view first = java_command.substr(0, end);
  if (first.ends_with(".jar")) first = first.substr(first.rfind('/') + 1);
  return std::string(first);
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
  facts.app = app_name_of(system_property(jvmti, "sun.java.command"));
  facts.vm =
      system_property(jvmti, "java.vm.name") + " " + system_property(jvmti, "java.vm.version");
  return facts;
}

}  // namespace ddm
