// Live objects with a known allocation stack (live=), for heap dumps.
#pragma once

#include <jni.h>

#include <functional>
#include <optional>
#include <string>

#include "report/hprof/hprof_sites_dump.h"

namespace ddm {

// Creates a strong global reference for each object with a known stack, so that it survives until
// the caller deletes these. nullopt: no objects are followed.
using HoldObjects = std::function<std::optional<DumpSites>(JNIEnv*)>;

class FollowedObjects {
 public:
  virtual ~FollowedObjects() = default;
  virtual std::optional<DumpSites> hold(JNIEnv* jni) = 0;
  // Why no objects are followed and what to do, as a sentence; "": they are followed.
  virtual std::string why_none() const = 0;
};

}  // namespace ddm
