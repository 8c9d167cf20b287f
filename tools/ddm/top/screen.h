// The whole terminal, by ncurses; the destructor restores it.
#pragma once

#include <string>

namespace ddm {

class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Lines from the top, each cut at the right edge; lines that do not fit are left out. The first
  // line is shown in reverse.
  void show(const std::string& text);
  // The key that is pressed within this time; 0: none.
  int key(int milliseconds);
  std::size_t columns() const;
};

}  // namespace ddm
