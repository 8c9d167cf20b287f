#include "allocations/store/ring_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "report/recovery/ring_reader.h"
#include "report/report_pieces.h"
#include "ring_sample.h"

namespace ddm {
namespace {

RingFileRequest request_for(std::string path, std::uint32_t records = 64, std::uint32_t depth = 4) {
  return {std::move(path), getpid(), 1'700'000'000'000, records, depth};
}

// A ring with names, as an agent writes it.
struct Writer {
  explicit Writer(RingFile& opened) : file(opened), ring(file.ring()), keeper(file.names()) {
    names.set_keeper(keeper);
  }
  void push(int i) {
    AllocRecord record;
    record.size = 16 + i;
    record.time_ms = 1'700'000'000'000;
    record.thread_id = 1;
    record.class_id = names.add_class("app.Item" + std::to_string(i % 10));
    const Frame frame{
        names.add_method(
            {"app.Main", "m" + std::to_string(i % 7), "()V", "Main.java", false, {{0, 12}}}),
        3};
    REQUIRE(ring->push(record, {&frame, 1}));
  }
  // A tracking period with these sites.
  void begin(const std::shared_ptr<Sites>& sites) {
    ring->clear();
    REQUIRE(file.copy(sites));
    ring->use({sites, &sites->traces()});
  }
  void push_numbered(std::int64_t size, std::span<const Frame> frames, CallTree& tree) {
    AllocRecord record;
    record.size = size;
    record.trace = tree.number_of(frames);
    record.tree = tree.id();
    REQUIRE(ring->push_numbered(record, frames.size()));
  }
  RingFile& file;
  std::unique_ptr<AllocRing> ring;
  RingNames keeper;
  NameTable names;
};

}  // namespace

TEST_CASE("a ring file tells its records with their names, also while it is written") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto created = RingFile::create(request_for(path));
  INFO(created.error);
  REQUIRE(created.file);
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
  CHECK(static_cast<std::uint64_t>(status.st_blocks) * 512 >= created.file->bytes());

  Writer writer(*created.file);
  for (int i = 0; i < 100; ++i) writer.push(i);
  RingThreadNames threads(created.file->thread_names(), 100,
                          [] { return std::unordered_set<std::int64_t>(); });
  threads.add(1, "main");
  RingFacts facts;
  facts.seen = 100;
  facts.seen_bytes = 471'100;
  facts.unattributed_bytes = 5;
  facts.virtual_stack_bytes_plus_1 = 4;
  std::copy_n("bci", 3, facts.engine.begin());
  std::copy_n("app.jar", 7, facts.app.begin());
  created.file->write_facts(facts);

  const auto reading = read_ring_file(path);
  REQUIRE(reading.ok());
  CHECK(reading->state == ProgramState::kRunning);
  const ReportData& data = reading->data;
  REQUIRE(data.records.size() == 64);
  CHECK(data.records[0].record.seq == 100);
  CHECK(data.records[0].record.size == 115);
  CHECK(data.names->class_name(data.records[0].record.class_id) == "app.Item9");
  const MethodName& method = data.names->method(data.records[0].frames[0].method);
  CHECK(method.method == "m1");
  CHECK(line_of(method, data.records[0].frames[0].bci) == 12);
  CHECK(data.thread_names.at(1) == "main");
  CHECK(data.summary.app == "app.jar");
  CHECK(data.summary.engine == "bci");
  CHECK(data.summary.seen == 100);
  CHECK(data.summary.seen_bytes == 471'100);
  CHECK(data.summary.unattributed_bytes == 5);
  CHECK(data.summary.virtual_thread_stack_bytes == 3);
  CHECK(data.summary.pid == getpid());
  CHECK(data.summary.recovered.find("a running program") != std::string::npos);
  CHECK(reading->unfinished == 0);
  CHECK(reading->damaged == 0);

  facts.virtual_stack_bytes_plus_1 = 0;  // as a file of an older version has it
  created.file->write_facts(facts);
  const auto older = read_ring_file(path);
  REQUIRE(older.ok());
  CHECK(older->data.summary.unattributed_bytes == 5);
  CHECK_FALSE(older->data.summary.virtual_thread_stack_bytes);
}

TEST_CASE("the head of a ring file tells whose it is, from when, and whether the program lives") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto created = RingFile::create(request_for(path));
  REQUIRE(created.file);
  const auto bytes = static_cast<std::int64_t>(created.file->bytes());
  auto head = read_ring_file_head(path);
  REQUIRE(head.ok());
  CHECK(head->pid == getpid());
  CHECK(head->app.empty());
  CHECK(head->state == ProgramState::kRunning);
  CHECK(head->written_ms == 1'700'000'000'000);
  CHECK(head->file_bytes == bytes);
  RingFacts facts;
  facts.updated_ms = 1'700'000'060'000;
  std::copy_n("app.jar", 7, facts.app.begin());
  created.file->write_facts(facts);
  created.file.reset();
  head = read_ring_file_head(path);
  REQUIRE(head.ok());
  CHECK(head->app == "app.jar");
  CHECK(head->state == ProgramState::kKilled);
  CHECK(head->written_ms == 1'700'000'060'000);
  std::ofstream(directory.file("notes.txt")) << "just a text";
  CHECK_FALSE(read_ring_file_head(directory.file("notes.txt")).ok());
  CHECK_FALSE(read_ring_file_head(directory.file("none")).ok());
}

