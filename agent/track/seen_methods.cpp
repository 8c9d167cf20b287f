#include "track/seen_methods.h"

#include <algorithm>
#include <string_view>

#include "bci/constant_pool.h"
#include "bci/constructor_flow.h"
#include "jvm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr std::size_t kFirstTableSize = 8192;

std::size_t hash_of(jmethodID method) {
  // jmethodIDs are addresses of pointers in blocks: the low bits say nothing.
  const auto value = reinterpret_cast<std::uintptr_t>(method) >> 3;
  return static_cast<std::size_t>((value * 0x9E3779B97F4A7C15ull) >> 20);
}

// The frames that the VM marks @Hidden and that -XX:+ShowHiddenFrames would show: between a lambda
// expression and the object made for it there are three of them, between a lambda's caller and its
// body one, in a hidden class (JVMTI's name for it has a slash).
bool is_hidden(std::string_view class_name) {
  if (class_name.starts_with("java.lang.invoke.")) {
    return class_name.ends_with("$Holder") ||
           class_name.starts_with("java.lang.invoke.LambdaForm$");
  }
  const std::size_t slash = class_name.find('/');
  return slash != std::string_view::npos &&
         class_name.substr(0, slash).find("$$Lambda") != std::string_view::npos;
}

MethodRole role_of(const MethodName& method) {
  if (method.method == "<init>") {
    return method.class_name == "java.lang.Object" ? MethodRole::kObjectInit
                                                   : MethodRole::kConstructor;
  }
  if (method.class_name.starts_with("java.lang.DdmTracker")) return MethodRole::kTracker;
  if (method.class_name == "java.util.Arrays" &&
      (method.method == "copyOf" || method.method == "copyOfRange") &&
      method.signature.ends_with("Ljava/lang/Class;)[Ljava/lang/Object;")) {
    return MethodRole::kArrayCopy;
  }
  return is_hidden(method.class_name) ? MethodRole::kHidden : MethodRole::kPlain;
}

}  // namespace

bool SeenMethod::stands_at_super_call(jlocation location) const {
  return role == MethodRole::kConstructor &&
         std::find(super_calls.begin(), super_calls.end(), location) != super_calls.end();
}

SeenMethods::SeenMethods(jvmtiEnv* jvmti, NameTable& names, const RewrittenMethods& rewritten)
    : jvmti_(jvmti), names_(names), rewritten_(rewritten) {
  tables_.push_back(std::make_unique<Table>(kFirstTableSize));
  table_ = tables_.back().get();
}

SeenMethods::Slot* SeenMethods::find(const Table& table, jmethodID method) {
  for (std::size_t i = hash_of(method) & table.mask;; i = (i + 1) & table.mask) {
    const jmethodID there = table.slots[i].method.load(std::memory_order_acquire);
    if (there == method) return &table.slots[i];
    if (there == nullptr) return nullptr;
  }
}

void SeenMethods::insert(Table& table, jmethodID method, const SeenMethod* seen) {
  std::size_t i = hash_of(method) & table.mask;
  while (table.slots[i].method.load(std::memory_order_relaxed) != nullptr) {
    i = (i + 1) & table.mask;
  }
  table.slots[i].seen.store(seen, std::memory_order_relaxed);
  table.slots[i].method.store(method, std::memory_order_release);
  ++table.used;
}

const SeenMethod& SeenMethods::get(JNIEnv* jni, jmethodID method) {
  if (method != nullptr) {
    const Slot* slot = find(*table_.load(std::memory_order_acquire), method);
    if (slot != nullptr) {
      const SeenMethod& seen = *slot->seen.load(std::memory_order_acquire);
      if (seen.generation == generation_.load(std::memory_order_acquire)) return seen;
    }
    return learn(jni, method);
  }
  static const SeenMethod kUnknown;
  return kUnknown;
}

