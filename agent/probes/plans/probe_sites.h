// Whether a method has what a probe is for: the line, or an access of the field.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "bci/class_file.h"
#include "probes/plans/probe_plan.h"

namespace ddm {

// The classes that own the requested field, as the class file names them.
std::vector<std::string> field_owners(const ProbeSpec& spec, const bci::ConstantPool& pool);

// True for a probe of a whole method, and for code that cannot be decoded: the rewriter has the
// reason then.
bool has_site(const ProbeSpec& spec, const bci::ClassFile& file, const bci::MethodOutline& method);

}  // namespace ddm
