// jmethodID -> what records and frames need to know of a method, read from the VM when the method
// is first seen on a stack: its class is certainly alive then. Later look-ups take no lock.
//
// HotSpot never reuses a jmethodID of an unloaded class, so an entry never turns into another
// method's. A redefined class keeps its jmethodIDs but its bytecode moves, so an entry says which
// Method of the VM it was read from and holds only while that is the method's. forget_class() comes
// on top, before the VM installs new code: Methods are freed in the end, and a later one may stand
// at the same address.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bci/bci_map.h"
#include "core/reclamation.h"
#include "stack/method_code.h"
#include "stack/names/name_table.h"
#include "stack/rewritten_methods.h"
#include "stack/shown_frame.h"
#include "stack/stack_capture.h"
#include "vm/method_pointers.h"

namespace ddm {

// Which form of its class a method was read from.
struct MethodVersion {
  const void* method = nullptr;  // the VM's Method, if that can be known
  const std::atomic<std::uint32_t>* class_changes = nullptr;
  std::uint32_t changes = 0;  // *class_changes at that time

  friend bool operator==(const MethodVersion&, const MethodVersion&) = default;
};

struct SeenMethod {
  NameId name = kUnknownName;
  ShownRole role = ShownRole::kPlain;      // kAtConstructor: any <init> but Object's
  RewrittenMethods::Moves moves;           // of a rewritten method; see original_bci()
  std::vector<std::uint16_t> super_calls;  // kConstructor: where this() or super() is called, as
                                           // the method stands in the VM; see find_super_calls()
  MethodVersion version;

  // Of a frame's location: the index in the class file as its author compiled it.
  std::int32_t original_bci(jlocation location) const {
    if (moves.ambiguous) return kNativeFrameBci;  // no line rather than a wrong one
    if (moves.runs.empty() || location < 0) return static_cast<std::int32_t>(location);
    return bci::original_bci(moves.runs, static_cast<std::uint16_t>(location));
  }
  bool stands_at_super_call(jlocation location) const;
  ShownRole role_at(jlocation location) const;
};

class SeenMethods final : public FrameNames {
 public:
  SeenMethods(jvmtiEnv* jvmti, JNIEnv* jni, NameTable& names, const RewrittenMethods& rewritten,
              Reclamation& reclamation, const MethodPointers& pointers);

  // The caller's own stack holds the method, and the caller is in a Reading: what it gets stays
  // there for as long.
  const SeenMethod& get(JNIEnv* jni, jmethodID method);

  ShownFrame shown(JNIEnv* jni, RawFrame frame, const void* version) override;

  // From the next forget_all() on constructors are read for where they call this() or super(), which
  // takes longer than all the rest. Until then they have no such places.
  void find_super_calls() { super_calls_wanted_ = true; }

  // The classes of this internal name are about to have other bytecode, or had it before.
  void forget_class(std::string_view internal_name);
  void forget_all();

  // Drops the methods that the VM has unloaded or that stand for former code, where that can be
  // known.
  void drop_former();
  void add_names(NamesInUse& used);

 private:
  struct Slot {
    std::atomic<jmethodID> method{nullptr};  // set last
    std::atomic<const SeenMethod*> seen{nullptr};
  };
  // Open addressing; outgrown tables are retired, since readers take no lock.
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), slots(new Slot[size]) {}
    const std::size_t mask;
    std::size_t used = 0;
    const std::unique_ptr<Slot[]> slots;
  };
  using ChangeCount = std::atomic<std::uint32_t>;

  static Slot* find(const Table& table, jmethodID method);
  static void insert(Table& table, jmethodID method, const SeenMethod* seen);
  bool is_current(const SeenMethod& seen, jmethodID method) const;
  const SeenMethod& learn(JNIEnv* jni, jmethodID method);
  void move_to_table(std::size_t size);
  std::unique_ptr<SeenMethod> read(JNIEnv* jni, jmethodID method);
  void give_ids(jclass owner, std::string_view class_signature);
  MethodName read_name(jclass owner, std::string_view class_signature, jmethodID method,
                       SeenMethod& seen) const;
  void read_code(jclass owner, std::string_view class_signature, jmethodID method,
                 const MethodName& names, SeenMethod& seen) const;
  ShownFrame shown_former(const SeenMethod& newest, RawFrame frame, const void* version);
  bool code_is_told(jmethodID method) const;
  std::uint64_t shape_of(jmethodID method) const;
  std::vector<LineEntry> lines_of(jmethodID method) const;
  static std::vector<LineEntry> original_lines(const std::vector<LineEntry>& lines,
                                               const SeenMethod& seen);
  void read_super_calls(jclass owner, bci::ByteSpan bytecode, SeenMethod& seen) const;
  ChangeCount& changes_of(std::string_view internal_name);

  jvmtiEnv* const jvmti_;
  NameTable& names_;
  const RewrittenMethods& rewritten_;
  Reclamation& reclamation_;
  const MethodPointers& pointers_;
  const MethodCode code_;
  std::atomic<bool> super_calls_wanted_{false};
  // How often classes were changed, by hash of their name: where two share a count, methods are
  // read again for nothing.
  std::array<ChangeCount, 4096> changes_{};
  std::atomic<const Table*> table_;
  std::mutex mutex_;  // writers
  std::shared_ptr<Table> own_table_;
  std::unordered_map<jmethodID, std::shared_ptr<const SeenMethod>> seen_;
  std::unordered_set<std::size_t> classes_with_ids_;  // hashes of signatures
};

}  // namespace ddm
