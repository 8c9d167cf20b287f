#include "threads.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "core/proc_stat.h"
#include "core/whole_text.h"
#include "wire/chunks/fail.h"
#include "wire/chunks/switch_request.h"

namespace ddm {
namespace {

// Java's thread ids by DDM's; none: the program does not send them.
Result<std::optional<std::map<std::uint32_t, std::int64_t>>> java_ids(DdmClient& client) {
  std::optional<std::map<std::uint32_t, std::int64_t>> ids;
  if (!client.offers(kJavaThreadIdsFeature)) return ids;
  const auto answer = client.get<JavaThreadIds>({JavaThreadIds::kType, {}});
  if (!answer) return answer.error();
  ids.emplace();
  for (const auto& [id, java_id] : answer->entries) ids->emplace(id, java_id);
  return ids;
}

Error no_thread(std::int64_t id) { return Error{fmt::format("no platform thread {}", id)}; }

constexpr std::size_t kKept = 15, kHead = 7, kTail = 6;

// Those that are longer than what the system keeps.
constexpr std::array kLongNames = {"ddmagent-sampler", "ddmagent-reports", "ddmagent-requested",
                                   "ddmagent-classes", "ddmagent-dypatch"};

// Of the 15 letters that the system keeps of a thread's name: the first, or from JDK 26 on both ends
// around two dots.
std::string agent_thread_name(std::string_view comm) {
  for (const std::string_view name : kLongNames) {
    const std::string ends =
        fmt::format("{}..{}", name.substr(0, kHead), name.substr(name.size() - kTail));
    if (comm == name.substr(0, kKept) || comm == ends) return std::string(name);
  }
  return std::string(comm);
}

}  // namespace

Result<std::vector<ThreadRow>> list_threads(DdmClient& client) {
  // A THCR for every thread comes before the answer.
  const auto on = client.request(to_chunk(ThreadEventsRequest{true}));
  if (!on) return on.error();
  const auto table = client.get<ThreadStatusTable>(to_chunk(ThreadStatusRequest{}));
  const auto ids = java_ids(client);
  const auto off = client.request(to_chunk(ThreadEventsRequest{false}));
  if (!table) return table.error();
  if (!ids) return ids.error();
  if (!off) return off.error();

  std::map<std::uint32_t, std::string> names;
  for (const Chunk& event : client.take_events()) {
    if (event.type == ThreadCreated::kType) {
      if (auto created = decode<ThreadCreated>(event.data)) names[created->id] = created->name;
    } else if (event.type == ThreadRenamed::kType) {
      if (auto renamed = decode<ThreadRenamed>(event.data)) names[renamed->id] = renamed->name;
    } else if (event.type == ThreadDied::kType) {
      if (auto died = decode<ThreadDied>(event.data)) names.erase(died->id);
    }
  }
  std::vector<ThreadRow> rows;
  for (const ThreadStatusTable::Entry& entry : table->entries) {
    const auto name = names.find(entry.id);
    if (name == names.end()) continue;
    std::int64_t id = entry.id;
    if (*ids) {
      const auto known = (*ids)->find(entry.id);
      if (known == (*ids)->end()) continue;
      id = known->second;
    }
    rows.push_back({id, entry, name->second});
  }
  std::ranges::sort(rows, {}, &ThreadRow::id);
  return rows;
}

Result<std::uint32_t> wire_id_of(DdmClient& client, std::int64_t id) {
  const auto ids = java_ids(client);
  if (!ids) return ids.error();
  if (!*ids) {
    if (id < 0 || id > std::numeric_limits<std::uint32_t>::max()) return no_thread(id);
    return static_cast<std::uint32_t>(id);
  }
  for (const auto& [wire_id, java_id] : **ids) {
    if (java_id == id) return wire_id;
  }
  return no_thread(id);
}

Result<ThreadStack> stack_of(DdmClient& client, std::int64_t id, std::uint32_t wire_id) {
  const auto answer = client.ask(to_chunk(StackRequest{wire_id}));
  if (!answer) return answer.error();
  if (answer->type == Fail::kType) {
    const auto fail = decode<Fail>(answer->data);
    const std::string why = fail ? fail->message : "";
    const std::size_t reason = why.rfind(": ");
    if (reason == std::string::npos) return no_thread(id);
    return Error{fmt::format("the stack of thread {} cannot be had{}", id, why.substr(reason))};
  }
  return DdmClient::decoded<ThreadStack>(*answer);
}

// Those that the VM lists; a program may have a pool "ddm-...".
bool is_agent_thread(std::string_view name) {
  return name == "ddmagent" || name.starts_with("ddmagent-");
}

double cpu_seconds(std::int64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::optional<std::vector<AgentThreadRow>> agent_threads(pid_t pid) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(tasks.c_str()), closedir);
  if (!stream) return {};
  std::vector<AgentThreadRow> rows;
  while (const dirent* entry = readdir(stream.get())) {
    const auto id = number_in<pid_t>(entry->d_name);
    if (!id) continue;
    const auto thread = read_proc_stat(tasks + "/" + entry->d_name + "/stat");
    if (!thread) continue;
    std::string name = agent_thread_name(thread->name);
    if (!name.starts_with("ddm-") && !is_agent_thread(name)) continue;
    rows.push_back({*id, std::move(name), thread->cpu_ticks, thread->start_time});
  }
  std::ranges::sort(rows, {}, &AgentThreadRow::name);
  return rows;
}

std::optional<double> AgentCpu::read(pid_t pid) {
  const auto threads = agent_threads(pid);
  if (!threads) return {};
  Threads living;
  for (const AgentThreadRow& thread : *threads) {
    living[{thread.os_id, thread.start_time}] = thread.cpu_ticks;
  }
  return cpu_seconds(total_with(std::move(living)));
}

std::int64_t AgentCpu::total_with(Threads living) {
  for (const auto& [thread, ticks] : last_) {
    if (!living.contains(thread)) ended_ += ticks;
  }
  last_ = std::move(living);
  std::int64_t total = ended_;
  for (const auto& [thread, ticks] : last_) total += ticks;
  return total;
}

}  // namespace ddm
