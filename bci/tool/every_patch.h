// A plan with every kind of site, argument and call: for tools and tests that patch arbitrary
// classes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bci/patch/patch_class.h"

namespace bci {

// Numbers derived from names only, without a table.
class HashedIds : public PatchIds {
 public:
  std::int32_t id_of(const Part& part) override;
};

// Each site of each method calls static methods of `sinks` with all available values. `only`: the
// kinds of sites; all if empty.
PatchPlan every_patch(const std::string& sinks, const std::vector<SiteKind>& only = {});

// Name and descriptor of the methods required in `sinks`.
std::vector<std::pair<std::string, std::string>> every_patch_sinks();

// Parses a patch; nullopt, with a sentence in `error`, if it is invalid.
//   SITE before|after SINK ARG... [IN=CLASS.METHOD(TYPES)] [EACH] [RESULT=NAME]
//        [WHEN KIND=VALUE]... [IF ARG RELATION VALUE]...
// SINK is a name with a descriptor, "seen(ILjava/lang/Object;)V", or several, "seen(IJ)V|(ID)V";
// ARG is a word of to_string(ArgumentKind), some with a value: INTEGER=5 TEXT=here FIELD=sum
// LOCAL=2 LOCAL=i ARG=1 NEWLOCAL=start; with EACH the call is made for each argument, which ARG
// denotes then; KIND is FIELD, METHOD (each with NAME or OWNER.NAME), CLASS, BLOCK or LINE;
// RELATION is == != < <= > >=; VALUE an integer, a number with a point, null, or text.
std::optional<MethodPatches> parse_patch(std::string_view words, const std::string& sinks,
                                         std::string& error);

}  // namespace bci
