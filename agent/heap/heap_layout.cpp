#include "heap/heap_layout.h"

#include <initializer_list>
#include <utility>

#include "jvm/vm_flags.h"
#include "jvm/vm_structs.h"

namespace ddm {
namespace {

// Looks entries up under the names that they have in one release or another, and keeps the first
// one that is missing under all of them.
class Entries {
 public:
  using Names = std::initializer_list<std::pair<const char*, const char*>>;

  std::uint32_t offset(Names names) {
    for (const auto& [type, field] : names) {
      const auto found = vm_structs::offset_of(type, field);
      if (found && *found >= 0 && *found < kMostOffset) return static_cast<std::uint32_t>(*found);
    }
    return static_cast<std::uint32_t>(miss(names.begin()->first, names.begin()->second));
  }

  std::uintptr_t address(Names names) {
    for (const auto& [type, field] : names) {
      if (const auto found = vm_structs::address_of(type, field)) return *found;
    }
    return miss(names.begin()->first, names.begin()->second);
  }

  template <typename T>
  T value(Names names) {
    const std::uintptr_t at = address(names);
    return at != 0 ? read_at<T>(at) : T{};
  }

  std::int32_t constant(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (const auto found = vm_structs::int_constant(name)) return *found;
    }
    return static_cast<std::int32_t>(miss("constant", *names.begin()));
  }

  // A condition that the code relies on.
  void expect(bool holds, const char* what) {
    if (!holds && missing_.empty()) missing_ = what;
  }

  const std::string& missing() const { return missing_; }

 private:
  static constexpr std::int64_t kMostOffset = 1 << 16;

  std::uintptr_t miss(const char* type, const char* field) {
    if (missing_.empty()) missing_ = std::string(type) + "::" + field;
    return 0;
  }

