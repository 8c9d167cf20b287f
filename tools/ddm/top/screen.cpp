#include "top/screen.h"

#include <clocale>

#define NCURSES_NOMACROS
#include <ncurses.h>

#include <algorithm>
#include <sstream>

#include "core/jvm_text.h"

namespace ddm {

Screen::Screen() {
  std::setlocale(LC_CTYPE, "");
  initscr();
  cbreak();
  noecho();
  curs_set(0);
}

Screen::~Screen() { endwin(); }

void Screen::show(const std::string& text) {
  werase(stdscr);
  std::istringstream lines(text);
  std::string line;
  for (int row = 0; row < LINES && std::getline(lines, line); ++row) {
    if (row == 0) wattron(stdscr, A_REVERSE);
    mvwaddnstr(stdscr, row, 0, line.c_str(), static_cast<int>(head_bytes(line, columns())));
    if (row == 0) wattroff(stdscr, A_REVERSE);
  }
  wrefresh(stdscr);
}

int Screen::key(int milliseconds) {
  wtimeout(stdscr, milliseconds);
  return std::max(wgetch(stdscr), 0);
}

std::size_t Screen::columns() const { return static_cast<std::size_t>(COLS); }

}  // namespace ddm
