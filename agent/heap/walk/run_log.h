// The runs that a walk has found, in order: mostly two bytes each.
//
// Written at a safepoint, so it never allocates: address space is reserved before, and the kernel
// commits pages on first touch. An entry is { u1 state, u1 words }, in words of 8 bytes; words = 0:
// their number follows in 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace ddm {

class RunLog {
 public:
  static constexpr std::size_t kMaxEntry = 10;  // bytes

  // nullopt: no address space, not even for a much smaller log.
  static std::optional<RunLog> reserve(std::size_t bytes);

  // Commits the bytes that are likely to be written: page faults would take a fifth of the walk's
  // time.
  void populate(std::size_t bytes) noexcept;
  // Releases the reserved memory that was not written.
  void trim() noexcept;

  RunLog() = default;
  RunLog(RunLog&& other) noexcept { swap(other); }
  RunLog& operator=(RunLog&& other) noexcept {
    swap(other);
    return *this;
  }
  ~RunLog();

  // The position of the next entry, and the end of the memory. Walks keep a copy in registers.
  struct Tail {
    std::uint8_t* end = nullptr;
    std::uint8_t* limit = nullptr;

    // False: no room.
    bool add(std::uint8_t state, std::uint64_t bytes) noexcept {
      if (static_cast<std::size_t>(limit - end) < kMaxEntry) return false;
      const std::uint64_t words = bytes / 8;
      end[0] = state;
      if (words - 1 < 255) {
        end[1] = static_cast<std::uint8_t>(words);
        end += 2;
        return true;
      }
      end[1] = 0;
      std::memcpy(end + 2, &words, sizeof words);
      end += kMaxEntry;
      return true;
    }
  };
  Tail tail() const { return tail_; }
  void set_tail(const Tail& tail) { tail_ = tail; }

  void add(std::uint8_t state, std::uint64_t bytes) noexcept {
    if (!tail_.add(state, bytes)) full_ = true;
  }

  // Entries were lost because the log was full.
  bool full() const { return full_; }
  std::size_t size() const { return static_cast<std::size_t>(tail_.end - begin_); }

  struct Entry {
    std::uint8_t state;
    std::uint64_t bytes;
  };
  // Returns the entry at `offset`, which must be below size(), and advances `offset`.
  Entry read(std::size_t& offset) const {
    const std::uint8_t* at = begin_ + offset;
    if (at[1] != 0) {
      offset += 2;
      return {at[0], at[1] * std::uint64_t{8}};
    }
    std::uint64_t words;
    std::memcpy(&words, at + 2, sizeof words);
    offset += kMaxEntry;
    return {at[0], words * 8};
  }

 private:
  void swap(RunLog& other) noexcept;

  std::uint8_t* begin_ = nullptr;
  Tail tail_;
  bool full_ = false;
};

}  // namespace ddm
