// Drops the names that no record and no site refers to and that no loaded class could reintroduce,
// so that a program that keeps loading and unloading classes does not fill the tables.
//
// Requested when a table has doubled, and done on an agent thread. Between the moment when a thread
// reads an id from a class's tag or a SeenMethod, and the moment when its record is in the ring and
// its site is counted, the id is visible nowhere, which determines the order of sweep(). Recorders
// are inside a Reading meanwhile.
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

  // Call before tracking starts: `ask` schedules sweep() on another thread.
  void on_growth(const std::function<void()>& ask);

  // `add_kept` adds the names of records and sites. Attached threads, one at a time.
  void sweep(JNIEnv* jni, const std::function<void(NamesInUse&)>& add_kept);

 private:
  struct LoadedClasses {
    std::unordered_set<NameId> ids;                 // in the classes' tags
    std::unordered_set<std::uint64_t> name_hashes;  // of the classes with bytecode
  };
  // False: JVMTI does not list the classes.
  bool read_loaded(JNIEnv* jni, LoadedClasses& loaded) const;

  jvmtiEnv* const jvmti_;
  NameTable& names_;
  RewrittenMethods& rewritten_;
  SeenMethods& methods_;
  Reclamation& reclamation_;
};

}  // namespace ddm
