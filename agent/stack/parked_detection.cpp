#include <array>
#include <optional>
#include <string>

#include "stack/layout_detection.h"
#include "vm/boot_class.h"
#include "vm/java_unsafe.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_entries.h"

namespace ddm {
namespace {

// ContinuationEntry: the enclosing entry, the Continuation; in later releases an empty base class
// precedes both. vmStructs does not export the offset, so the class of the object found there is
// verified before any of its fields is used.
constexpr std::array<Offset, 2> kEntryConts = {16, 8};

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
  if (!entries.hold()) return Error{entries.wrong()};

  const LocalFrame frame(jni, 32);
  if (!frame.good()) return Error{"memory for references"};
  JavaUnsafe unsafe;
  if (const std::string missing = unsafe.open(jni); !missing.empty()) return Error{missing};
  // These remember the first thing that is missing in `entries`.
  const auto type = [&](const char* name) {
    const jclass found = entries.hold() ? find_boot_class(jni, name) : nullptr;
    entries.expect(found != nullptr, name);
    return found;
  };
  const auto field = [&](jclass of, const char* name) {
    const auto offset = entries.hold() ? unsafe.field_offset(jni, of, name) : std::nullopt;
    entries.expect(offset.has_value(), ("the field " + std::string(name)).c_str());
    return static_cast<Offset>(offset.value_or(0));
  };
  const auto klass = [&](jclass of) {
    const auto found = entries.hold() ? unsafe.word_of(jni, of, klasses.mirror_klass) : 0;
    entries.expect(found != 0, "a klass in java.lang.Class");
    return static_cast<VmAddress>(found);
  };
  const jclass cont = type("jdk/internal/vm/Continuation");
  layout.cont_tail = field(cont, "tail");
  const jclass chunk = type("jdk/internal/vm/StackChunk");
  layout.chunk_parent = field(chunk, "parent");
  layout.chunk_size = field(chunk, "size");
  layout.chunk_sp = field(chunk, "sp");
  layout.chunk_bottom = field(chunk, "bottom");
  const VmAddress chunk_klass = klass(chunk);
  layout.chunk_key = layout.objects.key_of(chunk_klass);
  layout.cont_key =
      layout.objects.key_of(klass(type("java/lang/VirtualThread$VThreadContinuation")));
  if (!entries.hold()) return Error{entries.wrong()};

  // The stack follows the fields; the low bits of the layout helper are no part of their size.
  entries.expect(layout.objects.klass_of(layout.chunk_key) == chunk_klass, "a klass");
  const auto helper =
      entries.read<std::int32_t>(chunk_klass + klasses.layout_helper, "Klass::_layout_helper");
  if (!entries.hold() || helper <= 0) return Error{"the size of a StackChunk"};
  layout.chunk_stack = helper & ~7;
  return layout;
}

}  // namespace ddm
