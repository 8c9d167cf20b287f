#include "bci/stack_map.h"

#include "bci/code.h"
#include "bci/opcodes.h"

namespace bci {
namespace {

constexpr unsigned kFirstSameWithItem = 64;
constexpr unsigned kFirstReserved = 128;
constexpr unsigned kEarlyLarval = 246;
constexpr unsigned kSameWithItemExtended = 247;
constexpr unsigned kSameExtended = 251;
constexpr unsigned kFullFrame = 255;

bool parse_types(ByteReader& in, const Code& code, unsigned count,
                 std::vector<VerificationType>& types) {
  for (; count > 0 && in.ok(); --count) {
    VerificationType type;
    type.tag = in.u1();
    if (type.tag > kUninitialized) return false;
    if (type.tag == kObject) type.class_index = in.u2();
    if (type.tag == kUninitialized) {
      type.made_at = code.label_at(in.u2());
      if (type.made_at >= code.end_label() || code.instructions[type.made_at].opcode != kNew) {
        return false;
      }
    }
    types.push_back(type);
  }
  return in.ok();
}

void write_types(std::span<const VerificationType> types, const LabelOffsets& offsets,
                 ByteWriter& out) {
  for (const VerificationType& type : types) {
    out.u1(type.tag);
    if (type.tag == kObject) out.u2(type.class_index);
    // The offset of the `new` itself, not of code inserted before it.
    if (type.tag == kUninitialized) out.u2(offsets.instruction[type.made_at]);
  }
}

}  // namespace

void StackMap::add_full(Label at, std::span<const VerificationType> locals,
                        std::span<const VerificationType> stack) {
  Frame frame;
  frame.at = at;
  frame.form = FrameForm::kFull;
  frame.first_type = static_cast<std::uint32_t>(types.size());
  frame.local_count = static_cast<std::uint16_t>(locals.size());
  frame.stack_count = static_cast<std::uint16_t>(stack.size());
  types.insert(types.end(), locals.begin(), locals.end());
  types.insert(types.end(), stack.begin(), stack.end());
  frames.push_back(frame);
}

void StackMap::list_unset_as(const StackMap& from, const Frame& frame) {
  if (!frame.lists_unset) return;
  const auto unset = from.unset(frame);
  Frame& last = frames.back();
  last.lists_unset = true;
  last.unset_count = frame.unset_count;
  last.first_unset = static_cast<std::uint32_t>(unset_fields.size());
  unset_fields.insert(unset_fields.end(), unset.begin(), unset.end());
}

std::optional<StackMap> StackMap::parse(ByteSpan body, const Code& code, SkipReason& why) {
  StackMap map;
  ByteReader in(body);
  const std::uint16_t count = in.u2();
  why = SkipReason::kBadCodeAttribute;
  std::uint32_t offset = 0;
  for (std::uint16_t i = 0; i < count; ++i) {
    Frame frame;
    unsigned type = in.u1();
    std::uint32_t delta = 0;
    if (type == kEarlyLarval) {
      frame.lists_unset = true;
      frame.unset_count = in.u2();
      frame.first_unset = static_cast<std::uint32_t>(map.unset_fields.size());
      for (unsigned n = 0; n < frame.unset_count && in.ok(); ++n) {
        map.unset_fields.push_back(in.u2());
      }
      type = in.u1();
    }
    frame.first_type = static_cast<std::uint32_t>(map.types.size());
    if (type < kFirstReserved) {
      delta = type % kFirstSameWithItem;
    } else if (type >= kSameWithItemExtended) {
      delta = in.u2();
    } else {
      why = SkipReason::kUnknownFrame;
      return std::nullopt;
    }
    if (type < kFirstSameWithItem || type == kSameExtended) {
      frame.form = FrameForm::kSame;
    } else if (type < kFirstReserved || type == kSameWithItemExtended) {
      frame.form = FrameForm::kSameWithItem;
      frame.stack_count = 1;
    } else if (type < kSameExtended) {
      frame.form = FrameForm::kChop;
      frame.chopped = static_cast<std::uint8_t>(kSameExtended - type);
    } else if (type < kFullFrame) {
      frame.form = FrameForm::kAppend;
      frame.local_count = static_cast<std::uint16_t>(type - kSameExtended);
    } else {
      frame.form = FrameForm::kFull;
      frame.local_count = in.u2();
    }
    if (!parse_types(in, code, frame.local_count, map.types)) return std::nullopt;
    if (frame.form == FrameForm::kFull) frame.stack_count = in.u2();
    if (!parse_types(in, code, frame.stack_count, map.types)) return std::nullopt;

    offset += i == 0 ? delta : delta + 1;
    frame.at = code.label_at(offset);
    if (frame.at >= code.end_label()) return std::nullopt;
    map.frames.push_back(frame);
  }
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return map;
}

void write_stack_map(const StackMap& map, const LabelOffsets& offsets, ByteWriter& out) {
  out.u2(static_cast<std::uint32_t>(map.frames.size()));
  std::uint32_t previous = 0;
  for (std::size_t i = 0; i < map.frames.size(); ++i) {
    const Frame& frame = map.frames[i];
    const std::uint32_t offset = offsets.label[frame.at];
    const std::uint32_t delta = i == 0 ? offset : offset - previous - 1;
    previous = offset;
    const bool fits = delta < kFirstSameWithItem;
    if (frame.lists_unset) {
      out.u1(kEarlyLarval).u2(frame.unset_count);
      for (const std::uint16_t field : map.unset(frame)) out.u2(field);
    }
    switch (frame.form) {
      case FrameForm::kSame:
        out.u1(fits ? delta : kSameExtended);
        break;
      case FrameForm::kSameWithItem:
        out.u1(fits ? kFirstSameWithItem + delta : kSameWithItemExtended);
        break;
      case FrameForm::kChop:
        out.u1(kSameExtended - frame.chopped);
        break;
      case FrameForm::kAppend:
        out.u1(kSameExtended + frame.local_count);
        break;
      case FrameForm::kFull:
        out.u1(kFullFrame);
        break;
    }
    const bool delta_in_type =
        fits && (frame.form == FrameForm::kSame || frame.form == FrameForm::kSameWithItem);
    if (!delta_in_type) out.u2(delta);
    if (frame.form == FrameForm::kFull) out.u2(frame.local_count);
    write_types(map.locals(frame), offsets, out);
    if (frame.form == FrameForm::kFull) out.u2(frame.stack_count);
    write_types(map.stack(frame), offsets, out);
  }
}

}  // namespace bci
