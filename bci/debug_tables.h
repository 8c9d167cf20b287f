// Debug tables inside Code: lines, variables, type annotations. The VM does not depend on them, but
// they must be correct.
#pragma once

#include "bci/code.h"

namespace bci {

// Each appends the updated table to `out`; false if `body` cannot be parsed (such a class would not
// load). An offset inside an instruction, as some obfuscators produce, is moved to the instruction.

// LineNumberTable: count u2, then start_pc u2, line u2.
bool write_line_numbers(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                        ByteWriter& out);
// LocalVariableTable and LocalVariableTypeTable: count u2, then start_pc u2, length u2, name u2,
// type u2, slot u2.
bool write_local_variables(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                           ByteWriter& out);
// Runtime(In)VisibleTypeAnnotations (JVMS 4.7.20). VMs ignore them in Code, and some compilers have
// produced invalid ones: those are copied unchanged.
void write_type_annotations(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                            ByteWriter& out);

}  // namespace bci
