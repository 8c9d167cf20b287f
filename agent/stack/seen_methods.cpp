#include "stack/seen_methods.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "bci/constant_pool.h"
#include "bci/constructor_flow.h"
#include "core/class_names.h"
#include "vm/id_creation.h"
#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr std::size_t kFirstTableSize = 8192;

// The VM never frees ids, not even of unloaded classes.
constexpr std::size_t kMostClassesWithIds = 8192;

std::size_t hash_of(jmethodID method) {
  const auto value = reinterpret_cast<std::uintptr_t>(method);
  return static_cast<std::size_t>((value * 0x9E3779B97F4A7C15ull) >> 20);
}

// Frames of @Hidden methods, which Java shows with -XX:+ShowHiddenFrames only: three between a
// lambda expression and the creation of its object, and one between a lambda's caller and its body,
// in a hidden class (whose JVMTI name contains a slash).
bool is_hidden(std::string_view class_name) {
  if (class_name.starts_with("java.lang.invoke.")) {
    return class_name.ends_with("$Holder") ||
           class_name.starts_with("java.lang.invoke.LambdaForm$");
  }
  const std::size_t slash = class_name.find('/');
  return slash != std::string_view::npos &&
         class_name.substr(0, slash).find("$$Lambda") != std::string_view::npos;
}

ShownRole role_of(const MethodName& method) {
  if (method.method == "<init>") {
    return method.class_name == "java.lang.Object" ? ShownRole::kObjectInit
                                                   : ShownRole::kAtConstructor;
  }
  if (method.class_name.starts_with("java.lang.DdmTracker")) return ShownRole::kTracker;
  if (method.class_name == "java.util.Arrays" &&
      (method.method == "copyOf" || method.method == "copyOfRange") &&
      method.signature.ends_with("Ljava/lang/Class;)[Ljava/lang/Object;")) {
    return ShownRole::kArrayCopy;
  }
  return is_hidden(method.class_name) ? ShownRole::kHidden : ShownRole::kPlain;
}

std::vector<LineEntry> original_lines(const std::vector<LineEntry>& lines, const SeenMethod& seen) {
  std::vector<LineEntry> entries;
  entries.reserve(lines.size());
  for (const LineEntry& line : lines) {
    entries.push_back({static_cast<std::uint16_t>(seen.original_bci(line.bci)), line.line});
  }
  // JVMS 4.7.12: entries may be in any order.
  std::ranges::stable_sort(entries, {}, &LineEntry::bci);
  return entries;
}

}  // namespace

ShownRole SeenMethod::role_at(jlocation location) const {
  if (role != ShownRole::kAtConstructor) return role;
  return std::ranges::count(super_calls, location) != 0 ? role : ShownRole::kPlain;
}

