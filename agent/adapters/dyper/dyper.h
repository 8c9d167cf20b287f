// DYPER as a whole: its address, and the DDM chunk that carries the same documents. Commands are
// answered on the slow lane, one after the other.
//
//   DYPR  request and reply: str document. Unsolicited messages are events of that type, sent to
//         the DDM servers that have sent a DYPR request.
#pragma once

#include <jvmti.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "adapters/dyper/documents/dyper_door.h"
#include "adapters/dyper/dyper_commands.h"
#include "adapters/dyper/dyper_monitor.h"
#include "adapters/dyper/dyper_options.h"
#include "core/feature.h"
#include "wire/chunks/dispatcher.h"
#include "wire/handler_context.h"

namespace ddm {

class Dyper final : public Feature {
 public:
  Dyper(const HandlerContext& context, const DyperOptions& options, bool access_any, Stacks& stacks,
        ReportAssembly& reports, HeapDumper& heap_dumper, SamplerThread& sampler,
        HitBudget& budget);

  void add_chunks(Dispatcher& dispatcher) override;
  // Opens dyper='s address and prints it, in one line on stderr.
  void vm_live(JNIEnv* jni, bool late) override;
  void end() override;
  void end_after_servers() override;

 private:
  void send(const std::string& document);

  std::string open(JNIEnv* jni);

  const HandlerContext& context_;
  const DyperOptions& options_;
  const bool access_any_;
  const DyperIdentity self_;
  DyperMonitor monitor_;
  DyperCommands commands_;

  using Sessions = std::set<std::weak_ptr<Session>, std::owner_less<>>;
  std::mutex mutex_;  // of what follows
  std::shared_ptr<IoLoop> loop_;
  std::shared_ptr<Door> door_;  // null: dyper= is not given; set once
  Sessions sessions_;           // that have sent a DYPR
};

}  // namespace ddm
