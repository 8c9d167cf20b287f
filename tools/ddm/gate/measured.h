// What a run has allocated, from what it left: a report (jsonl, .sites.jsonl, .pb.gz) by site, or the list
// that ddm-test.jar writes, by test.
#pragma once

#include <istream>
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
  Amount first_use;  // of a report: in none of the others, see report/first_use.h
  int jdk = 0;       // 0: it does not say
  bool by_site = false;
};

// What stands beside a baseline of tests, so that the sites that have grown in a test come first: its sites
// under "TEST: Class @ package.Class.method", in the same format.
Amounts sites_of_tests(const Measured& measured);
// With those of the baseline: the sites of each test by how much they have grown.
void put_grown_sites_first(Measured& measured, const Amounts& before);

// Whether a file is a report, by its first byte; a list begins with neither.
bool is_report(std::istream& file);

// `below`: of a report only what came below this method; "" all of it.
Result<Measured> read_measured(const std::string& path, const std::string& below);

}  // namespace ddm
