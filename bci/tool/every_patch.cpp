#include "bci/tool/every_patch.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <sstream>

namespace bci {
namespace {

using Kind = ArgumentKind;

class PlanMaker {
 public:
  explicit PlanMaker(const std::string& sinks) : sinks_(sinks) {}

  // A call that accepts a value of any type.
  PatchCall take(PatchArgument argument) const {
    return {.sink = {sinks_, "take", "(Ljava/lang/Object;)V"},
            .overloads = {"(I)V", "(J)V", "(F)V", "(D)V"},
            .arguments = {std::move(argument)}};
  }
  // The same, with a number before and after the value, which therefore cannot be a dup.
  PatchCall take_between(PatchArgument argument) const {
    return {.sink = {sinks_, "take", "(ILjava/lang/Object;I)V"},
            .overloads = {"(IJI)V", "(IDI)V"},
            .arguments = {{Kind::kInstruction}, std::move(argument), {Kind::kClassId}}};
  }
  PatchCall numbers(std::vector<PatchArgument> arguments) const {
    PatchCall call;
    call.sink = {sinks_, "numbers", "(" + std::string(arguments.size(), 'I') + ")V"};
    call.arguments = std::move(arguments);
    return call;
  }
  PatchCall begin() const { return {.sink = {sinks_, "begin", "()J"}, .result_local = "began"}; }
  PatchCall end() const {
    return {.sink = {sinks_, "end", "(IJ)V"},
            .arguments = {{Kind::kMethodId}, {Kind::kNewLocal, 0, "began"}}};
  }
  PatchCall each_argument() const {
    PatchCall call = take_between({Kind::kArg});
    call.arguments.back() = {Kind::kArgNumber};
    call.each_argument = true;
    return call;
  }
  PatchCall conditional(PatchArgument left, decltype(PatchCondition::right) right) const {
    return {.sink = {sinks_, "when", "(IZ)V"},
            .arguments = {{Kind::kBlockId}},
            .conditions = {{std::move(left), Relation::kNotEqual, std::move(right)},
                           {{Kind::kInteger, 100'000}, Relation::kGreater, std::int64_t{1} << 40}}};
  }
  PatchCall dropped() const { return {.sink = {sinks_, "begin", "()J"}}; }

 private:
  const std::string& sinks_;
};

// One patch for each, so that one unavailable value does not affect the others.
std::vector<Patch> one_each(SiteKind site, const std::vector<PatchCall>& before,
                            const std::vector<PatchCall>& after = {}) {
  std::vector<Patch> patches;
  for (const PatchCall& call : before) patches.push_back({site, {}, {call}, {}});
  for (const PatchCall& call : after) patches.push_back({site, {}, {}, {call}});
  return patches;
}

std::vector<Patch> patches_of(SiteKind site, const PlanMaker& make) {
  const auto there = make.numbers({{Kind::kInstruction}, {Kind::kBlockId}, {Kind::kMethodId}});
  switch (site) {
    case SiteKind::kEnter:
      return one_each(
          site, {make.begin(), make.take({Kind::kThis}), make.each_argument(),
                 make.take({Kind::kField, 0, "value"}), make.take({Kind::kText, 0, "entered"}),
                 make.conditional({Kind::kArg, 1}, std::int64_t{100}),
                 make.conditional({Kind::kArg, 1}, nullptr),
                 make.conditional({Kind::kArg, 2}, std::string("text"))});
    case SiteKind::kExit:
      return one_each(site,
                      {make.end(), make.take({Kind::kReturn}), make.take_between({Kind::kReturn}),
                       make.each_argument(), make.conditional({Kind::kReturn}, 1.5)});
    case SiteKind::kThrow:
      return one_each(site,
                      {make.end(), make.take({Kind::kException}), make.take_between({Kind::kStack}),
                       make.take({Kind::kThis}), make.each_argument()});
    case SiteKind::kBlockStart:
      return one_each(site, {there, make.take({Kind::kLocal, 1})});
    case SiteKind::kLine:
      return one_each(site, {make.dropped(), make.take_between({Kind::kLocal, 2})});
    case SiteKind::kObjectAlloc:
      return one_each(site, {make.numbers({{Kind::kRefClassId}})},
                      {there, make.take({Kind::kStack}), make.take_between({Kind::kStack})});
    case SiteKind::kCall:
      return one_each(site,
                      {make.numbers({{Kind::kRefMethodId}, {Kind::kRefClassId}}),
                       make.take({Kind::kStack}), make.take_between({Kind::kTarget})},
                      {make.take({Kind::kStack}), make.take({Kind::kTarget}),
                       make.take({Kind::kCurrentThread})});
    default: {
      std::vector<Patch> patches =
          one_each(site, {make.take({Kind::kStack}), make.take_between({Kind::kTarget})},
                   {make.take({Kind::kStack}), make.take_between({Kind::kStack}),
                    make.take({Kind::kTarget}), make.take({Kind::kNull})});
      // A value on the stack before the instruction, kept until after it.
      patches.push_back({site, {}, {there}, {make.take_between({Kind::kTarget}), there}});
      return patches;
    }
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && !text.empty();
}

class PatchParser {
 public:
  PatchParser(std::string_view text, const std::string& sinks, std::string& error)
      : words_(words_of(text)), sinks_(sinks), error_(error) {}

  bool parse(MethodPatches& into) {
    if (words_.size() < 3) return fail("a patch is SITE before|after SINK(...) ARGUMENT...");
    Patch patch;
    if (!site(words_[0], patch.site)) return fail("no site " + words_[0]);
    if (words_[1] != "before" && words_[1] != "after") {
      return fail("before or after wanted, not " + words_[1]);
    }
    PatchCall call;
    if (!sink(words_[2], call)) {
      return fail("a sink is a name with a descriptor, as count(I)V, not " + words_[2]);
    }
    for (at_ = 3; at_ < words_.size();) {
      if (!word(patch, call)) return false;
    }
    (words_[1] == "before" ? patch.before : patch.after).push_back(std::move(call));
    methods_.patches.push_back(std::move(patch));
    into = std::move(methods_);
    return true;
  }

 private:
  bool fail(std::string why) {
    error_ = std::move(why);
    return false;
  }

  static bool site(std::string_view name, SiteKind& kind) {
    for (int i = 0; i < kSiteKindCount; ++i) {
      kind = static_cast<SiteKind>(i);
      if (to_string(kind) == name) return true;
    }
    return false;
  }

  bool sink(std::string_view text, PatchCall& call) const {
    const std::size_t open = std::min(text.find('('), text.size());
    call.sink = {sinks_, std::string(text.substr(0, open)), ""};
    for (text.remove_prefix(open); !text.empty();) {
      const std::size_t bar = std::min(text.find('|'), text.size());
      const std::string_view descriptor = text.substr(0, bar);
      if (!MethodDescriptor::parse(descriptor)) return false;
      if (call.sink.descriptor.empty()) {
        call.sink.descriptor = descriptor;
      } else {
        call.overloads.emplace_back(descriptor);
      }
      text.remove_prefix(std::min(bar + 1, text.size()));
    }
    return !call.sink.descriptor.empty();
  }

  bool word(Patch& patch, PatchCall& call) {
    const std::string& text = words_[at_++];
    if (text.starts_with("RESULT=")) {
      call.result_local = text.substr(7);
      return true;
    }
    if (text.starts_with("IN=")) {
      const std::size_t types = std::min(text.find('('), text.size());
      const std::size_t dot = std::min(text.rfind('.', types), types);
      methods_.class_name = text.substr(3, dot - 3);
      if (dot < types) methods_.method = text.substr(dot + 1, types - dot - 1);
      methods_.descriptor = text.substr(types);
      return true;
    }
    if (text == "WHEN") return when(patch);
    if (text == "IF") return condition(call);
    if (text == "EACH") {
      call.each_argument = true;
      return true;
    }
    PatchArgument argument;
    if (!parse_argument(text, argument)) return false;
    call.arguments.push_back(std::move(argument));
    return true;
  }

  bool parse_argument(const std::string& text, PatchArgument& argument) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
    for (int i = 0; i < kArgumentKindCount; ++i) {
      argument.kind = static_cast<Kind>(i);
      if (to_string(argument.kind) != text.substr(0, equals)) continue;
      if (!parse_number(value, argument.number)) argument.name = value;
      return true;
    }
    return fail("no argument " + text);
  }

  bool when(Patch& patch) {
    const std::string text = at_ < words_.size() ? words_[at_++] : "";
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string kind = text.substr(0, equals);
    const std::string value = equals < text.size() ? text.substr(equals + 1) : "";
    PatchWhen when;
    if (kind == "FIELD" || kind == "METHOD") {
      when.kind = kind == "FIELD" ? WhenKind::kField : WhenKind::kMethod;
      const std::size_t dot = value.rfind('.');
      when.name = dot == std::string::npos ? value : value.substr(dot + 1);
      if (dot != std::string::npos) when.owner = value.substr(0, dot);
    } else if (kind == "CLASS") {
      when.kind = WhenKind::kClass;
      when.owner = value;
    } else if ((kind == "BLOCK" || kind == "LINE") && parse_number(value, when.number)) {
      when.kind = kind == "BLOCK" ? WhenKind::kBlock : WhenKind::kLine;
    } else {
      return fail("WHEN needs FIELD=, METHOD=, CLASS=, BLOCK= or LINE=, not " + text);
    }
    patch.when.push_back(std::move(when));
    return true;
  }

  bool condition(PatchCall& call) {
    static constexpr std::string_view kRelations[] = {"==", "!=", "<", "<=", ">", ">="};
    if (at_ + 3 > words_.size()) return fail("IF needs an argument, a relation and a value");
    PatchCondition condition;
    if (!parse_argument(words_[at_], condition.left)) return false;
    const auto relation = std::ranges::find(kRelations, words_[at_ + 1]);
    if (relation == std::end(kRelations)) return fail("no relation " + words_[at_ + 1]);
    condition.relation = static_cast<Relation>(relation - std::begin(kRelations));
    const std::string& right = words_[at_ + 2];
    std::int64_t integer = 0;
    double number = 0;
    if (parse_number(right, integer)) {
      condition.right = integer;
    } else if (parse_number(right, number)) {
      condition.right = number;
    } else if (right != "null") {
      condition.right = right;
    }
    call.conditions.push_back(std::move(condition));
    at_ += 3;
    return true;
  }

  const std::vector<std::string> words_;
  const std::string& sinks_;
  std::string& error_;
  std::size_t at_ = 0;
  MethodPatches methods_;
};

}  // namespace

std::int32_t HashedIds::id_of(const Part& part) {
  std::size_t hash = static_cast<std::uint32_t>(part.first);
  for (const std::string_view text : {part.owner, part.name, part.descriptor}) {
    hash = hash * 31 + std::hash<std::string_view>()(text);
  }
  // Covers all sizes of constants.
  return static_cast<std::int32_t>((hash & 0x7fffffff) >> (hash % 31));
}

PatchPlan every_patch(const std::string& sinks, const std::vector<SiteKind>& only) {
  const PlanMaker make(sinks);
  MethodPatches all;
  for (int i = 0; i < kSiteKindCount; ++i) {
    const auto site = static_cast<SiteKind>(i);
    if (!only.empty() && std::ranges::find(only, site) == only.end()) continue;
    for (Patch& patch : patches_of(site, make)) all.patches.push_back(std::move(patch));
  }
  PatchPlan plan;
  plan.methods.push_back(std::move(all));
  plan.test_class = sinks;
  return plan;
}

std::vector<std::pair<std::string, std::string>> every_patch_sinks() {
  return {{"take", "(Ljava/lang/Object;)V"},
          {"take", "(I)V"},
          {"take", "(J)V"},
          {"take", "(F)V"},
          {"take", "(D)V"},
          {"take", "(ILjava/lang/Object;I)V"},
          {"take", "(IJI)V"},
          {"take", "(IDI)V"},
          {"numbers", "(I)V"},
          {"numbers", "(II)V"},
          {"numbers", "(III)V"},
          {"begin", "()J"},
          {"end", "(IJ)V"},
          {"when", "(IZ)V"},
          {"test", "(JIJ)Z"},
          {"test", "(DID)Z"},
          {"test", "(Ljava/lang/Object;I)Z"},
          {"test", "(Ljava/lang/Object;ILjava/lang/String;)Z"}};
}

std::optional<MethodPatches> parse_patch(std::string_view words, const std::string& sinks,
                                         std::string& error) {
  MethodPatches parsed;
  if (!PatchParser(words, sinks, error).parse(parsed)) return std::nullopt;
  return parsed;
}

}  // namespace bci
