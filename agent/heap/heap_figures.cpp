#include "heap/heap_figures.h"

#include <algorithm>
#include <string_view>

#include "heap/committed_memory.h"
#include "vm/java_text.h"
#include "vm/jvmti_memory.h"
#include "vm/management.h"

namespace ddm {
namespace {

std::uint64_t not_negative(jlong value) {  // -1 = undefined
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

PoolKind kind_of_pool(std::string_view name) {
  const auto has = [name](std::string_view word) { return name.find(word) != name.npos; };
  if (has("non-nmethods")) return PoolKind::kCodeOfVm;
  if (has("non-profiled")) return PoolKind::kCodeNotProfiled;
  if (has("profiled")) return PoolKind::kCodeProfiled;
  if (has("Code")) return PoolKind::kCode;
  if (has("Class Space")) return PoolKind::kClassSpace;
  if (has("Metaspace")) return PoolKind::kMetaspace;
  if (has("Survivor")) return PoolKind::kSurvivor;
  if (has("Eden") || has("Young")) return PoolKind::kYoung;
  return PoolKind::kOld;
}

std::optional<PoolKind> kind_of_pool(JNIEnv* jni, jobject bean) {
  const std::string name = java_text_from(jni, bean, "getName").value_or("");
  return name.empty() ? std::nullopt : std::optional(kind_of_pool(name));
}

}  // namespace

bool HeapFiguresReader::find_usage_fields(JNIEnv* jni, jobject usage) {
  if (usage_.back() != nullptr) return true;
  const LocalRef<jclass> type(jni, jni->GetObjectClass(usage));
  constexpr const char* kNames[] = {"max", "committed", "used", "init"};
  for (std::size_t i = 0; i < usage_.size(); ++i) {
    usage_[i] = jni->GetFieldID(type.get(), kNames[i], "J");
    if (clear_exception(jni) || usage_[i] == nullptr) return false;
  }
  return true;
}

std::optional<HeapFigures> HeapFiguresReader::read_usage(JNIEnv* jni, jobject usage) {
  const LocalRef<jobject> owned(jni, usage);
  if (usage == nullptr || !find_usage_fields(jni, usage)) return std::nullopt;
  const auto read = [&](jfieldID field) { return not_negative(jni->GetLongField(usage, field)); };
  return HeapFigures{read(usage_[0]), read(usage_[1]), read(usage_[2]), read(usage_[3])};
}

std::optional<HeapFigures> HeapFiguresReader::heap(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  auto figures = read_usage(jni, management::heap_usage(jni));
  const auto used = used_heap_memory();
  if (!figures) {
    const auto max = max_heap_memory();
    const auto total = total_heap_memory();
    if (!max || !total || !used) return std::nullopt;
    figures = HeapFigures{*max, *total, 0, 0};
  }
  if (used) figures->used_bytes = std::min(*used, figures->committed_bytes);
  return figures;
}

void HeapFiguresReader::find_pools(JNIEnv* jni) {
  pools_found_ = true;
  const LocalFrame frame(jni, 64);
  if (!frame.good()) return;
  const jobjectArray beans = management::memory_pools(jni);
  const jsize count = beans != nullptr ? jni->GetArrayLength(beans) : 0;
  for (jsize i = 0; i < count; ++i) {
    const LocalRef<jobject> bean(jni, jni->GetObjectArrayElement(beans, i));
    const auto kind = bean ? kind_of_pool(jni, bean.get()) : std::nullopt;
    const jobject global = kind ? jni->NewGlobalRef(bean.get()) : nullptr;
    if (global != nullptr) pools_.push_back({*kind, global});
  }
  clear_exception(jni);
}

std::vector<PoolFigures> HeapFiguresReader::pools(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (!pools_found_) find_pools(jni);
  std::vector<PoolFigures> result;
  for (const Pool& pool : pools_) {
    const auto figures = read_usage(jni, management::memory_pool_usage(jni, pool.bean));
    if (figures) result.push_back({pool.kind, *figures});
  }
  return result;
}

}  // namespace ddm
