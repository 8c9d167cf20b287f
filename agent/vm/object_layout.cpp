#include "vm/memory/object_layout.h"

#include "vm/vm_entries.h"
#include "vm/vm_flags.h"
#include "vm/vm_structs.h"

namespace ddm {

ObjectLayout detect_object_layout(VmEntries& entries) {
  ObjectLayout layout;
  const bool compact = vm_flags::boolean("UseCompactObjectHeaders").value_or(false);
  const bool narrow = vm_flags::boolean("UseCompressedClassPointers").value_or(true);
  layout.header = compact ? HeaderForm::kCompact : narrow ? HeaderForm::kNarrow : HeaderForm::kWide;
  layout.oop_bytes = vm_flags::boolean("UseCompressedOops").value_or(false) ? 4 : 8;
  layout.alignment =
      static_cast<std::uint32_t>(vm_flags::integer("ObjectAlignmentInBytes").value_or(8));
  entries.expect(layout.alignment >= 8 && layout.alignment <= 256 &&
                     (layout.alignment & (layout.alignment - 1)) == 0,
                 "ObjectAlignmentInBytes");
  if (compact) {
    const auto shift = vm_structs::long_constant("markWord::klass_shift");
    entries.expect(shift && *shift > 0 && *shift < 64, "markWord::klass_shift");
    layout.mark_klass_shift = static_cast<std::uint8_t>(shift.value_or(0));
    layout.array_length_offset = 8;
  } else {
    layout.klass_offset =
        entries.offset({{"oopDesc", "_metadata._klass"}, {"oopDesc", "_compressed_klass"}});
    layout.array_length_offset = layout.klass_offset + (narrow ? 4 : 8);
  }
  if (compact || narrow) {
    layout.klass_base = entries.value<std::uint64_t>(
        {{"CompressedKlassPointers", "_base"}, {"CompressedKlassPointers", "_narrow_klass._base"}});
    const auto shift =
        entries.value<std::int32_t>({{"CompressedKlassPointers", "_shift"},
                                     {"CompressedKlassPointers", "_narrow_klass._shift"}});
    entries.expect(shift >= 0 && shift < 32, "CompressedKlassPointers::_shift");
    layout.klass_shift = static_cast<std::uint8_t>(shift);
  }
  const auto class_size = entries.value<std::int32_t>({{"java_lang_Class", "_oop_size_offset"}});
  entries.expect(class_size > 0 && class_size < 1024, "java_lang_Class::_oop_size_offset");
  layout.class_size_offset = static_cast<std::uint32_t>(class_size);
  return layout;
}

KlassLayout detect_klass_layout(VmEntries& entries) {
  KlassLayout layout;
  layout.layout_helper = entries.offset({{"Klass", "_layout_helper"}});
  const auto klass = entries.value<std::int32_t>({{"java_lang_Class", "_klass_offset"}});
  entries.expect(klass > 0 && klass < 1024, "java_lang_Class::_klass_offset");
  layout.mirror_klass = static_cast<std::uint32_t>(klass);
  layout.refined_arrays =
      vm_structs::int_constant("Klass::KlassKind::RefArrayKlassKind").has_value();
  // The bits of a layout helper are equal in all releases; these constants would change with them.
  // An array's is negative, whatever its tag.
  entries.expect(entries.constant({"Klass::_lh_instance_slow_path_bit"}) == 1 &&
                     entries.constant({"Klass::_lh_log2_element_size_shift"}) == 0 &&
                     entries.constant({"Klass::_lh_header_size_shift"}) == 16 &&
                     entries.constant({"Klass::_lh_header_size_mask"}) == 255,
                 "Klass::_lh_*");
  return layout;
}

}  // namespace ddm
