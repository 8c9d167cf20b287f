#include "wire/chunks/class_outlook.h"

namespace ddm {

Bytes OutlookRequest::encode() const {
  ByteWriter out;
  out.str(methods);
  out.str(more);
  return out.take();
}

std::optional<OutlookRequest> OutlookRequest::decode(ByteSpan data) {
  ByteReader in(data);
  OutlookRequest request;
  request.methods = in.str();
  request.more = in.str();
  if (!in.ok()) return {};
  return request;
}

Bytes ClassOutlook::encode() const {
  ByteWriter out;
  out.u4(many);
  out.u4(static_cast<std::uint32_t>(running.size()));
  for (const std::string& method : running) out.str(method);
  out.u4(static_cast<std::uint32_t>(changed.size()));
  for (const auto& [name, changes] : changed) {
    out.str(name);
    out.u4(changes);
  }
  return out.take();
}

std::optional<ClassOutlook> ClassOutlook::decode(ByteSpan data) {
  ByteReader in(data);
  ClassOutlook outlook;
  outlook.many = in.u4();
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    outlook.running.push_back(in.str());
  }
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    std::string name = in.str();
    const std::uint32_t changes = in.u4();
    outlook.changed.emplace_back(std::move(name), changes);
  }
  if (!in.ok()) return {};
  return outlook;
}

}  // namespace ddm