SeenMethods::SeenMethods(jvmtiEnv* jvmti, JNIEnv* jni, NameTable& names,
                         const RewrittenMethods& rewritten, Reclamation& reclamation,
                         const MethodPointers& pointers)
    : jvmti_(jvmti),
      names_(names),
      rewritten_(rewritten),
      reclamation_(reclamation),
      pointers_(pointers),
      code_(jni),
      own_table_(std::make_shared<Table>(kFirstTableSize)) {
  table_ = own_table_.get();
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

SeenMethods::ChangeCount& SeenMethods::changes_of(std::string_view internal_name) {
  return changes_[std::hash<std::string_view>()(internal_name) % changes_.size()];
}

void SeenMethods::forget_class(std::string_view internal_name) {
  ++changes_of(internal_name);
  ++generation_;
}

void SeenMethods::forget_all() {
  for (ChangeCount& count : changes_) ++count;
  ++generation_;
}

bool SeenMethods::is_current(const SeenMethod& seen, jmethodID method) const {
  const MethodVersion& version = seen.version;
  return version.method == pointers_.of(method) &&
         (version.class_changes == nullptr ||
          version.changes == version.class_changes->load(std::memory_order_acquire));
}

// Where a jmethodID is a number (JDK 26 and later), it is that of all versions, and only a walk finds
// out that there is a new one: another agent may have redefined the class.
bool SeenMethods::is_of(const SeenMethod& seen, const void* version) const {
  return version == nullptr || version == seen.version.walked || pointers_.known();
}

const SeenMethod& SeenMethods::get(JNIEnv* jni, jmethodID method, const void* version) {
  if (method != nullptr) {
    const Slot* slot = find(*table_.load(std::memory_order_seq_cst), method);
    if (slot != nullptr) {
      const SeenMethod& seen = *slot->seen.load(std::memory_order_seq_cst);
      if (is_current(seen, method) && is_of(seen, version)) return seen;
    }
    return learn(jni, method, version);
  }
  static const SeenMethod& unknown = *new SeenMethod;
  return unknown;
}

ShownFrame SeenMethods::shown(JNIEnv* jni, RawFrame frame, const void* version) {
  const SeenMethod& seen = get(jni, frame.method, version);
  const void* const newest = seen.version.method;
  if (version != nullptr && newest != nullptr && version != newest) {
    return shown_former(seen, frame, version);
  }
  return {seen.name, seen.original_bci(frame.location), seen.role_at(frame.location)};
}

// Reads the version that the frame executes every time: its memory may be reused once the frame has
// ended, and walkers cache the result. While the frame is active, the version is alive.
ShownFrame SeenMethods::shown_former(const SeenMethod& newest, RawFrame frame,
                                     const void* version) {
  SeenMethod former;
  former.role = newest.role;
  MethodName name = names_.method(newest.name);
  name.lines.clear();
  const auto code = code_.read(version);
  if (code && code_matches_jvmti(frame.method)) {
    former.moves = rewritten_.moves_of(internal_name(name.class_name), name.method, name.signature,
                                       bci::code_shape(code->bytecode));
    if (!former.moves.ambiguous) name.lines = original_lines(code->lines, former);
  }
  const std::int32_t bci = former.original_bci(frame.location);
  former.name = names_.add_method(std::move(name));
  if (former.role != ShownRole::kAtConstructor) return {former.name, bci, former.role_at(0)};
  const bool at_super_call = std::ranges::any_of(newest.super_calls, [&](std::uint16_t call) {
    return bci >= 0 && newest.original_bci(call) == bci;
  });
  return {former.name, bci, at_super_call ? ShownRole::kAtConstructor : ShownRole::kPlain};
}

// Compares code read from the VM's memory with JVMTI, which describes the newest version only. A
// redefinition between the two reads makes them differ, hence the retries.
bool SeenMethods::code_matches_jvmti(jmethodID method) const {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto newest = code_.read(pointers_.of(method));
    if (newest && newest->lines == lines_of(method) &&
        bci::code_shape(newest->bytecode) == shape_of(method)) {
      return true;
    }
  }
  return false;
}

const SeenMethod& SeenMethods::learn(JNIEnv* jni, jmethodID method, const void* version) {
  // Outside the lock: JVMTI calls may wait for a safepoint.
  const std::shared_ptr<const SeenMethod> fresh = read(jni, method, version);
  growth_.grown_to(put(method, fresh));
  return *fresh;
}

std::size_t SeenMethods::put(jmethodID method, const std::shared_ptr<const SeenMethod>& fresh) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const SeenMethod>& known = seen_[method];
  std::shared_ptr<const SeenMethod> former = std::exchange(known, fresh);
  // A known method is missing in the table if there was no memory for a larger one.
  if (Slot* const slot = find(*own_table_, method)) {
    slot->seen.store(fresh.get(), std::memory_order_seq_cst);
    if (former) reclamation_.retire(std::move(former));
    return seen_.size();
  }
  if (own_table_->used * 2 > own_table_->mask) {
    move_to(std::make_shared<Table>((own_table_->mask + 1) * 2));
  } else {
    insert(*own_table_, method, fresh.get());
  }
  return seen_.size();
}

