// What discovery.h has for readers of the files. Only tools need it, so only they link the parser.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/file_descriptor.h"
#include "core/whole_text.h"
#include "wire/sockets/discovery.h"
#include "wire/sockets/owned_file.h"

namespace ddm {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxFile = std::size_t{64} << 10;
// Per user: bounds the work that one user's directory can cause for root.
constexpr std::size_t kMaxFiles = 4096;

std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::optional<Target> parse_target(std::string_view text, pid_t pid, uid_t uid) {
  const Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return {};
  Target target;
  target.pid = pid;  // by the file's name, the uid by its owner: no file can claim another process
  target.uid = uid;
  target.app = text_member(object, "app");
  target.address = text_member(object, "address");
  target.dyper = text_member(object, "dyper");
  target.vm = text_member(object, "vm");
  target.start = number_member(object, "start");
  target.pid_namespace = number_member(object, "pidns");
  if (target.address.empty()) return {};
  return target;
}

void list_directory(const std::string& directory, uid_t owner, std::vector<Target>& result) {
  if (check_private_directory(directory, owner)) return;
  std::vector<std::string> names = names_in(directory);
  if (names.size() > kMaxFiles) names.resize(kMaxFiles);
  for (const std::string& name : names) {
    const std::optional<pid_t> pid = number_in<pid_t>(name);
    if (!pid || *pid <= 0) continue;
    const std::string path = directory + "/" + name;
    const std::optional<std::string> text = read_owned_file(path, owner, kMaxFile);
    if (!text) continue;
    std::optional<Target> target = parse_target(*text, *pid, owner);
    // A pid of another namespace denotes another process here, if any.
    if (!target || target->pid_namespace != own_pid_namespace()) continue;
    if (process_start_time(*pid) != target->start) {
      // Own files only: another owner could replace the directory by a symlink meanwhile.
      if (owner == geteuid()) {
        unlink(path.c_str());
        unlink((path + ".new").c_str());
      }
      continue;
    }
    // A root-owned file is accepted, since the process may have been root when it was written;
    // otherwise owner and process must match.
    if (owner == 0 || process_owner(*pid) == owner) result.push_back(std::move(*target));
  }
}

std::set<uid_t> users_with_targets() {
  std::set<uid_t> users{geteuid()};
  if (geteuid() != 0) return users;
  for (const std::string& name : names_in("/run/user")) {
    if (const auto uid = number_in<uid_t>(name)) users.insert(*uid);
  }
  constexpr std::string_view kPrefix = "ddm-";
  for (const std::string& name : names_in("/tmp")) {
    if (!name.starts_with(kPrefix)) continue;
    if (const auto uid = number_in<uid_t>(std::string_view(name).substr(kPrefix.size()))) {
      users.insert(*uid);
    }
  }
  return users;
}

}  // namespace

std::vector<Target> published_targets() {
  std::vector<Target> result;
  for (const uid_t uid : users_with_targets()) {
    for (const std::string& directory : discovery_directories(uid)) {
      list_directory(directory, uid, result);
    }
  }
  std::ranges::stable_sort(result, {}, &Target::pid);
  const auto same_process = [](const Target& a, const Target& b) { return a.pid == b.pid; };
  result.erase(std::unique(result.begin(), result.end(), same_process), result.end());
  return result;
}

std::vector<Target> list_targets() {
  std::vector<Target> targets = published_targets();
  std::erase_if(targets, [](const Target& target) { return !target.listens(); });
  return targets;
}

std::optional<Target> published_inside(pid_t pid, pid_t own_pid) {
  const std::string proc = "/proc/" + std::to_string(pid);
  const std::string root = proc + "/root";
  const auto owner = process_owner(pid);
  struct stat pid_namespace {};
  if (!owner || stat((proc + "/ns/pid").c_str(), &pid_namespace) != 0) return {};
  // In there its user may have another number.
  std::vector<std::string> directories;
  std::ifstream environment(proc + "/environ");
  constexpr std::string_view kRuntime = "XDG_RUNTIME_DIR=/";
  for (std::string word; std::getline(environment, word, '\0');) {
    if (word.starts_with(kRuntime)) {
      directories.push_back(root + word.substr(kRuntime.size() - 1) + "/ddm");
    }
  }
  for (const std::string& name : names_in(root + "/run/user")) {
    directories.push_back(root + "/run/user/" + name + "/ddm");
  }
  for (const std::string& name : names_in(root + "/tmp")) {
    if (name.starts_with("ddm-")) directories.push_back(root + "/tmp/" + name);
  }
  for (const std::string& directory : directories) {
    if (check_private_directory(directory, *owner)) continue;
    const auto text = read_owned_file(directory + "/" + std::to_string(own_pid), *owner, kMaxFile);
    auto target = text ? parse_target(*text, pid, *owner) : std::nullopt;
    if (target && target->pid_namespace == pid_namespace.st_ino &&
        target->start == process_start_time(pid)) {
      return target;
    }
  }
  return {};
}

}  // namespace ddm
