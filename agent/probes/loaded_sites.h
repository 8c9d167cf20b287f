// What a loaded class has for probes, without its class file: the VM gives that only while it
// changes the class, which costs the program compiled code. Attached threads.
#pragma once

#include <jvmti.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bci/constant_pool.h"
#include "probes/plans/probe_plan.h"
#include "time/calls/method_filter.h"
#include "vm/jvmti_memory.h"

namespace ddm {

// "" or why no method like this can have a probe. `access`: its flags.
std::string why_no_probe(std::string_view class_name, unsigned access, std::string_view descriptor,
                         bool has_code);

class LoadedSites {
 public:
  struct Method {
    std::string_view name, descriptor;
    jmethodID id;
  };

  // A linked class, of this internal name.
  LoadedSites(jvmtiEnv* jvmti, jclass klass, std::string_view class_name)
      : jvmti_(jvmti), klass_(klass), class_name_(class_name), pool_bytes_(jvmti) {}

  // Whether `is_it` holds for one of the class's own methods; true also if the VM does not list
  // them.
  bool any(const std::function<bool(const Method&)>& is_it) const;
  std::string why_no_probe(const Method& method) const;
  // Whether the method has what the probe is for; true also if the VM does not tell.
  bool has_site(const ProbeSpec& spec, const Method& method);
  // Whether a method that `filter` wants may have such a probe.
  bool any_of(const MethodFilter& filter, bool is_platform, const ProbeSpec& spec);

 private:
  bool has_line(std::uint32_t line, jmethodID method) const;
  const bci::ConstantPool* pool();

  jvmtiEnv* const jvmti_;
  const jclass klass_;
  const std::string_view class_name_;
  JvmtiPtr<unsigned char> pool_bytes_;
  std::optional<bci::ConstantPool> pool_;  // of pool_bytes_
};

}  // namespace ddm
