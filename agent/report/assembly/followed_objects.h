// Objects of the heap whose allocation is known (live=), for heap dumps.
#pragma once

#include <jni.h>

#include <functional>
#include <optional>
#include <string>

#include "report/hprof/hprof_sites_dump.h"

namespace ddm {

// Gives each object whose stack is known a strong handle, so that it stays where it is reachable from
// until the caller deletes these. None: nothing is followed.
using HoldObjects = std::function<std::optional<DumpSites>(JNIEnv*)>;

class FollowedObjects {
 public:
  virtual ~FollowedObjects() = default;
  virtual std::optional<DumpSites> hold(JNIEnv* jni) = 0;
  // Why nothing is followed and what to do, for people; "": objects are followed.
  virtual std::string why_none() const = 0;
};

}  // namespace ddm
