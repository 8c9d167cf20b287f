// A plan with every site, argument and form of call there is: for the tools and tests that patch
// whatever they find.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bci/patch/patch_class.h"

namespace bci {

// Numbers that depend on the names only, and need no memory.
class HashedIds : public PatchIds {
 public:
  std::int32_t class_id(std::string_view class_name) override;
  std::int32_t method_id(std::string_view owner, std::string_view name,
                         std::string_view descriptor) override;
  std::int32_t block_id(std::string_view owner, std::string_view name, std::string_view descriptor,
                        std::uint32_t first) override;
};

// Each site of each method calls static methods of `sinks` with all that is there. `only`: the
// sites wanted, all if empty.
PatchPlan every_patch(const std::string& sinks, const std::vector<SiteKind>& only = {});

// The sinks that `sinks` must have: name and descriptor.
std::vector<std::pair<std::string, std::string>> every_patch_sinks();

// A patch as words; nothing, and a sentence in `error`, if it makes no sense.
//   SITE before|after SINK ARG... [IN=CLASS.METHOD(TYPES)] [EACH] [RESULT=NAME] [WHEN
//   KIND=VALUE]...
//        [IF ARG RELATION VALUE]...
// SINK is a name with a descriptor, "seen(ILjava/lang/Object;)V", or several, "seen(IJ)V|(ID)V";
// ARG is one of the words that to_string(ArgumentKind) gives, some with a value: INTEGER=5
// TEXT=here FIELD=sum LOCAL=2 LOCAL=i ARG=1 NEWLOCAL=start; with EACH the call is made for each
// argument, which ARG then is; KIND is FIELD, METHOD (each with NAME or OWNER.NAME), CLASS, BLOCK
// or LINE; RELATION is == != < <= > >=; VALUE an integer, a number with a point, null, or text.
std::optional<MethodPatches> parse_patch(std::string_view words, const std::string& sinks,
                                         std::string& error);

}  // namespace bci
