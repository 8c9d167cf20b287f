#include "core/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ddm {
namespace {

// Splits at commas not preceded by a backslash, and replaces `\,` by a comma.
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
      parts.back() += ',';
      ++i;
    } else if (text[i] == ',') {
      parts.emplace_back();
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

// "a, b, c"; with `last`, "a, b and c".
std::string list_of(const std::vector<std::string_view>& names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace

void OptionTable::add(std::vector<OptionRow> rows) {
  std::ranges::move(rows, std::back_inserter(rows_));
}

const OptionRow* OptionTable::find(std::string_view name) const {
  const auto row = std::ranges::find(rows_, name, &OptionRow::name);
  return row == rows_.end() ? nullptr : &*row;
}

OptionTable::Parsed OptionTable::parse(std::string_view text) const {
  Parsed result;
  for (const std::string& part : split(text)) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const OptionRow* row = find(name);
    if (row == nullptr) {
      std::vector<std::string_view> names;
      for (const OptionRow& one : rows_) names.push_back(one.name);
      result.error =
          fmt::format("unknown option \"{}\"; valid options: {}", name, list_of(names, ", "));
      return result;
    }
    const bool has_value = equals != std::string::npos;
    if (!has_value && !row->values.empty()) {
      result.error = fmt::format("option {} needs a value: {}={}", name, name, row->values);
      return result;
    }
    if (has_value && row->values.empty()) {
      result.error = fmt::format("option {} takes no value", name);
      return result;
    }
    if (row->clear && !result.given.has(name)) row->clear();
    const Wrong error = row->set(has_value ? std::string_view(part).substr(equals + 1) : "");
    if (!error.empty()) {
      result.error = fmt::format("bad value for option {}: {}", name, error);
      return result;
    }
    result.given.names.push_back(name);
  }
  return result;
}

std::string OptionTable::help() const {
  std::string out =
      "Usage: java -agentlib:ddmagent[=OPTION=VALUE,...] or\n"
      "       jcmd PID JVMTI.agent_load /path/to/libddmagent.so \\\n"
      "           '\"OPTION=VALUE,...\"'\n\n";
  for (const OptionRow& row : rows_) {
    std::string left(row.name);
    if (!row.values.empty()) left += fmt::format("={}", row.values);
    if (left.size() > 22) {
      out += fmt::format("  {}\n", left);
      left.clear();
    }
    out += fmt::format("  {:<22} {}\n", left, row.meaning);
    for (const std::string_view more : row.more_help) out += fmt::format("  {:<22} {}\n", "", more);
  }
  out += "\nA literal comma in a value is written \\, and sizes take k, m, g.\n";
  return out;
}

std::string OptionTable::reload_error(const GivenOptions& given) const {
  std::vector<std::string_view> taken;
  for (const OptionRow& row : rows_) {
    if (row.reload == OptionRow::Reload::kTaken) taken.push_back(row.name);
  }
  for (const std::string& name : given.names) {
    if (std::ranges::find(taken, name) != taken.end()) continue;
    return fmt::format("the agent is loaded already: a second load can only change {}, not {}",
                       list_of(taken, " and "), name);
  }
  return {};
}

}  // namespace ddm
