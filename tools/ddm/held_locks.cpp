#include "held_locks.h"

#include <map>
#include <utility>

#include "chunk_json.h"
#include "json_values.h"
#include "stack/names/idle_waits.h"

namespace ddm {
namespace {

constexpr std::string_view kWaitWords[] = {"", "waiting to lock", "waiting on",
                                           "parking to wait for"};
constexpr std::string_view kWaitKinds[] = {"", "enter", "wait", "park"};

std::string hash_text(const ThreadLocks::Lock& lock) { return fmt::format("{:x}", lock.hash); }

// As Object.toString() has it. A lock without a class is one that the VM does not tell.
std::string lock_name(const ThreadLocks::Lock& lock) {
  if (lock.class_name.empty()) return "a monitor that the VM does not name (a virtual thread's?)";
  return printable_format("{}@{}", lock.class_name, hash_text(lock));
}

// Whether the thread waits for a lock with an owner, not for a signal, which any thread may send.
bool waits_for_owner(const ThreadLocks::Thread& thread) {
  return (thread.waits == ThreadLocks::Waits::kEnter ||
          thread.waits == ThreadLocks::Waits::kPark) &&
         thread.owner_id > 0;
}

std::string held_by(const ThreadLocks::Thread& thread) {
  if (thread.owner_id <= 0) return "";
  return printable_format(", held by \"{}\" #{}", thread.owner, thread.owner_id);
}

// Waits for a lock that can have an owner: not for a condition, a latch or a semaphore.
bool can_have_holder(const Json& wait) {
  const std::string kind = text_of(wait, "kind"), type = text_of(wait, "class");
  return kind == "enter" || (kind == "park" && type.starts_with("java.util.concurrent.locks.") &&
                             type.ends_with("fairSync"));
}

}  // namespace

std::optional<ThreadLocks> fetch_locks(DdmClient& client) {
  if (!client.offers(kThreadLocksFeature)) return {};
  const auto answer = client.request({ThreadLocks::kType, {}}, DdmClient::kMuchData);
  if (!answer || answer->type != ThreadLocks::kType) return {};
  return decode<ThreadLocks>(answer->data);
}

std::vector<LockCycle> deadlocks_of(const ThreadLocks& locks) {
  std::map<std::int64_t, const ThreadLocks::Thread*> by_id;
  for (const ThreadLocks::Thread& thread : locks.threads) by_id[thread.java_id] = &thread;
  const auto next = [&](const ThreadLocks::Thread& thread) -> const ThreadLocks::Thread* {
    if (!waits_for_owner(thread)) return nullptr;
    const auto at = by_id.find(thread.owner_id);
    return at != by_id.end() && at->second != &thread ? at->second : nullptr;
  };
  std::vector<LockCycle> cycles;
  std::map<const ThreadLocks::Thread*, std::size_t>
      seen;  // the walk that has seen a thread; each waits for one lock at most
  for (std::size_t walk = 0; walk < locks.threads.size(); ++walk) {
    const ThreadLocks::Thread* at = &locks.threads[walk];
    while (at != nullptr && seen.try_emplace(at, walk).second) at = next(*at);
    if (at == nullptr || seen[at] != walk) continue;
    LockCycle cycle;
    const ThreadLocks::Thread* const first = at;
    do {
      cycle.push_back(at);
      at = next(*at);
    } while (at != first);
    cycles.push_back(std::move(cycle));
  }
  return cycles;
}

std::string deadlocks_text(const std::vector<LockCycle>& cycles) {
  std::string text;
  for (const LockCycle& cycle : cycles) {
    text += text.empty() ? "deadlock:\n" : "another deadlock:\n";
    for (const ThreadLocks::Thread* thread : cycle) {
      text += printable_format("    \"{}\" #{} is {} ", thread->name, thread->java_id,
                               kWaitWords[static_cast<std::size_t>(thread->waits)]);
      text += lock_name(thread->lock) + held_by(*thread) + "\n";
    }
  }
  return text;
}

std::string locked_stack_text(const ThreadLocks::Thread& thread) {
  std::string text;
  const auto held = [&](std::int32_t frame) {
    for (const ThreadLocks::Held& one : thread.held) {
      if (one.frame == frame) text += "    - locked " + lock_name(one.lock) + "\n";
    }
  };
  for (std::size_t i = 0; i < thread.frames.size(); ++i) {
    text += frame_line(thread.frames[i]);
    if (i == 0 && thread.waits != ThreadLocks::Waits::kNot) {
      text += fmt::format("    - {} {}{}\n", kWaitWords[static_cast<std::size_t>(thread.waits)],
                          lock_name(thread.lock), held_by(thread));
    }
    held(static_cast<std::int32_t>(i));
  }
  if (thread.frames.empty()) text += "    (no Java frame)\n";
  held(-1);  // by native code
  return text;
}

void add_lock_members(const ThreadLocks::Thread& thread, Json& object) {
  const auto lock_json = [](const ThreadLocks::Lock& lock) {
    return Json{{"class", json_text(lock.class_name)}, {"hash", hash_text(lock)}};
  };
  if (thread.waits != ThreadLocks::Waits::kNot) {
    Json waits = {{"kind", kWaitKinds[static_cast<std::size_t>(thread.waits)]}};
    if (!thread.lock.class_name.empty()) waits.update(lock_json(thread.lock));
    if (thread.owner_id > 0) {
      waits["owner"] = {{"id", thread.owner_id}, {"name", json_text(thread.owner)}};
    }
    object["waits"] = std::move(waits);
  }
  if (thread.held.empty()) return;
  object["holds"] = json_list(thread.held, [&](const ThreadLocks::Held& held) {
    Json one = lock_json(held.lock);
    one["frame"] = held.frame;
    return one;
  });
}

bool is_idle_wait(const Json& wait) {
  const Json& stack = array_of(wait, "stack");
  return is_idle_wait(text_of(wait, "kind"), text_of(wait, "class"), stack.size(),
                      [&](std::size_t i) {
                        return std::pair(text_of(stack[i], "class"), text_of(stack[i], "method"));
                      });
}

HolderCounts count_holders(const std::vector<Json>& waits) {
  HolderCounts counts;
  for (const Json& wait : waits) {
    if (!can_have_holder(wait)) continue;
    counts.waits += number_of(wait, "count");
    for (const Json& holder : array_of(wait, "holders")) {
      counts.known += number_of(holder, "count");
    }
  }
  return counts;
}

}  // namespace ddm
