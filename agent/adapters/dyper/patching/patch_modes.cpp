#include "adapters/dyper/patching/patch_modes.h"

#include <charconv>

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/patching/java_names.h"

namespace ddm {
namespace {

using Code = DyperErrorCode;

constexpr std::string_view kBuiltIn = R"(<MODES>
<MODE NAME='COUNT_METHOD'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem'
  SIGNATURE='(int)'><ARG TYPE='METHODID' /></CODE><INSTRUCTION /></MODE>
<MODE NAME='COUNT_BLOCK'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem'
  SIGNATURE='(int)'><ARG TYPE='BLOCKID' /></CODE><INSTRUCTION /></MODE>
<MODE NAME='COUNT_CLASS'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem'
  SIGNATURE='(int)'><ARG TYPE='CLASSID' /></CODE><INSTRUCTION /></MODE>
<MODE NAME='COUNT_CALLED'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem'
  SIGNATURE='(int)'><ARG TYPE='REFMETHODID' /></CODE><INSTRUCTION /></MODE>
<MODE NAME='COUNT_ALLOCATED'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monCountItem'
  SIGNATURE='(int)'><ARG TYPE='REFCLASSID' /></CODE><INSTRUCTION /></MODE>
<MODE NAME='TIME_ENTER'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monMethodEnter'
  SIGNATURE='(int)'><ARG TYPE='METHODID' /><RETURN TYPE='NEWLOCAL' VALUE='entered' /></CODE>
  <INSTRUCTION /></MODE>
<MODE NAME='TIME_EXIT'><CODE TYPE='CALL' CLASS='ddm.Tracker' METHOD='monMethodExit'
  SIGNATURE='(int,long)'><ARG TYPE='METHODID' /><ARG TYPE='NEWLOCAL' VALUE='entered' /></CODE>
  <INSTRUCTION /></MODE>
</MODES>)";

// ddm.Tracker's methods, and the sinks that implement them.
struct TrackerMethod {
  std::string_view name, arguments, result, sink;
};
constexpr TrackerMethod kTracker[] = {{"monCountItem", "(I)", "V", "count"},
                                      {"monMethodEnter", "(I)", "J", "begin"},
                                      {"monMethodExit", "(IJ)", "V", "end"}};

template <typename Number>
bool is_number(std::string_view text, Number* to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *to);
  return error == std::errc() && !text.empty() && end == text.data() + text.size();
}

DyperError wrong(std::string attribute, std::string_view value, std::string message) {
  return {Code::kBadValue, std::move(attribute), std::string(value), std::move(message)};
}

std::optional<bci::ArgumentKind> kind_of(std::string_view name) {
  for (int i = 0; i < bci::kArgumentKindCount; ++i) {
    const auto kind = static_cast<bci::ArgumentKind>(i);
    if (to_string(kind) == name) return kind;
  }
  return {};
}

// `value`: the kind's additional parameter.
std::optional<bci::PatchArgument> argument_of(std::string_view type, std::string_view value,
                                              std::vector<DyperError>& errors) {
  using Kind = bci::ArgumentKind;
  if (type == "CONTEXT" || type == "REFBLOCKID") {
    errors.push_back({Code::kUnsupported, "TYPE", std::string(type), "this argument is left out"});
    return {};
  }
  const auto kind = kind_of(type);
  if (!kind) {
    errors.push_back(wrong("TYPE", type, "there is no such argument"));
    return {};
  }
  bci::PatchArgument argument{*kind};
  const bool number = is_number(value, &argument.number);
  switch (*kind) {
    case Kind::kInteger:
    case Kind::kArg:
      if (number && (*kind == Kind::kInteger || argument.number > 0)) return argument;
      errors.push_back(wrong("VALUE", value, "a number is needed; the first argument is 1"));
      return {};
    case Kind::kField:
    case Kind::kNewLocal:
    case Kind::kLocal:
      if (*kind == Kind::kLocal && number) return argument;
      argument.name = value;
      if (!argument.name.empty()) return argument;
      errors.push_back(wrong("VALUE", value, "a name is needed"));
      return {};
    case Kind::kText:
      argument.name = value;
      return argument;
    default:
      return argument;
  }
}

std::optional<bci::PatchCondition> condition_of(pugi::xml_node node,
                                                std::vector<DyperError>& errors) {
  const std::string_view type = attribute_of(node, "TYPE"), right = attribute_of(node, "RVALUE");
  if (type != "FIELD" && type != "RETURN" && type != "LOCAL" && type != "ARG") {
    errors.push_back({type == "CONTEXT" ? Code::kUnsupported : Code::kBadValue, "TYPE",
                      std::string(type), "a condition is about FIELD, RETURN, LOCAL or ARG"});
    return {};
  }
  auto left = argument_of(type, attribute_of(node, "LVALUE"), errors);
  if (!left) return {};
  bci::PatchCondition condition{std::move(*left)};
  std::int64_t number = 0;
  if (is_number(right, &number)) {
    condition.right = number;
  } else if (right == "NONNULL") {
    condition.relation = bci::Relation::kNotEqual;
  } else if (right != "NULL") {
    errors.push_back(wrong("RVALUE", right, "an integer, NULL or NONNULL is needed"));
    return {};
  }
  return condition;
}

