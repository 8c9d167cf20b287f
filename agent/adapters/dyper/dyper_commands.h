// Carries out DYPER's commands: a document in, one reply out. Commands run one after the other on
// the thread that answers commands. Retransformation runs other agents' transformers, so commands
// that need it run on a side thread: other commands are answered even if a transformer hangs.
#pragma once

#include <jvmti.h>

#include <string>
#include <string_view>

#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/dypatch.h"
#include "adapters/dyper/dyper_monitor.h"
#include "heap/heap_dump_file.h"
#include "probes/side_thread.h"

namespace ddm {

class DyperCommands {
 public:
  // `modes_file`: dypatch_modes=
  DyperCommands(jvmtiEnv* jvmti, DyperIdentity self, DyperMonitor& monitor, HeapDumper& dumper,
                HitBudget& budget, std::string modes_file)
      : jvmti_(jvmti),
        self_(std::move(self)),
        monitor_(monitor),
        dumper_(dumper),
        dypatch_(jvmti, std::move(modes_file), budget),
        changes_(jvmti, "ddmagent-dypatch", std::chrono::seconds(5)) {
    monitor_.count_with(
        [this](JNIEnv* jni, XmlWriter& xml) { dypatch_.patched().write_counters(jni, xml); });
  }
  DyperCommands(const DyperCommands&) = delete;
  DyperCommands& operator=(const DyperCommands&) = delete;

  // Before the first command. The error: why modes_file cannot be read.
  std::optional<Error> read_modes_early() { return dypatch_.read_modes_early(); }
  std::string answer(JNIEnv* jni, std::string_view document);
  // At the VM's death.
  void close() {
    dypatch_.close();
    changes_.close();
  }

 private:
  struct Answer {
    XmlWriter xml;
    DyperErrors errors;
    std::string attributes;  // of the reply's own start tag
  };
  struct Call;
  using Handler = void (Call::*)();

  std::string answer(JNIEnv* jni, DyperRequest request);
  void call(JNIEnv* jni, Handler handler, const DyperRequest& request, Answer& answer);
  Answer answer_aside(JNIEnv* jni, Handler handler, DyperRequest request);

  jvmtiEnv* const jvmti_;
  const DyperIdentity self_;
  DyperMonitor& monitor_;
  HeapDumper& dumper_;
  Dypatch dypatch_;
  SideThread changes_;
};

}  // namespace ddm