const SeenMethod& SeenMethods::learn(JNIEnv* jni, jmethodID method) {
  // Outside the lock: JVMTI calls may wait for a safepoint.
  std::unique_ptr<SeenMethod> fresh = read(jni, method);

  const std::lock_guard lock(mutex_);
  seen_.push_back(std::move(fresh));
  const SeenMethod* seen = seen_.back().get();
  Table* table = table_.load(std::memory_order_relaxed);
  if (Slot* slot = find(*table, method)) {
    slot->seen.store(seen, std::memory_order_release);
    return *seen;
  }
  if (table->used * 2 > table->mask) {
    auto larger = std::make_unique<Table>((table->mask + 1) * 2);
    for (std::size_t i = 0; i <= table->mask; ++i) {
      const jmethodID there = table->slots[i].method.load(std::memory_order_relaxed);
      if (there != nullptr) insert(*larger, there, table->slots[i].seen);
    }
    tables_.push_back(std::move(larger));
    table = tables_.back().get();
    table_.store(table, std::memory_order_release);
  }
  insert(*table, method, seen);
  return *seen;
}

std::unique_ptr<SeenMethod> SeenMethods::read(JNIEnv* jni, jmethodID method) const {
  auto seen = std::make_unique<SeenMethod>();
  seen->generation = generation_.load(std::memory_order_acquire);
  LocalRef<jclass> owner(jni, nullptr);
  JvmtiPtr<char> class_signature(jvmti_), name(jvmti_), signature(jvmti_), file(jvmti_);
  if (jvmti_->GetMethodDeclaringClass(method, owner.out()) != JVMTI_ERROR_NONE ||
      jvmti_->GetClassSignature(owner.get(), class_signature.out(), nullptr) != JVMTI_ERROR_NONE ||
      jvmti_->GetMethodName(method, name.out(), signature.out(), nullptr) != JVMTI_ERROR_NONE) {
    return seen;
  }
  MethodName names;
  names.class_name = type_name_of(text_of(class_signature));
  names.method = text_of(name);
  names.signature = text_of(signature);
  // ABSENT_INFORMATION leaves it empty.
  if (jvmti_->GetSourceFileName(owner.get(), file.out()) == JVMTI_ERROR_NONE) {
    names.file = text_of(file);
  }
  jboolean native = JNI_FALSE;
  jvmti_->IsMethodNative(method, &native);
  names.native = native == JNI_TRUE;
  seen->role = role_of(names);

  jlocation first = 0, last = -1;
  if (!names.native && jvmti_->GetMethodLocation(method, &first, &last) == JVMTI_ERROR_NONE) {
    seen->moves = rewritten_.moves_of(text_of(class_signature), names.method, names.signature,
                                      static_cast<std::uint32_t>(last + 1));
  }
  jint count = 0;
  JvmtiPtr<jvmtiLineNumberEntry> lines(jvmti_);
  if (!names.native &&
      jvmti_->GetLineNumberTable(method, &count, lines.out()) == JVMTI_ERROR_NONE) {
    names.lines.reserve(static_cast<std::size_t>(count));
    for (jint i = 0; i < count; ++i) {
      names.lines.push_back(
          {static_cast<std::uint16_t>(seen->original_bci(lines[i].start_location)),
           static_cast<std::uint16_t>(lines[i].line_number)});
    }
    // JVMS 4.7.12: entries may be in any order.
    std::stable_sort(names.lines.begin(), names.lines.end(),
                     [](const LineEntry& a, const LineEntry& b) { return a.bci < b.bci; });
  }
  if (seen->role == MethodRole::kConstructor) read_super_calls(owner.get(), method, *seen);
  seen->name = names_.add_method(std::move(names));
  return seen;
}

void SeenMethods::read_super_calls(jclass owner, jmethodID method, SeenMethod& seen) const {
  jint code_length = 0, pool_count = 0, pool_bytes = 0;
  JvmtiPtr<unsigned char> code(jvmti_), pool(jvmti_);
  if (jvmti_->GetBytecodes(method, &code_length, code.out()) != JVMTI_ERROR_NONE ||
      jvmti_->GetConstantPool(owner, &pool_count, &pool_bytes, pool.out()) != JVMTI_ERROR_NONE) {
    return;  // the constructor's frame stays visible
  }
  bci::ByteReader entries({pool.get(), static_cast<std::size_t>(pool_bytes)});
  bci::SkipReason why{};
  const auto parsed =
      bci::ConstantPool::parse(entries, static_cast<std::uint16_t>(pool_count), why);
  if (parsed) {
    seen.super_calls =
        bci::super_call_bcis(*parsed, {code.get(), static_cast<std::size_t>(code_length)});
  }
}

}  // namespace ddm
