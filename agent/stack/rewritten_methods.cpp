#include "stack/rewritten_methods.h"

namespace ddm {
namespace {

// 64 bits of FNV-1a: with some 100,000 methods the chance of a false match is one in 10^9.
constexpr std::uint64_t kBasis = 0xcbf29ce484222325ull;

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return (hash ^ 0xff) * 0x100000001b3ull;  // no UTF-8 text holds this byte
}

std::uint64_t key_of(std::uint64_t class_hash, std::string_view method, std::string_view descriptor,
                     std::uint64_t shape) {
  return mixed(mixed(class_hash, method), descriptor) ^ (shape * 0x9E3779B97F4A7C15ull);
}

}  // namespace

std::uint64_t class_name_hash(std::string_view internal_name) {
  return mixed(kBasis, internal_name);
}

void RewrittenMethods::add(const bci::RewriteResult& result) {
  const std::uint64_t class_hash = class_name_hash(result.class_name);
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const bci::ChangedMethod& method : result.changed) {
      if (method.bci_map.empty()) continue;
      Entry& entry = entries_[key_of(class_hash, method.name, method.descriptor, method.shape)];
      if (entry.moves.runs.empty()) {
        entry.moves.runs = method.bci_map;
      } else if (entry.moves.runs != method.bci_map) {
        entry.moves.ambiguous = true;
      }
      entry.class_hash = class_hash;
      entry.round = round_;
    }
    size = entries_.size();
  }
  growth_.grown_to(size);
}

RewrittenMethods::Moves RewrittenMethods::moves_of(std::string_view internal_name,
                                                   std::string_view method,
                                                   std::string_view descriptor,
                                                   std::uint64_t shape) const {
  const std::uint64_t key = key_of(class_name_hash(internal_name), method, descriptor, shape);
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  return found == entries_.end() ? Moves() : found->second.moves;
}

bool RewrittenMethods::empty() const {
  const std::lock_guard lock(mutex_);
  return entries_.empty();
}

void RewrittenMethods::keep_only(const std::unordered_set<std::uint64_t>& class_name_hashes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) {
    return entry.second.round < round_ && !class_name_hashes.contains(entry.second.class_hash);
  });
  ++round_;
  growth_.swept_to(entries_.size());
}

}  // namespace ddm
