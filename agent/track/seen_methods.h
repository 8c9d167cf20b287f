// jmethodID -> what records and frames need to know of a method, read from the VM when the method
// is first seen on a stack: its class is certainly alive then. Later look-ups take no lock.
//
// HotSpot never reuses a jmethodID of an unloaded class, so an entry never turns into another
// method's. A rewritten class keeps its jmethodIDs but moves its bytecode: after every rewriting
// forget_all() makes the next sight read anew, under the same NameId.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bci/bci_map.h"
#include "records/name_table.h"
#include "track/rewritten_methods.h"

namespace ddm {

enum class MethodRole : std::uint8_t {
  kPlain,
  kHidden,       // method handle plumbing that Java's own stack traces leave out too
  kTracker,      // a method of java.lang.DdmTracker or its natives
  kObjectInit,   // Object.<init>
  kConstructor,  // any other <init>
  kArrayCopy,    // Arrays.copyOf and copyOfRange of object arrays, hooked where it is called
};

struct SeenMethod {
  NameId name = kUnknownName;
  MethodRole role = MethodRole::kPlain;
  std::vector<bci::BciRun> moves;          // of a rewritten method; see original_bci()
  std::vector<std::uint16_t> super_calls;  // kConstructor: where this() or super() is called, as
                                           // the method stands in the VM
  std::uint32_t generation = 0;

  // Of a frame's location: the index in the class file as its author compiled it.
  std::int32_t original_bci(jlocation location) const {
    if (moves.empty() || location < 0) return static_cast<std::int32_t>(location);
    return bci::original_bci(moves, static_cast<std::uint16_t>(location));
  }
  bool stands_at_super_call(jlocation location) const;
};

class SeenMethods {
 public:
  SeenMethods(jvmtiEnv* jvmti, NameTable& names, const RewrittenMethods& rewritten);

  // The caller's own stack holds the method. The reference stays valid for good.
  const SeenMethod& get(JNIEnv* jni, jmethodID method);

  void forget_all() { generation_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  struct Slot {
    std::atomic<jmethodID> method{nullptr};  // set last
    std::atomic<const SeenMethod*> seen{nullptr};
  };
  // Open addressing; a table is never freed while the VM lives (readers take no lock), and each is
  // twice the size of the one before.
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), slots(new Slot[size]) {}
    const std::size_t mask;
    std::size_t used = 0;
    const std::unique_ptr<Slot[]> slots;
  };

  static Slot* find(const Table& table, jmethodID method);
  static void insert(Table& table, jmethodID method, const SeenMethod* seen);
  const SeenMethod& learn(JNIEnv* jni, jmethodID method);
  std::unique_ptr<SeenMethod> read(JNIEnv* jni, jmethodID method) const;
  void read_super_calls(jclass owner, jmethodID method, SeenMethod& seen) const;

  jvmtiEnv* const jvmti_;
  NameTable& names_;
  const RewrittenMethods& rewritten_;
  std::atomic<std::uint32_t> generation_{1};
  std::atomic<Table*> table_;
  std::mutex mutex_;  // writers
  std::vector<std::unique_ptr<Table>> tables_;
  std::vector<std::unique_ptr<const SeenMethod>> seen_;
};

}  // namespace ddm
