// The allocations of a run, read from a file that it has written: by site from a report (jsonl,
// .sites.jsonl, .pb.gz), or by test from the list of ddm-test.jar.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "gate/baseline.h"
#include "json_values.h"

namespace ddm {

struct MeasuredSite {
  std::string class_name;
  Amount amount;
  Json stack = Json::array();  // as in jsonl
};

struct Measured {
  Amounts amounts;
  std::map<std::string, std::vector<MeasuredSite>> sites;  // by name, most bytes first
  Amount first_use;  // of a report; not in `amounts`: see stack/names/first_use.h
  // Of a report of which a part is measured: at stacks that do not tell whether they are in it.
  std::int64_t cut_bytes = 0;
  int jdk = 0;  // 0: not stated
  // Of a jsonl report: "bci" or "vm", and the METHOD to which it is restricted; else "".
  std::string engine, below;
  bool by_site = false;
  bool nothing() const { return amounts.empty() && first_use.objects == 0; }
};

// The contents of the file beside a baseline of tests, which tells which sites of a test have
// grown: one "TEST: Class @ package.Class.method" for each site, in the format of a baseline.
Amounts sites_of_tests(const Measured& measured);
// Orders the sites of each test by their growth, which is at most that of their class: what another
// stack has made before has only moved. `before`: sites_of_tests() of the baseline.
void sort_sites_by_growth(Measured& measured, const Amounts& before);

// Whether a file is a report, judged by its first byte: '{' or that of gzip.
bool is_report(std::istream& file);

// `below`: only allocations below this method, if the file is a report; "": all. The name of a
// report tells, too, that it is one: a damaged report is no list of tests.
Result<Measured> read_measured(const std::string& path, const std::string& below);

}  // namespace ddm
