#include "adapters/dyper/documents/xml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/utf16.h"

namespace ddm {
namespace {

bool is_plain(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7f; });
}

// XML 1.0, production 2: no other control characters, and neither U+FFFE nor U+FFFF.
std::u16string without_forbidden(std::u16string units) {
  for (char16_t& unit : units) {
    const bool control = unit < 0x20 && unit != u'\t' && unit != u'\n' && unit != u'\r';
    if (control || unit == 0xfffe || unit == 0xffff) unit = 0xfffd;
  }
  return units;
}

void escape(std::string_view value, std::string& out) {
  constexpr std::string_view kEscaped = "&<>\"'\n\r\t";
  constexpr std::string_view kNames[] = {"&amp;",  "&lt;",  "&gt;",  "&quot;",
                                         "&apos;", "&#10;", "&#13;", "&#9;"};
  for (const char c : value) {
    const std::size_t at = kEscaped.find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      out += kNames[at];
    }
  }
}

void add_value(std::string_view value, std::string& out) {
  if (is_plain(value)) return escape(value, out);
  escape(to_utf8(without_forbidden(to_utf16(value))), out);
}

}  // namespace

void XmlWriter::end_start_tag() {
  if (in_start_tag_) out_ += '>';
  in_start_tag_ = false;
}

XmlWriter& XmlWriter::open(std::string_view tag) {
  end_start_tag();
  out_ += '<';
  out_ += tag;
  open_.emplace_back(tag);
  in_start_tag_ = true;
  return *this;
}

XmlWriter& XmlWriter::attribute(std::string_view name, std::string_view value) {
  out_ += ' ';
  out_ += name;
  out_ += "='";
  add_value(value, out_);
  out_ += '\'';
  return *this;
}

XmlWriter& XmlWriter::attribute(std::string_view name, double value) {
  return attribute(name, decimal(value));
}

XmlWriter& XmlWriter::text(std::string_view value) {
  if (value.empty()) return *this;
  end_start_tag();
  add_value(value, out_);
  return *this;
}

XmlWriter& XmlWriter::raw(std::string_view xml) {
  if (xml.empty()) return *this;
  end_start_tag();
  out_ += xml;
  return *this;
}

XmlWriter& XmlWriter::close() {
  if (in_start_tag_) {
    out_ += " />\n";
  } else {
    out_ += "</" + open_.back() + ">\n";
  }
  in_start_tag_ = false;
  open_.pop_back();
  return *this;
}

std::string decimal(double value) {
  if (!std::isfinite(value)) value = 0;
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace ddm
