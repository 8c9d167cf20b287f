// The sites of a whole run in a ring file.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "allocations/store/ring_file.h"
#include "report/recovery/ring_reader.h"
#include "report/recovery/site_reader.h"
#include "ring_sample.h"

namespace ddm {
namespace {

constexpr std::uint32_t kRecords = 64;

// A program with a ring file, whose threads' allocations are counted as an agent does.
class Program {
 public:
  explicit Program(std::uint32_t stacks = 1000) {
    file_ = RingFile::create({path(), getpid(), 1'700'000'000'000, kRecords, 4, stacks}).file;
    REQUIRE(file_);
    ring_ = file_->ring();
    keeper_ = std::make_unique<RingNames>(file_->names());
    names_.set_keeper(*keeper_);
    begin(stacks);
  }
  void begin(std::uint32_t stacks, std::uint32_t depth = 50) {
    ring_->clear();
    sites_ = Sites::create(stacks, depth);
    REQUIRE(file_->copy(sites_));
    ring_->use({sites_, &sites_->traces()});
    count_ = bytes_ = 0;
    newest_.clear();
  }

  std::vector<Frame> stack(int depth, int of = 0) {
    std::vector<Frame> frames;  // innermost first
    for (int i = depth; i-- > 0;) {
      const std::string method = "m" + std::to_string(of) + "_" + std::to_string(i);
      frames.push_back({names_.add_method({"app.Main", method, "()V", "Main.java", false, {}}), i});
    }
    return frames;
  }
  NameId class_id(const std::string& name) { return names_.add_class(name); }

  // `counted`: by the thread's book; otherwise the record is in the ring alone.
  std::uint64_t allocate(std::uint32_t book, const std::string& of, std::int64_t size,
                         const std::vector<Frame>& frames, bool counted = true) {
    AllocRecord record;
    record.size = size;
    record.book = book;
    record.class_id = class_id(of);
    CallTree& tree = sites_->traces();
    record.trace = tree.number_of(frames);
    record.tree = tree.id();
    const std::uint64_t seq = tree.lacks_frames(record.trace)
                                  ? ring_->push(record, frames)
                                  : ring_->push_numbered(record, frames.size());
    REQUIRE(seq != 0);
    if (!counted) return seq;
    sites_->count({record.class_id, record.trace, size, 1});
    newest_[book] = seq;
    count_ += 1;
    bytes_ += static_cast<double>(size);
    return seq;
  }

  // As ThreadBooks::poll_times() reads the sites; `whole`: it is not killed in the middle.
  void read_sites(bool whole = true) {
    const auto held = sites_->hold();
    SiteCopy& copy = sites_->copy();
    copy.begin();
    for (const auto& [book, seq] : newest_) copy.put({book, seq});
    sites_->poll_times(1);
    const std::uint32_t last = newest_.empty() ? 0 : newest_.rbegin()->first;
    if (whole) copy.end(last, count_, bytes_);
  }
  void write_facts(std::int64_t seen, std::int64_t bytes) {
    RingFacts facts;
    facts.seen = seen;
    facts.seen_bytes = bytes;
    file_->write_facts(facts);
  }
  void thread_ends(std::uint32_t book) { newest_.erase(book); }

  RecoveredRing recovered() const {
    auto reading = read_ring_file(path());
    REQUIRE(reading.ok());
    return std::move(*reading);
  }
  std::string path() const { return directory_.file("a.ring"); }
  Sites& sites() { return *sites_; }

 private:
  const RingDirectory directory_;
  std::unique_ptr<RingFile> file_;
  std::unique_ptr<AllocRing> ring_;
  std::unique_ptr<RingNames> keeper_;
  NameTable names_;
  std::shared_ptr<Sites> sites_;
  std::map<std::uint32_t, std::uint64_t> newest_;
  double count_ = 0, bytes_ = 0;
};

std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_class(const RecoveredRing& ring) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sums;
  for (const Site& site : ring.data.sites.list()) {
    auto& [count, bytes] = sums[ring.data.names->class_name(site.class_id)];
    count += site.count;
    bytes += site.bytes;
  }
  return sums;
}

}  // namespace

