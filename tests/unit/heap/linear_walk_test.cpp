#include "heap/walk/linear_walk.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "heap_states.h"

namespace ddm {
namespace {

constexpr std::uint64_t kPlain = 0x100;
constexpr std::uint64_t kBytes = 0x200;
constexpr std::uint64_t kLongs = 0x300;
constexpr std::uint64_t kClass = 0x400;
constexpr std::uint64_t kChunk = 0x500;

ObjectLayout layout_of(HeaderForm form) {
  ObjectLayout layout;
  layout.header = form;
  layout.mark_klass_shift = 42;
  layout.array_length_offset = form == HeaderForm::kWide     ? 16
                               : form == HeaderForm::kNarrow ? 12
                                                             : 8;
  layout.class_size_offset = 24;
  layout.stack_chunk_size_offset = 16;
  return layout;
}

// A piece of heap that is filled by hand.
class Memory {
 public:
  Memory(const ObjectLayout& layout, std::size_t words) : layout_(layout), words_(words) {
    const auto add = [this](std::uint64_t key, std::uint32_t bytes, SizeForm form,
                            std::uint8_t shift, std::uint8_t state) {
      table_.insert({.key = key, .bytes = bytes, .form = form, .shift = shift, .state = state});
    };
    add(kPlain, 24, SizeForm::kFixed, 0, kObjectState);
    add(kBytes, header(), SizeForm::kArray, 0, kBytesState);
    add(kLongs, header(), SizeForm::kArray, 3, kLongsState);
    add(kClass, 64, SizeForm::kClass, 0, kClassState);
    add(kChunk, 32, SizeForm::kStackChunk, 0, kObjectState);
    log_ = std::move(*RunLog::reserve(1 << 16));
  }

  std::uint32_t header() const { return layout_.array_length_offset + 4; }

  void object(std::size_t word, std::uint64_t key) {
    switch (layout_.header) {
      case HeaderForm::kWide:
        put<std::uint64_t>(word, 8, key);
        break;
      case HeaderForm::kNarrow:
        put<std::uint32_t>(word, 8, static_cast<std::uint32_t>(key));
        break;
      case HeaderForm::kCompact:
        put<std::uint64_t>(word, 0, key << 42 | 5);
        break;
    }
  }
  void array(std::size_t word, std::uint64_t key, std::uint32_t length) {
    object(word, key);
    put<std::uint32_t>(word, layout_.array_length_offset, length);
  }
  template <typename T>
  void put(std::size_t word, std::size_t offset, T value) {
    std::memcpy(reinterpret_cast<char*>(words_.data() + word) + offset, &value, sizeof value);
  }

  // Runs as { state, words }; the walk's end in words.
  std::vector<std::pair<int, std::uint64_t>> walk(std::size_t top, std::size_t limit) {
    log_ = std::move(*RunLog::reserve(1 << 16));
    LinearWalk walk(layout_, table_, log_);
    const auto bottom = reinterpret_cast<std::uintptr_t>(words_.data());
    walk.begin(bottom, bottom + 8 * top, bottom + 8 * limit);
    walk.finish();
    end_ = (walk.at() - bottom) / 8;
    gaps_ = walk.gaps().count;
    unknown_.assign(walk.unknown().begin(), walk.unknown().end());
    std::vector<std::pair<int, std::uint64_t>> runs;
    for (std::size_t at = 0; at < log_.size();) {
      const RunLog::Entry entry = log_.read(at);
      runs.push_back({entry.state, entry.bytes / 8});
    }
    return runs;
  }
  std::uint64_t end() const { return end_; }
  std::uint64_t gaps() const { return gaps_; }
  const std::vector<std::uint64_t>& unknown() const { return unknown_; }

