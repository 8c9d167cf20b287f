#include "core/proc_stat.h"

#include <sstream>

#include "core/file_descriptor.h"

namespace ddm {

std::optional<ProcStat> read_proc_stat(const std::string& path) {
  const auto text = file_text(path);
  if (!text) return {};
  // The second word is a name in brackets, which may have blanks, brackets and line ends in it.
  const std::size_t name = text->find('('), name_end = text->rfind(')');
  if (name == std::string::npos || name_end == std::string::npos) return {};
  std::istringstream words(text->substr(name_end + 1));
  const auto skip = [&words](int from, int to) {
    std::string word;
    for (int i = from; i < to; ++i) words >> word;
  };
  ProcStat stat{text->substr(name + 1, name_end - name - 1)};
  std::int64_t system = 0;
  words >> stat.state;
  skip(4, 14);
  words >> stat.user_ticks >> system;
  skip(16, 22);
  if (!(words >> stat.start_time)) return {};
  stat.cpu_ticks = stat.user_ticks + system;
  return stat;
}

}  // namespace ddm
