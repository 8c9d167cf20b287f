// Restrictions that class archives (CDS, the AOT cache) put on changing classes.
#pragma once

#include <jvmti.h>

#include <string>
#include <string_view>

namespace ddm {

// Why this VM's classes may not be changed: it is to write an archive. "" if they may. HotSpot
// crashes while it writes the archive if an agent has retransformed classes of the JDK: 25 with
// AOTMode=record and AOTCacheOutput, 17 and 25 with ArchiveClassesAtExit, which refuses agents only
// at start-up.
std::string why_unchangeable();

// Whether a class that is being loaded may come from the archive with call sites resolved to
// methods as they were before a retransformation. From JDK 24 on the archive contains resolved
// calls; redefining a method updates them in all loaded classes, but not in classes restored later,
// of which HotSpot only rebuilds the vtables (InstanceKlass::restore_unshareable_info). A class
// that a ClassFileLoadHook returns new bytes for is parsed and resolves its calls itself.
class ArchivedCalls {
 public:
  explicit ArchivedCalls(jvmtiEnv* jvmti);

  bool may_be_in(std::string_view internal_name, jobject loader) const;

 private:
  bool in_use_ = false;
  bool includes_app_classes_ = false;  // an archive of the program's classes is in use, too
};

}  // namespace ddm
