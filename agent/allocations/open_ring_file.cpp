#include "allocations/open_ring_file.h"

#include <algorithm>
#include <vector>

#include "allocations/store/ring_path.h"
#include "core/clocks.h"
#include "core/filled_path.h"
#include "core/log.h"
#include "core/new_file.h"

namespace ddm {
namespace {

void warn_of_disk(const std::string& text, const std::string& path) {
  if (ring_medium(directory_of(path)) != RingMedium::kDisk) return;
  const std::vector<std::string> better = ring_directories();
  log_warn(
      "ring={}: this is on a disk; while it is busy, each thread that records may have to wait for "
      "it. In memory: {}",
      text, better.empty() ? "a directory on a tmpfs" : "ring=NAME (in " + better.front() + ")");
}

// Creates the file at the first possible path, or else the first one without the sites.
std::unique_ptr<RingFile> create_file(const std::string& text,
                                      const std::vector<std::string>& paths,
                                      RingFileRequest request) {
  const bool named_directory = text.find('/') != std::string::npos;
  std::string error = "there is no tmpfs for it: $XDG_RUNTIME_DIR and /dev/shm are none";
  bool in_use = false;  // usually by the program that started this one
  const auto create = [&](const std::string& path) -> std::unique_ptr<RingFile> {
    if (!named_directory) {
      error = make_ring_directory(directory_of(path));
      if (!error.empty()) return nullptr;
    }
    request.path = path;
    RingFile::Created created = RingFile::create(request);
    error = created.error;
    in_use = created.in_use;
    if (!created.file) return nullptr;
    warn_of_disk(text, path);
    if (!created.kept_as.empty()) {
      log_warn("ring={}: a killed program's records are kept as {}", text, created.kept_as);
    }
    return std::move(created.file);
  };
  for (const bool with_sites : {true, false}) {
    request.sites = with_sites;
    for (std::size_t i = 0; i < paths.size() && !in_use; ++i) {
      std::unique_ptr<RingFile> file = create(paths[i]);
      if (!file) continue;
      if (!with_sites) {
        log_error("ring={}: {} has no room for the sites of the whole run, only for records", text,
                  file->path());
      }
      return file;
    }
  }
  log_error("ring={}: {}; the records stay in memory", text, error);
  return nullptr;
}

}  // namespace

std::unique_ptr<RingFile> open_ring_file(const std::string& text, std::int64_t pid,
                                         std::int64_t load_time, const TrackingOptions& options) {
  RingFileRequest request;
  request.pid = pid;
  request.now_ms = epoch_ms();
  request.records = options.records;
  request.depth = options.depth;
  request.stacks = options.sites;
  const std::string filled_in = fill_in_path(text, pid, time_text(load_time));
  auto file = create_file(text, ring_paths(filled_in, pid), request);
  if (file) log_info("ring file {}, {} MB", file->path(), file->bytes() >> 20);
  return file;
}

}  // namespace ddm
