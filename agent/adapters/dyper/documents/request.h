// What a document asks for, and the document that answers it.
//
//   <DYPER PID='4711@box' COMMAND='PING'>...</DYPER>   -> <DYPER_REPLY
//   ID='4711@box'>PONG</DYPER_REPLY> <DYPATCH PID='4711@box' COMMAND='PING' />          ->
//   <DYPATCH_REPLY ID='4711@box'>PONG</...>
//
// What cannot be done is answered too: <ERROR CODE='NO_AGENT' AGENT='X'>words</ERROR> in the reply.
#pragma once

#include <cstdint>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/dyper/documents/xml_writer.h"

namespace ddm {

enum class DyperErrorCode {
  kBadXml,
  kBadPid,
  kUnknownCommand,
  kUnknownVar,
  kBadValue,
  kNoAgent,
  kNoClass,
  kNotModifiable,
  kNoModel,
  kNoMode,
  kUnsupported,
  kBusy,
  kVerify,
};

std::string_view name_of(DyperErrorCode code);

// More of them are of no use to anybody.
inline constexpr std::size_t kMostErrors = 100;

struct DyperError {
  DyperErrorCode code;
  std::string attribute;  // what it is about: "AGENT"; "" = nothing in particular
  std::string value;
  std::string message;

  void write(XmlWriter& xml) const;
};

enum class DyperLanguage { kDyper, kDypatch };

// Who we are to DYPER's clients: "4711@box".
struct DyperIdentity {
  std::int64_t pid = 0;
  std::string host;

  static DyperIdentity of_this_process();
  std::string text() const { return std::to_string(pid) + "@" + host; }
  // Nothing, the number alone, or the whole.
  bool is_meant_by(std::string_view pid_attribute) const;
};

struct DyperRequest {
  std::unique_ptr<pugi::xml_document> document;
  DyperLanguage language = DyperLanguage::kDyper;
  std::string command;  // "PING"
  pugi::xml_node root;  // <DYPER> itself; what the command is told is inside
};

// The error is for the reply, in the language that is spoken in as far as that is known.
struct RefusedRequest {
  DyperLanguage language = DyperLanguage::kDyper;
  DyperError error;
};

std::variant<DyperRequest, RefusedRequest> read_request(std::string_view text,
                                                        const DyperIdentity& self);

// The first element inside of `parent` that has one of the names; none: an empty node.
pugi::xml_node child_of(pugi::xml_node parent, const char* name, const char* other_name = nullptr);

// A reply: `content` is the inside, `attributes` more of its start tag (" ACTIVE='true'").
std::string reply_document(DyperLanguage language, const DyperIdentity& self,
                           std::string_view content, std::string_view attributes = {});
std::string refusal(const RefusedRequest& refused, const DyperIdentity& self);
// The reply to a document that cannot be looked into now.
std::string busy_reply(std::string_view text, const DyperIdentity& self, std::string_view why);

}  // namespace ddm
