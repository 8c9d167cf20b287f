#include "adapters/dyper/class_model.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <set>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/run_facts.h"
#include "core/class_names.h"
#include "vm/class_changes/class_bytes_reader.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

// No arrays, no primitive types, nothing hidden: a hidden class has a dot in its signature.
bool is_listed(std::string_view signature) {
  return signature.starts_with('L') && signature.find('.') == std::string_view::npos &&
         signature.find("LambdaForm$") == std::string_view::npos &&
         signature.find("$$Lambda") == std::string_view::npos;
}

std::set<std::string> loaded_classes(jvmtiEnv* jvmti, JNIEnv* jni) {
  std::set<std::string> result;
  const LocalFrame frame(jni, 64);
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti);
  if (!frame.good() || jvmti->GetLoadedClasses(&count, classes.out()) != JVMTI_ERROR_NONE) {
    return result;
  }
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> signature(jvmti);
    if (jvmti->GetClassSignature(classes[i], signature.out(), nullptr) != JVMTI_ERROR_NONE)
      continue;
    if (is_listed(text_of(signature))) result.insert(type_name_of(text_of(signature)));
  }
  return result;
}

bool can_redefine(jvmtiEnv* jvmti) {
  jvmtiCapabilities have{};
  return jvmti->GetCapabilities(&have) == JVMTI_ERROR_NONE && have.can_retransform_classes;
}

std::string working_directory() {
  std::array<char, PATH_MAX> path{};
  return getcwd(path.data(), path.size()) != nullptr ? path.data() : "";
}

void write_surroundings(Properties& properties, const std::string& class_path, XmlWriter& xml) {
  std::string path = properties["java.class.path"];
  if (!class_path.empty()) path += (path.empty() ? "" : ":") + class_path;
  xml.element("CLASSPATH", path);
  const std::string home = properties["java.home"];
  xml.element("JAVAHOME", home);
  xml.element("BOOTPATH", home + "/lib/modules");
  xml.element("CWD", working_directory());
  xml.open("USER").attribute("NAME", properties["user.name"]).close();
}

}  // namespace

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

void write_class_model(jvmtiEnv* jvmti, JNIEnv* jni, pugi::xml_node request,
                       const std::string& class_path, XmlWriter& xml, DyperErrors& errors) {
  const bool binary = flag_of(child_of(request, "OPTIONS"), "BINARY", false);
  std::set<std::string> named;
  for (const pugi::xml_node one : request.children("CLASS")) named.insert(text_in(one));
  const std::set<std::string> classes = loaded_classes(jvmti, jni);
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
    if (classes.contains(name)) continue;
    fail(errors, "CLASS", name, "no such class is loaded", DyperErrorCode::kNoClass);
  }
  xml.open("CLASSMODEL").attribute("CANREDEFINE", can_redefine(jvmti));
  Properties properties = system_properties(jvmti, jni);
  xml.attribute("CLASSVERSION", properties["java.class.version"]);
  xml.attribute("JAVAVERSION", properties["java.runtime.version"]);
  write_surroundings(properties, class_path, xml);
  for (const std::string& name : classes) {
    xml.open("CLASS").attribute("NAME", name);
    const auto found = bytes.find(name);
    if (found != bytes.end()) xml.element("BINARY", base64(found->second));
    xml.close();
  }
  xml.close();
}

}  // namespace ddm
