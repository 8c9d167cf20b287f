#include "adapters/dyper/stack_dump.h"

#include <unordered_map>

#include "vm/management.h"

namespace ddm {

void write_stacks(JNIEnv* jni, const ThreadSnapshot& snapshot, XmlWriter& xml) {
  std::vector<std::int64_t> ids;
  for (const SeenThread& thread : snapshot.threads) ids.push_back(thread.id);
  std::unordered_map<std::int64_t, management::ThreadInfo> infos;
  for (management::ThreadInfo& info : management::thread_infos(jni, ids)) {
    infos[info.id] = std::move(info);
  }
  xml.open("THREADS").attribute("TIME", snapshot.ms);
  for (const SeenThread& thread : snapshot.threads) {
    // Read a moment after the stack: a thread that has continued since waits for nothing.
    const management::ThreadInfo& info = infos[thread.id];
    xml.open("THREAD").attribute("ID", thread.id).attribute("NAME", thread.name);
    xml.attribute("STATE", state_name(thread.activity));
    xml.attribute("BLOCKCT", info.blocked_count).attribute("BLOCKTIME", info.blocked_ms);
    if (!info.lock.empty()) {
      xml.attribute("LOCK", info.lock).attribute("LOCKOWNER", info.lock_owner);
    }
    xml.attribute("WAITCT", info.waited_count).attribute("WAITTIME", info.waited_ms);
    for (const SeenFrame& frame : thread.frames) {
      xml.open("STACK").attribute("CLASS", frame.class_name).attribute("METHOD", frame.method);
      xml.attribute("LINE", frame.line).attribute("FILE", frame.file).close();
    }
    xml.close();
  }
  xml.close();
}

}  // namespace ddm