  std::string missing_;
};

Result<Collector> collector_in_use() {
  constexpr std::pair<const char*, Collector> kFlags[] = {{"UseG1GC", Collector::kG1},
                                                          {"UseSerialGC", Collector::kSerial},
                                                          {"UseParallelGC", Collector::kParallel}};
  for (const auto& [flag, collector] : kFlags) {
    if (vm_flags::boolean(flag).value_or(false)) return collector;
  }
  return Error{"the collector is none of G1, Serial, Parallel"};
}

ObjectLayout object_layout(Entries& entries) {
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
    layout.klass_offset = entries.offset({{"oopDesc", "_metadata._klass"}});
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

KlassLayout klass_layout(Entries& entries) {
  KlassLayout layout;
  layout.layout_helper = entries.offset({{"Klass", "_layout_helper"}});
  const auto klass = entries.value<std::int32_t>({{"java_lang_Class", "_klass_offset"}});
  entries.expect(klass > 0 && klass < 1024, "java_lang_Class::_klass_offset");
  layout.mirror_klass = static_cast<std::uint32_t>(klass);
  // The meaning of a layout helper's bits has been the same for ages; should it change, so do
  // these.
  entries.expect(entries.constant({"Klass::_lh_instance_slow_path_bit"}) == 1 &&
                     entries.constant({"Klass::_lh_log2_element_size_shift"}) == 0 &&
                     entries.constant({"Klass::_lh_header_size_shift"}) == 16 &&
                     entries.constant({"Klass::_lh_header_size_mask"}) == 255 &&
                     entries.constant({"Klass::_lh_array_tag_shift"}) == 30,
                 "Klass::_lh_*");
  return layout;
}

SpaceLayout serial_spaces(Entries& entries, std::uintptr_t heap) {
  const auto young = read_at<std::uintptr_t>(
      heap + entries.offset({{"SerialHeap", "_young_gen"}, {"GenCollectedHeap", "_young_gen"}}));
  const auto old = read_at<std::uintptr_t>(
      heap + entries.offset({{"SerialHeap", "_old_gen"}, {"GenCollectedHeap", "_old_gen"}}));
  return {{young + entries.offset({{"DefNewGeneration", "_eden_space"}}),
           young + entries.offset({{"DefNewGeneration", "_from_space"}}),
           young + entries.offset({{"DefNewGeneration", "_to_space"}}),
           old + entries.offset({{"TenuredGeneration", "_the_space"}})},
          entries.offset({{"ContiguousSpace", "_bottom"}, {"Space", "_bottom"}}),
          entries.offset({{"ContiguousSpace", "_top"}}),
          entries.offset({{"ContiguousSpace", "_end"}, {"Space", "_end"}})};
}

SpaceLayout parallel_spaces(Entries& entries) {
  const auto young = entries.value<std::uintptr_t>({{"ParallelScavengeHeap", "_young_gen"}});
  const auto old = entries.value<std::uintptr_t>({{"ParallelScavengeHeap", "_old_gen"}});
  return {{young + entries.offset({{"PSYoungGen", "_eden_space"}}),
           young + entries.offset({{"PSYoungGen", "_from_space"}}),
           young + entries.offset({{"PSYoungGen", "_to_space"}}),
           old + entries.offset({{"PSOldGen", "_object_space"}})},
          entries.offset({{"MutableSpace", "_bottom"}}),
          entries.offset({{"MutableSpace", "_top"}}),
          entries.offset({{"MutableSpace", "_end"}})};
}

RegionLayout g1_regions(Entries& entries, std::uintptr_t heap) {
  const std::uintptr_t manager = heap + entries.offset({{"G1CollectedHeap", "_hrm"}});
  const std::uintptr_t table = manager + entries.offset({{"G1HeapRegionManager", "_regions"},
                                                         {"HeapRegionManager", "_regions"}});
  RegionLayout layout;
  layout.table = table + entries.offset({{"G1HeapRegionTable", "_base"}});
  layout.length = table + entries.offset({{"G1HeapRegionTable", "_length"}});
  layout.bottom = entries.offset({{"G1HeapRegion", "_bottom"}, {"HeapRegion", "_bottom"}});
  layout.top = entries.offset({{"G1HeapRegion", "_top"}, {"HeapRegion", "_top"}});
  layout.end = entries.offset({{"G1HeapRegion", "_end"}, {"HeapRegion", "_end"}});
  layout.type = entries.offset({{"G1HeapRegion", "_type"}, {"HeapRegion", "_type"}}) +
                entries.offset({{"G1HeapRegionType", "_tag"}, {"HeapRegionType", "_tag"}});
  const auto tag = [&entries](const char* now, const char* before) {
    return static_cast<std::uint32_t>(entries.constant({now, before}));
  };
  layout.free_tag = tag("G1HeapRegionType::FreeTag", "HeapRegionType::FreeTag");
  layout.humongous_tag =
      tag("G1HeapRegionType::StartsHumongousTag", "HeapRegionType::StartsHumongousTag");
  layout.continues_tag =
      tag("G1HeapRegionType::ContinuesHumongousTag", "HeapRegionType::ContinuesHumongousTag");
  return layout;
}

}  // namespace

Result<HeapLayout> HeapLayout::detect() {
  const auto collector = collector_in_use();
  if (!collector) return collector.error();
  HeapLayout layout;
  layout.collector = *collector;
  Entries entries;
  const auto heap = entries.value<std::uintptr_t>({{"Universe", "_collectedHeap"}});
  const std::uint32_t reserved = entries.offset({{"CollectedHeap", "_reserved"}});
  const std::uint32_t start = entries.offset({{"MemRegion", "_start"}});
  const std::uint32_t words = entries.offset({{"MemRegion", "_word_size"}});
  layout.objects = object_layout(entries);
  layout.klasses = klass_layout(entries);
  // From here on addresses are followed, so all of them have to be there.
  if (entries.missing().empty() && heap != 0) {
    layout.base = read_at<std::uintptr_t>(heap + reserved + start);
    layout.reserved_bytes = 8 * read_at<std::uint64_t>(heap + reserved + words);
    switch (*collector) {
      case Collector::kSerial:
        layout.spaces = serial_spaces(entries, heap);
        break;
      case Collector::kParallel:
        layout.spaces = parallel_spaces(entries);
        break;
      case Collector::kG1:
        layout.regions = g1_regions(entries, heap);
        break;
    }
  }
  entries.expect(heap != 0 && layout.base != 0 && layout.reserved_bytes != 0,
                 "a reserved heap in CollectedHeap::_reserved");
  if (!entries.missing().empty()) return Error{"this VM does not tell of " + entries.missing()};
  return layout;
}

}  // namespace ddm
