#include "bci/debug_tables.h"

#include <optional>

namespace bci {
namespace {

// Offset 0 is kept: inserted entry code belongs to the first line, and is in the parameters' scope.
std::optional<std::uint32_t> moved(std::uint32_t bci, const Code& code,
                                   std::span<const std::uint32_t> offsets) {
  const Label label = code.label_around(bci);
  if (label == kNoLabel) return std::nullopt;
  return bci == 0 ? 0 : offsets[label];
}

class TypeAnnotations {
 public:
  TypeAnnotations(ByteSpan body, const Code& code, const LabelOffsets& offsets, ByteWriter& out)
      : in_(body), body_(body), code_(code), offsets_(offsets), out_(out) {}

  // Field widths do not change, so the table is copied and its offsets are overwritten.
  void write() {
    base_ = out_.size();
    out_.append(body_);
    if (move()) return;
    for (std::size_t at = 0; at < body_.size(); ++at) out_.patch_u1(base_ + at, body_[at]);
  }

 private:
  static constexpr int kMaxDepth = 64;  // of annotations within annotations

  bool move() {
    for (std::uint16_t left = in_.u2(); left > 0 && in_.ok(); --left) {
      if (!target(in_.u1())) return false;
      in_.skip(std::size_t{2} * in_.u1());  // type_path
      annotation(0);
    }
    return in_.ok() && in_.at_end();
  }

  void patch(std::size_t at, std::uint32_t value) { out_.patch_u2(base_ + at, value); }

  bool target(std::uint8_t type) {
    switch (type) {
      case 0x40:  // local variable, resource variable: count u2, then start, length, slot
      case 0x41:
        for (std::uint16_t left = in_.u2(); left > 0 && in_.ok(); --left) {
          const std::size_t at = in_.position();
          const std::uint32_t start = in_.u2();
          const std::uint32_t end = start + in_.u2();
          in_.skip(2);
          const auto new_start = moved(start, code_, offsets_.label);
          const auto new_end = moved(end, code_, offsets_.label);
          if (!in_.ok() || !new_start || !new_end) return false;
          patch(at, *new_start);
          patch(at + 2, *new_end - *new_start);
        }
        return true;
      case 0x42:
        in_.skip(2);
        return true;  // index in the exception table
      case 0x43:      // instanceof, new, method references
      case 0x44:
      case 0x45:
      case 0x46:
        return instruction();
      case 0x47:  // casts and type arguments: offset u2, argument u1
      case 0x48:
      case 0x49:
      case 0x4a:
      case 0x4b:
        if (!instruction()) return false;
        in_.skip(1);
        return true;
      default:
        return false;  // the others belong to classes, fields and methods
    }
  }

  bool instruction() {
    const std::size_t at = in_.position();
    const Label label = code_.label_around(in_.u2());
    if (!in_.ok() || label == kNoLabel) return false;
    patch(at, label == code_.end_label() ? offsets_.label[label] : offsets_.instruction[label]);
    return true;
  }

  void annotation(int depth) {
    in_.skip(2);
    for (std::uint16_t left = in_.u2(); left > 0 && in_.ok(); --left) {
      in_.skip(2);
      element(depth);
    }
  }

  void element(int depth) {
    if (depth > kMaxDepth) {
      in_.skip(body_.size() + 1);  // gives up: sets the reader's error
      return;
    }
    switch (in_.u1()) {
      case 'e':
        in_.skip(4);
        break;
      case '@':
        annotation(depth + 1);
        break;
      case '[':
        for (std::uint16_t left = in_.u2(); left > 0 && in_.ok(); --left) element(depth + 1);
        break;
      default:
        in_.skip(2);
        break;
    }
  }

  ByteReader in_;
  ByteSpan body_;
  const Code& code_;
  const LabelOffsets& offsets_;
  ByteWriter& out_;
  std::size_t base_ = 0;
};

}  // namespace

bool write_line_numbers(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                        ByteWriter& out) {
  ByteReader in(body);
  const std::uint16_t count = in.u2();
  out.u2(count);
  for (std::uint16_t left = count; left > 0 && in.ok(); --left) {
    const auto start = moved(in.u2(), code, offsets.label);
    if (!start) return false;
    out.u2(*start).u2(in.u2());
  }
  return in.ok() && in.at_end();
}

bool write_local_variables(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                           ByteWriter& out) {
  ByteReader in(body);
  const std::uint16_t count = in.u2();
  out.u2(count);
  for (std::uint16_t left = count; left > 0 && in.ok(); --left) {
    const std::uint32_t old_start = in.u2();
    const auto start = moved(old_start, code, offsets.label);
    const auto end = moved(old_start + in.u2(), code, offsets.label);
    if (!start || !end) return false;
    out.u2(*start).u2(*end - *start).append(in.take(6));
  }
  return in.ok() && in.at_end();
}

void write_type_annotations(ByteSpan body, const Code& code, const LabelOffsets& offsets,
                            ByteWriter& out) {
  TypeAnnotations(body, code, offsets, out).write();
}

}  // namespace bci
