// The tables of `ddm allocs`: of a program's figures, of a saved report's, of two reports'.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "site_figures.h"
#include "site_rows.h"

namespace ddm {

struct AllocsOptions : TargetOptions {
  std::string by = "class";
  std::string path;
  std::string mark;
  std::string since;
  std::vector<std::string> diff;
  std::size_t top = 25;
  std::string below;
  bool recent = false;
};

RowsBy rows_asked(const AllocsOptions& options);

// `notes`: the lines below the table.
int show_table(const AllocsOptions& options, const std::vector<SiteRow>& rows,
               const std::vector<std::string>& notes, Columns columns = Columns::kFigures);

// Of the records alone; `why`: a sentence, or "".
int show_recent(const AllocsOptions& options, const SiteFigures& figures, const std::string& why);

// What is perhaps below the method, which was named here, or when the report was made.
std::string cut_note(const AllocsOptions& options, const SiteFigures& figures);
bool lacks_below(const AllocsOptions& options, const SiteFigures& figures);

// The error: it is of native memory, or has no figures of a whole run.
Result<SiteFigures> read_whole_run(const std::string& path, const std::string& below);

// `what`: the program or the file. `tracking`: whether it goes on.
int show_whole_run(const AllocsOptions& options, const SiteFigures& figures,
                   const std::string& what, bool tracking);

}  // namespace ddm
