// Writes XML in the form that DYPER's clients parse: attributes in single quotes, a blank before
// "/>", a line end after each end tag, no declaration.
//
//   XmlWriter xml;
//   xml.open("THREAD").attribute("ID", 4).open("STACK").attribute("CLASS", name).close().close();
//
// The output is well-formed UTF-8 for any value, and a value adds no line: line ends and tabs
// become &#10; &#13; &#9;, characters that XML forbids become U+FFFD.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

class XmlWriter {
 public:
  XmlWriter& open(std::string_view tag);
  // To be called before the element's content.
  XmlWriter& attribute(std::string_view name, std::string_view value);
  XmlWriter& attribute(std::string_view name, std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>) {
      return attribute(name, value ? "true" : "false");
    } else {
      return attribute(name, std::to_string(value));
    }
  }
  XmlWriter& attribute(std::string_view name, double value);
  XmlWriter& text(std::string_view value);
  // Appends another writer's output.
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

// "20.0", "0.025": a double as Java prints it, but for exponents; infinity and NaN are 0.
std::string decimal(double value);

}  // namespace ddm
