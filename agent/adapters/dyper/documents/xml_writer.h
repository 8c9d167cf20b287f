// Writes an element into text, in the shape that DYPER's clients know: attributes in single quotes,
// a blank before "/>", a line's end behind each end tag, no declaration.
//
//   XmlWriter xml;
//   xml.open("THREAD").attribute("ID", 4).open("STACK").attribute("CLASS", name).close().close();
//
// Whatever a value holds, the text stays well-formed UTF-8 and has no line that a value has made:
// line ends and tabs in values become &#10; &#13; &#9;, what XML forbids becomes U+FFFD.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

class XmlWriter {
 public:
  XmlWriter& open(std::string_view tag);
  // Before what goes into the element.
  XmlWriter& attribute(std::string_view name, std::string_view value);
  XmlWriter& attribute(std::string_view name, const char* value) {
    return attribute(name, std::string_view(value));
  }
  XmlWriter& attribute(std::string_view name, const std::string& value) {
    return attribute(name, std::string_view(value));
  }
  XmlWriter& attribute(std::string_view name, std::integral auto value) {
    return attribute(name, std::string_view(std::to_string(value)));
  }
  XmlWriter& attribute(std::string_view name, bool value) {
    return attribute(name, std::string_view(value ? "true" : "false"));
  }
  XmlWriter& attribute(std::string_view name, double value);
  XmlWriter& text(std::string_view value);
  // What another writer has made.
  XmlWriter& raw(std::string_view xml);
  XmlWriter& close();

  // <TAG>text</TAG>
  XmlWriter& element(std::string_view tag, std::string_view value) {
    return open(tag).text(value).close();
  }

  std::size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

 private:
  void end_start_tag();

  std::string out_;
  std::vector<std::string> open_;
  bool in_start_tag_ = false;
};

// "20.0", "0.025": a double as Java prints it, as far as that matters; not a number is 0.
std::string decimal(double value);

}  // namespace ddm
