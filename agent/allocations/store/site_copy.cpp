#include "allocations/store/site_copy.h"

#include <algorithm>

namespace ddm {

namespace {

constexpr auto kRelease = std::memory_order_release, kAcquire = std::memory_order_acquire;

}  // namespace

SiteCopy::SiteCopy(std::byte* memory, std::uint32_t sites, std::uint32_t books)
    : head_(reinterpret_cast<Head*>(memory)),
      sites_(reinterpret_cast<Site*>(memory + sizeof(Head))),
      books_(reinterpret_cast<Book*>(sites_ + sites)),
      most_sites_(sites),
      most_books_(books) {}

void SiteCopy::clear(std::uint32_t tree) {
  if (head_ == nullptr) return;
  begin();
  head_->sites.store(0, kRelease);
  head_->tree.store(tree, kRelease);
  end(0, 0, 0);
}

void SiteCopy::begin() {
  if (head_ == nullptr) return;
  head_->turn.store(head_->turn.load(kAcquire) | 1, kRelease);
  book_count_ = 0;
}

void SiteCopy::put(const Counted& counted) {
  if (head_ == nullptr) return;
  if (book_count_ < most_books_) {
    Book& book = books_[book_count_];
    book.number.store(counted.book, kRelease);
    book.recording.store(counted.recording ? 1 : 0, kRelease);
    book.up_to.store(counted.up_to, kRelease);
  }
  ++book_count_;
}

void SiteCopy::put(SiteNumber site, const SiteSum& sum) {
  if (site >= most_sites_) return;
  sites_[site].key.store(sum.key(), kRelease);
  sites_[site].count.store(sum.count, kRelease);
  sites_[site].bytes.store(sum.bytes, kRelease);
  if (site >= head_->sites.load(kAcquire)) head_->sites.store(site + 1, kRelease);
}

void SiteCopy::end(std::uint32_t last_book, double count, double bytes) {
  if (head_ == nullptr) return;
  const std::uint32_t books = std::min(book_count_, most_books_);
  head_->books.store(books, kRelease);
  head_->books_left_out.store(book_count_ - books, kRelease);
  head_->last_book.store(last_book, kRelease);
  head_->count.store(count, kRelease);
  head_->bytes.store(bytes, kRelease);
  head_->turn.store(head_->turn.load(kAcquire) + 1, kRelease);
}

SiteCopy::Reading SiteCopy::read() const {
  Reading result;
  if (head_ == nullptr) return result;
  const std::uint64_t turn = head_->turn.load(kAcquire);
  result.tree = head_->tree.load(kAcquire);
  const std::uint32_t sites = std::min(head_->sites.load(kAcquire), most_sites_);
  result.sites.reserve(sites);
  for (std::uint32_t i = 0; i < sites; ++i) {
    const std::uint64_t key = sites_[i].key.load(kAcquire);
    result.sites.push_back({static_cast<NameId>(key), static_cast<TraceNumber>(key >> 32),
                            sites_[i].count.load(kAcquire), sites_[i].bytes.load(kAcquire)});
  }
  const std::uint32_t books = std::min(head_->books.load(kAcquire), most_books_);
  for (std::uint32_t i = 0; i < books; ++i) {
    const std::uint32_t number = books_[i].number.load(kAcquire);
    result.counted[number] = {number, books_[i].up_to.load(kAcquire),
                              books_[i].recording.load(kAcquire) != 0};
  }
  result.last_book = head_->last_book.load(kAcquire);
  result.count = head_->count.load(kAcquire);
  result.bytes = head_->bytes.load(kAcquire);
  result.whole = turn % 2 == 0 && head_->books_left_out.load(kAcquire) == 0 &&
                 head_->turn.load(kAcquire) == turn;
  return result;
}

}  // namespace ddm