TEST_CASE("a recovered record has its whole stack from the tree in the file") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  RingFileRequest request = request_for(path);
  request.stacks = 1000;
  auto created = RingFile::create(request);
  INFO(created.error);
  REQUIRE(created.file);
  Writer writer(*created.file);
  std::vector<Frame> frames;  // innermost first
  for (int i = 0; i < 100; ++i) {
    const NameId method = writer.names.add_method(
        {"app.Main", "m" + std::to_string(i), "()V", "Main.java", false, {{0, 12}}});
    frames.push_back({method, i});
  }
  const std::shared_ptr<Sites> first = Sites::create(1000, 50);
  writer.begin(first);
  writer.push_numbered(24, frames, first->traces());
  const std::shared_ptr<Sites> second = Sites::create(1000, 50);
  writer.begin(second);
  for (const std::size_t depth : {3u, 50u, 51u, 100u, 3u}) {
    writer.push_numbered(24, std::span(frames).first(depth), second->traces());
  }
  writer.push(1);  // with its own frame
  // Of a thread that was delayed since before the second period.
  writer.push_numbered(24, frames, first->traces());
  first->traces().number_of(frames);  // not in the file any more

  const auto reading = read_ring_file(path);
  REQUIRE(reading.ok());
  CHECK(reading->damaged == 1);
  const ReportData& data = reading->data;
  REQUIRE(data.records.size() == 6);
  CHECK(data.records[0].frames.size() == 1);
  const std::vector<std::size_t> depths = {3, 50, 50, 50, 3};
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const auto [record, stack] = data.records[depths.size() - i];
    REQUIRE(stack.size() == depths[i]);
    CHECK(record.flags == (i == 2 || i == 3 ? kStackTruncated : 0));
    for (std::size_t f = 0; f < stack.size(); ++f) {
      const MethodName& method = data.names->method(stack[f].method);
      if (method.method != "m" + std::to_string(f)) FAIL("another method");
    }
  }
  std::string text;
  text_report(data, into(text));
  CHECK(text.find("    at app.Main.m3(") != std::string::npos);
  CHECK(text.find("    at app.Main.m4(") == std::string::npos);
  CHECK(text.find("    ... 46 more\n") != std::string::npos);
}

TEST_CASE("a file whose tree is missing or too small for one has records with their own frames") {
  const RingDirectory directory;
  RingFileRequest request = request_for(directory.file("a.ring"));
  request.stacks = 10;
  auto created = RingFile::create(request);
  REQUIRE(created.file);
  CHECK_FALSE(created.file->copy(nullptr));
  CHECK_FALSE(created.file->copy(Sites::create(11, 8)));
  CHECK(created.file->copy(Sites::create(10, 8)));
}

TEST_CASE("a ring file of version 1 is read") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto created = RingFile::create(request_for(path, 200, 3));
  REQUIRE(created.file);
  Writer writer(*created.file);
  for (int i = 0; i < 150; ++i) writer.push(i);
  created.file.reset();
  make_ring_of_version(path, 1);
  const auto reading = read_ring_file(path);
  REQUIRE(reading.ok());
  CHECK(reading->data.records.size() == 150);
  CHECK(reading->damaged == 0);
  CHECK(reading->data.records[0].frames.size() == 1);
}

