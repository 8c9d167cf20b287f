#include "allocations/capture/object_facts.h"

#include <string>
#include <utility>

#include "core/log.h"
#include "vm/jvmti_memory.h"
#include "vm/known_objects.h"
#include "vm/vm_entries.h"

namespace ddm {
namespace {

std::uint64_t mixed_check(std::uint64_t id, std::uint64_t helper) {
  std::uint64_t value = (id ^ (helper << 17)) * 0x9E3779B97F4A7C15ull;
  value ^= value >> 32;
  return value * 0xD6E8FEB86659FD93ull;
}

std::size_t first_slot_of(std::uint64_t word, std::size_t slots) {
  return static_cast<std::size_t>((word * 0x9E3779B97F4A7C15ull) >> 40) & (slots - 1);
}

}  // namespace

void ObjectFacts::watch(JNIEnv* jni, const HeapPauses* pauses) {
  if (std::exchange(watched_, true)) return;
  VmEntries entries;
  objects_ = detect_object_layout(entries);
  klasses_ = detect_klass_layout(entries);
  std::string wrong = entries.wrong();
  if (wrong.empty()) {
    slots_ = std::make_unique<Slot[]>(kSlots);
    if (pauses == nullptr) return;
    wrong = wrong_in_layout(jvmti_, jni, objects_, klasses_, pauses);
  }
  if (wrong.empty()) {
    pauses_ = pauses;
  } else {
    log_warn("objects are not as the VM's {} says: the VM is asked for each object's class", wrong);
  }
}

ObjectFacts::Facts ObjectFacts::of(JNIEnv* jni, jobject object, jclass klass, std::int64_t size) {
  Look look;
  if (pauses_ == nullptr || !look_at(object, look)) return query(jni, object, klass, size);
  if (look.klass.class_id == kUnknownName) [[unlikely]] {
    const LocalRef<jclass> own(jni, klass == nullptr ? jni->GetObjectClass(object) : nullptr);
    look.klass.class_id = learn(klass != nullptr ? klass : own.get(), look.word, look.pauses);
  }
  if (size == 0) size = look.size;
  if (size == 0) [[unlikely]]
    return query(jni, object, klass, 0);
  return {look.klass.class_id, size};
}

bool ObjectFacts::look_at(jobject object, Look& look) const {
  const auto handle = reinterpret_cast<std::uintptr_t>(object);
  constexpr std::uintptr_t kTags = 7;  // references other than local ones
  if ((handle & kTags) != 0 || handle == 0) return false;
  const HeapPauses::Reading reading(*pauses_);
  if (reading.in_pause()) return false;
  look.pauses = HeapPauses::count(reading.number());
  const auto at = read_at<std::uintptr_t>(handle);
  if (at == 0) return false;
  look.word = key_at(objects_, at);
  if (find(look.word, look.pauses, look.klass)) {
    const std::int32_t helper = look.klass.layout_helper;
    const auto length =
        helper < 0 ? read_at<std::uint32_t>(at + objects_.array_length_offset) : std::uint32_t{0};
    look.size = size_by_layout_helper(objects_, helper, length);
  }
  return reading.undisturbed();
}

bool ObjectFacts::find(std::uint64_t word, std::uint32_t pauses, KlassFacts& klass_facts) const {
  const std::size_t first = first_slot_of(word, kSlots);
  for (const std::size_t at : {first, first ^ 1}) {
    const Slot& slot = slots_[at];
    const std::uint64_t id = slot.id.load(std::memory_order_relaxed);
    const std::uint64_t helper = slot.helper.load(std::memory_order_relaxed);
    if ((slot.check.load(std::memory_order_relaxed) ^ mixed_check(id, helper)) != word) continue;
    if (static_cast<std::uint32_t>(id >> 32) != pauses || static_cast<NameId>(id) == kUnknownName) {
      continue;
    }
    klass_facts = {static_cast<NameId>(id), static_cast<std::int32_t>(helper)};
    return true;
  }
  return false;
}

void ObjectFacts::insert(std::uint64_t word, std::uint32_t pauses, KlassFacts klass_facts) {
  const std::uint64_t id = std::uint64_t{pauses} << 32 | klass_facts.class_id;
  const std::uint64_t helper = static_cast<std::uint32_t>(klass_facts.layout_helper);
  const std::size_t first = first_slot_of(word, kSlots);
  // Replaces an entry of an earlier pause if there is one, else the current entry.
  const bool free = static_cast<std::uint32_t>(slots_[first].id.load(std::memory_order_relaxed) >>
                                               32) != pauses ||
                    static_cast<NameId>(slots_[first].id.load(std::memory_order_relaxed)) == 0;
  Slot& slot = slots_[free ? first : first ^ 1];
  slot.id.store(id, std::memory_order_relaxed);
  slot.helper.store(helper, std::memory_order_relaxed);
  slot.check.store(word ^ mixed_check(id, helper), std::memory_order_relaxed);
}

NameId ObjectFacts::learn(jclass klass, std::uint64_t word, std::uint32_t pauses) {
  if (klass == nullptr) return kUnknownName;
  const NameId class_id = class_ids_.id_of(klass);
  if (class_id == kUnknownName) return kUnknownName;
  // The class cannot be unloaded while the object is referenced.
  insert(word, pauses,
         {class_id, read_at<std::int32_t>(objects_.klass_of(word) + klasses_.layout_helper)});
  return class_id;
}

ObjectFacts::Facts ObjectFacts::query(JNIEnv* jni, jobject object, jclass klass,
                                      std::int64_t size) {
  const LocalRef<jclass> own(jni, klass == nullptr ? jni->GetObjectClass(object) : nullptr);
  const jclass known = klass != nullptr ? klass : own.get();
  jlong asked = size;
  if (size == 0 && jvmti_->GetObjectSize(object, &asked) != JVMTI_ERROR_NONE) asked = 0;
  return {known != nullptr ? class_ids_.id_of(known) : kUnknownName, asked};
}

}  // namespace ddm
