#include "threads.h"

#include <algorithm>
#include <map>

#include "ddm/switch_request.h"

namespace ddm {

Result<std::vector<ThreadRow>> list_threads(DdmClient& client) {
  // A THCR for every thread comes before the answer.
  const auto on = client.request(to_chunk(ThreadEventsRequest{true}));
  if (!on) return on.error();
  const auto table = client.get<ThreadStatusTable>(to_chunk(ThreadStatusRequest{}));
  const auto off = client.request(to_chunk(ThreadEventsRequest{false}));
  if (!table) return table.error();
  if (!off) return off.error();

  std::map<std::uint32_t, std::string> names;
  for (const Chunk& event : client.take_events()) {
    if (event.type == ThreadCreated::kType) {
      if (auto created = ThreadCreated::decode(event.data)) names[created->id] = created->name;
    } else if (event.type == ThreadRenamed::kType) {
      if (auto renamed = ThreadRenamed::decode(event.data)) names[renamed->id] = renamed->name;
    } else if (event.type == ThreadDied::kType) {
      if (auto died = ThreadDied::decode(event.data)) names.erase(died->id);
    }
  }
  std::vector<ThreadRow> rows;
  for (const ThreadStatusTable::Entry& entry : table->entries) {
    const auto name = names.find(entry.id);
    if (name != names.end()) rows.push_back({entry, name->second});
  }
  std::sort(rows.begin(), rows.end(),
            [](const ThreadRow& a, const ThreadRow& b) { return a.status.id < b.status.id; });
  return rows;
}

}  // namespace ddm
