#include "report/thread_pools.h"

#include <algorithm>
#include <vector>

#include "report/report_words.h"

namespace ddm {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "pool-1-thread-7": "pool-", "1", "-thread-", "7". The first piece is never a number.
std::vector<std::string_view> pieces_of(std::string_view name) {
  std::vector<std::string_view> pieces;
  bool number = false;
  do {
    const auto end = std::ranges::find_if(name, [&](char c) { return is_digit(c) != number; });
    const auto size = static_cast<std::size_t>(end - name.begin());
    pieces.push_back(name.substr(0, size));
    name.remove_prefix(size);
    number = !number;
  } while (!name.empty());
  return pieces;
}

std::string without_numbers(std::string_view name) {
  std::string rest;
  const std::vector<std::string_view> pieces = pieces_of(name);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    rest += i % 2 == 0 ? pieces[i] : std::string_view("*");
  }
  return rest;
}

}  // namespace

void ThreadPools::add(std::string_view thread) {
  Pool& pool = pools_[without_numbers(thread)];
  pool.threads.emplace(thread);
  pool.pattern.clear();
}

ThreadPools::Pool* ThreadPools::pool_of(std::string_view thread) {
  const auto found = pools_.find(without_numbers(thread));
  if (found == pools_.end() || found->second.threads.size() < fewest_) return nullptr;
  Pool& pool = found->second;
  if (pool.pattern.empty()) pool.pattern = pattern_of_all(pool);
  return &pool;
}

std::string ThreadPools::pattern_of(std::string_view thread) {
  const Pool* const pool = pool_of(thread);
  return pool != nullptr ? pool->pattern : std::string(thread);
}

std::string ThreadPools::name_of(std::string_view thread) {
  const Pool* const pool = pool_of(thread);
  if (pool == nullptr) return std::string(thread);
  return pool->pattern + " (" + counted(static_cast<std::int64_t>(pool->threads.size()), "thread") +
         ")";
}

std::string ThreadPools::pattern_of_all(const Pool& pool) {
  std::vector<std::string_view> common = pieces_of(*pool.threads.begin());
  for (const std::string& name : pool.threads) {
    const std::vector<std::string_view> pieces = pieces_of(name);
    for (std::size_t i = 0; i < std::min(common.size(), pieces.size()); ++i) {
      if (common[i] != pieces[i]) common[i] = "*";
    }
  }
  std::string text;
  for (const std::string_view piece : common) text += piece;
  return text;
}

}  // namespace ddm
