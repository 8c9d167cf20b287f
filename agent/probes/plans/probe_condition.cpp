#include "probes/plans/probe_condition.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/utf16.h"

namespace ddm {
namespace {

constexpr std::size_t kMostText = 1000;
constexpr std::size_t kMostComparisons = 16;
constexpr std::size_t kMostSteps = 16;
constexpr int kMostArgument = 255;  // JVMS 4.3.3
constexpr const char* kRightSides = "a number, true, false, null or a text in quotes";
constexpr const char* kNoParentheses =
    "parentheses are not supported: && binds before ||, and 'a && (b || c)' is 'a && b || a && c'";

struct TimeUnit {
  std::string_view name;
  std::int64_t ns;
};
constexpr TimeUnit kUnits[] = {
    {"", 1}, {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

const TimeUnit* unit_of(std::string_view name) {
  const auto* const unit = std::ranges::find(kUnits, name, &TimeUnit::name);
  return unit != std::end(kUnits) ? unit : nullptr;
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_duration(std::string_view text) {
  const std::string_view unit = text.substr(text.find_last_not_of("nums") + 1);
  return !unit.empty() && unit.size() < text.size() && unit_of(unit) != nullptr;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<ProbeComparison>> parse() {
    std::vector<ProbeComparison> conditions;
    if (text_.size() > kMostText) return wrong("it is longer than 1000 characters");
    skip_blanks();
    if (at_ == text_.size() && at_ > 0) return wrong("it is empty");
    while (at_ < text_.size()) {
      ProbeComparison condition;
      if (!conditions.empty() && !take("&&")) {
        condition.alternative = take("||");
        if (!condition.alternative) return wrong(behind_comparison());
      }
      if (conditions.size() == kMostComparisons) return wrong("it has more than 16 comparisons");
      if (auto problem = comparison(condition); !problem.empty()) return wrong(problem);
      conditions.push_back(std::move(condition));
    }
    return conditions;
  }

 private:
  Error wrong(const std::string& problem) const {
    return Error{"the condition '" + std::string(text_.substr(0, 100)) + "': " + problem};
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(std::string_view token) {
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    skip_blanks();
    return true;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_name_start(text_[at_]) || is_digit(text_[at_]))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // The next word of the text, for error messages.
  std::string next_word() const {
    const std::size_t end = text_.find_first_of(" \t", at_);
    return std::string(text_.substr(at_, end == std::string_view::npos ? end : end - at_));
  }

  bool is_at(std::string_view characters) const {
    return at_ < text_.size() && characters.find(text_[at_]) != std::string_view::npos;
  }

  std::string behind_comparison() const {
    if (is_at("()")) return kNoParentheses;
    return "behind a comparison stands '" + next_word() + "'; right is &&, || or the end";
  }

  // Each returns "" or what is wrong.
  std::string comparison(ProbeComparison& condition) {
    std::string problem = left(condition.left);
    if (problem.empty()) problem = steps(condition.steps);
    if (problem.empty() && condition.left.kind == bci::ArgumentKind::kNewLocal) {
      return compare_duration(condition);
    }
    if (problem.empty()) problem = relation(condition.relation);
    if (problem.empty()) problem = constant(condition);
    return problem;
  }

  std::string left(bci::PatchArgument& argument) {
    if (at_ >= text_.size()) return "a comparison is missing at the end";
    if (is_at("()")) return kNoParentheses;
    if (!is_name_start(text_[at_])) {
      return "'" + next_word() +
             "' is no name; a comparison begins with arg1, return, took, this.FIELD or "
             "the name of a variable";
    }
    const std::string word = name();
    if (word == "this") {
      if (at_ >= text_.size() || text_[at_] != '.') {
        argument.kind = bci::ArgumentKind::kThis;
      } else {
        ++at_;
        argument.kind = bci::ArgumentKind::kField;
        argument.name = name();
        if (argument.name.empty()) return "behind 'this.' the name of a field is missing";
      }
    } else if (word == "return") {
      argument.kind = bci::ArgumentKind::kReturn;
    } else if (word == kTookLocal) {
      argument.kind = bci::ArgumentKind::kNewLocal;
      argument.name = word;
    } else if (const auto number = argument_number(word)) {
      if (*number < 1 || *number > kMostArgument) {
        return "there is no " + word + "; arguments are arg1 to arg255";
      }
      argument.kind = bci::ArgumentKind::kArg;
      argument.number = *number;
    } else {
      argument.kind = bci::ArgumentKind::kLocal;
      argument.name = word;
    }
    return "";
  }

  // ".next.sum", "[3]", ".items[3].price"
  std::string steps(std::vector<PathStep>& steps) {
    while (is_at(".[")) {
      if (steps.size() == kMostSteps) return "it has a path of more than 16 fields and elements";
      PathStep& step = steps.emplace_back();
      if (text_[at_++] == '.') {
        if (at_ < text_.size() && is_name_start(text_[at_])) step.field = name();
        if (step.field.empty()) return "behind a '.' the name of a field is missing";
      } else {
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), step.index);
        at_ += static_cast<std::size_t>(end - begin);
        if (error != std::errc() || step.index < 0 || !is_at("]")) {
          return "between '[' and ']' stands one number, that of an element, from 0 on";
        }
        ++at_;
      }
    }
    skip_blanks();
    if (is_at("(")) return "methods are not called; a field is named without '('";
    return "";
  }

  std::string compare_duration(ProbeComparison& condition) {
    if (!condition.steps.empty()) return "took is a duration, which has no fields";
    std::string problem = relation(condition.relation);
    if (!problem.empty()) return problem;
    if (condition.relation == bci::Relation::kEqual ||
        condition.relation == bci::Relation::kNotEqual) {
      return "took is compared with < <= > and >= only";
    }
    double number = 0;
    const char* const begin = text_.data() + at_;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(begin, end, number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0)) {
      return "'" + next_word() +
             "' is no duration; right is a number with ns, us, ms or s, as 10ms";
    }
    at_ += static_cast<std::size_t>(stop - begin);
    skip_blanks();
    const std::string unit = name();
    const TimeUnit* const known = unit_of(unit);
    if (known == nullptr) return "'" + unit + "' is no unit of time; right is ns, us, ms or s";
    const double ns = number * static_cast<double>(known->ns);
    constexpr double kMostNs = 9e18;
    if (ns > kMostNs) return "the duration is longer than 285 years";
    condition.right = static_cast<std::int64_t>(std::llround(ns));
    skip_blanks();
    return "";
  }

  static std::optional<int> argument_number(std::string_view word) {
    if (!word.starts_with("arg") || word.size() == 3) return {};
    int number = 0;
    const char* const end = word.data() + word.size();
    const auto [last, error] = std::from_chars(word.data() + 3, end, number);
    if (last != end) return {};
    return error == std::errc() ? number : 0;
  }

  std::string relation(bci::Relation& relation) {
    using enum bci::Relation;
    static constexpr std::pair<std::string_view, bci::Relation> kRelations[] = {
        {"==", kEqual},          {"!=", kNotEqual}, {"<=", kLessOrEqual},
        {">=", kGreaterOrEqual}, {"<", kLess},      {">", kGreater}};
    for (const auto& [word, meaning] : kRelations) {
      if (!take(word)) continue;
      relation = meaning;
      return "";
    }
    if (at_ >= text_.size()) return "at the end one of == != < <= > >= is missing";
    return "'" + next_word() + "' is not one of == != < <= > >=";
  }

  std::string constant(bci::PatchCondition& condition) {
    if (at_ >= text_.size()) return std::string("at the end ") + kRightSides + " is missing";
    const char first = text_[at_];
    if (first == '"' || first == '\'') {
      const std::size_t end = text_.find(first, at_ + 1);
      if (end == std::string_view::npos) return std::string("a text does not end with ") + first;
      const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
      if (const std::u16string units = to_utf16(text); units.size() == 1) {
        condition.letter = units[0];
      }
      condition.right = std::string(text);
      at_ = end + 1;
    } else if (is_digit(first) || first == '-' || first == '.') {
      if (std::string problem = number(condition); !problem.empty()) return problem;
    } else if (std::string problem = word(condition); !problem.empty()) {
      return problem;
    }
    const bool orders = condition.relation != bci::Relation::kEqual &&
                        condition.relation != bci::Relation::kNotEqual;
    if (orders && (std::holds_alternative<std::nullptr_t>(condition.right) ||
                   std::holds_alternative<std::string>(condition.right))) {
      return "null and texts are compared with == and != only";
    }
    skip_blanks();
    return "";
  }

  std::string number(bci::PatchCondition& condition) {
    const std::size_t end = text_.find_first_of(" \t&|()", at_);
    const std::string_view digits =
        text_.substr(at_, end == std::string_view::npos ? end : end - at_);
    const char* const last = digits.data() + digits.size();
    std::int64_t whole = 0;
    double real = 0;
    if (const auto [stop, error] = std::from_chars(digits.data(), last, whole);
        error == std::errc() && stop == last) {
      condition.right = whole;
    } else if (const auto [real_stop, real_error] = std::from_chars(digits.data(), last, real);
               real_error == std::errc() && real_stop == last) {
      condition.right = real;
    } else if (is_duration(digits)) {
      return "'" + std::string(digits) + "' is a duration, which only took is compared with";
    } else {
      return "'" + std::string(digits) + "' is no number that a long or double can hold";
    }
    at_ += digits.size();
    return "";
  }

  std::string word(bci::PatchCondition& condition) {
    const std::size_t begin = at_;
    const std::string word = name();
    if (word == "null") {
      condition.right = nullptr;
    } else if (word == "true" || word == "false") {
      condition.right = std::int64_t{word == "true"};
    } else {
      at_ = begin;
      return "'" + next_word() + "' is not " + kRightSides;
    }
    return "";
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<ProbeComparison>> parse_condition(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace ddm
