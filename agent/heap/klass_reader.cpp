#include "heap/klass_reader.h"

#include <algorithm>
#include <string_view>

#include "core/class_names.h"
#include "vm/boot_class.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/memory/vm_claims.h"
#include "vm/vm_structs.h"
#include "wire/chunks/heap_segments.h"

namespace ddm {
namespace {

// The filler of holes in newer VMs: arrays of int by their layout.
constexpr std::string_view kFillerArray = "[Ljdk/internal/vm/FillerElement;";

// Array klasses have the sign bit set; the next bit distinguishes primitive elements from references.
constexpr std::uint32_t kPrimitiveArrayTag = 3;
constexpr std::uint32_t kLog2OfInt = 2;

HeapKind kind_of_elements(unsigned log2_bytes) {
  constexpr HeapKind kKinds[] = {HeapKind::kArray1, HeapKind::kArray2, HeapKind::kArray4,
                                 HeapKind::kArray8};
  return kKinds[std::min(log2_bytes, 3u)];  // flattened values may be larger
}

KlassCell array_cell(std::uint64_t key, std::uint32_t helper) {
  KlassCell cell;
  cell.key = key;
  cell.form = SizeForm::kArray;
  cell.bytes = helper >> 16 & 0xff;
  cell.shift = static_cast<std::uint8_t>(helper & 63);
  cell.state = heap_state(Solidity::kHard, kind_of_elements(cell.shift));
  return cell;
}

}  // namespace

std::string KlassReader::prepare(JNIEnv* jni, HeapLayout& layout) {
  const LocalFrame frame(jni, 32);
  if (!frame.good()) return "no memory for references";
  if (std::string missing = unsafe_.open(jni); !missing.empty()) return missing;

  // The klass of a class that exists in every VM, or 0.
  const auto klass_of = [&](const char* name) -> std::uint64_t {
    const jclass found = find_boot_class(jni, name);
    if (found == nullptr) return 0;
    return unsafe_.word_of(jni, found, layout.klasses.mirror_klass);
  };
  class_klass_ = klass_of("java/lang/Class");
  if (class_klass_ == 0) return "no klass in java.lang.Class";
  filler_object_klass_ = klass_of("jdk/internal/vm/FillerObject");
  if (layout.klasses.refined_arrays) find_refined_arrays(jni, layout);

  const jclass chunk = find_boot_class(jni, "jdk/internal/vm/StackChunk");
  if (chunk == nullptr) return "";
  if (const auto size = unsafe_.field_offset(jni, chunk, "size")) {
    stack_chunk_klass_ = unsafe_.word_of(jni, chunk, layout.klasses.mirror_klass);
    layout.objects.stack_chunk_size_offset = *size;
  }
  return "";
}

// vmStructs lacks the field. The class of an object array leads to the array's klass, which shows
// the offset.
void KlassReader::find_refined_arrays(JNIEnv* jni, const HeapLayout& layout) {
  const jclass element = find_boot_class(jni, "java/lang/Object");
  const jobjectArray array =
      element != nullptr ? jni->NewObjectArray(0, element, nullptr) : nullptr;
  const auto size = vm_structs::size_of("ObjArrayKlass");
  const auto kind = vm_structs::offset_of("Klass", "_kind");
  const auto of_arrays = vm_structs::int_constant("Klass::KlassKind::ObjArrayKlassKind");
  if (clear_exception(jni) || array == nullptr || !size || !kind || !of_arrays) return;
  const std::uint64_t klass =
      unsafe_.word_of(jni, jni->GetObjectClass(array), layout.klasses.mirror_klass);
  const ObjectLayout& objects = layout.objects;
  const bool compact = objects.header == HeaderForm::kCompact;
  std::uint64_t word = unsafe_.word_of(jni, array, compact ? 0 : objects.klass_offset);
  if (compact) word >>= objects.mark_klass_shift;
  if (objects.header == HeaderForm::kNarrow) word &= 0xffffffff;
  const std::uint64_t refined = objects.klass_of(word);
  if (klass == 0 || refined == klass) return;
  VmClaims claims;
  claims.expect(claims.read<std::uint16_t>(klass + static_cast<std::uint64_t>(*kind),
                                           "Klass::_kind") == *of_arrays,
                "Klass::_kind");
  for (std::uint32_t at = 0; at + sizeof refined <= *size && claims.hold(); at += sizeof refined) {
    if (claims.read<std::uint64_t>(klass + at, "ObjArrayKlass") != refined) continue;
    klass_kind_ = static_cast<std::uint32_t>(*kind);
    array_kind_ = static_cast<std::uint32_t>(*of_arrays);
    refined_array_ = at;
  }
}

void KlassReader::insert_refined_arrays(JNIEnv* jni, const HeapLayout& layout, jclass mirror,
                                        KlassTable& table) const {
  constexpr int kMostKinds = 16;
  std::uint64_t klass = unsafe_.word_of(jni, mirror, layout.klasses.mirror_klass);
  if (klass == 0 || klass % 8 != 0 || read_at<std::uint16_t>(klass + klass_kind_) != array_kind_) {
    return;
  }
  for (int i = 0; i < kMostKinds; ++i) {
    klass = read_at<std::uint64_t>(klass + refined_array_);
    if (klass == 0 || klass % 8 != 0) return;
    const auto helper = read_at<std::uint32_t>(klass + layout.klasses.layout_helper);
    if (helper >> 31 != 0) table.insert(array_cell(layout.objects.key_of(klass), helper));
  }
}

bool KlassReader::is_filler_array(jclass mirror) const {
  return text_of(ClassSignature(jvmti_, mirror)) == kFillerArray;
}

std::optional<KlassCell> KlassReader::cell_of(JNIEnv* jni, const HeapLayout& layout,
                                              jclass mirror) const {
  const std::uint64_t klass = unsafe_.word_of(jni, mirror, layout.klasses.mirror_klass);
  if (klass == 0 || klass % 8 != 0) return {};
  const auto helper = read_at<std::uint32_t>(klass + layout.klasses.layout_helper);
  const std::uint64_t key = layout.objects.key_of(klass);
  if (helper >> 31 != 0) {
    if ((helper & 63) > 3) return {};
    KlassCell cell = array_cell(key, helper);
    if (helper >> 30 == kPrimitiveArrayTag && (helper & 63) == kLog2OfInt &&
        is_filler_array(mirror)) {
      cell.state = kFreeState;
    }
    return cell;
  }
  KlassCell cell;
  cell.key = key;
  cell.bytes = helper & ~7u;
  cell.state = heap_state(Solidity::kHard, HeapKind::kObject);
  if (klass == class_klass_) {
    cell.form = SizeForm::kClass;
    cell.state = heap_state(Solidity::kHard, HeapKind::kClass);
  } else if (klass == stack_chunk_klass_) {
    cell.form = SizeForm::kStackChunk;
  } else if (klass == filler_object_klass_) {
    cell.state = kFreeState;
  }
  if (cell.bytes == 0 && cell.form != SizeForm::kClass) return {};
  return cell;
}

std::string KlassReader::read(JNIEnv* jni, const HeapLayout& layout, KlassTable& table) {
  table.clear();
  jint count = 0;
  JvmtiPtr<jclass> classes(jvmti_);
  const jvmtiError error = jvmti_->GetLoadedClasses(&count, classes.out());
  if (error != JVMTI_ERROR_NONE) return std::string("GetLoadedClasses: ") + jvmti_error_name(error);
  if (jni->EnsureLocalCapacity(count) != JNI_OK) {
    clear_exception(jni);
    return "no memory for references";
  }
  classes_.clear();
  for (jint i = 0; i < count; ++i) {
    if (auto cell = cell_of(jni, layout, classes[i])) {
      cell->number = static_cast<std::uint32_t>(classes_.size());
      classes_.push_back(classes[i]);
      table.insert(*cell);
    }
    if (refined_array_ != 0) insert_refined_arrays(jni, layout, classes[i], table);
  }
  return "";
}

std::string KlassReader::name_of(std::uint32_t number) const {
  const ClassSignature signature(jvmti_, number < classes_.size() ? classes_[number] : nullptr);
  return signature ? type_name_of(text_of(signature)) : "unknown";
}

}  // namespace ddm
