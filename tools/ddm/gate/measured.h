// What a run has allocated, from what it left: a report (jsonl, .sites.jsonl) by site, or the list that
// ddm-test.jar writes, by test.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/baseline.h"
#include "output.h"

namespace ddm {

struct MeasuredSite {
  std::string class_name;
  Amount amount;
  Json stack = Json::array();  // as in jsonl
};

struct Measured {
  Amounts amounts;
  std::map<std::string, std::vector<MeasuredSite>> sites;  // by name, most bytes first
  Amount first_use;  // of a report: in none of the others, see stack/names/first_use.h
  int jdk = 0;       // 0: it does not say
  bool by_site = false;
};

// `below`: of a report only what came below this method; "" all of it.
Result<Measured> read_measured(const std::string& path, const std::string& below);

}  // namespace ddm