TEST_CASE("a record that was being written leaves no gap among the oldest records") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto created = RingFile::create(request_for(path));
  REQUIRE(created.file);
  Writer writer(*created.file);
  for (int i = 1; i <= 100; ++i) writer.push(i);
  created.file.reset();
  // Of three writers the one of 103 was killed in its slot, which held 39; 101 and 102 did not
  // begin.
  const RingHeader header = ring_header(64, 4, 0);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto store = [&](std::uint64_t offset, std::uint64_t word) {
    file.seekp(static_cast<std::streamoff>(offset))
        .write(reinterpret_cast<const char*>(&word), sizeof word);
  };
  store(kRingMarksAt + offsetof(RingMarks, counters) + offsetof(RingCounters, next_seq), 104);
  store(header.slots_at + 103 % 64 * header.slot_bytes, 2 * 103 + 1);
  file.close();
  const auto reading = read_ring_file(path);
  REQUIRE(reading.ok());
  CHECK(reading->unfinished == 1);
  const RecordSet& records = reading->data.records;
  REQUIRE(records.size() == 61);
  CHECK(records[0].record.seq == 100);
  CHECK(records[60].record.seq == 40);
}

TEST_CASE("what a ring file says was seen is no less than its records prove") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto created = RingFile::create(request_for(path));
  REQUIRE(created.file);
  Writer writer(*created.file);
  for (int i = 0; i < 1000; ++i) writer.push(i);
  const auto summary = [&] { return read_ring_file(path)->data.summary; };
  CHECK(summary().seen >= 1000 - 1000 / 32);  // before any figures were written
  CHECK(summary().seen <= 1000);
  CHECK(summary().seen_at_least);
  RingFacts facts;
  facts.updated_ms = 1'900'000'000'000;  // later than all records
  facts.seen = 1000;
  facts.seen_bytes = 1'000'000;
  created.file->write_facts(facts);
  CHECK(summary().seen == 1000);
  CHECK(summary().seen_bytes == 1'000'000);
  CHECK_FALSE(summary().seen_at_least);
  for (int i = 0; i < 1000; ++i) writer.push(i);
  CHECK(summary().seen >= 2000 - 2000 / 32);
  CHECK(summary().seen_at_least);
}

TEST_CASE("a second program does not touch the ring file of one that lives") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto first = RingFile::create(request_for(path));
  REQUIRE(first.file);
  Writer writer(*first.file);
  writer.push(1);
  const auto second = RingFile::create(request_for(path));
  CHECK_FALSE(second.file);
  CHECK(second.in_use);
  CHECK(second.error.find("in use by process " + std::to_string(getpid())) != std::string::npos);
  CHECK(directory.entries() == 1);
  CHECK(read_ring_file(path)->data.records.size() == 1);
}

TEST_CASE("the file of a program that ended is removed, that of a killed one kept aside") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  auto created = RingFile::create(request_for(path));
  REQUIRE(created.file);
  created.file->remove();
  CHECK(directory.entries() == 0);

  created = RingFile::create(request_for(path));
  REQUIRE(created.file);
  Writer(*created.file).push(1);
  created.file.reset();  // as a kill leaves it: unlocked, in use
  CHECK(read_ring_file(path)->state == ProgramState::kKilled);
  created = RingFile::create(request_for(path));
  REQUIRE(created.file);
  CHECK(created.kept_as == path + ".old");
  CHECK(read_ring_file(path + ".old")->data.records.size() == 1);
  CHECK(directory.entries() == 2);
}

TEST_CASE("what killed processes have left of files that they were making is removed") {
  const RingDirectory directory;
  const auto leave = [&](const std::string& name) {
    std::ofstream(directory.file(name)) << "half";
  };
  const std::string own = std::to_string(getpid());
  for (const char* const name : {"a.ring.4711.new", "a.ring.4711.newer", "a.ring.x.new",
                                 "ab.ring.4711.new", "4711.ring.4711.new", "4712.ring.4711.new"}) {
    leave(name);
  }
  leave("a.ring." + own + ".new");
  const auto making = RingFile::create(request_for(directory.file("made")));  // and holds its lock
  REQUIRE(making.file);
  REQUIRE(rename(directory.file("made").c_str(), directory.file("a.ring.4712.new").c_str()) == 0);
  const auto is_there = [&](const std::string& name) {
    return std::filesystem::exists(directory.file(name));
  };

  REQUIRE(RingFile::create(request_for(directory.file("a.ring"))).file);
  CHECK_FALSE((is_there("a.ring.4711.new") || is_there("a.ring." + own + ".new")));
  CHECK(is_there("a.ring.4712.new"));
  CHECK(directory.entries() == 7);
  // ring=%p.ring
  REQUIRE(RingFile::create(request_for(directory.file(own + ".ring"))).file);
  CHECK_FALSE(is_there("4711.ring.4711.new"));
  CHECK(is_there("4712.ring.4711.new"));
  CHECK(directory.entries() == 7);
}

