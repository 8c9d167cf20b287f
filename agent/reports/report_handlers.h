// REPT: the agent's own reports over the wire; REPE: one as the program ends.
//
// A report may take a second to write, so it is written on a thread of its own, which the first
// request starts, and once for all servers that wait for the same format: however many ask, nobody
// waits for more than one report of each format before his own, and no other request waits at all.
#pragma once

#include <atomic>
#include <compare>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/assembly/followed_objects.h"
#include "report/assembly/report_assembly.h"
#include "vm/agent_thread.h"
#include "wire/handler_context.h"

namespace ddm {

class ReportHandlers {
 public:
  ReportHandlers(const HandlerContext& context, ReportAssembly& assembly,
                 FollowedObjects& followed);

  void add_to(Dispatcher& dispatcher);

  void disconnected(const SessionPtr& session);

  // The files that servers which are connected until the end want reports in.
  std::vector<std::string> paths_at_end() const;

  // No report is begun any more, and none is finished; paths_at_end() stays as it is. Never waits.
  void begin_close();
  // Waits for what cannot be left in the middle, not long.
  void close();

 private:
  struct Wish {
    std::optional<ReportFormat> format;  // none: `sites`, `live`, `time`, or the summary
    bool sites = false;
    bool live = false;
    bool time = false;
    bool recent = false;  // the recent records alone
    auto operator<=>(const Wish&) const = default;
  };
  struct Waiting {
    SessionPtr session;
    Wish wish;
    Reply reply;
  };

  static std::optional<Wish> wish_of(std::string_view format);
  void ask_at_end(const Request& request, Reply reply);
  void ask(const Request& request, Reply reply);
  void answer_all(JNIEnv* jni);
  void answer(JNIEnv* jni, const Wish& wish, std::vector<Waiting>& waiting) const;
  Result<Chunk> packed_report(JNIEnv* jni, const Wish& wish,
                              const std::vector<Waiting>& waiting) const;

  const HandlerContext& context_;
  ReportAssembly& assembly_;
  FollowedObjects& followed_;
  AgentThread thread_;
  std::atomic<bool> closing_{false};

  mutable std::mutex mutex_;
  std::vector<Waiting> waiting_;
  std::map<SessionPtr, std::string> at_end_;
};

}  // namespace ddm
