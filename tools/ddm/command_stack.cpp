// ddm stack: the stack of one thread, or of all.
#include <map>
#include <set>

#include "chunk_json.h"
#include "command.h"
#include "held_locks.h"
#include "json_values.h"
#include "jvm_process.h"
#include "threads.h"
#include "wire/chunks/hello.h"

namespace ddm {
namespace {

struct StackOptions : TargetOptions {
  std::int64_t thread = 0;  // 0: none was given
  bool all = false;
};

int jdk_of_target(DdmClient& client) {
  const auto hello = client.get<HelloReply>(to_chunk(HelloRequest{}));
  return hello ? jdk_of(hello->vm) : 0;
}

bool may_leave_monitors_unnamed(DdmClient& client) { return jdk_of_target(client) >= 24; }

// The VM gives no agent a list of virtual threads.
std::string virtual_threads_note(DdmClient& client) {
  return jdk_of_target(client) < 21 ? ""
                                    : "virtual threads are not among these: `jcmd PID "
                                      "Thread.dump_to_file FILE` has their stacks";
}

int one_stack(DdmClient& client, std::int64_t thread, bool json) {
  const auto wire_id = wire_id_of(client, thread);
  if (!wire_id) {
    const std::string note = virtual_threads_note(client);
    return refuse(wire_id.message() + (note.empty() ? "" : "; " + note));
  }
  const auto stack = stack_of(client, thread, *wire_id);
  if (!stack) return refuse(stack.message());
  if (json) return print_json({{"id", thread}, {"stack", stack_json(stack->frames)}});
  ThreadLocks::Thread without_locks;
  without_locks.frames = stack->frames;
  print(locked_stack_text(without_locks));
  return kExitOk;
}

// Those that have been waiting for a monitor since before the locks were read, although ThreadInfo
// calls them running: from JDK 24 on it does so if a virtual thread owns the monitor.
std::set<std::int64_t> wait_for_unnamed(DdmClient& client, const std::vector<ThreadRow>& before,
                                        const std::optional<ThreadLocks>& locks) {
  std::set<std::int64_t> waiting;
  if (!locks) return waiting;
  for (const ThreadRow& row : before) {
    if (row.status.state == ThreadState::kMonitor) waiting.insert(row.id);
  }
  for (const ThreadLocks::Thread& thread : locks->threads) {
    if (thread.waits != ThreadLocks::Waits::kNot) waiting.erase(thread.java_id);
  }
  if (waiting.empty() || !may_leave_monitors_unnamed(client)) return {};
  const auto after = list_threads(client);
  if (!after) return {};
  for (const ThreadRow& row : *after) {
    if (row.status.state != ThreadState::kMonitor) waiting.erase(row.id);
  }
  return waiting;
}

// Threads with equal stacks and locks, of which the first stands where it is in the list.
class EqualStacks {
 public:
  void add(std::string title, const std::string& stack) {
    const auto [at, is_new] = places_.try_emplace(stack, groups_.size());
    if (is_new) groups_.push_back({{}, stack});
    groups_[at->second].titles.push_back(std::move(title));
  }
  void print_all() const {
    for (const Group& group : groups_) {
      for (const std::string& title : group.titles) print("{}\n", title);
      print(group.stack + "\n");
    }
  }

 private:
  struct Group {
    std::vector<std::string> titles;
    std::string stack;
  };
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> places_;
};

// If the program answers THLK, all stacks are of one moment; otherwise they are requested one by
// one while the program runs.
int all_stacks(DdmClient& client, bool json) {
  const auto threads = list_threads(client);
  if (!threads) return refuse(threads.message());
  Progress progress("stacks");
  client.on_progress([&progress](std::size_t bytes) { progress.show(bytes); });
  const auto locks = fetch_locks(client);
  std::map<std::int64_t, const ThreadLocks::Thread*> dumped;
  std::vector<LockCycle> cycles;
  if (locks) {
    for (const ThreadLocks::Thread& thread : locks->threads) dumped[thread.java_id] = &thread;
    cycles = deadlocks_of(*locks);
  }
  const std::set<std::int64_t> unnamed = wait_for_unnamed(client, *threads, locks);
  std::map<std::int64_t, std::size_t> cycle_of;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    for (const ThreadLocks::Thread* thread : cycles[i]) cycle_of[thread->java_id] = i + 1;
  }
  Json list = Json::array();
  EqualStacks stacks;
  for (const auto& [id, status, name] : *threads) {
    ThreadLocks::Thread thread;
    if (const auto at = dumped.find(id); at != dumped.end()) {
      thread = *at->second;
      if (unnamed.contains(id)) thread.waits = ThreadLocks::Waits::kEnter;
    } else {
      const auto answer = client.ask(to_chunk(StackRequest{status.id}));
      if (!answer) return refuse(answer.message());
      auto stack = DdmClient::decoded<ThreadStack>(*answer);
      if (!stack) continue;  // it has ended meanwhile
      thread.frames = std::move(stack->frames);
    }
    if (json) {
      Json row = {
          {"id", id}, {"name", json_text(name)}, {"state", thread_state_name(status.state)}};
      row["stack"] = stack_json(thread.frames);
      add_lock_members(thread, row);
      if (const auto at = cycle_of.find(id); at != cycle_of.end()) row["deadlock"] = at->second;
      list.push_back(std::move(row));
      continue;
    }
    stacks.add(printable_format("\"{}\" #{} {}{}", name, id, status.daemon ? "daemon " : "",
                                thread_state_name(status.state)),
               locked_stack_text(thread));
  }
  if (json) return print_json(list);
  stacks.print_all();
  if (const std::string note = virtual_threads_note(client); !note.empty()) print_sentence(note);
  print(deadlocks_text(cycles));
  return kExitOk;
}

int stack(const StackOptions& options) {
  auto client = connect_to_target(options.target);
  if (!client) return refuse(client.message());
  return options.thread == 0 ? all_stacks(*client, options.json)
                             : one_stack(*client, options.thread, options.json);
}

}  // namespace

void add_stack(CLI::App& app, Command& chosen) {
  const auto [command, options] =
      add_command(app, chosen, "stack", "Show the stacks of all threads, or of one", stack);
  add_text(command, "PID", options.target, kTargetHelp);
  const auto thread =
      add_number(command, "TID", options.thread,
                 "Java's id of the thread, as in `ddm threads`, jstack and reports", 1, kAnyNumber);
  const auto all = add_flag(command, "--all", options.all,
                            "All platform threads with their locks, and deadlocks (the default)");
  exclude(all, {thread});
  add_flag(
      command, "--json", options.json,
      "{id, stack: [{class, method, file, line}]}; of all an array of {id, name, state, stack, "
      "waits: {kind, class, hash, owner}, holds: [{class, hash, frame}], deadlock: its number}");
}

}  // namespace ddm
