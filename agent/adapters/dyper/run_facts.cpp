#include "adapters/dyper/run_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "adapters/dyper/documents/xml_reader.h"
#include "core/class_names.h"
#include "core/clocks.h"
#include "vm/boot_class.h"
#include "vm/class_changes/class_bytes_reader.h"
#include "vm/java_text.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_arguments.h"
#include "vm/vm_facts.h"

namespace ddm {
namespace {

using Properties = std::map<std::string, std::string>;

// Options of the launcher whose value is a word of its own.
constexpr std::string_view kWithValue[] = {
    "-cp",         "--class-path",    "--module-path",
    "-p",          "--add-modules",   "--upgrade-module-path",
    "-d",          "--add-reads",     "--patch-module",
    "-classpath",  "--add-exports",   "--enable-native-access",
    "--source",    "--limit-modules", "--describe-module",
    "--add-opens",
};

std::vector<std::string> words_of_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// `words`: of the process; `java_command`: sun.java.command, which is START and the arguments,
// separated by blanks. If `words` do not end with java_command (a VM embedded in another program),
// the VM's own arguments and the property are used instead. An option and its separate value are
// one JAVAARG.
void write_command_line(const std::vector<std::string>& words, const std::string& java_command,
                        XmlWriter& xml) {
  for (std::size_t i = 1; i < words.size() && !java_command.empty(); ++i) {
    const auto start = words.begin() + static_cast<std::ptrdiff_t>(i);
    if (fmt::format("{}", fmt::join(start, words.end(), " ")) != java_command) continue;
    for (auto word = words.begin() + 1; word < start; ++word) {
      std::string argument = *word;
      const bool takes_value = std::ranges::find(kWithValue, argument) != std::end(kWithValue);
      if (takes_value && word + 1 < start) argument += " " + *++word;
      xml.element("JAVAARG", argument);
    }
    xml.element("START", *start);
    for (auto word = start + 1; word < words.end(); ++word) xml.element("ARG", *word);
    return;
  }
  for (const std::string& argument : vm_arguments()) xml.element("JAVAARG", argument);
  std::istringstream rest(java_command);
  std::string word;
  rest >> word;
  xml.element("START", word);
  while (rest >> word) xml.element("ARG", word);
}

// The current values. Skipped if the program has replaced the system properties by an object of
// its own class, whose code would run here.
void add_java_properties(JNIEnv* jni, Properties& result) {
  const LocalFrame frame(jni, 32);
  if (!frame.good()) return;
  const auto type = [&](const char* name) {
    return jni->ExceptionCheck() ? nullptr : jni->FindClass(name);
  };
  const jclass set = type("java/util/Set"), expected = type("java/util/Properties");
  const auto method = [&](jclass of, const char* name, const char* signature) {
    return jni->ExceptionCheck() ? nullptr : jni->GetMethodID(of, name, signature);
  };
  const jmethodID to_array = method(set, "toArray", "()[Ljava/lang/Object;");
  const jmethodID names_of = method(expected, "stringPropertyNames", "()Ljava/util/Set;");
  const jmethodID get = method(expected, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;");
  if (clear_exception(jni)) return;
  const jobject properties =
      static_object(jni, "java/lang/System", "getProperties", "()Ljava/util/Properties;");
  if (properties == nullptr || !jni->IsSameObject(jni->GetObjectClass(properties), expected)) {
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

Properties system_properties(jvmtiEnv* jvmti, JNIEnv* jni) {
  Properties result;
  jint count = 0;
  char** names = nullptr;
  if (jvmti->GetSystemProperties(&count, &names) == JVMTI_ERROR_NONE) {
    for (jint i = 0; i < count; ++i) {
      result[names[i]] = system_property(jvmti, names[i]);
      jvmti->Deallocate(reinterpret_cast<unsigned char*>(names[i]));
    }
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(names));
  }
  add_java_properties(jni, result);  // JVMTI knows only half of them
  return result;
}

// No arrays, no primitive types, nothing hidden: a hidden class has a dot in its signature.
bool is_listed(std::string_view signature) {
  return signature.starts_with('L') && signature.find('.') == std::string_view::npos &&
         signature.find("LambdaForm$") == std::string_view::npos &&
         signature.find("$$Lambda") == std::string_view::npos;
}

// Their names, and whether a class of that name is linked.
std::map<std::string, bool> loaded_classes(jvmtiEnv* jvmti, JNIEnv* jni) {
  std::map<std::string, bool> result;
  const LocalFrame frame(jni, 64);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (!frame.good() || jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) {
    return result;
  }
  for (jint i = 0; i < count; ++i) {
    const ClassSignature signature(jvmti, classes[i]);
    if (!is_listed(text_of(signature))) continue;
    jint status = 0;
    jvmti->GetClassStatus(classes[i], &status);
    result[type_name_of(text_of(signature))] |= (status & JVMTI_CLASS_STATUS_PREPARED) != 0;
  }
  return result;
}

bool can_redefine(jvmtiEnv* jvmti) {
  jvmtiCapabilities have{};
  return jvmti->GetCapabilities(&have) == JVMTI_ERROR_NONE && have.can_retransform_classes;
}

void write_surroundings(Properties& properties, const std::string& class_path, XmlWriter& xml) {
  std::string path = properties["java.class.path"];
  if (!class_path.empty()) path += (path.empty() ? "" : ":") + class_path;
  xml.element("CLASSPATH", path);
  const std::string home = properties["java.home"];
  xml.element("JAVAHOME", home);
  xml.element("BOOTPATH", home + "/lib/modules");
  std::error_code unknown;
  xml.element("CWD", std::filesystem::current_path(unknown).string());
  xml.open("USER").attribute("NAME", properties["user.name"]).close();
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const std::uint32_t group =
        bytes[i] << 16 | (left > 1 ? bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
    text += kDigits[group >> 18 & 63];
    text += kDigits[group >> 12 & 63];
    text += left > 1 ? kDigits[group >> 6 & 63] : '=';
    text += left > 2 ? kDigits[group & 63] : '=';
  }
  return text;
}

}  // namespace

void write_run_facts(jvmtiEnv* jvmti, JNIEnv* jni, XmlWriter& xml) {
  write_command_line(words_of_process(), system_property(jvmti, "sun.java.command"), xml);
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

void write_class_model(jvmtiEnv* jvmti, JNIEnv* jni, pugi::xml_node request,
                       const std::string& class_path, XmlWriter& xml, DyperErrors& errors) {
  const bool binary = flag_of(child_of(request, "OPTIONS"), "BINARY", false);
  std::set<std::string> named;
  for (const pugi::xml_node one : request.children("CLASS")) named.insert(text_in(one));
  const std::map<std::string, bool> classes = loaded_classes(jvmti, jni);
  std::map<std::string, std::vector<std::uint8_t>> bytes;
  if (binary) {
    std::string error;
    bytes = read_class_bytes(
        jni,
        [&](const std::string& name) {
          return named.empty() ? classes.contains(name) : named.contains(name);
        },
        error);
    if (!error.empty()) fail(errors, "", "", error, DyperErrorCode::kUnsupported);
  }
  for (const std::string& name : named) {
    const auto found = classes.find(name);
    if (found == classes.end()) {
      fail(errors, "CLASS", name, "no such class is loaded", DyperErrorCode::kNoClass);
    } else if (binary && !bytes.contains(name)) {
      fail(errors, "CLASS", name,
           found->second ? "the VM does not pass on its class file"
                         : "the class is loaded, but not linked yet",
           DyperErrorCode::kNotModifiable);
    }
  }
  xml.open("CLASSMODEL").attribute("CANREDEFINE", can_redefine(jvmti));
  Properties properties = system_properties(jvmti, jni);
  xml.attribute("CLASSVERSION", properties["java.class.version"]);
  xml.attribute("JAVAVERSION", properties["java.runtime.version"]);
  write_surroundings(properties, class_path, xml);
  for (const auto& [name, is_linked] : classes) {
    xml.open("CLASS").attribute("NAME", name);
    const auto found = bytes.find(name);
    if (found != bytes.end()) xml.element("BINARY", base64(found->second));
    xml.close();
  }
  xml.close();
}

}  // namespace ddm
