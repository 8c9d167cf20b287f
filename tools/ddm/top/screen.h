// The whole terminal, by ncurses; put back as it was when this ends.
#pragma once

#include <string>

namespace ddm {

class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Lines from the top, each cut at the right edge; what does not fit below is left out. A first line is
  // shown in reverse.
  void show(const std::string& text);
  // The key that is pressed within so many milliseconds, 0 if none is.
  int key(int milliseconds);
  std::size_t columns() const;
};

}  // namespace ddm
