#include "adapters/dyper/run_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "core/clocks.h"
#include "vm/java_text.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_arguments.h"
#include "vm/vm_facts.h"

namespace ddm {
namespace {

struct CommandLine {
  std::vector<std::string> java_arguments;  // an option and its separate value are one
  std::string start;                        // main class, jar or module
  std::vector<std::string> arguments;
};

// Options of the launcher whose value is a word of its own.
constexpr std::string_view kWithValue[] = {
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--add-modules",
    "--add-opens",
    "--add-exports",
    "--add-reads",
    "--upgrade-module-path",
    "--limit-modules",
    "--patch-module",
    "--enable-native-access",
    "--source",
    "-d",
    "--describe-module",
};

std::vector<std::string> words_of_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// `words`: of the process; `java_command`: sun.java.command, which is `start` and the arguments,
// separated by blanks. If `words` do not end with java_command (a VM embedded in another program),
// the VM's own arguments and the property are used instead.
CommandLine command_line(const std::vector<std::string>& words, const std::string& java_command,
                         const std::vector<std::string>& vm_arguments) {
  CommandLine result;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (java_command.empty() ||
        fmt::format("{}", fmt::join(at, words.end(), " ")) != java_command) {
      continue;
    }
    for (std::size_t j = 1; j < i; ++j) {
      std::string argument = words[j];
      const bool takes_value = std::ranges::find(kWithValue, argument) != std::end(kWithValue);
      if (takes_value && j + 1 < i) argument += " " + words[++j];
      result.java_arguments.push_back(std::move(argument));
    }
    result.start = *at;
    result.arguments.assign(at + 1, words.end());
    return result;
  }
  result.java_arguments = vm_arguments;
  std::istringstream rest(java_command);
  rest >> result.start;
  for (std::string word; rest >> word;) result.arguments.push_back(word);
  return result;
}

Properties vm_properties(jvmtiEnv* jvmti) {
  Properties result;
  jint count = 0;
  char** names = nullptr;
  if (jvmti->GetSystemProperties(&count, &names) != JVMTI_ERROR_NONE) return result;
  for (jint i = 0; i < count; ++i) {
    result[names[i]] = system_property(jvmti, names[i]);
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(names[i]));
  }
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(names));
  return result;
}

// The current values. Skipped if the program has replaced the system properties by an object of
// its own class, whose code would run here.
void add_java_properties(JNIEnv* jni, Properties& result) {
  const LocalFrame frame(jni, 32);
  if (!frame.good()) return;
  const jclass system = jni->FindClass("java/lang/System");
  const jclass type = system ? jni->FindClass("java/util/Properties") : nullptr;
  const jclass set = type ? jni->FindClass("java/util/Set") : nullptr;
  if (clear_exception(jni) || set == nullptr) return;
  const jmethodID get_all =
      jni->GetStaticMethodID(system, "getProperties", "()Ljava/util/Properties;");
  const jmethodID names_of =
      get_all ? jni->GetMethodID(type, "stringPropertyNames", "()Ljava/util/Set;") : nullptr;
  const jmethodID get =
      names_of ? jni->GetMethodID(type, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;")
               : nullptr;
  const jmethodID to_array =
      get ? jni->GetMethodID(set, "toArray", "()[Ljava/lang/Object;") : nullptr;
  if (clear_exception(jni) || to_array == nullptr) return;
  const jobject properties = jni->CallStaticObjectMethod(system, get_all);
  if (clear_exception(jni) || properties == nullptr ||
      !jni->IsSameObject(jni->GetObjectClass(properties), type)) {
    return;
  }
  const jobject name_set = jni->CallObjectMethod(properties, names_of);
  if (clear_exception(jni) || name_set == nullptr) return;
  const auto names = static_cast<jobjectArray>(jni->CallObjectMethod(name_set, to_array));
  if (clear_exception(jni) || names == nullptr) return;
  const jsize count = jni->GetArrayLength(names);
  for (jsize i = 0; i < count; ++i) {
    const LocalRef<jstring> name(jni, static_cast<jstring>(jni->GetObjectArrayElement(names, i)));
    const LocalRef<jstring> value(
        jni, static_cast<jstring>(jni->CallObjectMethod(properties, get, name.get())));
    if (clear_exception(jni)) return;
    result[java_text(jni, name.get())] = java_text(jni, value.get());
  }
}

}  // namespace

Properties system_properties(jvmtiEnv* jvmti, JNIEnv* jni) {
  Properties properties = vm_properties(jvmti);
  add_java_properties(jni, properties);
  return properties;
}

void write_run_facts(jvmtiEnv* jvmti, JNIEnv* jni, XmlWriter& xml) {
  const CommandLine line =
      command_line(words_of_process(), system_property(jvmti, "sun.java.command"), vm_arguments());
  for (const std::string& argument : line.java_arguments) xml.element("JAVAARG", argument);
  xml.element("START", line.start);
  for (const std::string& argument : line.arguments) xml.element("ARG", argument);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    xml.open("ENV").attribute("KEY", text.substr(0, equals)).text(text.substr(equals + 1)).close();
  }
  for (const auto& [key, value] : system_properties(jvmti, jni)) {
    xml.open("PROPERTY").attribute("KEY", key).text(value).close();
  }
  xml.open("TIME").attribute("MILLIS", epoch_ms());
  xml.attribute("NANO", monotonic_ns()).close();  // as System.nanoTime()
}

}  // namespace ddm
