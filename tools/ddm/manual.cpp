#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "installed_texts.h"

namespace ddm {
namespace {

// Escapes text for roff: no line is a request, and hyphens are ASCII ones that can be copied.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string type_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) return {};
  const std::string type = option.get_type_name();  // "WHAT:{its,values}"
  return type.substr(0, type.find(':'));
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  return text;
}

void add_option(std::string& out, const CLI::Option& option) {
  out += ".TP\n";
  if (!option.nonpositional()) {
    out += fmt::format("\\fI{}\\fR\n", roff(option.get_name(true)));
  } else {
    out += fmt::format("\\fB{}\\fR", roff(fmt::format("{}", fmt::join(names_of(option), ", "))));
    if (const std::string type = type_of(option); !type.empty()) {
      out += fmt::format(" \\fI{}\\fR", roff(type));
    }
    out += '\n';
  }
  out += roff(sentence(meaning_of(option))) + "\n";
}

void add_command(std::string& out, const CLI::App& command) {
  std::string positionals;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) continue;
    const bool several = option->get_items_expected_max() > 1;
    const std::string name = roff(option->get_name(true)) + (several ? "..." : "");
    const bool needed = option->get_required();
    positionals += fmt::format(" {}\\fI{}\\fR{}", needed ? "" : "[", name, needed ? "" : "]");
  }
  out += fmt::format(".SS \\fBddm {}\\fR [options]{}\n{}\n", command.get_name(), positionals,
                     roff(sentence(command.get_description())));
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional()) add_option(out, *option);
  }
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() && option != command.get_help_ptr()) add_option(out, *option);
  }
}

}  // namespace

std::string manual_page(const CLI::App& app, std::string_view version) {
  std::string out = fmt::format(R"(.TH DDM 1 "" "ddm {}" "User Commands"
.SH NAME
ddm \- inspect running Java programs
.SH SYNOPSIS
\fBddm\fR \fIcommand\fR [options] [arguments]
.br
\fBddm help\fR [\fIcommand\fR]
.SH DESCRIPTION
{}
\fBddm\fR loads the agent into a program of this machine where a command needs it
(\fBattach\fR, \fBrecord\fR, \fBleaks\fR); a program that is started with
\fB\-agentpath:\fR.../\fBlibddmagent.so\fR has it from its start.
.SH COMMANDS
)",
                                version, roff(app.get_description()));
  for (const CLI::App* command : app.get_subcommands({})) add_command(out, *command);
  return out + R"(.SH EXIT STATUS
.TP
0
Success.
.TP
1
The program refused or does not exist, or a file cannot be written. Of \fBgate\fR: something grew.
Of \fBprobe\fR, \fBtrace\fR and \fBrecord \-\-below\fR: nothing was seen. Of \fBdyper\fR: a reply
has an ERROR.
.TP
2
The command line is invalid. Of \fBgate\fR: no comparison was possible.
.SH FILES
.TP
\fI$XDG_RUNTIME_DIR/ddm/PID\fR, \fI/tmp/ddm\-UID/PID\fR
The address at which the agent of each program listens.
.SH SEE ALSO
\fBjcmd\fR(1), \fBjava\fR(1); \fI/usr/share/doc/ddmagent\fR
)";
}

}  // namespace ddm
