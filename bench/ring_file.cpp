// A ring in a file beside one in memory: what a record costs, and how long the slowest ones take
// while a disk is written full beside it.
//
//   cmake --build --preset release --target ring_file
//   build/release/bin/ring_file RING_DIRECTORY [DIRECTORY_ON_A_DISK]
//
// The copy of a record alone, without the rest of an allocation. Latencies are wall time of one
// push on an otherwise idle thread; on a busy machine the scheduler's pauses are among them, which
// is why the ring in memory is measured in the same minute.
#include "allocations/store/ring_file.h"

#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

namespace ddm {
namespace {

constexpr int kRecords = 2'000'000;
constexpr int kRounds = 9;

std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

double cpu_ns_a_record(AllocRing& ring) {
  const std::vector<Frame> frames(kDefaultDepth, Frame{1, 2});
  AllocRecord record;
  const std::int64_t begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < kRecords; ++i) {
    record.size = i;
    ring.push(record, frames);
  }
  return static_cast<double>(now_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / kRecords;
}

void print_latencies(const char* what, AllocRing& ring) {
  const std::vector<Frame> frames(kDefaultDepth, Frame{1, 2});
  AllocRecord record;
  std::vector<std::int64_t> ns(kRecords);
  for (std::int64_t& took : ns) {
    const std::int64_t begin = now_ns(CLOCK_MONOTONIC);
    ring.push(record, frames);
    took = now_ns(CLOCK_MONOTONIC) - begin;
    // A pace at which a ring goes round several times in a run.
    for (int i = 0; i < 300; ++i) asm volatile("");
  }
  std::sort(ns.begin(), ns.end());
  const auto at = [&](double share) {
    return static_cast<double>(ns[static_cast<std::size_t>(share * (kRecords - 1))]) / 1000;
  };
  std::printf("%-34s p50 %.2f  p99 %.2f  p99.99 %.1f  p99.999 %.1f  worst %.1f us\n", what, at(0.5),
              at(0.99), at(0.9999), at(0.99999), at(1));
}

// Writes files until told to stop; the disk is busy with write-back all the time.
pid_t write_a_disk_full(const std::string& directory) {
  const pid_t child = fork();
  if (child != 0) return child;
  const std::string path = directory + "/ring_file_bench.tmp";
  const std::vector<char> block(1 << 20, 'x');
  while (true) {
    std::FILE* file = std::fopen(path.c_str(), "w");
    if (file == nullptr) _exit(1);
    for (int i = 0; i < 2048 && std::fwrite(block.data(), block.size(), 1, file) == 1; ++i) {
    }
    std::fclose(file);
  }
}

int run(const std::string& ring_directory, const std::string& disk) {
  RingFileRequest request;
  request.path = ring_directory + "/ring_file_bench." + std::to_string(getpid());
  request.pid = getpid();
  const RingFile::Created created = RingFile::create(request);
  if (!created.file) {
    std::fprintf(stderr, "%s\n", created.error.c_str());
    return 1;
  }
  const auto in_file = created.file->ring();
  const auto in_memory = AllocRing::create(kDefaultRecords, kDefaultDepth);
  cpu_ns_a_record(*in_memory);
  std::vector<double> file_ns, memory_ns;
  for (int i = 0; i < kRounds; ++i) {
    memory_ns.push_back(cpu_ns_a_record(*in_memory));
    file_ns.push_back(cpu_ns_a_record(*in_file));
  }
  std::sort(file_ns.begin(), file_ns.end());
  std::sort(memory_ns.begin(), memory_ns.end());
  std::printf("%d MB; CPU ns a record, medians of %d: memory %.1f, file %.1f\n",
              static_cast<int>(created.file->bytes() >> 20), kRounds, memory_ns[kRounds / 2],
              file_ns[kRounds / 2]);
  print_latencies("memory", *in_memory);
  print_latencies("file", *in_file);
  if (!disk.empty()) {
    const pid_t writer = write_a_disk_full(disk);
    sleep(3);
    print_latencies("memory, a disk being written", *in_memory);
    print_latencies("file, a disk being written", *in_file);
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    unlink((disk + "/ring_file_bench.tmp").c_str());
  }
  created.file->remove();
  return 0;
}

}  // namespace
}  // namespace ddm

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ring_file RING_DIRECTORY [DIRECTORY_ON_A_DISK]\n");
    return 2;
  }
  return ddm::run(argv[1], argc > 2 ? argv[2] : "");
}
