// A scope's allocations as a reader gets them: the sites that are measured, with allocations of
// first uses marked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "allocations/scopes/scopes.h"
#include "stack/names/first_use.h"
#include "stack/names/name_table.h"

namespace ddm {

// What kinds of methods the stacks of scopes consist of. A method is classified by its name, once
// for all scopes: each test asks for mostly the same ones.
//
// One thread at a time.
class MethodKinds {
 public:
  struct Kind {
    bool known : 1 = false;
    bool first_use : 1 = false, runner : 1 = false, program : 1 = false;
    bool kit : 1 = false;  // ddm-test.jar's
    bool runner_task : 1 = false;
    ByTiming waiting = ByTiming::kNo;
    std::uint32_t name_hash = 0;
  };

  // `names`: always the same table, whose ids are never reused.
  const Kind& of(NameId method, const NameTable& names) {
    if (method < kinds_.size() && kinds_[method].known) return kinds_[method];
    return classify(method, names);
  }

  static std::uint32_t hash_of(const std::string& class_name, const std::string& method);

 private:
  const Kind& classify(NameId method, const NameTable& names);

  // Ids above are classified each time: only names that come and go by the million have such.
  static constexpr NameId kMostKept = 1u << 22;

  std::vector<Kind> kinds_;  // by id
  Kind not_kept_;
};

struct LiveAmount {
  std::int64_t objects = 0, bytes = 0;
};

struct ScopeSite {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  std::int64_t objects = 0, bytes = 0;
  std::uint32_t frames = 0;  // of its stack, up to where the measured part begins
  bool first_use = false;    // or by timing: stack/names/first_use.h
  bool own = false;          // on the scope's owner thread, or on one that ran its method for it
  LiveAmount alive = {};  // what find_alive() has found; of several parts' sites the first has it
};

struct ScopeFigures {
  std::shared_ptr<const Sites> sites;  // of the stacks
  std::vector<ScopeSite> list;         // most bytes first
  // Allocations not counted, without a complete stack, or whose stack sites_depth= cuts so that it
  // does not tell whether they are the scope's.
  std::int64_t lost = 0;
};

// The live objects of sites, by SiteSum::key().
using LiveBySite = std::unordered_map<std::uint64_t, LiveAmount>;

// By how much the live objects of a scope's sites have increased between two moments; without first
// uses, which stay alive once, whatever the scope leaves. Tells each site its part.
LiveAmount find_alive(ScopeFigures& figures, const LiveBySite& before, const LiveBySite& now);

ScopeFigures figures_of(const Scopes::Ended& ended, const NameTable& names, MethodKinds& kinds);

}  // namespace ddm
