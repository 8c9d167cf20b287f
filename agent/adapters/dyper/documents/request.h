// A parsed request document, and the reply document.
//
//   <DYPER PID='4711@box' COMMAND='PING'>...</DYPER>
//     -> <DYPER_REPLY ID='4711@box'>PONG</DYPER_REPLY>
//   <DYPATCH PID='4711@box' COMMAND='PING' />
//     -> <DYPATCH_REPLY ID='4711@box'>PONG</DYPATCH_REPLY>
//
// A failure is answered too: the reply contains <ERROR CODE='NO_AGENT' AGENT='X'>words</ERROR>.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

// Further errors of a document are dropped.
inline constexpr std::size_t kMostErrors = 100;

struct DyperError {
  DyperErrorCode code;
  std::string attribute;  // the subject, such as "AGENT"; "": none
  std::string value;
  std::string message;

  void write(XmlWriter& xml) const;
};
using DyperErrors = std::vector<DyperError>;

// Adds an error; `return fail(...)` is for functions that have no result then.
inline std::nullopt_t fail(DyperErrors& errors, std::string attribute, std::string_view value,
                           std::string message, DyperErrorCode code = DyperErrorCode::kBadValue) {
  errors.push_back({code, std::move(attribute), std::string(value), std::move(message)});
  return std::nullopt;
}

enum class DyperLanguage { kDyper, kDypatch };

// This process's id for DYPER's clients: "4711@box".
struct DyperIdentity {
  std::int64_t pid = 0;
  std::string host;

  static DyperIdentity of_this_process();
  std::string text() const { return std::to_string(pid) + "@" + host; }
  // Matches "", the number alone, and the whole id.
  bool is_meant_by(std::string_view pid_attribute) const;
};

struct DyperRequest {
  std::unique_ptr<pugi::xml_document> document;
  DyperLanguage language = DyperLanguage::kDyper;
  std::string command;  // "PING"
  pugi::xml_node root;  // <DYPER> itself, whose children are the arguments
};

// The error is meant for the reply, in the request's dialect (DYPER or DYPATCH) if that is known.
struct RefusedRequest {
  DyperLanguage language = DyperLanguage::kDyper;
  DyperError error;
};

std::variant<DyperRequest, RefusedRequest> read_request(std::string_view text,
                                                        const DyperIdentity& self);

// The first child of `parent` with one of the names; an empty node if there is none.
pugi::xml_node child_of(pugi::xml_node parent, const char* name, const char* other_name = nullptr);

// A reply with this content; `attributes` are appended to its start tag (" ACTIVE='true'").
std::string reply_document(DyperLanguage language, const DyperIdentity& self,
                           std::string_view content, std::string_view attributes = {});
std::string refusal(const RefusedRequest& refused, const DyperIdentity& self);
// The reply to a document that cannot be processed now.
std::string busy_reply(std::string_view text, const DyperIdentity& self, std::string_view why);

}  // namespace ddm