TEST_CASE("programs that start at once each make their ring file") {
  const RingDirectory directory;
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      RingFileRequest request = request_for(directory.file(std::to_string(getpid()) + ".ring"));
      request.pid = getpid();
      bool made = true;
      for (int round = 0; round < 10 && made; ++round) {
        const auto created = RingFile::create(request);
        made = created.file != nullptr;
        if (made) created.file->remove();
      }
      _exit(made ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(directory.entries() == 0);
}

TEST_CASE(
    "a file that is no ring file, a link and a missing directory are refused and left alone") {
  const RingDirectory directory;
  std::ofstream(directory.file("notes")) << "not a ring, but somebody's text";
  auto created = RingFile::create(request_for(directory.file("notes")));
  CHECK_FALSE(created.file);
  CHECK(created.error.find("is no ring file") != std::string::npos);
  REQUIRE(symlink(directory.file("notes").c_str(), directory.file("link").c_str()) == 0);
  CHECK_FALSE(RingFile::create(request_for(directory.file("link"))).file);
  CHECK_FALSE(RingFile::create(request_for(directory.file("none/a.ring"))).file);
  CHECK_FALSE(RingFile::create(request_for("/proc/a.ring")).file);
  CHECK(directory.entries() == 2);
  CHECK(read_ring_file(directory.file("notes")).message().find("is no ring file") !=
        std::string::npos);
  CHECK_FALSE(read_ring_file(directory.file("none")).ok());
  CHECK_FALSE(read_ring_file("/dev/shm").ok());
}

TEST_CASE("a full file system refuses the ring, and nothing is left on it") {
  const RingDirectory directory;
  if (mount("tmpfs", directory.file("").c_str(), "tmpfs", 0, "size=4m") != 0) {
    WARN("skipped: mounting a small tmpfs needs to be root");
    return;
  }
  const auto created = RingFile::create(request_for(directory.file("a.ring")));
  const std::size_t left = directory.entries();
  umount(directory.file("").c_str());
  CHECK_FALSE(created.file);
  CHECK(created.error.find("no room for the") != std::string::npos);
  CHECK(created.error.find("No space left") != std::string::npos);
  CHECK(left == 0);
}

TEST_CASE("damaged files give what is whole or one sentence, never more", "[large]") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  RingFileRequest request = request_for(path, 200, 3);
  request.stacks = 20;
  auto created = RingFile::create(request);
  REQUIRE(created.file);
  Writer writer(*created.file);
  const std::shared_ptr<Sites> sites = Sites::create(20, 8);
  writer.begin(sites);
  for (int i = 0; i < 150; ++i) {
    const std::vector<Frame> frames(static_cast<std::size_t>(i % 10), Frame{1, i % 7});
    if (i % 2 == 0) writer.push(i);
    if (i % 2 == 1) writer.push_numbered(16 + i, frames, sites->traces());
    sites->count({static_cast<NameId>(i % 10), sites->traces().number_of(frames), 16 + i, 1});
  }
  {
    const auto held = sites->hold();
    sites->poll_times(1);
  }
  created.file.reset();

  std::vector<char> good(std::filesystem::file_size(path));
  std::ifstream(path, std::ios::binary)
      .read(good.data(), static_cast<std::streamsize>(good.size()));
  const auto read = [&](const std::vector<char>& bytes) {
    const std::string copy = directory.file("copy");
    std::ofstream(copy, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return read_ring_file(copy);
  };
  REQUIRE(read(good)->data.records.size() == 150);

  std::vector<char> newer = good;
  newer[8] = 9;
  CHECK(read(newer).message().find("version 9") != std::string::npos);
  std::vector<char> wrong_head = good;
  wrong_head[24] ^= 1;
  CHECK(read(wrong_head).message().find("damaged in its head") != std::string::npos);

  const RingHeader header = ring_header(200, 3, CallTree::most_of(20));
  const std::vector<char> cut(
      good.begin(),
      good.begin() + static_cast<std::ptrdiff_t>(header.slots_at + 50 * header.slot_bytes + 7));
  const auto some = read(cut);
  REQUIRE(some.ok());
  // Slot 0 is that of record 200. Of the other 49 every second needs the tree, which is cut off.
  CHECK(some->data.records.size() == 25);
  CHECK(some->damaged == 150 + 24);
  CHECK(read({good.begin(), good.begin() + 5000}).message().find("cut off") != std::string::npos);
  CHECK_FALSE(read({}).ok());

  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<char> bytes = good;
    for (int i = 0; i < 200; ++i) {
      const std::size_t at =
          random() % 4 == 0   ? header.sites_at() + random() % 8000
          : random() % 3 == 0 ? 128 + random() % 4000
          : random() % 2 == 0
              ? header.names_at + random() % 20000
              : header.slots_at + random() % (header.frames_at + 512 - header.slots_at);
      bytes[at] = static_cast<char>(random());
    }
    const auto reading = read(bytes);
    REQUIRE(reading.ok());
    CHECK(reading->data.records.size() <= 200);
    summary_report(reading->data);
    text_report(reading->data, [](std::string_view) { return true; });
    html_report(reading->data);
  }
}

