// A page's data read back: what its trees say, by stack. Shared by the tests of the page.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

inline constexpr std::string_view kPageDataBegin = R"(<script id="data" type="application/json">)";

inline std::string page_data_text(const std::string& page) {
  const std::size_t begin = page.find(kPageDataBegin) + kPageDataBegin.size();
  return page.substr(begin, page.find("</script", begin) - begin);
}
inline nlohmann::json page_data(const std::string& page) {
  return nlohmann::json::parse(page_data_text(page));
}

struct PageNumbers {
  std::string text;
  std::size_t at = 0;
  bool more() const { return at < text.size(); }
  std::int64_t next() {
    constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::int64_t number = 0;
    for (int shift = 0;; shift += 5) {
      const std::size_t digit = kLetters.find(text.at(at++));
      if (digit == std::string_view::npos) throw std::runtime_error("no digit");
      number |= static_cast<std::int64_t>(digit % 32) << shift;
      if (digit < 32) return number;
    }
  }
};

// "outermost;...;innermost;Class" -> its figures, with [LINE] behind a method where that is wanted. A
// thread is in brackets.
using PageStacks = std::map<std::string, std::vector<std::int64_t>>;
inline PageStacks page_stacks(const nlohmann::json& data, const char* name, std::size_t figures,
                              bool lines = false) {
  const nlohmann::json& source = data[name];
  PageNumbers numbers{source["tree"]};
  std::vector<std::string> path;
  PageStacks stacks;
  std::size_t nodes = 1;
  for (; numbers.more(); ++nodes) {
    const std::int64_t head = numbers.next();
    const auto place = static_cast<std::size_t>(numbers.next());
    for (std::int64_t up = head / 4; up > 0; --up) path.pop_back();
    const auto kind = head % 4;
    std::string text;
    if (kind < 2) {
      const std::size_t method = data["frames"][0][place];
      text = data["names"][method];
      if (lines) text += "[" + std::to_string(data["frames"][2][place].get<int>()) + "]";
    } else if (kind == 2) {
      text = data["classes"][place];
    } else {
      text = "(" + data["thread_names"][place][1].get<std::string>() + ")";
    }
    path.push_back(text);
    if (kind != 1 && kind != 2) continue;
    std::string stack;
    for (const std::string& one : path) stack += (stack.empty() ? "" : ";") + one;
    std::vector<std::int64_t>& sums = stacks[stack];
    sums.resize(figures);
    for (std::int64_t& sum : sums) sum += numbers.next();
  }
  if (nodes != source["nodes"].get<std::size_t>()) throw std::runtime_error("other nodes");
  return stacks;
}

}  // namespace ddm
