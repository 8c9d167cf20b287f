#include "bci/patch/patch_site.h"

#include <algorithm>

#include "bci/opcodes.h"

namespace bci {
namespace {

// The classes with hooks and sinks. Their calls may be in the class file, put in for another feature.
constexpr std::string_view kAgentClasses = "java/lang/DdmTracker";

bool is_call(std::uint8_t op) { return is_invoke(op) && op != kInvokedynamic; }

bool is_at(SiteKind kind, std::uint8_t op) {
  switch (kind) {
    case SiteKind::kExit:
      return is_return(op);
    case SiteKind::kSyncTest:
    case SiteKind::kSyncEnter:
      return op == kMonitorenter;
    case SiteKind::kSyncExit:
      return op == kMonitorexit;
    case SiteKind::kStaticAccess:
      return op == kGetstatic;
    case SiteKind::kFieldAccess:
      return op == kGetfield;
    case SiteKind::kStaticWrite:
      return op == kPutstatic;
    case SiteKind::kFieldWrite:
      return op == kPutfield;
    case SiteKind::kObjectAlloc:
      return op == kNew;
    case SiteKind::kArrayAlloc:
      return op == kAnewarray || op == kMultianewarray;
    case SiteKind::kBaseArrayAlloc:
      return op == kNewarray;
    case SiteKind::kCall:
      return is_call(op);
    default:
      return false;
  }
}

bool holds(const PatchWhen& when, const Site& site, const MethodTables& tables) {
  switch (when.kind) {
    case WhenKind::kField:
    case WhenKind::kMethod:
      if (when.kind == WhenKind::kField ? !site.is_field() : site.kind != SiteKind::kCall) {
        return false;
      }
      return when.name == site.name && (when.owner.empty() || when.owner == site.owner);
    case WhenKind::kClass:
      if (!site.is_allocation()) return false;
      return when.owner ==
             (site.owner.starts_with('[') ? innermost_element(site.owner) : site.owner);
    case WhenKind::kBlock:
      return tables.blocks.first_of(site.label) == when.number;
    case WhenKind::kLine:
      return tables.lines.line_of(site.label) == static_cast<std::int64_t>(when.number);
  }
  return false;
}

}  // namespace

std::string_view innermost_element(std::string_view array_type) {
  array_type.remove_prefix(std::min(array_type.find_first_not_of('['), array_type.size()));
  return array_type.starts_with('L') ? class_name_of(array_type) : array_type;
}

std::optional<Site> site_at(SiteKind kind, Label label, const Code& code, const ConstantPool& pool,
                            const MethodTables& tables, std::string& array_type) {
  Site site{kind, label, {}, {}, {}, false};
  if (kind == SiteKind::kBlockStart) {
    if (!tables.blocks.begins(label)) return std::nullopt;
    return site;
  }
  if (kind == SiteKind::kLine) {
    if (!tables.lines.begins(label)) return std::nullopt;
    return site;
  }
  const ByteSpan bytes = code.bytes_of(label);
  if (!is_at(kind, bytes[0])) return std::nullopt;
  if (site.is_field() || kind == SiteKind::kCall) {
    const auto member = pool.member(read_u2(&bytes[1]));
    if (!member || member->owner.starts_with(kAgentClasses)) return std::nullopt;
    site.owner = member->owner;
    site.name = member->name;
    site.descriptor = member->descriptor;
    std::string_view rest = member->descriptor;
    const bool makes_sense = kind == SiteKind::kCall ? MethodDescriptor::parse(rest).has_value()
                                                     : take_type(rest) && rest.empty();
    if (!makes_sense) return std::nullopt;
  } else if (site.is_allocation() && bytes[0] == kNewarray) {
    site.owner = primitive_array(bytes[1]);
    if (site.owner.empty()) return std::nullopt;
  } else if (site.is_allocation()) {
    site.owner = pool.class_name(read_u2(&bytes[1]));
    if (site.owner.empty()) return std::nullopt;
    if (bytes[0] == kAnewarray) {
      array_type = "[" + descriptor_of(site.owner);
      site.owner = array_type;
    }
  }
  return site;
}

bool all_hold(const std::vector<PatchWhen>& when, const Site& site, const MethodTables& tables) {
  return std::ranges::all_of(when,
                             [&](const PatchWhen& each) { return holds(each, site, tables); });
}

}  // namespace bci
