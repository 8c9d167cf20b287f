// StackMapTable (JVMS 4.7.4): parsed to frames at labels, and written at their new offsets.
//
//   number_of_entries u2, then per frame
//   0..63     same                         64..127   one stack item
//   247       one stack item, delta u2     248..250  chop 3..1 locals, delta u2
//   251       same, delta u2               252..254  append 1..3 locals, delta u2
//   255       full: delta u2, locals u2 + types, stack u2 + types
//   246       early larval (JEP 401, 28 with --enable-preview): unset fields u2 + NameAndType u2
//             each, then one of the frames above
// Offsets are deltas: the first absolute, later ones minus 1; forms 0..127 hold the delta itself.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bci/bytes.h"
#include "bci/skip_reason.h"

namespace bci {

class Code;

using Label = std::uint32_t;
inline constexpr Label kNoLabel = std::numeric_limits<Label>::max();

enum TypeTag : std::uint8_t {
  kTop = 0,
  kInt = 1,
  kFloatType = 2,
  kDoubleType = 3,
  kLongType = 4,
  kNull = 5,
  kUninitializedThis = 6,
  kObject = 7,         // + Class in the pool
  kUninitialized = 8,  // + offset of the `new`
};

// By ValueKind: of iload, lload, fload, dload, aload.
inline constexpr std::uint8_t kTagOfKind[] = {kInt, kLongType, kFloatType, kDoubleType, kObject};

constexpr bool is_two_slots(std::uint8_t tag) { return tag == kLongType || tag == kDoubleType; }

struct VerificationType {
  std::uint8_t tag = kTop;
  std::uint16_t class_index = 0;  // kObject
  Label made_at = kNoLabel;       // kUninitialized: label of the `new`
};

enum class FrameForm : std::uint8_t { kSame, kSameWithItem, kChop, kAppend, kFull };

struct Frame {
  Label at = kNoLabel;
  FrameForm form = FrameForm::kSame;
  std::uint8_t chopped = 0;       // kChop: how many locals
  std::uint32_t first_type = 0;   // in StackMap::types: the locals, then the stack
  std::uint16_t local_count = 0;  // kAppend, kFull; a long or double counts as one
  std::uint16_t stack_count = 0;  // kSameWithItem, kFull
  // Before super() in a constructor: the strict fields that are not set yet. A frame without a list
  // has that of the previous frame.
  bool lists_unset = false;
  std::uint16_t unset_count = 0;
  std::uint32_t first_unset = 0;  // in StackMap::unset_fields
};

struct StackMap {
  std::vector<Frame> frames;  // ascending
  std::vector<VerificationType> types;
  std::vector<std::uint16_t> unset_fields;  // pool indices

  std::span<const VerificationType> locals(const Frame& frame) const {
    return std::span(types).subspan(frame.first_type, frame.local_count);
  }
  std::span<const VerificationType> stack(const Frame& frame) const {
    return std::span(types).subspan(frame.first_type + frame.local_count, frame.stack_count);
  }
  std::span<const std::uint16_t> unset(const Frame& frame) const {
    return std::span(unset_fields).subspan(frame.first_unset, frame.unset_count);
  }
  // Copies the unset fields of another map's frame to the last frame.
  void list_unset_as(const StackMap& from, const Frame& frame);
  // Appends a full frame, which must be behind all others.
  void add_full(Label at, std::span<const VerificationType> locals,
                std::span<const VerificationType> stack);

  // The instructions of `code` must be decoded.
  static std::optional<StackMap> parse(ByteSpan body, const Code& code, SkipReason& why);
};

// Offsets of labels in the code being written.
struct LabelOffsets {
  std::span<const std::uint32_t>
      label;  // of code inserted before the instruction, or else the instruction
  std::span<const std::uint32_t> instruction;  // the instruction itself
};

// The body of a StackMapTable attribute.
void write_stack_map(const StackMap& map, const LabelOffsets& offsets, ByteWriter& out);

}  // namespace bci
