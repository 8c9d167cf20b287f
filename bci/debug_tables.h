// Tables inside Code that tell people about the code: lines, variables, type annotations.
// The VM runs without them, but they must not point to the wrong place.
#pragma once

#include "bci/code.h"

namespace bci {

// Each appends the moved table to `out`; false if `body` does not parse (such a class would not
// load). An offset inside an
// instruction, as obfuscators leave them, moves to that instruction.

// LineNumberTable: count u2, then start_pc u2, line u2.
bool write_line_numbers(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                        ByteWriter& out);
// LocalVariableTable and LocalVariableTypeTable: count u2, then start_pc u2, length u2, name u2,
// type u2, slot u2.
bool write_local_variables(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                           ByteWriter& out);
// Runtime(In)VisibleTypeAnnotations (JVMS 4.7.20). No VM looks at them in Code, and compilers have
// written wrong ones: what makes no sense is kept as it is.
void write_type_annotations(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                            ByteWriter& out);

}  // namespace bci
