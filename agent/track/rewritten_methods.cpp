#include "track/rewritten_methods.h"

namespace ddm {
namespace {

// 64 bits of FNV-1a: some 100,000 methods make a false match a chance of one in 10^9.
std::uint64_t key_of(std::string_view class_name, std::string_view method,
                     std::string_view descriptor, std::uint32_t code_length) {
  std::uint64_t hash = 0xcbf29ce484222325ull;
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    hash = (hash ^ 0xff) * 0x100000001b3ull;  // no UTF-8 text holds this byte
  };
  mix(class_name);
  mix(method);
  mix(descriptor);
  return hash ^ (code_length * 0x9E3779B97F4A7C15ull);
}

}  // namespace

void RewrittenMethods::add(const bci::RewriteResult& result) {
  const std::lock_guard lock(mutex_);
  for (const bci::ChangedMethod& method : result.changed) {
    if (method.bci_map.empty()) continue;
    moves_[key_of(result.class_name, method.name, method.descriptor, method.code_length)] =
        method.bci_map;
  }
}

std::vector<bci::BciRun> RewrittenMethods::moves_of(std::string_view signature,
                                                    std::string_view method,
                                                    std::string_view descriptor,
                                                    std::uint32_t code_length) const {
  if (signature.size() < 2) return {};
  const std::string_view class_name = signature.substr(1, signature.size() - 2);
  const std::lock_guard lock(mutex_);
  const auto found = moves_.find(key_of(class_name, method, descriptor, code_length));
  return found == moves_.end() ? std::vector<bci::BciRun>() : found->second;
}

}  // namespace ddm
