#include "proc_stat.h"

#include <fstream>
#include <sstream>

namespace ddm {

std::optional<ProcStat> read_proc_stat(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  // The second word is a name in brackets, which may have blanks and brackets in it.
  const std::size_t name = line.find('('), name_end = line.rfind(')');
  if (name == std::string::npos || name_end == std::string::npos) return {};
  std::istringstream words(line.substr(name_end + 2));
  std::string word;
  for (int i = 3; i < 14; ++i) words >> word;
  std::int64_t user = 0, system = 0;
  words >> user >> system;
  return ProcStat{line.substr(name + 1, name_end - name - 1), user + system};
}

}  // namespace ddm
