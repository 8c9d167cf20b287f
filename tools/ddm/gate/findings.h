// What a gate has found, for people, for programs and for what shows it beside the code.
#pragma once

#include <string>

#include "gate/comparison.h"
#include "gate/measured.h"
#include "output.h"

namespace ddm {

struct Findings {
  Comparison changes;
  bool new_fails = false;  // of sites a new one is growth; of tests a new one is just not known yet
  const Measured* now = nullptr;
  std::string baseline, measured;  // the files
  std::string below;               // as it was asked for
  bool of_reports = false;         // the baseline is one, too
  bool failed() const { return !changes.grown.empty() || (new_fails && !changes.fresh.empty()); }
};

// "p.T.slow: 5,441 objects (+3), 364,544 bytes (+512)".
std::string change_text(const Changed& changed);

std::string findings_text(const Findings& findings);
Json findings_json(const Findings& findings);
std::string findings_markdown(const Findings& findings);
std::string findings_junit(const Findings& findings);
// "::error file=src/main/java/shop/Shop.java,line=30::..." a line, for what grew and is new where that
// fails; the file is looked for below the working directory.
std::string findings_annotations(const Findings& findings);

}  // namespace ddm