TEST_CASE("a process that ends without a word leaves its last record") {
  const RingDirectory directory;
  const std::string path = directory.file("a.ring");
  const pid_t child = fork();
  if (child == 0) {
    RingFileRequest request = request_for(path, 1000);
    request.pid = getpid();
    auto created = RingFile::create(request);
    if (!created.file) _exit(1);
    Writer writer(*created.file);
    for (int i = 1; i <= 700; ++i) writer.push(i);
    _exit(0);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
  const auto reading = read_ring_file(path);
  REQUIRE(reading.ok());
  CHECK(reading->state == ProgramState::kKilled);
  REQUIRE(reading->data.records.size() == 700);
  CHECK(reading->data.records[0].record.size == 716);
  CHECK(reading->data.names->class_name(reading->data.records[0].record.class_id) == "app.Item0");
}

TEST_CASE("after kill -9 at any moment every record that was finished is in the file") {
  const RingDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory.file("a" + std::to_string(round) + ".ring");
    // What the child knows: one count a thread, told before and after each record.
    const std::string counts_path = path + ".counts";
    std::ofstream(counts_path) << std::string(4096, '\0');
    int pipe_ends[2];
    REQUIRE(pipe(pipe_ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
      const int fd = open(counts_path.c_str(), O_RDWR);
      auto* counts = static_cast<std::atomic<std::int64_t>*>(
          mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
      RingFileRequest request = request_for(path, 4096, 8);
      request.pid = getpid();
      auto created = RingFile::create(request);
      if (!created.file) _exit(1);
      const auto ring = created.file->ring();
      std::vector<std::thread> writers;
      for (int t = 0; t < 3; ++t) {
        writers.emplace_back([&, t] {
          for (std::int64_t i = 1;; ++i) {
            AllocRecord record;
            record.size = i;
            record.thread_id = t;
            const std::vector<Frame> frames(static_cast<std::size_t>(i % 8),
                                            Frame{static_cast<NameId>(i), t});
            ring->push(record, frames);
            counts[t * 8].store(i, std::memory_order_release);
          }
        });
      }
      if (write(pipe_ends[1], "x", 1) != 1) _exit(1);
      for (auto& writer : writers) writer.join();
    }
    char ready;
    REQUIRE(read(pipe_ends[0], &ready, 1) == 1);
    usleep(static_cast<useconds_t>(500 + round * 613));
    kill(child, SIGKILL);
    REQUIRE(waitpid(child, nullptr, 0) == child);
    close(pipe_ends[0]);
    close(pipe_ends[1]);

    const auto reading = read_ring_file(path);
    REQUIRE(reading.ok());
    CHECK(reading->state == ProgramState::kKilled);
    CHECK(reading->unfinished <= 3);
    CHECK(reading->damaged == 0);
    std::int64_t noted[3 * 8] = {};
    std::ifstream(counts_path, std::ios::binary).read(reinterpret_cast<char*>(noted), sizeof noted);
    std::int64_t newest[3] = {}, oldest[3] = {}, count[3] = {};
    const RecordSet& records = reading->data.records;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto [record, frames] = records[i];
      const auto t = static_cast<std::size_t>(record.thread_id);
      REQUIRE(t < 3);
      if (count[t]++ == 0) newest[t] = record.size;
      oldest[t] = record.size;
      if (frames.size() != static_cast<std::size_t>(record.size % 8)) FAIL("a torn record");
      for (const Frame& frame : frames) {
        if (frame.bci != record.thread_id) FAIL("a frame of another thread");
      }
    }
    for (int t = 0; t < 3; ++t) {
      if (count[t] == 0) continue;
      CHECK(newest[t] >= noted[t * 8]);
      CHECK(newest[t] <= noted[t * 8] + 1);
      // Nothing between the oldest and the newest is missing.
      CHECK(newest[t] - oldest[t] + 1 == count[t]);
    }
  }
}

}  // namespace ddm
