#include "adapters/dyper/documents/xml_reader.h"

#include <algorithm>
#include <cstring>

namespace ddm {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Of XML: one of the five names, or a character's number. `text` begins with `&`.
bool is_entity(std::string_view text) {
  text = text.substr(1, text.find(';') - 1);  // without an end all that follows
  for (const std::string_view name : {"lt", "gt", "amp", "quot", "apos"}) {
    if (text == name) return true;
  }
  const bool hexadecimal = text.starts_with("#x");
  if (!text.starts_with('#')) return false;
  text.remove_prefix(hexadecimal ? 2 : 1);
  const char* const digits = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

// The position of an `&` that begins no entity, which pugixml takes as text; npos: there is none.
std::size_t find_unknown_entity(std::string_view text) {
  constexpr std::string_view kVerbatim[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  for (std::size_t at = 0; (at = text.find_first_of("<&", at)) != std::string_view::npos; ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.front() == '&' && !is_entity(rest)) return at;
    for (const auto& [begin, end] : kVerbatim) {
      if (rest.starts_with(begin)) at += std::min(rest.find(end, begin.size()), rest.size());
    }
  }
  return std::string_view::npos;
}

// Walks without recursion: the document's depth is the peer's choice.
struct NestingCheck final : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node&) override { return depth() <= kMaxNesting; }
};

}  // namespace

Result<std::unique_ptr<pugi::xml_document>> read_xml(std::string_view text) {
  if (text.size() > kMaxDocument) {
    return Error{"the document has more than " + std::to_string(kMaxDocument) + " bytes"};
  }
  const std::string_view body = trimmed(text);
  if (body.empty()) return Error{"the document is empty"};
  if (body.front() != '<' || body.back() != '>' || body.find('\0') != std::string_view::npos) {
    return Error{"the document is not XML: one element is expected, and nothing around it"};
  }
  auto document = std::make_unique<pugi::xml_document>();
  const pugi::xml_parse_result parsed = document->load_buffer(
      body.data(), body.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (!parsed) {
    return Error{std::string(parsed.description()) + " at byte " + std::to_string(parsed.offset)};
  }
  int roots = 0;
  for (const pugi::xml_node node : document->children()) {
    if (node.type() == pugi::node_doctype) return Error{"a DOCTYPE is not taken"};
    if (node.type() == pugi::node_element) ++roots;
  }
  if (const auto at = find_unknown_entity(body); at != std::string_view::npos) {
    return Error{"an unknown entity, or an & alone, at byte " + std::to_string(at)};
  }
  if (roots != 1) return Error{"a document has one element at its top, not several"};
  NestingCheck check;
  if (!document->traverse(check)) {
    return Error{"elements lie more than " + std::to_string(kMaxNesting) + " deep in each other"};
  }
  return document;
}

std::string_view attribute_of(pugi::xml_node node, const char* name) {
  return node.attribute(name).value();
}

std::string text_in(pugi::xml_node node) { return std::string(trimmed(node.text().get())); }

bool flag_of(pugi::xml_node node, const char* name, bool missing) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return missing;
  const char first = attribute.value()[0];
  return first == '\0' || std::strchr("fF0nN", first) == nullptr;
}

std::string in_capitals(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return word;
}

std::optional<bool> boolean_of(std::string_view text) {
  const std::string word = in_capitals(text);
  for (const std::string_view yes : {"TRUE", "T", "YES", "Y", "1"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"FALSE", "F", "NO", "N", "0"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

}  // namespace ddm