 private:
  const ObjectLayout layout_;
  std::vector<std::uint64_t> words_;
  KlassTable table_;
  RunLog log_;
  std::uint64_t end_ = 0;
  std::uint64_t gaps_ = 0;
  std::vector<std::uint64_t> unknown_;
};

using Runs = std::vector<std::pair<int, std::uint64_t>>;

}  // namespace

TEST_CASE("Objects follow one another by their sizes, whatever their headers look like") {
  const auto form = GENERATE(HeaderForm::kWide, HeaderForm::kNarrow, HeaderForm::kCompact);
  Memory memory(layout_of(form), 400);
  memory.object(0, kPlain);
  memory.array(3, kBytes, 5);  // header + 5, up to the next word
  const std::uint64_t small = (memory.header() + 5 + 7) / 8;
  memory.array(3 + small, kLongs, 300);
  const std::uint64_t big = (memory.header() + 2400 + 7) / 8;
  const std::size_t top = 3 + small + big;
  CHECK(memory.walk(top, top) == Runs{{kObjectState, 3}, {kBytesState, small}, {kLongsState, big}});
  CHECK(memory.end() == top);
  CHECK(memory.gaps() == 0);
}

TEST_CASE("Class objects and stack chunks tell their own sizes") {
  Memory memory(layout_of(HeaderForm::kNarrow), 100);
  memory.object(0, kClass);
  memory.put<std::int32_t>(0, 24, 13);
  memory.object(13, kChunk);
  memory.put<std::int32_t>(13, 16, 33);  // 33 words of stack, 66 bits: 2 words
  CHECK(memory.walk(13 + 4 + 33 + 2, 100) == Runs{{kClassState, 13}, {kObjectState, 39}});
}

TEST_CASE("A class nobody knows is a gap up to where objects make sense again") {
  Memory memory(layout_of(HeaderForm::kNarrow), 40);
  memory.object(0, kPlain);
  memory.object(3, 0x999);
  memory.object(9, kPlain);
  memory.object(12, kPlain);
  CHECK(memory.walk(15, 15) ==
        Runs{{kObjectState, 3}, {kUnknownState, 6}, {kObjectState, 3}, {kObjectState, 3}});
  CHECK(memory.gaps() == 1);
  CHECK(memory.unknown() == std::vector<std::uint64_t>{0x999});
}

TEST_CASE("What only looks like an object does not end a gap") {
  Memory memory(layout_of(HeaderForm::kNarrow), 40);
  memory.object(0, 0x999);
  memory.object(4, kPlain);  // its end is at 7, where nothing is
  CHECK(memory.walk(20, 20) == Runs{{kUnknownState, 20}});
}

TEST_CASE("An object that would not fit is none") {
  Memory memory(layout_of(HeaderForm::kNarrow), 40);
  memory.array(0, kLongs, 1000);
  CHECK(memory.walk(10, 10) == Runs{{kUnknownState, 10}});
  memory.array(0, kBytes, 0xffffffff);
  CHECK(memory.walk(10, 10) == Runs{{kUnknownState, 10}});
  CHECK(memory.end() == 10);
}

TEST_CASE("A last object may lie across the top, up to the limit") {
  Memory memory(layout_of(HeaderForm::kNarrow), 40);
  memory.array(0, kLongs, 20);
  CHECK(memory.walk(10, 40) == Runs{{kLongsState, 22}});
  CHECK(memory.end() == 22);
}

TEST_CASE("Nothing behind the limit is read: a rest too small for a header is a gap") {
  Memory memory(layout_of(HeaderForm::kNarrow), 4);
  memory.object(0, kPlain);
  CHECK(memory.walk(4, 4) == Runs{{kObjectState, 3}, {kUnknownState, 1}});
}

TEST_CASE("The table keeps thousands of classes apart") {
  KlassTable table;
  for (std::uint64_t key = 1; key <= 50'000; ++key) {
    table.insert({.key = key * 8, .bytes = static_cast<std::uint32_t>(key)});
  }
  for (std::uint64_t key = 1; key <= 50'000; ++key) REQUIRE(table.find(key * 8)->bytes == key);
  CHECK(table.find(4) == nullptr);
  table.clear();
  CHECK(table.find(8) == nullptr);
}

}  // namespace ddm