TEST_CASE("what a killed program allocated is recovered to the object, far beyond its ring") {
  Program program;
  const auto deep = program.stack(40);
  for (int i = 0; i < 1000; ++i) program.allocate(1, "app.Old", 24, deep);
  for (int i = 0; i < 10; ++i) program.allocate(2, "app.Of2", 16, program.stack(3));
  program.read_sites();
  CHECK(by_class(program.recovered()).at("app.Old") ==
        std::pair<std::int64_t, std::int64_t>(1000, 24000));
  // After the reading, of threads before it and of a new one; one record of a reading that counted
  // more than the file knows.
  for (int i = 0; i < 5; ++i) program.allocate(1, "app.Old", 24, deep);
  for (int i = 0; i < 7; ++i) program.allocate(3, "app.New", 32, program.stack(5, 1));
  program.allocate(2, "app.Of2", 16, program.stack(3), false);

  const RecoveredRing ring = program.recovered();
  REQUIRE(ring.data.sites.counted());
  const auto sums = by_class(ring);
  CHECK(sums.at("app.Old") == std::pair<std::int64_t, std::int64_t>(1005, 24 * 1005));
  CHECK(sums.at("app.Of2") == std::pair<std::int64_t, std::int64_t>(11, 16 * 11));
  CHECK(sums.at("app.New") == std::pair<std::int64_t, std::int64_t>(7, 32 * 7));
  CHECK(sums.size() == 3);
  CHECK(ring.data.summary.seen == 1023);
  CHECK(ring.data.summary.seen_bytes == 24 * 1005 + 16 * 11 + 32 * 7);
  CHECK_FALSE(ring.data.summary.seen_at_least);
  CHECK(ring.data.records.size() == kRecords);
  SiteSet::FrameBuffer buffer;
  const auto frames = ring.data.sites.frames(ring.data.sites[0], buffer);
  REQUIRE(frames.size() == 40);
  CHECK(ring.data.names->method(frames[0].method).method == "m0_39");
  CHECK(ring.data.names->method(frames[39].method).method == "m0_0");
}

TEST_CASE("recovered sites tell the reading that they are of") {
  Program program;
  program.allocate(1, "app.A", 24, program.stack(3));
  SECTION("the threads that ended before it are included") {
    program.thread_ends(1);
    program.allocate(2, "app.A", 24, program.stack(3));
    program.read_sites();
    CHECK(program.recovered().data.summary.seen == 2);
  }
  SECTION("a reading that was not finished gives lower bounds") {
    program.read_sites();
    program.allocate(1, "app.A", 24, program.stack(3));
    program.read_sites(false);
    const RecoveredRing ring = program.recovered();
    CHECK(ring.data.summary.seen == 2);
    CHECK(ring.data.summary.seen_at_least);
  }
  SECTION("so does one that a whole round of records came after") {
    program.read_sites();
    for (std::uint32_t i = 0; i < kRecords; ++i) program.allocate(1, "app.A", 24, program.stack(3));
    CHECK_FALSE(program.recovered().data.summary.seen_at_least);
    program.allocate(1, "app.A", 24, program.stack(3));
    const RecoveredRing ring = program.recovered();
    CHECK(ring.data.summary.seen_at_least);
    CHECK(ring.data.summary.seen == kRecords + 1);
    program.write_facts(1000, 1'000'000);
    const RecoveredRing more = program.recovered();
    CHECK(more.data.summary.seen == 1000);
    CHECK(more.data.summary.seen_bytes == 1'000'000);
    CHECK(more.data.sites.unplaced() == 1000 - kRecords - 1);
  }
  SECTION(
      "so does one while a thread recorded, whose record was overwritten before it counted it") {
    program.allocate(2, "app.A", 24, program.stack(3));
    const std::uint64_t newest = program.allocate(1, "app.A", 24, program.stack(3));
    const auto read_with = [&](bool recording) {
      const auto held = program.sites().hold();
      SiteCopy& copy = program.sites().copy();
      copy.begin();
      copy.put({1, newest, false});
      copy.put({2, newest - 1, recording});
      program.sites().poll_times(1);
      copy.end(2, 3, 72);
    };
    for (std::uint32_t i = 0; i < kRecords; ++i) program.allocate(1, "app.A", 24, program.stack(3));
    read_with(false);
    CHECK_FALSE(program.recovered().data.summary.seen_at_least);
    read_with(true);
    CHECK(program.recovered().data.summary.seen_at_least);
  }
  SECTION("another tracking period has none of the one before") {
    program.read_sites();
    program.begin(1000);
    CHECK(program.recovered().data.summary.seen == 0);
    program.allocate(1, "app.B", 24, program.stack(2));
    const auto sums = by_class(program.recovered());
    CHECK(sums.size() == 1);
    CHECK(sums.at("app.B").first == 1);
  }
}

TEST_CASE("a stack with a gap is recovered as one") {
  Program program(8);
  std::size_t gaps = 0;
  for (int i = 0; i < 40; ++i) {
    const auto frames = program.stack(40, i);
    program.allocate(1, "app.A", 24, frames);
    if (program.sites().traces().lacks_frames(program.sites().traces().number_of(frames))) ++gaps;
  }
  REQUIRE(gaps > 0);
  program.read_sites();
  const RecoveredRing ring = program.recovered();
  CHECK(ring.data.summary.seen == 40);
  CHECK(ring.data.sites.shortened() > 0);
  SiteSet::FrameBuffer buffer;
  std::size_t shown = 0;
  for (const Site& site : ring.data.sites.list()) {
    for (const Frame& frame : ring.data.sites.frames(site, buffer)) {
      if (frame.method == kLeftOutName) ++shown;
    }
  }
  CHECK(shown > 0);
}

