#include "adapters/dyper/patching/patch_modes.h"

#include "adapters/dyper/documents/xml_reader.h"
#include "adapters/dyper/patching/java_names.h"
#include "core/class_names.h"
#include "core/whole_text.h"

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

std::optional<bci::ArgumentKind> kind_of(std::string_view name) {
  for (int i = 0; i < bci::kArgumentKindCount; ++i) {
    const auto kind = static_cast<bci::ArgumentKind>(i);
    if (to_string(kind) == name) return kind;
  }
  return {};
}

// `value`: the kind's additional parameter.
std::optional<bci::PatchArgument> argument_of(std::string_view type, std::string_view value,
                                              DyperErrors& errors) {
  using Kind = bci::ArgumentKind;
  if (type == "CONTEXT" || type == "REFBLOCKID") {
    return fail(errors, "TYPE", type, "this argument is left out", Code::kUnsupported);
  }
  const auto kind = kind_of(type);
  if (!kind) return fail(errors, "TYPE", type, "there is no such argument");
  bci::PatchArgument argument{*kind};
  const auto number = number_in<std::int32_t>(value);
  argument.number = number.value_or(0);
  switch (*kind) {
    case Kind::kInteger:
    case Kind::kArg:
      if (number && (*kind == Kind::kInteger || argument.number > 0)) return argument;
      return fail(errors, "VALUE", value, "a number is needed; the first argument is 1");
    case Kind::kField:
    case Kind::kNewLocal:
    case Kind::kLocal:
      if (*kind == Kind::kLocal && number) return argument;
      argument.name = value;
      if (!argument.name.empty()) return argument;
      return fail(errors, "VALUE", value, "a name is needed");
    case Kind::kText:
      argument.name = value;
      return argument;
    default:
      return argument;
  }
}

std::optional<bci::PatchCondition> condition_of(pugi::xml_node node, DyperErrors& errors) {
  const std::string_view type = attribute_of(node, "TYPE"), right = attribute_of(node, "RVALUE");
  if (type != "FIELD" && type != "RETURN" && type != "LOCAL" && type != "ARG") {
    return fail(errors, "TYPE", type, "a condition is about FIELD, RETURN, LOCAL or ARG",
                type == "CONTEXT" ? Code::kUnsupported : Code::kBadValue);
  }
  auto left = argument_of(type, attribute_of(node, "LVALUE"), errors);
  if (!left) return {};
  bci::PatchCondition condition{std::move(*left)};
  if (const auto number = number_in<std::int64_t>(right)) {
    condition.right = *number;
  } else if (right == "NONNULL") {
    condition.relation = bci::Relation::kNotEqual;
  } else if (right != "NULL") {
    return fail(errors, "RVALUE", right, "an integer, NULL or NONNULL is needed");
  }
  return condition;
}

std::optional<bci::HookMethod> sink_of(pugi::xml_node code, std::string_view context,
                                       DyperErrors& errors) {
  std::string_view class_name = attribute_of(code, "CLASS");
  if (class_name.empty()) class_name = context;
  const std::string_view method = attribute_of(code, "METHOD");
  const std::string_view signature = attribute_of(code, "SIGNATURE");
  const auto descriptor = method_descriptor_of(signature);
  if (!descriptor) {
    return fail(errors, "SIGNATURE", signature, "it is like (int,java.lang.Object,long[])");
  }
  if (class_name.empty() || method.empty()) {
    return fail(errors, "METHOD", method, "CLASS and METHOD name a static method");
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
  return fail(errors, "METHOD", std::string(method) + std::string(signature),
              "ddm.Tracker has monCountItem(int), monMethodEnter(int)long and "
              "monMethodExit(int,long)",
              Code::kUnsupported);
}

// Counters and timers of our sinks are numbered in the tables when the code is patched.
std::optional<bci::PatchCall> with_cell(bci::PatchCall call, DyperErrors& errors) {
  using Kind = bci::ArgumentKind;
  if (call.sink.owner != kSinksClass) return call;
  const Kind kind = call.arguments.empty() ? Kind::kNull : call.arguments[0].kind;
  if (kind != Kind::kInteger && kind < Kind::kInstruction) {
    return fail(errors, "TYPE", to_string(kind),
                "ddm.Tracker counts and times an INTEGER, INSNO or id");
  }
  if (call.sink.name == "begin" && call.result_local.empty()) {
    return fail(errors, "RETURN", "", "what monMethodEnter returns is kept in a NEWLOCAL");
  }
  if (call.sink.name == "end" && !call.conditions.empty()) {
    return fail(errors, "METHOD", "monMethodExit",
                "a CONDITION belongs to monMethodEnter: what it leaves out is not timed",
                Code::kUnsupported);
  }
  call.arguments[0].cell =
      call.sink.name == "count" ? bci::CellKind::kCounter : bci::CellKind::kTimer;
  return call;
}

std::optional<bci::PatchCall> call_of(pugi::xml_node code, std::string_view context,
                                      DyperErrors& errors) {
  if (attribute_of(code, "TYPE") != "CALL") {
    return fail(errors, "TYPE", attribute_of(code, "TYPE"), "code is a CALL");
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
        return fail(errors, "TYPE", attribute_of(child, "TYPE"),
                    "what is returned goes to a NEWLOCAL or nowhere", Code::kUnsupported);
      }
      call.result_local = attribute_of(child, "VALUE");
    }
  }
  auto made = with_cell(std::move(call), errors);
  if (made && !made->conditions.empty()) {
    // The sink's last parameter is the result of the conditions.
    std::string& descriptor = made->sink.descriptor;
    descriptor.insert(descriptor.find(')'), "Z");
  }
  return made;
}

}  // namespace

PatchModes::PatchModes() {
  DyperErrors none;
  if (const auto built_in = read_xml(kBuiltIn)) add((*built_in)->document_element(), none);
}

void PatchModes::add(pugi::xml_node root, DyperErrors& errors) {
  for (const pugi::xml_node node : root.children()) {
    const std::string_view tag = node.name();
    if (tag == "DYPATCH_EXTERNAL") {
      fail(errors, "MODE", attribute_of(node, "NAME"), "modes made of Java code are left out",
           Code::kUnsupported);
    } else if (tag == "DYPATCH_MODE" || tag == "MODE") {
      if (auto mode = read(node, errors)) {
        modes_.insert_or_assign(std::string(attribute_of(node, "NAME")), std::move(*mode));
      }
    }
  }
}

const PatchMode* PatchModes::find(std::string_view name) const {
  const auto found = modes_.find(name);
  return found != modes_.end() ? &found->second : nullptr;
}

std::optional<PatchMode> PatchModes::read(pugi::xml_node node, DyperErrors& errors) {
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
