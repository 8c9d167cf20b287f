#include "allocations/capture/thread_names.h"

#include <chrono>
#include <iterator>

#include "allocations/store/alloc_record.h"
#include "vm/jvmti_memory.h"
#include "vm/thread_list.h"

namespace ddm {
namespace {

// More threads than any ring has records. Ids ascend, so the lower half are the oldest threads; the
// VM knows the names of those still alive.
constexpr std::size_t kMostNames = 2 * kMaxRecords / 8;

// How long a read waits for the threads that are recording an allocation.
constexpr std::chrono::milliseconds kRecordersPatience{100};

struct LastNoted {
  std::int64_t id = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const LastNoted&, const LastNoted&) = default;
};
thread_local LastNoted t_last_noted;

}  // namespace

// Read from the field: a tenth of the time of GetThreadInfo; a server may have a virtual thread per
// request.
std::string ThreadNames::name_of(JNIEnv* jni, jthread thread) const {
  const LocalRef<jstring> text(jni,
                               static_cast<jstring>(jni->GetObjectField(thread, fields_.name)));
  if (!text) return "";
  const jsize characters = jni->GetStringLength(text.get());
  if (characters == 0) return "";
  std::string name(static_cast<std::size_t>(jni->GetStringUTFLength(text.get())), '\0');
  jni->GetStringUTFRegion(text.get(), 0, characters,
                          name.data());  // also writes a terminating zero
  return clear_exception(jni) ? "" : name;
}

void ThreadNames::note(JNIEnv* jni, jthread thread, std::int64_t id) {
  const LastNoted now{id, generation_.load(std::memory_order_acquire)};
  if (t_last_noted == now) return;
  t_last_noted = now;
  {
    const std::lock_guard lock(mutex_);
    const auto known = names_.find(id);
    if (known != names_.end()) {
      known->second.noted_in = reads_;
      if (!file_ || file_->holds(id)) return;
    }
  }
  std::string name = name_of(jni, thread);
  const std::lock_guard lock(mutex_);
  store(id, name);
  names_.try_emplace(id, Entry{std::move(name), reads_});
  if (names_.size() > kMostNames) {
    names_.erase(names_.begin(), std::next(names_.begin(), kMostNames / 2));
    ++generation_;
  }
}

void ThreadNames::thread_ending(JNIEnv* jni, jthread thread) {
  const std::int64_t id = jni->GetLongField(thread, fields_.id);
  std::string name = name_of(jni, thread);
  const std::lock_guard lock(mutex_);
  store(id, name);
  names_[id] = {std::move(name), reads_};
}

std::map<std::int64_t, std::string> ThreadNames::known() {
  const std::lock_guard lock(mutex_);
  std::map<std::int64_t, std::string> names;
  for (const auto& [id, entry] : names_) names.emplace(id, entry.name);
  return names;
}

void ThreadNames::keep_in(std::unique_ptr<RingThreadNames> file) {
  const std::lock_guard lock(mutex_);
  file_ = std::move(file);
  for (const auto& [id, entry] : names_) store(id, entry.name);
}

void ThreadNames::store(std::int64_t id, const std::string& name) {
  if (file_ && file_->add(id, name)) ++generation_;
}

bool ThreadNames::prepare_read(Reclamation& reclamation) {
  {
    const std::lock_guard lock(mutex_);
    ++reads_;
    ++generation_;
  }
  return reclamation.wait_for_readers(kRecordersPatience);
}

std::map<std::int64_t, std::string> ThreadNames::read(
    JNIEnv* jni, const std::unordered_set<std::int64_t>& wanted, bool drop) {
  std::map<std::int64_t, std::string> names;
  const LocalFrame frame(jni, 64);
  for (const jthread thread : all_threads(jvmti_, jni)) {
    const std::int64_t id = jni->GetLongField(thread, fields_.id);
    if (wanted.contains(id)) names[id] = name_of(jni, thread);
  }
  const std::lock_guard lock(mutex_);
  const auto unused = [&](const auto& entry) {
    return !wanted.contains(entry.first) && entry.second.noted_in != reads_;
  };
  if (drop && std::erase_if(names_, unused) > 0) {
    ++generation_;  // a virtual thread may be running without being in the VM's list
  }
  for (const auto& [id, entry] : names_) {
    if (wanted.contains(id)) names.try_emplace(id, entry.name);
  }
  return names;
}

}  // namespace ddm
