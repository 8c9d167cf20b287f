#include "jvm_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "containers/inside.h"
#include "core/clocks.h"
#include "core/file_descriptor.h"
#include "core/proc_stat.h"
#include "core/whole_text.h"
#include "perf_data.h"
#include "wire/sockets/discovery.h"
#include "wire/sockets/owned_file.h"

namespace ddm {
namespace {

constexpr std::size_t kMaxPerfData = std::size_t{1} << 20;  // HotSpot's default is 32 KiB

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

std::vector<pid_t> all_pids() {
  std::vector<pid_t> pids;
  for (const std::string& name : names_in("/proc")) {
    if (const auto pid = number_in<pid_t>(name)) pids.push_back(*pid);
  }
  return pids;
}

constexpr std::string_view kGone = " (deleted)";    // behind the path of a file, in /proc
constexpr std::string_view kBlanks = " \t\r\n'\"";  // between options, and quotes around them

// "" for any other file. A copy is deleted as soon as it is loaded (containers/agent_copy.h).
std::string agent_in(std::string_view file) {
  constexpr std::string_view kAgent = "/libddmagent.so";
  if (file.ends_with(kGone)) file.remove_suffix(kGone.size());
  return file.ends_with(kAgent) ? std::string(file) : "";
}

// Where a link of /proc leads, for this process.
std::string linked(const std::string& path) {
  std::error_code wrong;
  return std::filesystem::read_symlink(path, wrong).string();
}

std::vector<std::string> words_of(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// As the agent names a program: the main class, or the jar without its directory.
std::string app_of_command(std::string command) {
  command.erase(std::min(command.find(' '), command.size()));
  if (command.ends_with(".jar")) command.erase(0, command.rfind('/') + 1);
  return command;
}

bool takes_value(std::string_view option) {
  constexpr std::string_view kPairs[] = {"-cp",         "-classpath",    "--class-path",
                                         "-p",          "--module-path", "--add-modules",
                                         "--add-opens", "--add-exports"};
  return std::ranges::find(kPairs, option) != std::end(kPairs);
}

// The launcher's words up to the main class or jar: what follows is the program's.
std::vector<std::string> without_program(std::vector<std::string> words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (takes_value(words[i])) {
      ++i;
    } else if (!words[i].starts_with('-') && !words[i].starts_with('@')) {
      words.resize(i);
    }
  }
  return words;
}

// One digit for each capability, the first one is whether attach requests are accepted (HotSpot's
// runtimeService.cpp).
constexpr const char* kCapabilities = "sun.rt.jvmCapabilities";

// Of a process or thread.
bool has_been_there(const ProcStat& stat, std::uint64_t seconds) {
  constexpr std::uint64_t kNanosPerTick = 10'000'000, kTicksPerSecond = 100;
  const auto now = static_cast<std::uint64_t>(nanos_of(CLOCK_BOOTTIME)) / kNanosPerTick;
  return now >= stat.start_time + seconds * kTicksPerSecond;
}

// HotSpot handles SIGQUIT in a thread that is there from shortly before it accepts requests on.
constexpr std::uint64_t kSettledSeconds = 3;

// With -Xrs there is no such thread, and other VMs have none of that name.
std::optional<ProcStat> signal_thread_of(pid_t pid) {
  const std::string tasks = proc(pid, "task");
  for (const std::string& task : names_in(tasks)) {
    auto stat = read_proc_stat(tasks + "/" + task + "/stat");
    // Of "Signal Dispatcher" the system keeps 15 letters, from JDK 26 on of both ends.
    if (stat && (stat->name == "Signal Dispatch" || stat->name == "Signal ..atcher")) return stat;
  }
  return {};
}

}  // namespace

Result<JvmProcess> JvmProcess::find(pid_t pid) {
  const std::string name = "process " + std::to_string(pid);
  const std::optional<uid_t> owner = process_owner(pid);
  if (!owner) return Error{"there is no " + name};
  if (geteuid() != 0 && *owner != geteuid()) {
    return Error{name + " belongs to " + user_text(*owner) + ", and this is " +
                 user_text(geteuid()) + "; run ddm as that user, or as root"};
  }
  JvmProcess process(pid, *owner);
  if (process.status_field("State").find('Z') != std::string::npos) {
    return Error{name + " has ended, and its parent has not taken note of that yet (a zombie)"};
  }
  if (!std::ifstream(proc(pid, "maps")).is_open()) {
    return errno_error("cannot look into " + name + " (" + proc(pid, "maps") + ")");
  }
  process.root_ = linked(proc(pid, "root"));
  process.read_maps();
  if (!process.is_jvm_) return Error{name + " is not a HotSpot JVM"};
  std::istringstream groups(process.status_field("Gid"));  // real, effective, ...
  groups >> process.group_ >> process.group_;
  const std::string all = process.status_field("NSpid");  // the last one is the innermost's
  const std::size_t last = all.find_last_of(" \t");
  process.own_pid_ = last == std::string::npos ? std::to_string(pid) : all.substr(last + 1);
  return process;
}

std::vector<JvmProcess> JvmProcess::all() {
  std::vector<JvmProcess> result;
  for (const pid_t pid : all_pids()) {
    if (auto process = find(pid)) result.push_back(std::move(*process));
  }
  std::ranges::sort(result, {}, &JvmProcess::pid_);
  return result;
}

std::vector<JvmProcess::ForeignJvm> JvmProcess::of_other_users() {
  std::vector<ForeignJvm> result;
  if (geteuid() == 0) return result;
  for (const pid_t pid : all_pids()) {
    const auto owner = process_owner(pid);
    if (!owner || *owner == geteuid()) continue;
    std::string program;
    std::ifstream command_line(proc(pid, "cmdline"));
    std::getline(command_line, program, '\0');
    if (program.substr(program.rfind('/') + 1) != "java") continue;
    result.push_back(
        {pid, *owner, JvmProcess(pid, *owner).app(), "belongs to " + user_text(*owner)});
  }
  std::ranges::sort(result, {}, &ForeignJvm::pid);
  return result;
}

bool JvmProcess::in_container() const {
  for (const char* const kind : {"pid", "mnt", "net", "user"}) {
    if (in_other_namespace(pid_, kind)) return true;
  }
  struct stat ours {
  }, theirs{};
  return stat("/", &ours) == 0 && stat(proc(pid_, "root").c_str(), &theirs) == 0 &&
         (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

// `path`: as this process sees it.
std::string JvmProcess::seen_inside(std::string path) const {
  if (root_ != "/" && path.starts_with(root_ + "/")) path.erase(0, root_.size());
  return path;
}

void JvmProcess::read_maps() {
  constexpr std::string_view kPerfDirectory = "/hsperfdata_";
  std::ifstream maps(proc(pid_, "maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string file = seen_inside(line.substr(slash));
    if (file.ends_with("/libjvm.so")) is_jvm_ = true;
    if (loaded_agent_.empty()) loaded_agent_ = agent_in(file);
    if (file.ends_with("/libjdwp.so")) has_jdwp_agent_ = true;
    const std::size_t perf = file.find(kPerfDirectory);
    if (perf != std::string::npos && perf_data_.empty()) {
      temp_directory_ = file.substr(0, perf);
      perf_data_ = read_owned_file(path(file), owner_, kMaxPerfData).value_or("");
    }
  }
}

std::string JvmProcess::path(const std::string& path) const { return proc(pid_, "root" + path); }

std::string JvmProcess::status_field(const std::string& name) const {
  std::ifstream status(proc(pid_, "status"));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return line.substr(name.size() + 1);
  }
  return {};
}

std::optional<std::string> JvmProcess::published(const char* name) const {
  return perf_text(perf_data_, name);
}

std::string JvmProcess::vm() const {
  const auto name = published("java.property.java.vm.name");
  const auto version = published("java.property.java.vm.version");
  return name && version ? *name + " " + *version : "";
}

std::string JvmProcess::app() const {
  if (const auto command = published("sun.rt.javaCommand"); command && !command->empty()) {
    return app_of_command(*command);
  }
  std::ifstream file(proc(pid_, "cmdline"));
  std::string word;
  std::getline(file, word, '\0');
  const std::string program = word.substr(word.rfind('/') + 1);
  if (program != "java") return program;  // one that embeds a VM: its words are its own
  // The first word that is neither an option nor what belongs to -cp, -jar and the like.
  while (std::getline(file, word, '\0')) {
    const bool is_pair = takes_value(word);
    if (is_pair) std::getline(file, word, '\0');
    if (is_pair || word.starts_with('-') || word.starts_with('@')) continue;
    return app_of_command(word);
  }
  return program;
}

bool JvmProcess::catches_sigquit() const {
  const std::string mask = status_field("SigCgt");
  const std::uint64_t caught = std::strtoull(mask.c_str(), nullptr, 16);
  return (caught >> (SIGQUIT - 1) & 1) != 0;
}

bool JvmProcess::is_starting() const {
  const std::string capabilities = published(kCapabilities).value_or("");
  if (!capabilities.empty() && (capabilities.front() != '1' || catches_sigquit())) return false;
  if (const auto thread = signal_thread_of(pid_)) return !has_been_there(*thread, kSettledSeconds);
  const auto stat = read_proc_stat(proc(pid_, "stat"));
  return stat && !has_been_there(*stat, kSettledSeconds + 1);
}

std::string JvmProcess::attach_obstacle() const {
  const auto capabilities = published(kCapabilities);
  if (capabilities && !capabilities->empty()) {
    const bool takes_attach = capabilities->front() == '1';
    return takes_attach ? ""
                        : "accepts no attach requests: it was started with "
                          "-XX:+DisableAttachMechanism";
  }
  std::string obstacle = signal_thread_obstacle();
  if (obstacle.empty()) obstacle = options_obstacle();
  if (obstacle.empty()) return "";
  return "does not publish whether it accepts attach requests, and " + obstacle;
}

std::string JvmProcess::signal_thread_obstacle() const {
  if (const auto thread = signal_thread_of(pid_)) {
    return has_been_there(*thread, kSettledSeconds) ? "" : "has just started; try again";
  }
  return std::string("has no thread that handles SIGQUIT as HotSpot's does") +
         (is_starting() ? ", or not yet; try again" : "");
}

std::string JvmProcess::options_obstacle() const {
  using std::string_view_literals::operator""sv;
  std::string program = linked(proc(pid_, "exe"));
  if (program.ends_with(kGone)) program.resize(program.size() - kGone.size());
  if (!program.ends_with("/java")) {
    return "its options are not known, since " + program + " has started the VM" + jcmd_hint();
  }
  const auto command = file_text(proc(pid_, "cmdline"));
  const auto environment = file_text(proc(pid_, "environ"));
  if (!command || !environment) {
    return "its options cannot be read: " + (command ? environment : command).message();
  }
  int files_left = 16;
  const std::vector<std::string> words = words_of(*command, "\0"sv);
  // Of options with a value not all are known: what they say is looked for in all words.
  std::string obstacle = obstacle_among(words, proc(pid_, "cmdline"), false, files_left);
  if (obstacle.empty()) {
    obstacle = obstacle_among(without_program(words), proc(pid_, "cmdline"), true, files_left);
  }
  for (const std::string& variable : words_of(*environment, "\0"sv)) {
    const std::size_t end = std::min(variable.find('='), variable.size() - 1);
    const std::string name = variable.substr(0, end);
    const bool of_launcher = name == "JDK_JAVA_OPTIONS";
    if (!of_launcher && name != "JAVA_TOOL_OPTIONS" && name != "_JAVA_OPTIONS") continue;
    if (!obstacle.empty()) break;
    obstacle =
        obstacle_among(words_of(variable.substr(end + 1), kBlanks), name, of_launcher, files_left);
  }
  return obstacle;
}

// `where` has the words; `of_launcher`: @FILE is replaced by what is in that file.
std::string JvmProcess::obstacle_among(const std::vector<std::string>& words,
                                       const std::string& where, bool of_launcher,
                                       int& files_left) const {
  for (const std::string& word : words) {
    if (word.find("DisableAttachMechanism") != std::string::npos) {
      return "DisableAttachMechanism is in " + where;
    }
    if (word.find("AltTempDir") != std::string::npos) {
      return "its attach socket is elsewhere: AltTempDir is in " + where;
    }
    std::string file = of_launcher && word.starts_with('@') ? word.substr(1) : "";
    for (const std::string_view option : {"-XX:Flags=", "-XX:VMOptionsFile="}) {
      const std::size_t at = word.find(option);
      if (at != std::string::npos) file = word.substr(at + option.size());
    }
    if (file.empty()) continue;
    const auto text = files_left-- > 0 ? options_file(file) : Error{file + ": one file too many"};
    if (!text) return "its options cannot be read: " + text.message() + jcmd_hint();
    std::string obstacle = obstacle_among(words_of(*text, kBlanks), file, false, files_left);
    if (!obstacle.empty()) return obstacle;
  }
  return "";
}

Result<std::string> JvmProcess::options_file(const std::string& name) const {
  constexpr off_t kMaxBytes = 1 << 20;
  const std::string path =
      name.starts_with('/') ? name : seen_inside(linked(proc(pid_, "cwd"))) + "/" + name;
  const auto fd = open_inside(pid_, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!fd) return fd.error();
  struct stat status {};
  if (fstat(fd->get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMaxBytes) {
    return Error{path + " is no short text"};
  }
  return file_text(fmt::format("/proc/self/fd/{}", fd->get()));
}

// jcmd of a container's files would not find them from here.
std::string JvmProcess::jcmd_hint() const {
  return in_container() ? "" : fmt::format("; `jcmd {} JVMTI.agent_load` does not ask", pid_);
}

std::string short_vm(std::string_view vm) {
  constexpr std::string_view kKind = " 64-Bit Server VM ";
  const std::size_t at = vm.find(kKind);
  if (at == std::string_view::npos) return std::string(vm);
  const std::string_view version = vm.substr(at + kKind.size());
  return std::string(vm.substr(0, at)) + " " + std::string(version.substr(0, version.find('-')));
}

int jdk_of(std::string_view vm) {
  const std::size_t blank = vm.rfind(' ');
  std::string_view version = blank == std::string_view::npos ? vm : vm.substr(blank + 1);
  if (version.starts_with('v')) version.remove_prefix(1);
  return number_in<int>(version.substr(0, version.find_first_not_of("0123456789"))).value_or(0);
}

std::string user_text(uid_t uid) {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  const std::string number = "uid " + std::to_string(uid);
  if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) {
    return number;
  }
  return number + " (" + entry.pw_name + ")";
}

}  // namespace ddm
