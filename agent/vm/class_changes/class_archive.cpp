#include "vm/class_changes/class_archive.h"

#include <algorithm>

#include "vm/vm_facts.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

constexpr int kFirstWithResolvedCalls = 24;

bool is_given(const char* flag) { return !vm_flags::text(flag).value_or("").empty(); }

// The JDK's packages, whose classes are in its default archive.
bool is_of_jdk(std::string_view internal_name) {
  constexpr std::string_view kPackages[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
  return std::ranges::any_of(kPackages,
                             [&](std::string_view one) { return internal_name.starts_with(one); });
}

// The option that makes this VM write an archive; "" if none.
std::string option_to_write() {
  const std::string mode = vm_flags::text("AOTMode").value_or("");
  if (mode == "record" || mode == "create") return "-XX:AOTMode=" + mode;
  for (const char* file : {"AOTCacheOutput", "ArchiveClassesAtExit"}) {
    if (is_given(file)) return std::string("-XX:") + file;
  }
  if (vm_flags::boolean("RecordDynamicDumpInfo") == true) return "-XX:+RecordDynamicDumpInfo";
  return "";
}

}  // namespace

std::string why_unchangeable() {
  const std::string option = option_to_write();
  return option.empty()
             ? ""
             : "no class may be changed while the VM records an archive of them (" + option + ")";
}

ArchivedCalls::ArchivedCalls(jvmtiEnv* jvmti)
    : in_use_(vm_feature_release(jvmti) >= kFirstWithResolvedCalls &&
              system_property(jvmti, "java.vm.info").find("sharing") != std::string::npos),
      includes_app_classes_(is_given("SharedArchiveFile") || is_given("AOTCache")) {}

bool ArchivedCalls::may_be_in(std::string_view internal_name, jobject loader) const {
  return in_use_ && (loader == nullptr || includes_app_classes_ || is_of_jdk(internal_name));
}

}  // namespace ddm
