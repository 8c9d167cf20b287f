// MEMORY: the heap and its pools at each sample, collections, and allocations: the latter from the
// agent's allocation sites, if allocations are tracked.
#pragma once

#include <jni.h>

#include <map>
#include <string>

#include "adapters/dyper/documents/dyper_agent.h"
#include "heap/heap_figures.h"
#include "report/assembly/report_assembly.h"

namespace ddm {

class MemoryAgent final : public DyperAgent {
 public:
  explicit MemoryAgent(ReportAssembly& reports) : DyperAgent("MEMORY"), reports_(reports) {}

  // To be called before add_snapshot() and report(), which call the VM: the calling thread's JNIEnv.
  void use(JNIEnv* jni) { jni_ = jni; }

  void report(const ReportMoment& moment, const DyperVariables& variables, XmlWriter& xml) override;

 protected:
  void add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                    const DyperVariables& variables) override;
  void forget() override;

 private:
  struct Usage {
    double used = 0, used_squares = 0, committed = 0, committed_squares = 0;
    std::int64_t samples = 0;
    HeapFigures last;

    void add(const HeapFigures& figures);
  };
  static constexpr std::size_t kMostClasses = 1000;
  static constexpr std::size_t kMostSources = 64;

  void write_usage(const std::string& name, const Usage& usage, XmlWriter& xml) const;
  void write_allocations(const DyperVariables& variables, XmlWriter& xml);

  ReportAssembly& reports_;
  JNIEnv* jni_ = nullptr;
  HeapFiguresReader figures_;
  ClassTypes types_;  // as of the last snapshot
  std::map<std::string, Usage> usages_;
  std::map<std::string, std::int64_t> reported_;  // allocations of each class
  std::int64_t start_ms_ = 0;
};

}  // namespace ddm
