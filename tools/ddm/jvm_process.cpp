#include "jvm_process.h"

#include <dirent.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "containers/inside.h"
#include "core/file_descriptor.h"
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
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir("/proc"), closedir);
  while (const dirent* entry = stream ? readdir(stream.get()) : nullptr) {
    if (const auto pid = number_in<pid_t>(entry->d_name)) pids.push_back(*pid);
  }
  return pids;
}

// "" for any other file. A copy is deleted as soon as it is loaded (containers/agent_copy.h).
std::string agent_in(std::string_view file) {
  constexpr std::string_view kGone = " (deleted)", kAgent = "/libddmagent.so";
  if (file.ends_with(kGone)) file.remove_suffix(kGone.size());
  return file.ends_with(kAgent) ? std::string(file) : "";
}

// As the agent names a program: the main class, or the jar without its directory.
std::string app_of_command(std::string command) {
  command.erase(std::min(command.find(' '), command.size()));
  if (command.ends_with(".jar")) command.erase(0, command.rfind('/') + 1);
  return command;
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
  return false;
}

void JvmProcess::read_maps() {
  constexpr std::string_view kPerfDirectory = "/hsperfdata_";
  std::ifstream maps(proc(pid_, "maps"));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string file = line.substr(slash);
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
    const bool takes_value = word == "-cp" || word == "-classpath" || word == "--class-path" ||
                             word == "-p" || word == "--module-path" || word == "--add-modules" ||
                             word == "--add-opens" || word == "--add-exports";
    if (takes_value) std::getline(file, word, '\0');
    if (takes_value || word.starts_with('-') || word.starts_with('@')) continue;
    return app_of_command(word);
  }
  return program;
}

bool JvmProcess::catches_sigquit() const {
  const std::string mask = status_field("SigCgt");
  const std::uint64_t caught = std::strtoull(mask.c_str(), nullptr, 16);
  return (caught >> (SIGQUIT - 1) & 1) != 0;
}

std::optional<bool> JvmProcess::takes_attach() const {
  // One digit for each capability, the first one is this (HotSpot's runtimeService.cpp).
  const auto capabilities = published("sun.rt.jvmCapabilities");
  if (!capabilities || capabilities->empty()) return {};
  return capabilities->front() == '1';
}

std::string short_vm(std::string_view vm) {
  constexpr std::string_view kKind = " 64-Bit Server VM ";
  const std::size_t at = vm.find(kKind);
  if (at == std::string_view::npos) return std::string(vm);
  const std::string_view version = vm.substr(at + kKind.size());
  return std::string(vm.substr(0, at)) + " " + std::string(version.substr(0, version.find('-')));
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
