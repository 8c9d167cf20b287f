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

// Whether the code has an access of the requested field; true also if it cannot be decoded.
bool uses_field(const ProbeSpec& spec, const bci::ConstantPool& pool, bci::ByteSpan bytecode);

// True for a probe of a whole method, and for code that cannot be decoded: the rewriter has the
// reason then.
bool has_site(const ProbeSpec& spec, const bci::ClassFile& file, const bci::MethodOutline& method);
// Of a method that has not; "": the probe is of whole methods.
std::string why_no_site(const ProbeRequest& request);

}  // namespace ddm
