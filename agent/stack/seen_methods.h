// jmethodID -> what records and frames need of a method, read from the VM when the method is first
// seen on a stack, where its class is certainly alive. Later look-ups are lock-free.
//
// HotSpot never reuses the jmethodID of an unloaded class, so an entry stays with its method. A
// redefined class keeps its jmethodIDs but gets new bytecode, so an entry names the Method* that it
// was read from and is valid only while that is current. In addition forget_class() is called
// before the VM installs new code, since Methods are freed eventually and their addresses reused.
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
#include "core/growth_limit.h"
#include "core/reclamation.h"
#include "stack/method_code.h"
#include "stack/names/name_table.h"
#include "stack/rewritten_methods.h"
#include "stack/shown_frame.h"
#include "stack/stack_capture.h"
#include "vm/method_pointers.h"

namespace ddm {

// The version of a class that a method was read from.
struct MethodVersion {
  const void* method = nullptr;  // the VM's Method*, if known from the jmethodID
  const void* walked = nullptr;  // otherwise: that of the frame for which it was read, or null
  const std::atomic<std::uint32_t>* class_changes = nullptr;
  std::uint32_t changes = 0;  // *class_changes at that time
};

struct SeenMethod {
  NameId name = kUnknownName;
  ShownRole role = ShownRole::kPlain;      // kAtConstructor: any <init> but Object's
  RewrittenMethods::Moves moves;           // of a rewritten method; see original_bci()
  std::vector<std::uint16_t> super_calls;  // kAtConstructor: indices of its this() and super()
                                           // calls in the VM's code; see find_super_calls()
  MethodVersion version;

  // Converts a frame's location to the bytecode index in the original class file.
  std::int32_t original_bci(jlocation location) const {
    if (moves.ambiguous) return kNativeFrameBci;  // no line rather than a wrong one
    if (moves.runs.empty() || location < 0) return static_cast<std::int32_t>(location);
    return bci::original_bci(moves.runs, static_cast<std::uint16_t>(location));
  }
  ShownRole role_at(jlocation location) const;
};

class SeenMethods {
 public:
  SeenMethods(jvmtiEnv* jvmti, JNIEnv* jni, NameTable& names, const RewrittenMethods& rewritten,
              Reclamation& reclamation, const MethodPointers& pointers);

  // The method is on the caller's own stack, and the caller is inside a Reading, for which the
  // result is valid. `version`: the frame's Method*, if known.
  const SeenMethod& get(JNIEnv* jni, jmethodID method, const void* version = nullptr);

  // `version`: the Method* of the version that the frame executes; null for the newest.
  ShownFrame shown(JNIEnv* jni, RawFrame frame, const void* version);
  // Incremented when earlier results of shown() may have become invalid.
  const std::atomic<std::uint32_t>& generation() const { return generation_; }

  // From the next forget_all() on constructors are analyzed for their this() or super() calls,
  // which takes longer than everything else. Until then these are unknown.
  void find_super_calls() { super_calls_wanted_ = true; }

  // The classes of this internal name are about to get other bytecode, or have just had it.
  void forget_class(std::string_view internal_name);
  void forget_all();

  // Drops methods of unloaded classes and of former versions, as far as known.
  void drop_former();
  GrowthLimit& growth() { return growth_; }
  void add_names(NamesInUse& used);

  jvmtiEnv* jvmti() const { return jvmti_; }

 private:
  struct Slot {
    std::atomic<jmethodID> method{nullptr};  // stored last
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
  bool is_of(const SeenMethod& seen, const void* version) const;
  const SeenMethod& learn(JNIEnv* jni, jmethodID method, const void* version);
  // Returns how many methods there are.
  std::size_t put(jmethodID method, const std::shared_ptr<const SeenMethod>& fresh);
  void move_to(std::shared_ptr<Table> table);
  std::unordered_set<jmethodID> unloaded_numbers();
  std::unique_ptr<SeenMethod> read(JNIEnv* jni, jmethodID method, const void* version);
  void give_ids(jclass owner, std::string_view class_signature);
  MethodName read_name(jclass owner, std::string_view class_signature, jmethodID method,
                       SeenMethod& seen) const;
  void read_code(jclass owner, std::string_view class_signature, jmethodID method,
                 const MethodName& names, SeenMethod& seen) const;
  ShownFrame shown_former(const SeenMethod& newest, RawFrame frame, const void* version);
  bool code_matches_jvmti(jmethodID method) const;
  std::uint64_t shape_of(jmethodID method) const;
  std::vector<LineEntry> lines_of(jmethodID method) const;
  void read_super_calls(jclass owner, bci::ByteSpan bytecode, SeenMethod& seen) const;
  ChangeCount& changes_of(std::string_view internal_name);

  jvmtiEnv* const jvmti_;
  NameTable& names_;
  const RewrittenMethods& rewritten_;
  Reclamation& reclamation_;
  const MethodPointers& pointers_;
  const MethodCode code_;
  std::atomic<std::uint32_t> generation_{1};
  std::atomic<bool> super_calls_wanted_{false};
  // Number of changes per class, by hash of its name; a collision only causes superfluous reads.
  std::array<ChangeCount, 4096> changes_{};
  std::atomic<const Table*> table_;
  std::mutex mutex_;  // held by writers
  std::shared_ptr<Table> own_table_;
  std::unordered_map<jmethodID, std::shared_ptr<const SeenMethod>> seen_;
  std::unordered_set<std::size_t> classes_with_ids_;  // hashes of signatures
  // Methods of classes that are loaded again and again have names that the tables know already.
  GrowthLimit growth_;
};

}  // namespace ddm