TEST_CASE("sites and threads beyond the room of a copy are counted or told") {
  alignas(64) std::byte memory[SiteCopy::bytes_of(4, 2)] = {};
  SiteCopy copy(memory, 4, 2);
  copy.clear(7);
  copy.begin();
  copy.put({1, 10});
  copy.put({2, 20});
  for (SiteNumber i = 0; i < 6; ++i) copy.put(i, {i, kEmptyTrace, 2, 16});
  copy.end(2, 12, 96);
  const SiteCopy::Reading all_books = copy.read();
  CHECK(all_books.whole);
  CHECK(all_books.tree == 7);
  CHECK(all_books.sites.size() == 4);
  CHECK(all_books.count == 12);
  CHECK(all_books.includes(1, 10));
  CHECK_FALSE(all_books.includes(2, 21));
  CHECK_FALSE(all_books.includes(3, 1));
  const RecordSet none;
  const auto same = [](NameId id) { return id; };
  const RecoveredSites sites = recover_sites(all_books, {}, none, 1, {same, same});
  CHECK(sites.count == 12);
  CHECK(sites.bytes == 96);
  CHECK(sites.complete);
  CHECK(sites.sites.unplaced() == 4);

  copy.begin();
  for (const std::uint32_t book : {1u, 2u, 3u}) copy.put({book, 30});
  copy.end(3, 12, 96);
  CHECK_FALSE(copy.read().whole);
  copy.clear(8);
  CHECK(copy.read().whole);
  CHECK(copy.read().sites.empty());
}

TEST_CASE("a file without the sites, for a file system without room, has the records") {
  const RingDirectory directory;
  constexpr std::uint32_t kStacks = 100'000;
  const auto all = ring_header(kRecords, 4, CallTree::most_of(kStacks)).file_bytes;
  const std::string size = "size=" + std::to_string(all - (1 << 20));
  if (mount("tmpfs", directory.file("").c_str(), "tmpfs", 0, size.c_str()) != 0) {
    WARN("skipped: mounting a small tmpfs needs to be root");
    return;
  }
  const std::string path = directory.file("a.ring");
  {
    RingFileRequest request{path, getpid(), 0, kRecords, 4, kStacks};
    CHECK(RingFile::create(request).error.find("no room for the") != std::string::npos);
    request.sites = false;
    const auto created = RingFile::create(request);
    INFO(created.error);
    REQUIRE(created.file);
    CHECK(created.file->bytes() < all - (1 << 20));
    const auto sites = Sites::create(kStacks, 50);
    REQUIRE(created.file->copy(sites));
    const auto ring = created.file->ring();
    ring->use({sites, &sites->traces()});
    AllocRecord record;
    record.size = 16;
    const Frame frame{1, 2};
    record.trace = sites->traces().number_of({&frame, 1});
    record.tree = sites->traces().id();
    REQUIRE(ring->push_numbered(record, 1));
    const auto reading = read_ring_file(path);
    REQUIRE(reading.ok());
    CHECK_FALSE(reading->data.sites.counted());
    CHECK(reading->data.records.size() == 1);
  }
  umount(directory.file("").c_str());
}

TEST_CASE("a file that is cut off says so, wherever it is cut") {
  Program program;
  for (int i = 0; i < 100; ++i) program.allocate(1, "app.A", 24, program.stack(20));
  program.read_sites();
  program.write_facts(100, 2400);
  const RecoveredRing whole = program.recovered();
  CHECK(whole.cut_off.empty());
  CHECK(whole.data.sites.counted());
  const RingHeader header = ring_header(kRecords, 4, CallTree::most_of(1000));
  REQUIRE(header.file_bytes == std::filesystem::file_size(program.path()));
  for (const std::uint64_t bytes :
       {header.file_bytes - 4096, header.frames_at + 64, header.nodes_at + 64}) {
    std::filesystem::resize_file(program.path(), bytes);
    const RecoveredRing ring = program.recovered();
    const ReportSummary& summary = ring.data.summary;
    CHECK(ring.cut_off.starts_with("the file is cut off: "));
    CHECK(summary.sites_missing == ring.cut_off);
    CHECK(summary.recovered.ends_with(ring.cut_off));
    CHECK(summary.seen_at_least);
    CHECK(summary.seen == 100);
  }
}

TEST_CASE("a head with sites and without stacks leads to nothing outside of the file") {
  RingHeader header = ring_header(16, 4, 0);
  header.sites = header.books = 1;
  header.frames_at = ~std::uint64_t{63};  // with the bytes of the sites it is a place at the begin
  header.checksum = ring_checksum(header);
  const std::unique_ptr<void, decltype(&std::free)> memory(
      std::aligned_alloc(64, header.file_bytes), &std::free);
  const std::span image(static_cast<std::byte*>(memory.get()), header.file_bytes);
  std::fill(image.begin(), image.end(), std::byte{0});
  std::memcpy(image.data(), &header, sizeof header);
  const auto reading = read_ring(image);
  REQUIRE(reading.ok());
  CHECK_FALSE(reading->data.sites.counted());
}

TEST_CASE("a ring file of version 2 is read, without sites") {
  Program program;
  program.allocate(1, "app.A", 24, program.stack(20));
  program.read_sites();
  make_ring_of_version(program.path(), 2);
  const RecoveredRing ring = program.recovered();
  CHECK_FALSE(ring.data.sites.counted());
  REQUIRE(ring.data.records.size() == 1);
  CHECK(ring.data.records[0].frames.size() == 20);
}

}  // namespace ddm
