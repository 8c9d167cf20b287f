#include "wire/chunks/probes.h"

#include <algorithm>

namespace ddm {
namespace {

void write_record(const ProbeFindings::Record& record, ByteWriter& out) {
  out.u8(record.number);
  out.str(record.thread);
  out.u1(record.what);
  out.u8(record.ns);
  const std::size_t arguments = std::min<std::size_t>(record.arguments.size(), 255);
  out.u1(static_cast<std::uint8_t>(arguments));
  for (std::size_t i = 0; i < arguments; ++i) out.str(record.arguments[i]);
  out.str(record.returned);
  out.str(record.thrown);
  out.u4(static_cast<std::uint32_t>(record.stack.size()));
  for (const ProbeFindings::Frame& frame : record.stack) {
    out.str(frame.class_name);
    out.str(frame.method);
    out.str(frame.file);
    out.s4(frame.line);
  }
}

ProbeFindings::Record read_record(ByteReader& in) {
  ProbeFindings::Record record;
  record.number = in.u8();
  record.thread = in.str();
  record.what = in.u1();
  record.ns = in.u8();
  for (int left = in.u1(); left > 0 && in.ok(); --left) record.arguments.push_back(in.str());
  record.returned = in.str();
  record.thrown = in.str();
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    ProbeFindings::Frame frame;
    frame.class_name = in.str();
    frame.method = in.str();
    frame.file = in.str();
    frame.line = in.s4();
    record.stack.push_back(std::move(frame));
  }
  return record;
}

}  // namespace

Bytes ProbeRequest::encode() const {
  ByteWriter out;
  out.u1(what);
  out.str(methods);
  out.str(condition);
  out.u4(line);
  out.str(field);
  out.u4(records);
  out.u4(budget);
  return out.take();
}

std::optional<ProbeRequest> ProbeRequest::decode(ByteSpan data) {
  ByteReader in(data);
  ProbeRequest request;
  request.what = in.u1();
  request.methods = in.str();
  request.condition = in.str();
  request.line = in.u4();
  request.field = in.str();
  request.records = in.u4();
  request.budget = in.u4();
  if (!in.ok()) return {};
  return request;
}

Bytes ProbeFindings::encode() const {
  ByteWriter out;
  out.u4(limit_percent);
  out.u4(used_millis);
  out.u4(static_cast<std::uint32_t>(notes.size()));
  for (const std::string& note : notes) out.str(note);
  out.u4(static_cast<std::uint32_t>(methods.size()));
  for (const Method& method : methods) {
    out.str(method.class_name);
    out.str(method.method);
    out.str(method.signature);
    out.str(method.removed);
    out.u8(method.hits);
    out.u8(method.ns);
    const std::size_t times = std::min<std::size_t>(method.times.size(), 255);
    out.u1(static_cast<std::uint8_t>(times));
    for (std::size_t i = 0; i < times; ++i) out.u8(method.times[i]);
    out.u4(static_cast<std::uint32_t>(method.records.size()));
    for (const Record& record : method.records) write_record(record, out);
  }
  return out.take();
}

std::optional<ProbeFindings> ProbeFindings::decode(ByteSpan data) {
  ByteReader in(data);
  ProbeFindings findings;
  findings.limit_percent = in.u4();
  findings.used_millis = in.u4();
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left)
    findings.notes.push_back(in.str());
  for (std::uint32_t left = in.u4(); left > 0 && in.ok(); --left) {
    Method method;
    method.class_name = in.str();
    method.method = in.str();
    method.signature = in.str();
    method.removed = in.str();
    method.hits = in.u8();
    method.ns = in.u8();
    for (int times = in.u1(); times > 0 && in.ok(); --times) method.times.push_back(in.u8());
    for (std::uint32_t records = in.u4(); records > 0 && in.ok(); --records) {
      method.records.push_back(read_record(in));
    }
    findings.methods.push_back(std::move(method));
  }
  if (!in.ok()) return {};
  return findings;
}

}  // namespace ddm
