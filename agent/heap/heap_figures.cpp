#include "heap/heap_figures.h"

#include <algorithm>
#include <string_view>

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
  const LocalRef<jclass> type(jni, jni->GetObjectClass(bean));
  const jmethodID get_name = jni->GetMethodID(type.get(), "getName", "()Ljava/lang/String;");
  if (clear_exception(jni) || get_name == nullptr) return std::nullopt;
  const LocalRef<jstring> name(jni, static_cast<jstring>(jni->CallObjectMethod(bean, get_name)));
  if (clear_exception(jni) || !name) return std::nullopt;
  const std::string text = java_text(jni, name.get());
  return text.empty() ? std::nullopt : std::optional(kind_of_pool(text));
}

}  // namespace

bool HeapFiguresReader::find_usage_fields(JNIEnv* jni, jobject usage) {
  if (usage_.used != nullptr) return true;
  const LocalRef<jclass> type(jni, jni->GetObjectClass(usage));
  usage_.init = jni->GetFieldID(type.get(), "init", "J");
  usage_.max = usage_.init ? jni->GetFieldID(type.get(), "max", "J") : nullptr;
  usage_.committed = usage_.max ? jni->GetFieldID(type.get(), "committed", "J") : nullptr;
  usage_.used = usage_.committed ? jni->GetFieldID(type.get(), "used", "J") : nullptr;
  return !clear_exception(jni) && usage_.used != nullptr;
}

std::optional<HeapFigures> HeapFiguresReader::read_usage(JNIEnv* jni, jobject usage) {
  const LocalRef<jobject> owned(jni, usage);
  if (usage == nullptr || !find_usage_fields(jni, usage)) return std::nullopt;
  return HeapFigures{not_negative(jni->GetLongField(usage, usage_.max)),
                     not_negative(jni->GetLongField(usage, usage_.committed)),
                     not_negative(jni->GetLongField(usage, usage_.used)),
                     not_negative(jni->GetLongField(usage, usage_.init))};
}

bool HeapFiguresReader::find_runtime(JNIEnv* jni) {
  if (runtime_.object != nullptr) return true;
  const LocalRef<jclass> type(jni, jni->FindClass("java/lang/Runtime"));
  if (clear_exception(jni) || !type) return false;
  const jmethodID get = jni->GetStaticMethodID(type.get(), "getRuntime", "()Ljava/lang/Runtime;");
  runtime_.max = get ? jni->GetMethodID(type.get(), "maxMemory", "()J") : nullptr;
  runtime_.total = runtime_.max ? jni->GetMethodID(type.get(), "totalMemory", "()J") : nullptr;
  runtime_.free = runtime_.total ? jni->GetMethodID(type.get(), "freeMemory", "()J") : nullptr;
  if (clear_exception(jni) || runtime_.free == nullptr) return false;
  const LocalRef<jobject> runtime(jni, jni->CallStaticObjectMethod(type.get(), get));
  if (clear_exception(jni) || !runtime) return false;
  runtime_.object = jni->NewGlobalRef(runtime.get());
  return runtime_.object != nullptr;
}

std::optional<HeapFigures> HeapFiguresReader::heap(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  auto figures = read_usage(jni, management::heap_usage(jni));
  const auto now = read_runtime(jni);
  if (!figures) return now;
  if (now) figures->used_bytes = std::min(now->used_bytes, figures->committed_bytes);
  return figures;
}

std::optional<HeapFigures> HeapFiguresReader::read_runtime(JNIEnv* jni) {
  if (!find_runtime(jni)) return std::nullopt;
  bool threw = false;
  const auto ask = [&](jmethodID method) {
    const jlong bytes = jni->CallLongMethod(runtime_.object, method);
    threw = clear_exception(jni) || threw;
    return not_negative(bytes);
  };
  HeapFigures figures;
  figures.max_bytes = ask(runtime_.max);
  // The figures need two calls: repeat if the heap was resized in between.
  std::uint64_t free = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {
    figures.committed_bytes = ask(runtime_.total);
    free = ask(runtime_.free);
    if (ask(runtime_.total) == figures.committed_bytes) break;
  }
  if (threw) return std::nullopt;
  figures.used_bytes = figures.committed_bytes > free ? figures.committed_bytes - free : 0;
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
