#include <array>

#include "stack/layout_detection.h"
#include "vm/boot_class.h"
#include "vm/java_unsafe.h"
#include "vm/jvmti_memory.h"
#include "vm/memory/vm_claims.h"
#include "vm/vm_entries.h"

namespace ddm {
namespace {

// ContinuationEntry: the enclosing entry, the Continuation; in later releases an empty base class
// precedes both. vmStructs does not export the offset, so the class of the object found there is
// verified before any of its fields is used.
constexpr std::array<Offset, 2> kEntryConts = {16, 8};

// Looks up classes and their fields; remembers what is missing.
class ParkedFields {
 public:
  ParkedFields(JNIEnv* jni, const ParkedLayout& layout, const KlassLayout& klasses)
      : jni_(jni), layout_(layout), klasses_(klasses) {
    missing_ = unsafe_.open(jni);
  }

  jclass type(const char* name) {
    if (!missing_.empty()) return nullptr;
    const jclass found = find_boot_class(jni_, name);
    if (found == nullptr) missing_ = name;
    return found;
  }
  Offset field(jclass type, const char* name) {
    if (!missing_.empty()) return kAbsent;
    const auto offset = unsafe_.field_offset(jni_, type, name);
    if (!offset) missing_ = std::string("the field ") + name;
    return offset ? static_cast<Offset>(*offset) : kAbsent;
  }
  VmAddress klass(jclass type) {
    if (!missing_.empty()) return 0;
    const auto klass = static_cast<VmAddress>(unsafe_.word_of(jni_, type, klasses_.mirror_klass));
    if (klass == 0) missing_ = "a klass in java.lang.Class";
    return klass;
  }
  std::uint64_t key(VmAddress klass) const {
    return missing_.empty() ? layout_.objects.key_of(klass) : 0;
  }
  const std::string& missing() const { return missing_; }

 private:
  JNIEnv* const jni_;
  const ParkedLayout& layout_;
  const KlassLayout& klasses_;
  JavaUnsafe unsafe_;
  std::string missing_;
};

}  // namespace

Result<ParkedLayout> detect_parked_layout(JNIEnv* jni) {
  ParkedLayout layout;
  VmEntries entries;
  layout.cont_entry = static_cast<Offset>(entries.offset({{"JavaThread", "_cont_entry"}}));
  layout.entry_conts = kEntryConts;
  layout.objects = detect_object_layout(entries);
  const KlassLayout klasses = detect_klass_layout(entries);
  if (layout.objects.oop_bytes != sizeof(VmAddress)) {
    layout.oop_base = entries.value<VmAddress>({{"CompressedOops", "_base"}});
    layout.oop_shift = entries.value<std::int32_t>({{"CompressedOops", "_shift"}});
    entries.expect(layout.oop_shift >= 0 && layout.oop_shift < 16, "CompressedOops::_shift");
  }
  if (!entries.missing().empty()) return Error{entries.missing()};

  const LocalFrame frame(jni, 32);
  if (!frame.good()) return Error{"memory for references"};
  ParkedFields fields(jni, layout, klasses);
  const jclass cont = fields.type("jdk/internal/vm/Continuation");
  layout.cont_tail = fields.field(cont, "tail");
  const jclass chunk = fields.type("jdk/internal/vm/StackChunk");
  layout.chunk_parent = fields.field(chunk, "parent");
  layout.chunk_size = fields.field(chunk, "size");
  layout.chunk_sp = fields.field(chunk, "sp");
  layout.chunk_bottom = fields.field(chunk, "bottom");
  const VmAddress chunk_klass = fields.klass(chunk);
  layout.chunk_key = fields.key(chunk_klass);
  const jclass own_cont = fields.type("java/lang/VirtualThread$VThreadContinuation");
  layout.cont_key = fields.key(fields.klass(own_cont));
  if (!fields.missing().empty()) return Error{fields.missing()};

  // The stack follows the fields; the low bits of the layout helper are no part of their size.
  VmClaims claims;
  claims.expect(layout.objects.klass_of(layout.chunk_key) == chunk_klass, "a klass");
  const auto helper =
      claims.read<std::int32_t>(chunk_klass + klasses.layout_helper, "Klass::_layout_helper");
  if (!claims.hold() || helper <= 0) return Error{"the size of a StackChunk"};
  layout.chunk_stack = helper & ~7;
  return layout;
}

}  // namespace ddm
