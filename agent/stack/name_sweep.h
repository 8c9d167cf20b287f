// Drops the names that no record and no site has and no loaded class could bring back, so that a
// program whose classes come and go without end does not fill our tables.
//
// Asked for when a table has doubled, and done on a thread of the agent. An id is nowhere to be
// seen between the moment when a thread reads it from a class's tag or a SeenMethod and the moment
// when its record is in the ring and its site is counted: hence the order of sweep(). Recorders are
// in a Reading meanwhile.
#pragma once

#include <jvmti.h>

#include <functional>

#include "core/reclamation.h"
#include "stack/names/name_table.h"
#include "stack/rewritten_methods.h"
#include "stack/seen_methods.h"

namespace ddm {

class NameSweep {
 public:
  NameSweep(jvmtiEnv* jvmti, NameTable& names, RewrittenMethods& rewritten, SeenMethods& methods,
            Reclamation& reclamation)
      : jvmti_(jvmti),
        names_(names),
        rewritten_(rewritten),
        methods_(methods),
        reclamation_(reclamation) {}

  // Before tracking starts: `ask` is to have sweep() called soon, on another thread.
  void when_needed(const std::function<void()>& ask);

  // `add_kept` adds the names of what is recorded and counted. Attached threads, one at a time.
  void sweep(JNIEnv* jni, const std::function<void(NamesInUse&)>& add_kept);

 private:
  struct LoadedClasses {
    std::unordered_set<NameId> ids;                 // in their tags
    std::unordered_set<std::uint64_t> name_hashes;  // of those that have bytecode
  };
  // False: the VM does not say.
  bool read_loaded(JNIEnv* jni, LoadedClasses& loaded) const;

  jvmtiEnv* const jvmti_;
  NameTable& names_;
  RewrittenMethods& rewritten_;
  SeenMethods& methods_;
  Reclamation& reclamation_;
};

}  // namespace ddm
