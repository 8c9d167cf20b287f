#include "allocations/capture/class_rewriter.h"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "allocations/capture/tracker_class.h"
#include "bci/class_file.h"
#include "bci/constant_pool.h"
#include "bci/opcodes.h"
#include "vm/class_changes/untouchable_classes.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

using bci::CallPosition;
using bci::CallRule;
using bci::CallSite;
using bci::HookMethod;
using bci::HookNumbers;
using bci::MethodPattern;

constexpr const char* kTakesObject = "(Ljava/lang/Object;)V";

HookMethod hook(const char* name) { return {kTrackerClass, name, kTakesObject}; }

// Never destroyed: classes may still be rewritten while static objects are.
const MethodPattern& pattern(const char* owner, const char* name, const char* descriptor) {
  return *new MethodPattern{owner, name, descriptor};
}

const auto& kCopyOf = pattern("java/util/Arrays", "copyOf",
                              "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;");
const auto& kCopyOfRange = pattern("java/util/Arrays", "copyOfRange",
                                   "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;");
const auto& kUninitialized = pattern("jdk/internal/misc/Unsafe", "allocateUninitializedArray0", "");
const auto& kToBytes = pattern("java/lang/StringUTF16", "toBytes", "([CII)[B");
const auto& kClone = pattern("", "clone", "()Ljava/lang/Object;");

// The rule for the matching calls that `wanted` selects.
CallRule rule_where(bool (*wanted)(const CallSite&), MethodPattern callee, CallPosition position,
                    const char* hook_name) {
  return {std::move(callee), position, hook(hook_name), [wanted](const CallSite& site) {
            return wanted(site) ? std::optional(HookNumbers{}) : std::nullopt;
          }};
}

// An array's clone() is Object's, and so is super.clone() if the superclass is Object.
bool always_copies(const CallSite& site) {
  return site.callee.owner.starts_with('[') ||
         (site.opcode == bci::kInvokespecial && site.callee.owner == "java/lang/Object");
}

bool may_copy(const CallSite& site) {
  return site.opcode == bci::kInvokevirtual && !always_copies(site);
}

bool may_copy_in_superclass(const CallSite& site) {
  return site.opcode == bci::kInvokespecial && !always_copies(site);
}

bool is_string_builder(std::string_view class_name) {
  return class_name == "java/lang/StringBuilder" || class_name == "java/lang/StringBuffer";
}

// A chain of append() calls ending in toString(): C2 replaces it by one array and one String,
// without a constructor call or an array instruction, unless the builder escapes. String.valueOf()
// is often inlined at the end of a chain.
bool may_end_chain(const CallSite& site) {
  return is_string_builder(site.callee.owner) ||
         (site.caller_class == "java/lang/String" && site.caller_name == "valueOf");
}

// The flags that enable these two in C2. C1 does neither; a JVMCI compiler may.
constexpr const char* kMergeFlag = "OptimizeStringConcat";
constexpr const char* kUnboxFlag = "EliminateAutoBox";
constexpr const char* kOtherCompilerFlag = "UseJVMCICompiler";

bool compilers_do(const char* flag) {
  return vm_flags::boolean(flag) != false || vm_flags::boolean(kOtherCompilerFlag).value_or(false);
}

// C2 knows these methods and eliminates a call whose box is unused, whatever hook is inside. A box
// that may be used is created, which its constructor's hook records, or taken from the cache. Boxes
// of bytes and booleans are always cached.
void add_boxes(std::vector<CallRule>& rules) {
  constexpr std::pair<char, const char*> kBoxes[] = {
      {'I', "java/lang/Integer"},   {'J', "java/lang/Long"},  {'S', "java/lang/Short"},
      {'C', "java/lang/Character"}, {'F', "java/lang/Float"}, {'D', "java/lang/Double"}};
  for (const auto& [letter, box] : kBoxes) {
    rules.push_back({{box, "valueOf", fmt::format("({})L{};", letter, box)},
                     CallPosition::kAfter,
                     hook("kept")});
  }
}

std::vector<CallRule> call_rules(bool with_built) {
  const auto made = [](MethodPattern callee, const char* name = "made") {
    return CallRule{std::move(callee), CallPosition::kAfter, hook(name)};
  };
  std::vector<CallRule> rules{
      made(kCopyOf),
      made(kCopyOfRange),
      made(kUninitialized),
      made(kToBytes),
      made({"jdk/internal/misc/Unsafe", "allocateInstance", ""}),
      made({"java/lang/reflect/Array", "newArray", ""}, "newArray"),
      made({"java/lang/reflect/Array", "multiNewArray", ""}, "nested"),
      made({"java/lang/Throwable", "fillInStackTrace", "(I)Ljava/lang/Throwable;"}, "backtraced"),
      rule_where(always_copies, kClone, CallPosition::kAfter, "made"),
      rule_where(may_copy, kClone, CallPosition::kAfter, "cloned"),
      rule_where(may_copy_in_superclass, kClone, CallPosition::kAfter, "superCloned"),
  };
  if (compilers_do(kUnboxFlag)) add_boxes(rules);
  if (with_built) {
    rules.push_back(rule_where(may_end_chain, {"", "toString", "()Ljava/lang/String;"},
                               CallPosition::kBeforeOn, "kept"));
  }
  return rules;
}