std::optional<bci::HookMethod> sink_of(pugi::xml_node code, std::string_view context,
                                       std::vector<DyperError>& errors) {
  std::string_view class_name = attribute_of(code, "CLASS");
  if (class_name.empty()) class_name = context;
  const std::string_view method = attribute_of(code, "METHOD");
  const std::string_view signature = attribute_of(code, "SIGNATURE");
  const auto descriptor = method_descriptor_of(signature);
  if (!descriptor) {
    errors.push_back(wrong("SIGNATURE", signature, "it is like (int,java.lang.Object,long[])"));
    return {};
  }
  if (class_name.empty() || method.empty()) {
    errors.push_back(wrong("METHOD", method, "CLASS and METHOD name a static method"));
    return {};
  }
  if (class_name != kTrackerName) {
    return bci::HookMethod{internal_name(class_name), std::string(method), *descriptor};
  }
  for (const TrackerMethod& one : kTracker) {
    if (method != one.name || !descriptor->starts_with(one.arguments)) continue;
    const std::string_view returned = std::string_view(*descriptor).substr(one.arguments.size());
    // Old signatures have no return type.
    if (returned != "V" && returned != one.result) continue;
    return bci::HookMethod{kSinksClass, std::string(one.sink),
                           std::string(one.arguments) + std::string(one.result)};
  }
  errors.push_back({Code::kUnsupported, "METHOD", std::string(method) + std::string(signature),
                    "ddm.Tracker has monCountItem(int), monMethodEnter(int)long and "
                    "monMethodExit(int,long)"});
  return {};
}

// Counters and timers of our sinks are numbered in the tables when the code is patched.
bool make_cell(bci::PatchCall& call, std::vector<DyperError>& errors) {
  using Kind = bci::ArgumentKind;
  if (call.sink.owner != kSinksClass) return true;
  const Kind kind = call.arguments.empty() ? Kind::kNull : call.arguments[0].kind;
  if (kind != Kind::kInteger && kind < Kind::kInstruction) {
    errors.push_back(
        wrong("TYPE", to_string(kind), "ddm.Tracker counts and times an INTEGER, INSNO or id"));
    return false;
  }
  if (call.sink.name == "begin" && call.result_local.empty()) {
    errors.push_back(wrong("RETURN", "", "what monMethodEnter returns is kept in a NEWLOCAL"));
    return false;
  }
  if (call.sink.name == "end" && !call.conditions.empty()) {
    errors.push_back({Code::kUnsupported, "METHOD", "monMethodExit",
                      "a CONDITION belongs to monMethodEnter: what it leaves out is not timed"});
    return false;
  }
  call.arguments[0].cell =
      call.sink.name == "count" ? bci::CellKind::kCounter : bci::CellKind::kTimer;
  return true;
}

std::optional<bci::PatchCall> call_of(pugi::xml_node code, std::string_view context,
                                      std::vector<DyperError>& errors) {
  if (attribute_of(code, "TYPE") != "CALL") {
    errors.push_back(wrong("TYPE", attribute_of(code, "TYPE"), "code is a CALL"));
    return {};
  }
  auto sink = sink_of(code, context, errors);
  if (!sink) return {};
  bci::PatchCall call{std::move(*sink)};
  for (const pugi::xml_node child : code.children()) {
    const std::string_view tag = child.name();
    if (tag == "ARG") {
      auto argument =
          argument_of(attribute_of(child, "TYPE"), attribute_of(child, "VALUE"), errors);
      if (!argument) return {};
      call.arguments.push_back(std::move(*argument));
    } else if (tag == "CONDITION") {
      auto condition = condition_of(child, errors);
      if (!condition) return {};
      call.conditions.push_back(std::move(*condition));
    } else if (tag == "RETURN") {
      if (attribute_of(child, "TYPE") != "NEWLOCAL") {
        errors.push_back({Code::kUnsupported, "TYPE", std::string(attribute_of(child, "TYPE")),
                          "what is returned goes to a NEWLOCAL or nowhere"});
        return {};
      }
      call.result_local = attribute_of(child, "VALUE");
    }
  }
  if (!make_cell(call, errors)) return {};
  // The sink's last parameter is the result of the conditions.
  if (!call.conditions.empty()) call.sink.descriptor.insert(call.sink.descriptor.find(')'), "Z");
  return call;
}

}  // namespace

PatchModes::PatchModes() {
  std::vector<DyperError> none;
  if (const auto built_in = read_xml(kBuiltIn)) add((*built_in)->document_element(), none);
}

void PatchModes::add(pugi::xml_node root, std::vector<DyperError>& errors) {
  for (const pugi::xml_node node : root.children()) {
    const std::string_view tag = node.name();
    if (tag == "DYPATCH_EXTERNAL") {
      errors.push_back({Code::kUnsupported, "MODE", std::string(attribute_of(node, "NAME")),
                        "modes made of Java code are left out"});
      continue;
    }
    if (tag != "DYPATCH_MODE" && tag != "MODE") continue;
    if (auto mode = read(node, errors)) {
      modes_.insert_or_assign(std::string(attribute_of(node, "NAME")), std::move(*mode));
    }
  }
}

const PatchMode* PatchModes::find(std::string_view name) const {
  const auto found = modes_.find(name);
  return found != modes_.end() ? &found->second : nullptr;
}

std::optional<PatchMode> PatchModes::read(pugi::xml_node node, std::vector<DyperError>& errors) {
  PatchMode mode;
  bool behind = false;
  for (const pugi::xml_node child : node.children()) {
    const std::string_view tag = child.name();
    if (tag == "INSTRUCTION") behind = true;
    if (tag != "CODE") continue;
    auto call = call_of(child, attribute_of(node, "CONTEXT"), errors);
    if (!call) return {};
    (behind ? mode.after : mode.before).push_back(std::move(*call));
  }
  return mode;
}

}  // namespace ddm
