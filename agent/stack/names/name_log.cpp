#include "stack/names/name_log.h"

#include <algorithm>
#include <cstring>

namespace ddm {
namespace {

constexpr std::size_t kLongestText = 0xFFFF;
constexpr std::size_t kMostLines = 0xFFFF;
constexpr std::size_t kLongestThreadName = 1000;
constexpr std::size_t kEntryHead = 8;

// How many names are turned away before compacting is tried again.
constexpr int kRefusals = 1000;
// Of the most threads that are kept, the share that is kept as the latest.
constexpr std::size_t kRecentPart = 16;

class EntryWriter {
 public:
  explicit EntryWriter(NameEntry::Kind kind) {
    u4(0);  // the size, known at the end
    u4(static_cast<std::uint32_t>(kind));
  }
  void u2(std::uint16_t value) { raw(&value, sizeof value); }
  void u4(std::uint32_t value) { raw(&value, sizeof value); }
  void u8(std::uint64_t value) { raw(&value, sizeof value); }
  void text(std::string_view value) {
    value = value.substr(0, kLongestText);
    u2(static_cast<std::uint16_t>(value.size()));
    raw(value.data(), value.size());
  }
  std::string finish() {
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    const auto size = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &size, sizeof size);
    return std::move(bytes_);
  }

