// The Java heap for a server: its maps (heap_map_handlers.h), and HPIF, HPUS, HPGC, HPDU, HPDS,
// HPDP: its figures, collections, dumps.
#pragma once

#include <chrono>
#include <map>

#include "core/feature.h"
#include "heap/heap_dump_file.h"
#include "heap/heap_figures.h"
#include "heap/heap_map_handlers.h"
#include "heap/heap_options.h"
#include "report/assembly/heap_dumps.h"
#include "wire/chunks/heap_info.h"
#include "wire/chunks/shared_answer.h"
#include "wire/events/agent_events.h"
#include "wire/handler_context.h"

namespace ddm {

class HeapHandlers final : public Feature {
 public:
  // `followed` supplies the allocation stacks of objects.
  HeapHandlers(const HandlerContext& context, AgentEvents& events, const HeapOptions& options,
               FollowedObjects& followed)
      : context_(context),
        gc_events_(events.collections()),
        maps_(context, gc_events_, events.maps(), static_cast<std::uint8_t>(options.unit)),
        followed_(followed),
        dumper_(context.jvmti) {}

  HeapDumper& dumper() { return dumper_; }

  void add_chunks(Dispatcher& dispatcher) override;
  void session_ended(const SessionPtr& session) override;
  void end() override { dumper_.close(); }
  // Also where the process ends without VMDeath.
  bool write_final_reports(JNIEnv*, bool complete) override {
    dumper_.close();
    return complete;
  }

 private:
  void info(const Request& request, Reply reply);
  void usage(const Request& request, Reply reply);
  void collect(const Request& request, Reply reply);
  void dump_to_file(const Request& request, Reply reply);
  void dump(const Request& request, Reply reply);
  void dump_in_pieces(const Request& request, Reply reply);
  void next_piece(const Request& request, Reply reply);

  HeapInfo read_info(JNIEnv* jni, HeapInfoWhen reason);
  void collected(JNIEnv* jni);

  const HandlerContext& context_;
  GcEvents& gc_events_;
  HeapMapHandlers maps_;
  FollowedObjects& followed_;
  HeapFiguresReader figures_;
  HeapDumper dumper_;

  // Used by the slow lane only.
  SharedAnswer dump_;
  struct Pieces {
    std::shared_ptr<const StoredData> data;
    std::uint64_t sent = 0;
  };
  std::map<std::uint64_t, Pieces> pieces_;  // by session: a dump that it is reading
  std::chrono::steady_clock::time_point collection_begun_{};  // the last that a server asked for
};

}  // namespace ddm