void SeenMethods::move_to(std::shared_ptr<Table> table) {
  for (const auto& [method, seen] : seen_) {
    if (seen) insert(*table, method, seen.get());
  }
  table_.store(table.get(), std::memory_order_seq_cst);
  reclamation_.retire(std::exchange(own_table_, std::move(table)));
}

// Where a jmethodID is a number (JDK 26 and later), only the VM knows whether its class is loaded.
std::unordered_set<jmethodID> SeenMethods::unloaded_numbers() {
  std::vector<jmethodID> methods;
  std::unordered_set<jmethodID> unloaded;
  if (pointers_.known()) return unloaded;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [method, seen] : seen_) methods.push_back(method);
  }
  for (const jmethodID method : methods) {  // outside the lock: JVMTI may wait for a safepoint
    jboolean native = JNI_FALSE;
    if (jvmti_->IsMethodNative(method, &native) == JVMTI_ERROR_INVALID_METHODID) {
      unloaded.insert(method);
    }
  }
  return unloaded;
}

void SeenMethods::drop_former() {
  ++generation_;
  const std::unordered_set<jmethodID> unloaded = unloaded_numbers();
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const SeenMethod>> dropped;
  std::size_t size = kFirstTableSize;
  while (size < 4 * seen_.size()) size *= 2;
  // All memory before anything leaves seen_, since the table in use refers to it.
  auto table = std::make_shared<Table>(size);
  dropped.reserve(seen_.size());
  for (auto at = seen_.begin(); at != seen_.end();) {
    if (at->second && at->second->version.method == pointers_.of(at->first) &&
        !unloaded.contains(at->first)) {
      ++at;
    } else {
      dropped.push_back(std::move(at->second));
      at = seen_.erase(at);
    }
  }
  growth_.swept_to(seen_.size());
  if (dropped.empty()) return;
  move_to(std::move(table));
  for (auto& seen : dropped) reclamation_.retire(std::move(seen));
}

void SeenMethods::add_names(NamesInUse& used) {
  const std::lock_guard lock(mutex_);
  for (const auto& [method, seen] : seen_) {
    if (seen) used.methods.insert(seen->name);
  }
}

std::unique_ptr<SeenMethod> SeenMethods::read(JNIEnv* jni, jmethodID method, const void* version) {
  for (int tries_left = 3;; --tries_left) {
    auto seen = std::make_unique<SeenMethod>();
    LocalRef<jclass> owner(jni, nullptr);
    JvmtiPtr<char> signature(jvmti_);
    if (jvmti_->GetMethodDeclaringClass(method, owner.out()) != JVMTI_ERROR_NONE ||
        jvmti_->GetClassSignature(owner.get(), signature.out(), nullptr) != JVMTI_ERROR_NONE) {
      return seen;
    }
    give_ids(owner.get(), text_of(signature));
    ChangeCount& changes = changes_of(internal_name_of(text_of(signature)));
    seen->version = {pointers_.of(method), version, &changes,
                     changes.load(std::memory_order_acquire)};
    MethodName name = read_name(owner.get(), text_of(signature), method, *seen);
    // A class that was redefined meanwhile is read again: all parts must be of one version. If the
    // entry is still outdated after the last try, the next get() reads the method again.
    if (is_current(*seen, method) || tries_left == 0) {
      seen->name = names_.add_method(std::move(name));
      return seen;
    }
  }
}

// A method has no id before one is requested, and a stack with such a method needs GetStackTrace,
// which takes a hundred times as long. Once one method of a class was seen, others usually follow,
// so all methods of the class get their ids.
void SeenMethods::give_ids(jclass owner, std::string_view class_signature) {
  {
    const std::lock_guard lock(mutex_);
    if (classes_with_ids_.size() >= kMostClassesWithIds ||
        !classes_with_ids_.insert(std::hash<std::string_view>()(class_signature)).second) {
      return;
    }
  }
  id_creation::create_all(jvmti_, owner);
}

