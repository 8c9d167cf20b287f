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
    // A row of its own: wide characters, which take two columns, do not run on into the next one.
    WINDOW* const window = derwin(stdscr, 1, COLS, row, 0);
    if (row == 0) wattron(window, A_REVERSE);
    waddnstr(window, line.c_str(), static_cast<int>(head_bytes(line, columns())));
    wsyncup(window);
    delwin(window);
  }
  wrefresh(stdscr);
}

int Screen::key(int milliseconds) {
  wtimeout(stdscr, milliseconds);
  return std::max(wgetch(stdscr), 0);
}

std::size_t Screen::columns() const { return static_cast<std::size_t>(COLS); }

}  // namespace ddm
