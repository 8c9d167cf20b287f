// Identification of a VM: HELO and FEAT.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

inline constexpr std::uint32_t kProtocolVersion = 1;

// HELO, server to VM.   u4 version of the server's protocol
struct HelloRequest {
  static constexpr ChunkType kType = chunk_type("HELO");
  std::uint32_t version = kProtocolVersion;
  static constexpr auto kFields = std::tuple(&HelloRequest::version);
};

// The last stage of an Android application's start; a server that knows stages waits for it.
inline constexpr std::uint32_t kStageRunning = chunk_type("A_GO");

struct HelloReply;

// The names of VM and application, both lengths first.
struct HelloNames {
  void write(ByteWriter& out, const HelloReply& reply) const;
  void read(ByteReader& in, HelloReply& reply) const;
};

// HELO, the reply. The later fields were added one by one, so a reader accepts data without them.
//
//   u4 version, u4 pid, u4 units of vm, u4 units of app, vm, app      2007
//   u4 user id                                                         2012
//   str abi, str jvm flags                                             2014
//   u1 native debuggable                                               2016
//   str package                                                        2019
//   u4 stage, four letters                                             2023
struct HelloReply {
  static constexpr ChunkType kType = chunk_type("HELO");
  std::uint32_t version = kProtocolVersion;
  std::uint32_t pid = 0;
  std::string vm;   // "OpenJDK 64-Bit Server VM v17.0.15+6"
  std::string app;  // "" or "<pre-initialized>": unknown yet, an APNM follows
  std::uint32_t user_id = 0;
  std::string abi;        // "64-bit (x86_64)"
  std::string jvm_flags;  // "CheckJNI=false"
  bool native_debuggable = false;
  std::string package;
  std::uint32_t stage = 0;
  static constexpr auto kFields = std::tuple(
      &HelloReply::version, &HelloReply::pid, HelloNames{},
      AddedLater(&HelloReply::user_id, &HelloReply::abi, &HelloReply::jvm_flags,
                 &HelloReply::native_debuggable, &HelloReply::package, &HelloReply::stage));
};

// FEAT, the reply; the request has no data.   u4 n, n str
struct Features {
  static constexpr ChunkType kType = chunk_type("FEAT");
  std::vector<std::string> names;
  static constexpr auto kFields = std::tuple(&Features::names);
};

// SAID, a DDM extension: the warnings of the agent's last load into this running VM, one per line.
// The request has no data.   str lines
struct SaidAtLoad {
  static constexpr ChunkType kType = chunk_type("SAID");
  std::string lines;
  static constexpr auto kFields = std::tuple(&SaidAtLoad::lines);
};

}  // namespace ddm
