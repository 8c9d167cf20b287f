#include "core/filled_path.h"

#include <ctime>

namespace ddm {

std::string time_text(std::int64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm local{};
  char text[32] = "";
  if (localtime_r(&time, &local) != nullptr) {
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  }
  return text;
}

std::string fill_in_path(const std::string& path, std::int64_t pid, const std::string& time) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
    switch (next) {
      case 'p':
        result += std::to_string(pid);
        break;
      case 't':
        result += time;
        break;
      case '%':
        result += '%';
        break;
      default:
        result += path[i];
        continue;
    }
    ++i;
  }
  return result;
}

}  // namespace ddm
