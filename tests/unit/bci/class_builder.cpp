#include "class_builder.h"

#include <stdexcept>
#include <utility>

namespace bci::test {

MethodBuilder::MethodBuilder(ClassBuilder& owner, std::uint16_t access, std::string name,
                             std::string descriptor)
    : owner_(owner), access_(access), name_(std::move(name)), descriptor_(std::move(descriptor)) {}

MethodBuilder& MethodBuilder::stack(std::uint16_t slots) {
  max_stack_ = slots;
  return *this;
}

MethodBuilder& MethodBuilder::locals(std::uint16_t slots) {
  max_locals_ = slots;
  return *this;
}

MethodBuilder& MethodBuilder::op(std::initializer_list<int> bytes) {
  for (int byte : bytes) code_.u1(static_cast<std::uint32_t>(byte));
  return *this;
}

MethodBuilder& MethodBuilder::op2(int opcode, std::uint16_t operand) {
  code_.u1(static_cast<std::uint32_t>(opcode));
  code_.u2(operand);
  return *this;
}

MethodBuilder& MethodBuilder::nops(std::size_t count) {
  for (; count > 0; --count) code_.u1(0);
  return *this;
}

MethodBuilder& MethodBuilder::label(const std::string& name) {
  labels_[name] = static_cast<std::uint32_t>(code_.size());
  return *this;
}

void MethodBuilder::fix(std::size_t at, std::size_t base, const std::string& target, bool wide) {
  fixups_.push_back({at, base, target, wide});
  if (wide) {
    code_.u4(0);
  } else {
    code_.u2(0);
  }
}

MethodBuilder& MethodBuilder::branch(int opcode, const std::string& target) {
  const std::size_t base = code_.size();
  code_.u1(static_cast<std::uint32_t>(opcode));
  fix(base + 1, base, target, opcode == 0xc8 || opcode == 0xc9);
  return *this;
}

MethodBuilder& MethodBuilder::table_switch(std::int32_t low, const std::vector<std::string>& cases,
                                           const std::string& fallback) {
  const std::size_t base = code_.size();
  code_.u1(0xaa);
  while (code_.size() % 4 != 0) code_.u1(0);
  fix(code_.size(), base, fallback, true);
  code_.u4(static_cast<std::uint32_t>(low));
  code_.u4(static_cast<std::uint32_t>(low) + static_cast<std::uint32_t>(cases.size()) - 1);
  for (const std::string& target : cases) fix(code_.size(), base, target, true);
  return *this;
}

MethodBuilder& MethodBuilder::lookup_switch(
    const std::vector<std::pair<std::int32_t, std::string>>& cases, const std::string& fallback) {
  const std::size_t base = code_.size();
  code_.u1(0xab);
  while (code_.size() % 4 != 0) code_.u1(0);
  fix(code_.size(), base, fallback, true);
  code_.u4(static_cast<std::uint32_t>(cases.size()));
  for (const auto& [match, target] : cases) {
    code_.u4(static_cast<std::uint32_t>(match));
    fix(code_.size(), base, target, true);
  }
  return *this;
}

MethodBuilder& MethodBuilder::handler(const std::string& start, const std::string& end,
                                      const std::string& at, std::uint16_t catch_type) {
  handlers_.push_back({start, end, at, catch_type});
  return *this;
}

MethodBuilder& MethodBuilder::frame_same(const std::string& at) {
  frames_.push_back({at, false, {}, {}});
  return *this;
}

MethodBuilder& MethodBuilder::frame_full(const std::string& at, std::vector<Type> local_types,
                                         std::vector<Type> stack_types) {
  frames_.push_back({at, true, std::move(local_types), std::move(stack_types)});
  return *this;
}

MethodBuilder& MethodBuilder::attribute(const std::string& name, Body body) {
  attributes_.emplace_back(name, std::move(body));
  return *this;
}

std::uint32_t MethodBuilder::offset_of(const std::string& name) const {
  const auto label = labels_.find(name);
  if (label == labels_.end()) throw std::logic_error("no label " + name);
  return label->second;
}

void MethodBuilder::write_types(ByteWriter& out, const std::vector<Type>& types,
                                const std::map<std::string, std::uint32_t>& labels) {
  for (const Type& type : types) {
    out.u1(static_cast<std::uint32_t>(type.tag));
    if (type.tag == 7) out.u2(type.class_index);
    if (type.tag == 8) out.u2(labels.at(type.made_at));
  }
}

void MethodBuilder::write_frames(ByteWriter& out) const {
  out.u2(static_cast<std::uint32_t>(frames_.size()));
  std::int64_t previous = -1;
  for (const FrameSpec& frame : frames_) {
    const auto delta = static_cast<std::uint32_t>(offset_of(frame.at) - previous - 1);
    previous = offset_of(frame.at);
    if (frame.full) {
      out.u1(255);
      out.u2(delta);
      out.u2(static_cast<std::uint32_t>(frame.locals.size()));
      write_types(out, frame.locals, labels_);
      out.u2(static_cast<std::uint32_t>(frame.stack.size()));
      write_types(out, frame.stack, labels_);
    } else if (delta < 64) {
      out.u1(delta);
    } else {
      out.u1(251);
      out.u2(delta);
    }
  }
}

void MethodBuilder::write(ByteWriter& out) {
  out.u2(access_);
  out.u2(owner_.utf8(name_));
  out.u2(owner_.utf8(descriptor_));
  if (code_.size() == 0) {
    out.u2(0);
    return;
  }
  for (const Fixup& fixup : fixups_) {
    const auto distance = static_cast<std::uint32_t>(offset_of(fixup.target) - fixup.base);
    if (fixup.wide) {
      code_.patch_u4(fixup.at, distance);
    } else {
      code_.patch_u2(fixup.at, distance);
    }
  }
  ByteWriter body;
  body.u2(max_stack_);
  body.u2(max_locals_);
  body.u4(static_cast<std::uint32_t>(code_.size()));
  body.append(code_.bytes());
  body.u2(static_cast<std::uint32_t>(handlers_.size()));
  for (const HandlerSpec& handler : handlers_) {
    body.u2(offset_of(handler.start));
    body.u2(offset_of(handler.end));
    body.u2(offset_of(handler.at));
    body.u2(handler.type);
  }
  body.u2(static_cast<std::uint32_t>(attributes_.size() + (frames_.empty() ? 0 : 1)));
  const auto add = [&](const std::string& name, const auto& fill) {
    ByteWriter content;
    fill(content);
    body.u2(owner_.utf8(name));
    body.u4(static_cast<std::uint32_t>(content.size()));
    body.append(content.bytes());
  };
  for (const auto& [name, fill] : attributes_) {
    add(name, [&fill = fill, this](ByteWriter& content) { fill(content, labels_); });
  }
  if (!frames_.empty()) add("StackMapTable", [this](ByteWriter& w) { write_frames(w); });
  out.u2(1);
  out.u2(owner_.utf8("Code"));
  out.u4(static_cast<std::uint32_t>(body.size()));
  out.append(body.bytes());
}

ClassBuilder::ClassBuilder(std::string name, std::uint16_t major, std::uint16_t access,
                           const std::string& super)
    : major_(major), access_(access), super_name_(super) {
  this_class_ = class_ref(name);
  super_class_ = super.empty() ? 0 : class_ref(super);
}

std::uint16_t ClassBuilder::add(const Bytes& entry) {
  const auto [it, is_new] = index_.try_emplace(entry, static_cast<std::uint16_t>(next_));
  if (is_new) {
    pool_.append(entry);
    next_ += entry[0] == 5 || entry[0] == 6 ? 2 : 1;
  }
  return it->second;
}

std::uint16_t ClassBuilder::utf8(const std::string& text) {
  ByteWriter entry;
  entry.u1(1);
  entry.u2(static_cast<std::uint32_t>(text.size()));
  for (char c : text) entry.u1(static_cast<std::uint8_t>(c));
  return add(entry.bytes());
}

std::uint16_t ClassBuilder::class_ref(const std::string& name) {
  ByteWriter entry;
  entry.u1(7);
  entry.u2(utf8(name));
  return add(entry.bytes());
}

std::uint16_t ClassBuilder::integer(std::int32_t value) {
  ByteWriter entry;
  entry.u1(3);
  entry.u4(static_cast<std::uint32_t>(value));
  return add(entry.bytes());
}

std::uint16_t ClassBuilder::name_and_type(const std::string& name, const std::string& descriptor) {
  ByteWriter entry;
  entry.u1(12);
  entry.u2(utf8(name));
  entry.u2(utf8(descriptor));
  return add(entry.bytes());
}

std::uint16_t ClassBuilder::method_ref(const std::string& owner, const std::string& name,
                                       const std::string& descriptor) {
  ByteWriter entry;
  entry.u1(10);
  entry.u2(class_ref(owner));
  entry.u2(name_and_type(name, descriptor));
  return add(entry.bytes());
}

std::uint16_t ClassBuilder::raw(int tag, std::initializer_list<int> payload) {
  ByteWriter entry;
  entry.u1(static_cast<std::uint32_t>(tag));
  for (int byte : payload) entry.u1(static_cast<std::uint32_t>(byte));
  return add(entry.bytes());
}

MethodBuilder& ClassBuilder::method(std::uint16_t access, const std::string& name,
                                    const std::string& descriptor) {
  return methods_.emplace_back(*this, access, name, descriptor);
}

MethodBuilder& ClassBuilder::default_constructor() {
  return method(kPublic, "<init>", "()V")
      .stack(1)
      .locals(1)
      .op({0x2a})
      .op2(0xb7, method_ref(super_name_, "<init>", "()V"))
      .op({0xb1});
}

void ClassBuilder::attribute(const std::string& name, const Bytes& body) {
  attributes_.emplace_back(utf8(name), body);
}

Bytes ClassBuilder::build() {
  ByteWriter rest;
  rest.u2(access_);
  rest.u2(this_class_);
  rest.u2(super_class_);
  rest.u2(0);  // interfaces
  rest.u2(0);  // fields
  rest.u2(static_cast<std::uint32_t>(methods_.size()));
  for (MethodBuilder& builder : methods_) builder.write(rest);
  rest.u2(static_cast<std::uint32_t>(attributes_.size()));
  for (const auto& [name, body] : attributes_) {
    rest.u2(name);
    rest.u4(static_cast<std::uint32_t>(body.size()));
    rest.append(body);
  }
  ByteWriter out;
  out.u4(0xcafebabe);
  out.u2(0);
  out.u2(major_);
  out.u2(next_);
  out.append(pool_.bytes());
  out.append(rest.bytes());
  return out.take();
}

}  // namespace bci::test