MethodName SeenMethods::read_name(jclass owner, std::string_view class_signature, jmethodID method,
                                  SeenMethod& seen) const {
  MethodName names;
  JvmtiPtr<char> name(jvmti_), signature(jvmti_), file(jvmti_);
  names.class_name = type_name_of(class_signature);
  if (jvmti_->GetMethodName(method, name.out(), signature.out(), nullptr) == JVMTI_ERROR_NONE) {
    names.method = text_of(name);
    names.signature = text_of(signature);
  }
  // On JVMTI_ERROR_ABSENT_INFORMATION the file name stays empty.
  if (jvmti_->GetSourceFileName(owner, file.out()) == JVMTI_ERROR_NONE) names.file = text_of(file);
  jboolean native = JNI_FALSE;
  jvmti_->IsMethodNative(method, &native);
  names.native = native == JNI_TRUE;
  seen.role = role_of(names);
  if (names.native) return names;

  read_code(owner, class_signature, method, names, seen);
  if (!seen.moves.ambiguous) names.lines = original_lines(lines_of(method), seen);
  return names;
}

void SeenMethods::read_code(jclass owner, std::string_view class_signature, jmethodID method,
                            const MethodName& names, SeenMethod& seen) const {
  const bool with_super_calls = seen.role == ShownRole::kAtConstructor && super_calls_wanted_;
  if (rewritten_.empty() && !with_super_calls) return;
  jint length = 0;
  JvmtiPtr<unsigned char> code(jvmti_);
  if (jvmti_->GetBytecodes(method, &length, code.out()) != JVMTI_ERROR_NONE) return;
  const bci::ByteSpan bytecode{code.get(), static_cast<std::size_t>(length)};
  if (!rewritten_.empty()) {
    seen.moves = rewritten_.moves_of(internal_name_of(class_signature), names.method,
                                     names.signature, bci::code_shape(bytecode));
  }
  if (with_super_calls) read_super_calls(owner, bytecode, seen);
}

std::uint64_t SeenMethods::shape_of(jmethodID method) const {
  jint length = 0;
  JvmtiPtr<unsigned char> code(jvmti_);
  if (jvmti_->GetBytecodes(method, &length, code.out()) != JVMTI_ERROR_NONE) return 0;
  return bci::code_shape({code.get(), static_cast<std::size_t>(length)});
}

std::vector<LineEntry> SeenMethods::lines_of(jmethodID method) const {
  jint count = 0;
  JvmtiPtr<jvmtiLineNumberEntry> table(jvmti_);
  if (jvmti_->GetLineNumberTable(method, &count, table.out()) != JVMTI_ERROR_NONE) return {};
  std::vector<LineEntry> lines;
  lines.reserve(static_cast<std::size_t>(count));
  for (jint i = 0; i < count; ++i) {
    lines.push_back({static_cast<std::uint16_t>(table[i].start_location),
                     static_cast<std::uint16_t>(table[i].line_number)});
  }
  return lines;
}

void SeenMethods::read_super_calls(jclass owner, bci::ByteSpan bytecode, SeenMethod& seen) const {
  if (bci::begins_with_super_call(bytecode)) {  // GetConstantPool takes 30 µs and more
    seen.super_calls = {bci::kFirstSuperCallBci};
    return;
  }
  jint pool_count = 0, pool_bytes = 0;
  JvmtiPtr<unsigned char> pool(jvmti_);
  if (jvmti_->GetConstantPool(owner, &pool_count, &pool_bytes, pool.out()) != JVMTI_ERROR_NONE) {
    return;  // the constructor's frame stays visible
  }
  bci::ByteReader entries({pool.get(), static_cast<std::size_t>(pool_bytes)});
  bci::SkipReason why{};
  const auto parsed =
      bci::ConstantPool::parse(entries, static_cast<std::uint16_t>(pool_count), why);
  if (parsed) seen.super_calls = bci::super_call_bcis(*parsed, bytecode);
}

}  // namespace ddm
