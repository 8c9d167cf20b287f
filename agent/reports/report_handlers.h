// REPT: the agent's own reports over the wire; REPE: a report at the program's end.
//
// A report may take a second to write, so it is written on a thread of its own, started by the
// first request, and once for all servers that wait for the same format: however many servers ask,
// each waits for at most one earlier report of each format, and no other request is delayed.
#pragma once

#include <atomic>
#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/assembly/heap_dumps.h"
#include "report/assembly/report_assembly.h"
#include "vm/agent_thread.h"
#include "wire/chunks/report_chunk.h"
#include "wire/handler_context.h"

namespace ddm {

class ReportHandlers {
 public:
  ReportHandlers(const HandlerContext& context, ReportAssembly& assembly,
                 FollowedObjects& followed);

  void add_to(Dispatcher& dispatcher);

  void disconnected(const SessionPtr& session);

  // What is requested by REPE of sessions still connected.
  std::vector<ReportAtEndRequest> paths_at_end() const;

  // Starts no further report and aborts the current one; paths_at_end() keeps its result. Never
  // blocks.
  void begin_close();
  // Waits briefly for a step that cannot be aborted.
  void close();

 private:
  struct Content {
    // nullopt: `sites`, `live`, `time`, `threads`, or the summary.
    std::optional<ReportFormat> format;
    bool sites = false;
    bool live = false;
    bool time = false;
    bool threads = false;  // of the recent records
    bool recent = false;   // only the recent records
    std::string below{};   // only what is below this method; "": all
    auto operator<=>(const Content&) const = default;
  };
  struct Waiting {
    SessionPtr session;
    Content content;
    Reply reply;
  };

  static std::optional<Content> content_of(std::string_view format);
  void ask_at_end(const Request& request, Reply reply);
  void ask(const Request& request, Reply reply);
  void answer_all(JNIEnv* jni);
  void answer(JNIEnv* jni, const Content& content, std::vector<Waiting>& waiting) const;
  Result<Chunk> packed_report(JNIEnv* jni, const Content& content,
                              const std::vector<Waiting>& waiting) const;

  const HandlerContext& context_;
  ReportAssembly& assembly_;
  FollowedObjects& followed_;
  AgentThread thread_;
  std::atomic<bool> closing_{false};

  mutable std::mutex mutex_;
  std::vector<Waiting> waiting_;
  std::map<SessionPtr, ReportAtEndRequest> at_end_;
};

}  // namespace ddm
