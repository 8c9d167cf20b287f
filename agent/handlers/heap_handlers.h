// HPIF, HPGC, HPDU, HPDS: figures of the heap, collections, dumps.
#pragma once

#include "ddm/heap_info.h"
#include "handlers/gc_events.h"
#include "handlers/handler_context.h"
#include "handlers/heap_map_handlers.h"
#include "heap/heap_dump_file.h"
#include "heap/heap_figures.h"

namespace ddm {

class HeapHandlers {
 public:
  // `maps` knows how many objects there are.
  HeapHandlers(const HandlerContext& context, GcEvents& gc_events, const HeapMapHandlers& maps)
      : context_(context), gc_events_(gc_events), maps_(maps), dumper_(context.jvmti, figures_) {}

  void add_to(Dispatcher& dispatcher);

  // The program ends: nothing is left behind.
  void close() { dumper_.close(); }

 private:
  void info(const Request& request, Reply reply);
  void collect(Reply reply);
  void dump_to_file(const Request& request, Reply reply);
  void dump(const Request& request, Reply reply);

  HeapInfo read_info(JNIEnv* jni, HeapInfoWhen reason);
  void collected(JNIEnv* jni);

  const HandlerContext& context_;
  GcEvents& gc_events_;
  const HeapMapHandlers& maps_;
  HeapFiguresReader figures_;
  HeapDumper dumper_;

  // The slow lane's own: the last dump, as long as somebody is being sent it.
  std::weak_ptr<const StoredData> last_dump_;
  std::chrono::steady_clock::time_point last_dump_begun_{};
};

}  // namespace ddm
