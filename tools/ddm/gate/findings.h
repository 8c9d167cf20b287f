// The result of a gate as text, JSON, Markdown, JUnit XML and workflow annotations.
#pragma once

#include <string>

#include "gate/baseline.h"
#include "gate/measured.h"
#include "output.h"

namespace ddm {

struct Findings {
  Comparison changes;
  bool new_fails = false;  // a new site is growth; a new test is only not in the baseline yet
  const Measured* now = nullptr;
  std::string baseline, measured;     // the files
  std::string below;                  // the METHOD of --below
  bool of_reports = false;            // the baseline is a report, too
  bool baseline_covers_more = false;  // it was made without --below
  bool failed() const { return !changes.grown.empty() || (new_fails && !changes.added.empty()); }
};

// "p.T.slow: 5,441 (+3) objects, 364,544 (+512) bytes".
std::string change_text(const Changed& changed);

std::string findings_text(const Findings& findings);
Json findings_json(const Findings& findings);
std::string findings_markdown(const Findings& findings);
std::string findings_junit(const Findings& findings);
// "::error file=src/main/java/shop/Shop.java,line=30::..." lines, one for each entry that makes the
// gate fail; source files are searched below the working directory.
std::string findings_annotations(const Findings& findings);

}  // namespace ddm