 private:
  void raw(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }
  std::string bytes_;
};

// Reads past the end give zeros and empty texts, and clear good().
class EntryReader {
 public:
  explicit EntryReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  std::uint16_t u2() { return number<std::uint16_t>(); }
  std::uint32_t u4() { return number<std::uint32_t>(); }
  std::uint64_t u8() { return number<std::uint64_t>(); }
  std::string text() {
    const std::size_t size = u2();
    const auto taken = take(size);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > bytes_.size()) {
      good_ = false;
      return {};
    }
    const auto taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  template <typename Number>
  Number number() {
    Number value = 0;
    const auto taken = take(sizeof value);
    if (!taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  std::span<const std::byte> bytes_;
  bool good_ = true;
};

bool decode(EntryReader& in, NameEntry& entry) {
  switch (entry.kind) {
    case NameEntry::Kind::kClass:
      entry.id = in.u4();
      entry.name = in.text();
      return in.good();
    case NameEntry::Kind::kThread:
      entry.id = static_cast<std::int64_t>(in.u8());
      entry.name = in.text();
      return in.good();
    case NameEntry::Kind::kMethod: {
      MethodName& method = entry.method;
      entry.id = in.u4();
      method.native = in.u2() != 0;
      method.class_name = in.text();
      method.method = in.text();
      method.signature = in.text();
      method.file = in.text();
      for (std::size_t n = in.u2(); n > 0 && in.good(); --n) {
        const std::uint16_t bci = in.u2();
        method.lines.push_back({bci, in.u2()});
      }
      return in.good() && std::ranges::is_sorted(method.lines, {}, &LineEntry::bci);
    }
  }
  return false;
}

// Calls take(entry, its bytes) for each entry that is whole, in order.
template <typename Take>
void for_each_entry(std::span<const std::byte> half, Take take) {
  while (half.size() >= kEntryHead) {
    EntryReader in(half);
    const std::size_t size = in.u4();
    if (size < kEntryHead || size % 4 != 0 || size > half.size()) return;
    const auto bytes = half.first(size);
    half = half.subspan(size);
    NameEntry entry;
    EntryReader body(bytes.subspan(4));
    entry.kind = static_cast<NameEntry::Kind>(body.u4());
    if (decode(body, entry)) take(std::move(entry), bytes);
  }
}

}  // namespace

std::string encode_class(NameId id, std::string_view name) {
  EntryWriter out(NameEntry::Kind::kClass);
  out.u4(id);
  out.text(name);
  return out.finish();
}

std::string encode_method(NameId id, const MethodName& method) {
  EntryWriter out(NameEntry::Kind::kMethod);
  out.u4(id);
  out.u2(method.native ? 1 : 0);
  out.text(method.class_name);
  out.text(method.method);
  out.text(method.signature);
  out.text(method.file);
  const std::size_t lines = std::min(method.lines.size(), kMostLines);
  out.u2(static_cast<std::uint16_t>(lines));
  for (std::size_t i = 0; i < lines; ++i) {
    out.u2(method.lines[i].bci);
    out.u2(method.lines[i].line);
  }
  return out.finish();
}

std::string encode_thread(std::int64_t id, std::string_view name) {
  EntryWriter out(NameEntry::Kind::kThread);
  out.u8(static_cast<std::uint64_t>(id));
  out.text(name.substr(0, kLongestThreadName));
  return out.finish();
}

void decode_names(std::span<const std::byte> half, const std::function<void(NameEntry&&)>& take) {
  for_each_entry(half,
                 [&](NameEntry&& entry, std::span<const std::byte>) { take(std::move(entry)); });
}

std::size_t NameLog::used() const {
  return section_.used[section_.generation.load(std::memory_order_relaxed) % 2].load(
      std::memory_order_relaxed);
}

bool NameLog::add(std::string_view entry) {
  const std::uint64_t generation = section_.generation.load(std::memory_order_relaxed);
  const std::size_t at = used();
  if (entry.size() > half_bytes_ - at) return false;
  std::memcpy(half(generation) + at, entry.data(), entry.size());
  section_.used[generation % 2].store(at + entry.size(), std::memory_order_release);
  return true;
}

void NameLog::compact(const std::function<bool(NameEntry::Kind, std::int64_t id)>& wanted) {
  const std::uint64_t generation = section_.generation.load(std::memory_order_relaxed);
  const std::span<const std::byte> from(half(generation), used());
  std::unordered_map<std::int64_t, const std::byte*> newest_of_thread;
  for_each_entry(from, [&](NameEntry&& entry, std::span<const std::byte> bytes) {
    if (entry.kind == NameEntry::Kind::kThread) newest_of_thread[entry.id] = bytes.data();
  });
  std::size_t to = 0;
  for_each_entry(from, [&](NameEntry&& entry, std::span<const std::byte> bytes) {
    if (!wanted(entry.kind, entry.id)) return;
    if (entry.kind == NameEntry::Kind::kThread && newest_of_thread[entry.id] != bytes.data())
      return;
    std::memcpy(half(generation + 1) + to, bytes.data(), bytes.size());
    to += bytes.size();
  });
  section_.used[(generation + 1) % 2].store(to, std::memory_order_release);
  section_.generation.store(generation + 1, std::memory_order_release);
}

void RingNames::add_class(NameId id, std::string_view type_name) {
  if (!log_.add(encode_class(id, type_name))) log_.count_lost();
}

void RingNames::add_method(NameId id, const MethodName& method) {
  if (log_.add(encode_method(id, method))) return;
  MethodName without_lines = method;  // better a frame without its line than none
  without_lines.lines.clear();
  if (!log_.add(encode_method(id, without_lines))) log_.count_lost();
}

void RingNames::keep_only(const std::function<bool(NameId)>& classes,
                          const std::function<bool(NameId)>& methods) {
  if (log_.used() < log_.half_bytes() / 2) return;  // there is room enough
  log_.compact([&](NameEntry::Kind kind, std::int64_t id) {
    const auto name = static_cast<NameId>(id);
    return kind == NameEntry::Kind::kClass ? classes(name) : methods(name);
  });
}

void RingThreadNames::compact() {
  const std::unordered_set<std::int64_t> in_use = in_use_();
  std::erase_if(kept_, [&](const auto& entry) {
    const bool recent = added_ - entry.second.added < most_ / kRecentPart;
    return !recent && !in_use.contains(entry.first);
  });
  log_.compact([&](NameEntry::Kind, std::int64_t id) { return kept_.contains(id); });
  const bool roomy = log_.used() < log_.half_bytes() / 8 * 7 && kept_.size() < most_ / 8 * 7;
  if (!roomy) refusals_left_ = kRefusals;
}

bool RingThreadNames::add(std::int64_t id, std::string_view name) {
  const std::size_t hash = std::hash<std::string_view>()(name);
  const auto found = kept_.find(id);
  if (found != kept_.end() && found->second.hash == hash) return false;
  // A thread without a name is one that the file does not name.
  const bool unchanged = name.empty() && found == kept_.end();
  const std::string entry = unchanged ? std::string() : encode_thread(id, name);
  bool dropped = false;
  const bool too_many = found == kept_.end() && kept_.size() >= most_;
  if (too_many || !log_.add(entry)) {
    if (refusals_left_ > 0) {
      --refusals_left_;
      log_.count_lost();
      return false;
    }
    compact();
    dropped = true;
    if (!log_.add(entry)) {
      log_.count_lost();
      return dropped;
    }
  }
  kept_[id] = {hash, ++added_};
  return dropped;
}

}  // namespace ddm