// The calls that create objects without a `new` in rewritten code.
std::vector<CallRule> maker_rules() {
  const auto maker = [](const char* owner, const char* name) {
    return CallRule{{owner, name, ""}, CallPosition::kAfter, hook("constructed")};
  };
  // Lambdas, mostly.
  const auto is_dynamic = [](const CallSite& site) { return site.opcode == bci::kInvokedynamic; };
  return {rule_where(is_dynamic, {}, CallPosition::kAfter, "constructed"),
          maker("java/lang/reflect/Constructor", "newInstance"),
          maker("java/lang/reflect/Constructor", "newInstanceWithCaller"),
          maker("java/lang/Class", "newInstance"),
          maker("java/lang/invoke/MethodHandle", "invoke"),
          maker("java/lang/invoke/MethodHandle", "invokeExact"),
          maker("java/lang/invoke/MethodHandle", "invokeWithArguments")};
}

std::vector<MethodPattern> exempt_from_call_hooks() {
  return {kCopyOf,
          kCopyOfRange,
          // Recorded by the constructor that runs next on the object.
          {"java/lang/invoke/DirectMethodHandle", "allocateInstance", ""}};
}

}  // namespace

ClassRewriter::ClassRewriter(RewrittenMethods& moves)
    : moves_(moves),
      merged_strings_(compilers_do(kMergeFlag)),
      objects_(hook("object")),
      arrays_(hook("made"), {kTrackerClass, "arrays", "(Ljava/lang/Object;I)V"},
              {kCopyOf, kCopyOfRange, kUninitialized, kToBytes}),
      threads_(kThreadClass, hook("threadMade")),
      calls_(call_rules(merged_strings_), exempt_from_call_hooks()),
      new_sites_(hook("constructed")),
      makers_(maker_rules()) {
  for (CallRule& rule : call_rules(false)) callees_.push_back(std::move(rule.callee));
}

std::optional<bci::Bytes> ClassRewriter::rewrite(bci::ByteSpan class_file) {
  // Not counted as skipped, since the VM rejects such bytes as well. HotSpot passes freed memory
  // when another agent redefines the class during its retransformation; the Retransformer then
  // retries.
  if (bci::ByteReader(class_file).u4() != bci::kMagic) return std::nullopt;
  const bci::Transformation* const all[] = {&objects_, &arrays_,    &threads_,
                                            &calls_,   &new_sites_, &makers_};
  constexpr std::size_t kForListeners = 2;
  bci::RewriteResult result = bci::rewrite(
      class_file, std::span(all).first(std::size(all) - (hooks_constructed_ ? 0 : kForListeners)));
  if (is_untouchable(result.class_name)) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    skipped_.add(result);
    if (result.status == bci::RewriteStatus::kChanged) ++classes_rewritten_;
  }
  if (result.status != bci::RewriteStatus::kChanged) return std::nullopt;
  moves_.add(result);
  return std::move(result.bytes);
}

ClassRewriter::Need ClassRewriter::need_of(bci::ByteSpan pool, std::uint16_t count) const {
  bci::ByteReader in(pool);
  bci::SkipReason why{};
  const auto parsed = bci::ConstantPool::parse(in, count, why);
  if (!parsed || hooks_constructed_) return Need::kMaybe;  // rewrite() reports the error
  Need need = Need::kScanCode;
  for (std::uint32_t i = 1; i < count; ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    const std::uint8_t tag = parsed->tag(index);
    if (tag == bci::kUtf8 && parsed->utf8(index) == kTrackerClass) return Need::kNoHasThem;
    const bool called = tag == bci::kMethodref || tag == bci::kInterfaceMethodref;
    if (!called || need == Need::kMaybe) continue;
    const auto callee = parsed->member(index);
    if (!callee) continue;
    // String.valueOf() is not checked: String needs hooks for its arrays anyway.
    const bool built =
        merged_strings_ && callee->name == "toString" && is_string_builder(callee->owner);
    if (built || matches_any(callees_, callee->owner, callee->name, callee->descriptor)) {
      need = Need::kMaybe;
    }
  }
  return need;
}

bool ClassRewriter::code_may_need_hooks(bci::ByteSpan bytecode) {
  for (std::size_t at = 0; at < bytecode.size();) {
    const std::uint8_t opcode = bytecode[at];
    if (opcode == bci::kNewarray || opcode == bci::kAnewarray || opcode == bci::kMultianewarray) {
      return true;
    }
    const std::size_t length = bci::instruction_length(bytecode, at);
    if (length == 0) return true;
    at += length;
  }
  return false;
}

void ClassRewriter::refused(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  skipped_.add_unnamed(reason);
}

EngineCounters ClassRewriter::counters() const {
  const std::lock_guard lock(mutex_);
  return {classes_rewritten_, skipped_.classes(), skipped_.methods(), {}};
}

}  // namespace ddm
