#include "adapters/dyper/documents/request.h"

#include <unistd.h>

#include <array>

#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {

std::string_view name_of(DyperErrorCode code) {
  constexpr std::string_view kNames[] = {
      "BAD_XML",     "BAD_PID",  "UNKNOWN_COMMAND", "UNKNOWN_VAR", "BAD_VALUE",
      "NO_AGENT",    "NO_CLASS", "NOT_MODIFIABLE",  "NO_MODEL",    "NO_MODE",
      "UNSUPPORTED", "BUSY",     "VERIFY"};
  return kNames[static_cast<std::size_t>(code)];
}

void DyperError::write(XmlWriter& xml) const {
  xml.open("ERROR").attribute("CODE", name_of(code));
  if (!attribute.empty()) xml.attribute(attribute, value);
  xml.text(message).close();
}

DyperIdentity DyperIdentity::of_this_process() {
  std::array<char, 256> host{};
  const bool known = gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0';
  return {getpid(), known ? host.data() : "localhost"};
}

bool DyperIdentity::is_meant_by(std::string_view pid_attribute) const {
  return pid_attribute.empty() || pid_attribute == text() || pid_attribute == std::to_string(pid);
}

std::variant<DyperRequest, RefusedRequest> read_request(std::string_view text,
                                                        const DyperIdentity& self) {
  using Code = DyperErrorCode;
  auto document = read_xml(text);
  if (!document) return RefusedRequest{{}, {Code::kBadXml, "", "", document.message()}};
  DyperRequest request;
  request.root = (*document)->document_element();
  const std::string_view tag = request.root.name();
  if (tag == "DYPATCH") {
    request.language = DyperLanguage::kDypatch;
  } else if (tag != "DYPER") {
    return RefusedRequest{
        {}, {Code::kBadXml, "TAG", std::string(tag), "a document is a DYPER or a DYPATCH element"}};
  }
  const std::string_view pid = attribute_of(request.root, "PID");
  if (!self.is_meant_by(pid)) {
    return RefusedRequest{request.language,
                          {Code::kBadPid, "PID", std::string(pid), "this is " + self.text()}};
  }
  request.command = attribute_of(request.root, "COMMAND");
  // The original document's spelling in one place.
  if (request.command.empty()) request.command = attribute_of(request.root, "XCOMMAND");
  request.document = std::move(*document);
  return request;
}

pugi::xml_node child_of(pugi::xml_node parent, const char* name, const char* other_name) {
  for (const pugi::xml_node child : parent.children()) {
    const std::string_view tag = child.name();
    if (tag == name || (other_name != nullptr && tag == other_name)) return child;
  }
  return {};
}

std::string reply_document(DyperLanguage language, const DyperIdentity& self,
                           std::string_view content, std::string_view attributes) {
  const std::string tag = language == DyperLanguage::kDypatch ? "DYPATCH_REPLY" : "DYPER_REPLY";
  XmlWriter id;
  id.open(tag).attribute("ID", self.text());
  std::string text = id.take();
  text += attributes;
  if (content.empty() && !attributes.empty()) return text + " />\n";
  text += '>';
  text += content;
  return text + "</" + tag + ">\n";
}

std::string busy_reply(std::string_view text, const DyperIdentity& self, std::string_view why) {
  auto request = read_request(text, self);
  if (const auto* refused = std::get_if<RefusedRequest>(&request)) return refusal(*refused, self);
  const DyperRequest& read = std::get<DyperRequest>(request);
  return refusal({read.language,
                  {DyperErrorCode::kBusy, "COMMAND", std::string(read.command), std::string(why)}},
                 self);
}

std::string refusal(const RefusedRequest& refused, const DyperIdentity& self) {
  XmlWriter xml;
  refused.error.write(xml);
  return reply_document(refused.language, self, xml.take());
}

}  // namespace ddm
