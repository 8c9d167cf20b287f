// A copy of a run's sites in memory that outlives the process, and for each thread the record up to
// which they include its allocations: records after that are to be added. docs/ring-format.md has
// the format.
//
// One thread at a time writes. A reader may meet anything in a damaged file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "allocations/store/live_store.h"
#include "allocations/store/site_entry.h"

namespace ddm {

class SiteCopy {
 public:
  struct Head {
    std::atomic<std::uint64_t> turn;          // odd: being written
    std::atomic<std::uint32_t> tree;          // whose nodes the stacks are; 0: none
    std::atomic<std::uint32_t> sites, books;  // in use
    std::atomic<std::uint32_t> last_book;     // books up to this number existed
    std::atomic<std::uint32_t> books_left_out;
    std::uint32_t unused;
    std::atomic<double> count, bytes;  // of all sites, also those without room
    std::uint64_t reserved[2];
  };
  static_assert(sizeof(Head) == 64);
  struct Site {
    std::atomic<std::uint64_t> key;  // SiteSum::key()
    std::atomic<double> count, bytes;
  };
  struct Book {
    std::atomic<std::uint32_t> number, recording;  // recording: 0 or 1
    std::atomic<std::uint64_t> up_to;
  };
  // What a thread has counted: its records up to a seq. While it is recording there may be one more.
  struct Counted {
    std::uint32_t book = 0;
    std::uint64_t up_to = 0;
    bool recording = false;
  };
  static constexpr std::uint32_t kBooks = 8192;

  static constexpr std::uint64_t bytes_of(std::uint32_t sites, std::uint32_t books) {
    return sizeof(Head) + std::uint64_t{sites} * sizeof(Site) + std::uint64_t{books} * sizeof(Book);
  }

  SiteCopy() = default;  // no copy: nothing is done
  // `memory`: bytes_of() these, divisible by 8.
  SiteCopy(std::byte* memory, std::uint32_t sites, std::uint32_t books);

  bool on() const { return head_ != nullptr; }
  // No sites, whose stacks will be in `tree`.
  void clear(std::uint32_t tree);
  // Between begin() and end(): the books, and the sites that have changed since the last time.
  void begin();
  void put(const Counted& counted);
  void put(SiteNumber site, const SiteSum& sum);
  void end(std::uint32_t last_book, double count, double bytes);

  struct Reading {
    std::uint32_t tree = 0;
    std::vector<SiteSum> sites;
    double count = 0, bytes = 0;
    std::unordered_map<std::uint32_t, Counted> counted;  // by book
    std::uint32_t last_book = 0;
    bool whole = false;  // of one moment, with all books

    // Whether the sites include the record.
    bool includes(std::uint32_t book, std::uint64_t seq) const {
      const auto found = counted.find(book);
      return found == counted.end() ? book <= last_book : seq <= found->second.up_to;
    }
  };
  Reading read() const;

 private:
  Head* head_ = nullptr;
  Site* sites_ = nullptr;
  Book* books_ = nullptr;
  std::uint32_t most_sites_ = 0, most_books_ = 0;
  std::uint32_t book_count_ = 0;  // since begin()
};

}  // namespace ddm
