#include "probes/loaded_sites.h"

#include "bci/descriptor.h"
#include "probes/plans/probe_sites.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/id_creation.h"

namespace ddm {
namespace {

constexpr unsigned kNativeMethod = 0x0100, kAbstractMethod = 0x0400;  // access flags

}  // namespace

std::string why_no_probe(std::string_view class_name, unsigned access, std::string_view descriptor,
                         bool has_code) {
  if (class_name == "jdk/internal/misc/Unsafe") return "probes themselves use it";
  if (const auto reason = why_untouchable(class_name); !reason.empty()) return std::string(reason);
  // The VM checks a new class's format only after the hook.
  if (!bci::MethodDescriptor::parse(descriptor)) return "its descriptor is malformed";
  if (has_code) return "";
  return (access & kNativeMethod) != 0 ? "a native method has no code to put a probe into"
                                       : "an abstract method has no code to put a probe into";
}

bool LoadedSites::any(const std::function<bool(const Method&)>& is_it) const {
  jint count = 0;
  JvmtiPtr<jmethodID> methods(jvmti_);
  {
    const auto turn = id_creation::turn(jvmti_);
    if (jvmti_->GetClassMethods(klass_, &count, methods.out()) != JVMTI_ERROR_NONE) return true;
  }
  for (jint i = 0; i < count; ++i) {
    JvmtiPtr<char> name(jvmti_), descriptor(jvmti_);
    if (jvmti_->GetMethodName(methods[i], name.out(), descriptor.out(), nullptr) ==
            JVMTI_ERROR_NONE &&
        is_it({text_of(name), text_of(descriptor), methods[i]})) {
      return true;
    }
  }
  return false;
}

std::string LoadedSites::why_no_probe(const Method& method) const {
  jint access = 0;
  jvmti_->GetMethodModifiers(method.id, &access);
  const auto flags = static_cast<unsigned>(access);
  return ddm::why_no_probe(class_name_, flags, method.descriptor,
                           (flags & (kNativeMethod | kAbstractMethod)) == 0);
}

bool LoadedSites::has_site(const ProbeSpec& spec, const Method& method) {
  if (spec.field.empty()) return spec.request.line == 0 || has_line(spec.request.line, method.id);
  JvmtiPtr<unsigned char> code(jvmti_);
  jint size = 0;
  const jvmtiError error = jvmti_->GetBytecodes(method.id, &size, code.out());
  if (error == JVMTI_ERROR_NATIVE_METHOD) return false;
  const bci::ConstantPool* const names = pool();
  if (error != JVMTI_ERROR_NONE || names == nullptr) return true;
  if (size == 0) return false;  // abstract
  return uses_field(spec, *names, {code.get(), static_cast<std::size_t>(size)});
}

bool LoadedSites::has_line(std::uint32_t line, jmethodID method) const {
  JvmtiPtr<jvmtiLineNumberEntry> lines(jvmti_);
  jint count = 0;
  const jvmtiError error = jvmti_->GetLineNumberTable(method, &count, lines.out());
  if (error == JVMTI_ERROR_ABSENT_INFORMATION || error == JVMTI_ERROR_NATIVE_METHOD) return false;
  if (error != JVMTI_ERROR_NONE) return true;
  for (jint i = 0; i < count; ++i) {
    if (static_cast<std::uint32_t>(lines[i].line_number) == line) return true;
  }
  return false;
}

// Null: the VM does not give it, or it cannot be parsed.
const bci::ConstantPool* LoadedSites::pool() {
  if (!pool_bytes_) {
    jint count = 0, size = 0;
    if (jvmti_->GetConstantPool(klass_, &count, &size, pool_bytes_.out()) == JVMTI_ERROR_NONE) {
      bci::ByteReader in({pool_bytes_.get(), static_cast<std::size_t>(size)});
      bci::SkipReason why{};
      pool_ = bci::ConstantPool::parse(in, static_cast<std::uint16_t>(count), why);
    }
  }
  return pool_ ? &*pool_ : nullptr;
}

bool LoadedSites::any_of(const MethodFilter& filter, bool is_platform, const ProbeSpec& spec) {
  return any([&](const Method& method) {
    return filter.wants(class_name_, method.name, method.descriptor, is_platform) &&
           why_no_probe(method).empty() && has_site(spec, method);
  });
}

}  // namespace ddm
