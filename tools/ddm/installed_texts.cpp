#include "installed_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "command_examples.h"

namespace ddm {
namespace {

// "-o", "--out": empty for a positional argument.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

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
  out += ".PP\nExamples:\n.PP\n.EX\n";
  for (const std::string_view line : examples_of(command.get_name())) {
    out += "  " + roff(line) + "\n";
  }
  out += ".EE\n";
}

constexpr std::string_view kPids =
    "ddm ps 2>/dev/null | sed -n '2,$s/^ *\\([0-9][0-9]*\\) .*/\\1/p'";

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// The completions of one value.
struct Candidates {
  std::vector<std::string> words;  // these, if there are any
  bool targets = false;            // pids of programs with the agent
  bool files = false;
};

Candidates candidates_of(const CLI::Option& option) {
  Candidates result;
  const std::string type = option.get_type_name();  // "WHAT:{its,values}"
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open != std::string::npos && close != std::string::npos) {
    std::string_view rest = std::string_view(type).substr(open + 1, close - open - 1);
    while (!rest.empty()) {
      const std::string_view word = rest.substr(0, rest.find(','));
      result.words.emplace_back(word);
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return result;
  }
  const bool positional = option.nonpositional() == false;
  const std::string name = positional ? option.get_name(true) : "";
  result.targets = name == "PID";
  const std::string& meaning = option.get_description();
  result.files = type == "FILE" || type == "A B" || name == "NEW" || name == "RING" ||
                 name == "DUMP" || name == "FILE" ||
                 (result.targets && (meaning.find("report (") != std::string::npos ||
                                     meaning.find("heap dump (") != std::string::npos));
  return result;
}

bool takes_value(const CLI::Option& option) { return option.get_type_size() != 0; }

// Sets what the end of the script completes to.
std::string bash_assignments(const Candidates& candidates) {
  if (!candidates.words.empty()) return fmt::format("words='{}'", fmt::join(candidates.words, " "));
  std::string text = candidates.targets ? "targets=y" : "";
  if (candidates.files) text += text.empty() ? "files=y" : " files=y";
  return text.empty() ? ":" : text;
}

void bash_command(std::string& out, const CLI::App& command) {
  std::vector<std::string> names;
  std::string values, positionals;
  for (const CLI::Option* option : command.get_options()) {
    const Candidates candidates = candidates_of(*option);
    const std::vector<std::string> own = names_of(*option);
    names.insert(names.end(), own.begin(), own.end());
    if (own.empty()) {
      positionals += fmt::format("            {}\n", bash_assignments(candidates));
    } else if (takes_value(*option)) {
      values += fmt::format("        {}) {}; options= ;;\n", fmt::join(own, "|"),
                            bash_assignments(candidates));
    }
  }
  out += fmt::format("    {})\n        options='{}'\n        case $before in\n", command.get_name(),
                     fmt::join(names, " "));
  out += values;
  if (!positionals.empty()) out += "        *)\n" + positionals + "            ;;\n";
  out += "        esac\n        ;;\n";
}

// Of a text in a zsh specification in single quotes.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_action(const Candidates& candidates) {
  if (!candidates.words.empty()) return fmt::format("({})", fmt::join(candidates.words, " "));
  if (candidates.targets) return candidates.files ? "_ddm_targets_or_files" : "_ddm_targets";
  return candidates.files ? "_files" : " ";
}

void zsh_command(std::string& out, const CLI::App& command) {
  out += fmt::format("    {})\n        _arguments", command.get_name());
  for (const CLI::Option* option : command.get_options()) {
    const std::string meaning = zsh_text(option->get_description());
    const std::string action = zsh_action(candidates_of(*option));
    for (const std::string& name : names_of(*option)) {
      out += fmt::format(" \\\n            '{}[{}]", name, meaning);
      for (int i = 0; takes_value(*option) && i < option->get_expected_min(); ++i) {
        out += fmt::format(":{}:{}", zsh_text(option->get_name()), action);
      }
      out += "'";
    }
    if (names_of(*option).empty()) {
      out += fmt::format(" \\\n            ':{}:{}'", zsh_text(option->get_name()), action);
    }
  }
  out += "\n        ;;\n";
}

}  // namespace

std::string meaning_of(const CLI::Option& option) {
  std::string note = option.nonpositional() && option.get_required() ? "required" : "";
  if (const std::string preset = option.get_default_str(); !preset.empty()) {
    note = "default: " + preset;
  }
  return option.get_description() + (note.empty() ? "" : " (" + note + ")");
}

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
)",
                                version, roff(app.get_description()));
  std::string group;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_group() != group) {
      group = command->get_group();
      out += fmt::format(".SH {}\n", roff(group));
    }
    add_command(out, *command);
  }
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
.TP
\fI$XDG_RUNTIME_DIR/ddm\-rings/\fR, \fI/dev/shm/ddm\-UID/\fR
The files of \fBring=\fR. Those of killed programs stay until they are deleted; \fBddm recover\fR
lists them.
.SH SEE ALSO
\fBjcmd\fR(1), \fBjava\fR(1); \fI/usr/share/doc/ddmagent\fR
)";
}

std::string bash_completion(const CLI::App& app) {
  std::string out = fmt::format(R"(# Completes the command lines of ddm in bash.
_ddm() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
    local commands='{0}' options='' words='' targets='' files=''
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$commands help --help --version" -- "$cur")
        return
    fi
    case ${{COMP_WORDS[1]}} in
    help) words=$commands ;;
)",
                                fmt::join(commands_of(app), " "));
  for (const CLI::App* command : app.get_subcommands({})) bash_command(out, *command);
  out += fmt::format(R"(    esac
    if [[ $cur == -* && $options ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
        return
    fi
    [[ $targets ]] && words+=' '$({0})
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen -f -- "$cur")
    fi
}}
complete -F _ddm ddm
)",
                     kPids);
  return out;
}

std::string zsh_completion(const CLI::App& app) {
  std::string out = fmt::format(R"zsh(#compdef ddm
# Completes the command lines of ddm in zsh.
_ddm_targets() {{
    compadd "$@" -- ${{(f)"$({0})"}}
}}
_ddm_targets_or_files() {{
    _ddm_targets
    _files
}}
_ddm() {{
    local -a commands
    commands=(
)zsh",
                                kPids);
  for (const CLI::App* command : app.get_subcommands({})) {
    out +=
        fmt::format("        '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
  }
  out += R"zsh(        'help:Tell of all commands, or of one'
    )
    if ((CURRENT == 2)); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    ((--CURRENT))
    case $command in
    help) _describe command commands ;;
)zsh";
  for (const CLI::App* command : app.get_subcommands({})) zsh_command(out, *command);
  return out + "    esac\n}\n_ddm \"$@\"\n";
}

}  // namespace ddm
