// The archive of classes that the VM shares with others (CDS, the AOT cache): where it stands in the
// way of whoever changes classes.
#pragma once

#include <jvmti.h>

#include <string>
#include <string_view>

namespace ddm {

// Why no class of this VM may be changed: it is to write such an archive. "" if nothing is known
// against it. The VM crashes while it writes if an agent has retransformed the JDK's classes: 25 with
// AOTMode=record and AOTCacheOutput, 17 and 25 with ArchiveClassesAtExit, which refuses agents at
// the start only.
std::string why_classes_stay();

// Whether a class that is being loaded may come out of the archive with calls that lead to methods
// as they were before they were changed. From JDK 24 on the archive holds calls that are resolved;
// when a method is redefined, HotSpot corrects those in all classes that are loaded, but not those
// in the classes that are loaded later (of them it renews the tables of virtual methods only:
// InstanceKlass::restore_unshareable_info). A class whose bytes a ClassFileLoadHook gives out anew
// is parsed, and resolves its calls itself.
class ArchivedCalls {
 public:
  explicit ArchivedCalls(jvmtiEnv* jvmti);

  bool may_be_in(std::string_view internal_name, jobject loader) const;

 private:
  bool in_use_ = false;
  bool of_the_program_too_ = false;  // not only the JDK's own archive
};

}  // namespace ddm
