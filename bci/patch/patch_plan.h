// Describes patches: the sites, the static methods ("sinks") called there, and their arguments.
//
//   bci::PatchPlan plan;
//   plan.methods.push_back({.class_name = "shop/Cart", .method = "total", .patches = {
//       {.site = bci::SiteKind::kEnter,
//        .before = {{.sink = {"java/lang/DdmSinks", "count", "(I)V"},
//                    .arguments = {{bci::ArgumentKind::kMethodId}}}}}}});
//   bci::PatchResult result = bci::patch_class(bytes, plan, ids);      // bci/patch/patch_class.h
//
// Plain values; a plan that is no longer changed may be read by any thread. Class names are
// internal names: "shop/Cart".
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "bci/snippet.h"

namespace bci {

// The site of a patch. "value" is ArgumentKind::kStack there, before / after.
enum class SiteKind : std::uint8_t {
  kEnter,           // once a call; in constructors behind this() or super(). No value
  kExit,            // before each return: the value returned
  kThrow,           // an exception leaves the method: the exception, which is rethrown
  kBlockStart,      // each basic block. No value
  kLine,            // where a line begins, selected by WhenKind::kLine. No value
  kSyncTest,        // before monitorenter: the lock
  kSyncEnter,       // behind monitorenter, and entry of a synchronized method: the lock
  kSyncExit,        // behind monitorexit, and before a synchronized method is left: the lock
  kStaticAccess,    // getstatic: none / the value
  kFieldAccess,     // getfield: the object / the value
  kStaticWrite,     // putstatic: the value / the value
  kFieldWrite,      // putfield: the value / the value
  kObjectAlloc,     // new: none / the object, and then behind its constructor
  kArrayAlloc,      // anewarray, multianewarray: last length / the array
  kBaseArrayAlloc,  // newarray: the length / the array
  kCall,            // all invocations but invokedynamic: last argument / result, or for a
                    // constructor the object
};
inline constexpr int kSiteKindCount = static_cast<int>(SiteKind::kCall) + 1;

// The argument of a sink. Its type must match the sink's descriptor: int (boolean, byte, short,
// char) also for long or double, float also for double; any reference for Object, otherwise only
// the same class.
enum class ArgumentKind : std::uint8_t {
  kThis,           // in instance methods that never overwrite it
  kInteger,        // PatchArgument::number
  kText,           // PatchArgument::name, a String
  kNull,           //
  kCurrentThread,  //
  kField,          // field `name` of this object, or static, of this class (not of superclasses)
  kLocal,          // local variable `name`; without a name slot `number`
  kArg,            // argument `number`, the first is 1; its value at that moment
  kReturn,         // kExit only: the value returned
  kException,      // kThrow only
  kStack,          // the value that SiteKind says
  kTarget,         // object of a field access or call, the lock; not of a constructor
  kNewLocal,       // the PatchCall::result_local of another call; 0 or null if that did not run
  kArgNumber,      // with PatchCall::each_argument: which argument it is
  kInstruction,    // ordinal of the instruction in the method, from 0
  kBlockId,        // ids: from PatchIds; of the block, method, class that the site is in,
  kMethodId,
  kClassId,
  kRefMethodId,  // of the method called: kCall only
  kRefClassId,   // of the owner of the field or method, or of the type allocated
};
inline constexpr int kArgumentKindCount = static_cast<int>(ArgumentKind::kRefClassId) + 1;

// How a number passed to a sink is interpreted.
enum class CellKind : std::uint8_t {
  kNone,     // itself
  kCounter,  // PatchIds::counter_of() it
  kTimer,    // PatchIds::timer_of() it
};

struct PatchArgument {
  ArgumentKind kind = ArgumentKind::kNull;
  std::int32_t number = 0;
  std::string name = {};
  CellKind cell = CellKind::kNone;  // of kInteger, kInstruction and the ids
};

enum class Relation : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

// Evaluated at each hit, without a branch in the patched code: left, relation and right are passed
// to a static method `test` of PatchPlan::test_class, whose boolean result is the sink's last
// argument. Several conditions are combined with &, and the groups that `alternative` begins with |.
//   integer  test(JIJ)Z     left is int or long, or a char and right a `letter`  (0 = kEqual, ...)
//   double   test(DID)Z     left is any number
//   null     test(Ljava/lang/Object;I)Z                           kEqual and kNotEqual only
//   text     test(Ljava/lang/Object;ILjava/lang/String;)Z         kEqual and kNotEqual only
//   path     walk(Ljava/lang/Object;I)Z      left is an object, from which `path` leads to the value
struct PatchCondition {
  PatchArgument left;
  Relation relation = Relation::kEqual;
  std::variant<std::nullptr_t, std::int64_t, double, std::string> right = nullptr;
  bool alternative = false;  // those before it need not hold if it and those behind it do
  std::int32_t path = 0;     // not 0: by this number `walk` knows path, relation and right
  std::int32_t letter = -1;  // of a text of one character: its number, for a char
};

// A call of a static method, which must never throw.
struct PatchCall {
  HookMethod sink;
  // Further descriptors of `sink`, tried in order after its own: one plan fits methods of any types.
  std::vector<std::string> overloads = {};
  // In the order of the parameters, without the boolean of the conditions.
  std::vector<PatchArgument> arguments = {};
  std::vector<PatchCondition> conditions = {};
  // An added local variable that stores the sink's result, initially 0 or null; "": it is dropped.
  std::string result_local = {};
  // Called once for each argument of the patched method, which kArg 0 and kArgNumber denote.
  bool each_argument = false;
  bool optional = false;  // left out where an argument is not to be had: `this` of a static method
};

enum class WhenKind : std::uint8_t {
  kField,   // at the four field kinds: `name`, of class `owner` unless that is empty
  kMethod,  // at kCall: the same
  kClass,   // at the three allocations: type `owner`; of arrays the element type ("I" for int)
  kBlock,   // the block that the site is in begins with instruction `number` (an ordinal)
  kLine,    // the site is in line `number`
};

// Evaluated when the class is patched. False at other kinds of sites.
struct PatchWhen {
  WhenKind kind = WhenKind::kMethod;
  std::string owner = {};
  std::string name = {};
  std::uint32_t number = 0;
};

struct Patch {
  SiteKind site = SiteKind::kEnter;
  std::vector<PatchWhen> when = {};  // all must hold
  // Around the instruction. For kEnter, kExit, kThrow, kBlockStart and kLine the two form one list.
  std::vector<PatchCall> before = {}, after = {};
};

// The patches of matching methods. Empty fields match anything, `*` matches any characters.
struct MethodPatches {
  std::string class_name = {}, method = {}, descriptor = {};
  std::vector<Patch> patches = {};
};

struct PatchPlan {
  std::vector<MethodPatches> methods;  // a method may match several; they are applied in order
  std::string test_class;              // of the conditions
};

// "FIELD_ACCESS", as DYPATCH writes it; kThrow is "THROW".
std::string_view to_string(SiteKind kind);
std::string_view to_string(ArgumentKind kind);

// Whether a method of that class may be patched; whether that method may.
bool may_patch(const PatchPlan& plan, std::string_view class_name);
bool may_patch(const PatchPlan& plan, std::string_view class_name, std::string_view method,
               std::string_view descriptor);
bool matches_class(const MethodPatches& patches, std::string_view class_name);
bool matches(const MethodPatches& patches, std::string_view class_name, std::string_view method,
             std::string_view descriptor);
// Whether patched code calls a method of that class, or this very method. Sinks are never patched;
// other methods of such a class only if named individually, since a sink may call them.
bool holds_sink(const PatchPlan& plan, std::string_view class_name);
bool is_sink(const PatchPlan& plan, std::string_view class_name, std::string_view method);
// A pattern that may match several names: it contains '*', or is empty.
bool names_many(std::string_view pattern);

}  // namespace bci
