// Framing, the parser of documents, and what reads inside of them; what is written must be read.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "adapters/dyper/documents/class_types.h"
#include "adapters/dyper/documents/framing.h"
#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/documents/thread_choice.h"
#include "adapters/dyper/documents/variables.h"
#include "adapters/dyper/patching/patch_models.h"

namespace {

void must_be_read(const std::string& text) {
  if (text.size() <= ddm::kMaxDocument && !ddm::read_xml(text)) std::abort();
}

void use(const std::string& document) {
  const ddm::DyperIdentity self{1, "box"};
  auto request = ddm::read_request(document, self);
  if (const auto* refused = std::get_if<ddm::RefusedRequest>(&request)) {
    return must_be_read(ddm::refusal(*refused, self));
  }
  const pugi::xml_node root = std::get<ddm::DyperRequest>(request).root;
  std::vector<ddm::DyperError> errors;
  ddm::ClassTypes types;
  types.change(ddm::child_of(root, "CLASSES"), errors);
  ddm::ThreadChoice choice;
  choice.change(ddm::child_of(root, "THREADS"), {}, errors);
  ddm::DyperVariables variables;
  for (const pugi::xml_node child : root.children()) {
    (void)variables.set(ddm::attribute_of(child, "NAME"), ddm::attribute_of(child, "VALUE"));
  }
  ddm::PatchModels models;
  models.change(ddm::child_of(root, "MODEL", "PATCHMODEL"), errors);
  ddm::XmlWriter xml;
  xml.open("A");
  types.write(ddm::child_of(root, "MATCH"), xml, errors);
  for (const ddm::DyperError& error : errors) error.write(xml);
  must_be_read(xml.close().take());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ddm::DocumentReader reader;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  reader.append(all.substr(0, size / 2));
  while (auto document = reader.next()) use(*document);
  reader.append(all.substr(size / 2));
  while (auto document = reader.next()) use(*document);
  use(std::string(all));
  return 0;
}
