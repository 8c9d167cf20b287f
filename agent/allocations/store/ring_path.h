// Where a ring file goes. Memory (tmpfs) is the place for it: on a disk, write-back can hold up the
// thread that stores into a page for as long as the disk is busy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddm {

enum class RingMedium {
  kMemory,  // tmpfs
  kDisk,    // a file system that keeps the room it has promised
  kUnsafe,  // one that may not: a full disk would end the program with SIGBUS
};

// Of the file system that `directory` lies on. None: there is no such directory.
std::optional<RingMedium> ring_medium(const std::string& directory);

// Directories for ring files that name none, best first: $XDG_RUNTIME_DIR/ddm-rings,
// /dev/shm/ddm-UID. Only those on tmpfs.
std::vector<std::string> ring_directories();

// Makes one of these, or checks that it is ours alone. "" or what is wrong.
std::string make_ring_directory(const std::string& path);

// The paths to try for ring=TEXT, in order. `text` with %p filled in; "" or one that ends in a
// slash gets the name PID.ring; without any slash it goes to ring_directories().
std::vector<std::string> ring_paths(const std::string& text, std::int64_t pid);

std::string directory_of(const std::string& path);

}  // namespace ddm
