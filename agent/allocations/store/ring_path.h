// The location of a ring file. It should be in memory (tmpfs): on a disk, write-back can block the
// thread that stores into a page for as long as the disk is busy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddm {

enum class RingMedium {
  kMemory,  // tmpfs
  kDisk,    // a file system that honours preallocation
  kUnsafe,  // one that may not: a full disk would end the program with SIGBUS
};

// The file system of `directory`. nullopt: no such directory.
std::optional<RingMedium> ring_medium(const std::string& directory);

// Directories for ring files given without one, preferred first: $XDG_RUNTIME_DIR/ddm-rings,
// /dev/shm/ddm-UID. Only those on tmpfs.
std::vector<std::string> ring_directories();

// Creates one of these, or checks that it is private. "" or the error.
std::string make_ring_directory(const std::string& path);

// Whether it is private: a directory of this user that nobody else may enter.
bool is_own_directory(const std::string& path);

// The paths to try for ring=TEXT, in order. `text` has %p expanded; if it is "" or ends in a slash,
// the name PID.ring is appended; without any slash ring_directories() are used.
std::vector<std::string> ring_paths(const std::string& text, std::int64_t pid);

}  // namespace ddm
