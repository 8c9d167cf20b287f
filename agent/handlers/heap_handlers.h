// HPIF, HPGC, HPDU, HPDS: figures of the heap, collections, dumps.
#pragma once

#include <chrono>

#include "ddm/heap_info.h"
#include "ddm/shared_answer.h"
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
  HeapDumper& dumper() { return dumper_; }

  // The program ends: nothing is left behind.
  void close() { dumper_.close(); }

 private:
  void info(const Request& request, Reply reply);
  void collect(const Request& request, Reply reply);
  void dump_to_file(const Request& request, Reply reply);
  void dump(const Request& request, Reply reply);

  HeapInfo read_info(JNIEnv* jni, HeapInfoWhen reason);
  void collected(JNIEnv* jni);

  const HandlerContext& context_;
  GcEvents& gc_events_;
  const HeapMapHandlers& maps_;
  HeapFiguresReader figures_;
  HeapDumper dumper_;

  // The slow lane's own.
  SharedAnswer dump_;
  std::chrono::steady_clock::time_point collection_begun_{};  // the last that a server asked for
};

}  // namespace ddm
