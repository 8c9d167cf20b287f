#include "stack/names/name_table.h"

#include <algorithm>
#include <utility>

namespace ddm {
namespace {

void mix(std::size_t& hash, std::size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

std::size_t content_hash(const MethodName& method) {
  const std::hash<std::string> text;
  std::size_t hash = method.native ? 1 : 0;
  mix(hash, text(method.class_name));
  mix(hash, text(method.method));
  mix(hash, text(method.signature));
  mix(hash, text(method.file));
  for (const LineEntry& entry : method.lines) {
    mix(hash, (std::size_t{entry.bci} << 16) | entry.line);
  }
  return hash;
}

}  // namespace

int line_of(const MethodName& method, std::int32_t bci) {
  if (method.native) return kLineNative;
  if (bci < 0) return kLineUnknown;
  // Like HotSpot: the first entry of exactly this bci, else the last one below it.
  const auto at = std::ranges::lower_bound(method.lines, bci, {}, &LineEntry::bci);
  if (at != method.lines.end() && at->bci == bci) return at->line;
  return at == method.lines.begin() ? kLineUnknown : std::prev(at)->line;
}

NameId NameTable::add_class(std::string_view type_name) {
  return add(classes_, std::hash<std::string_view>()(type_name), type_name, &NameKeeper::add_class);
}

NameId NameTable::add_method(MethodName method) {
  const std::size_t hash = content_hash(method);
  return add(methods_, hash, std::move(method), &NameKeeper::add_method);
}

template <typename Name, typename Given, typename Keep>
NameId NameTable::add(Names<Name>& names, std::size_t hash, Given name, Keep keep) {
  std::size_t size = 0;
  NameId id = kUnknownName;
  {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = names.ids.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      auto& known = names.entries.at(at->second);
      if (known.name != name) continue;
      known.given_out = round_;
      return at->second;
    }
    id = names.next++;
    auto& added = names.entries[id];
    added = {Name(std::move(name)), round_};
    names.ids.emplace(hash, id);
    if (keeper_ != nullptr) (keeper_->*keep)(id, added.name);
    size = count();
  }
  growth_.grown_to(size);
  return id;
}

// Never destroyed: after an exit() by native code a report is written among static destructors.
const std::string& NameTable::class_name(NameId id) const {
  static const std::string& unknown = *new std::string("unknown");
  const std::lock_guard lock(mutex_);
  const auto found = classes_.entries.find(id);
  return found != classes_.entries.end() ? found->second.name : unknown;
}

const MethodName& NameTable::method(NameId id) const {
  static const MethodName& unknown = *new MethodName{"unknown", "unknown", "", "", false, {}};
  static const MethodName& left_out =
      *new MethodName{"", std::string(kFramesLeftOut), "", "", false, {}};
  if (id == kLeftOutName) return left_out;
  const std::lock_guard lock(mutex_);
  const auto found = methods_.entries.find(id);
  return found != methods_.entries.end() ? found->second.name : unknown;
}

void NameTable::set_keeper(NameKeeper& keeper) {
  const std::lock_guard lock(mutex_);
  keeper_ = &keeper;
  for (const auto& [id, entry] : classes_.entries) keeper.add_class(id, entry.name);
  for (const auto& [id, entry] : methods_.entries) keeper.add_method(id, entry.name);
}

std::size_t NameTable::size() const {
  const std::lock_guard lock(mutex_);
  return count();
}

std::shared_ptr<const void> NameTable::hold() const {
  const std::lock_guard lock(mutex_);
  ++holders_;
  return {this, [this](const void*) {
            const std::lock_guard in_deleter(mutex_);
            --holders_;
          }};
}

bool NameTable::keep_only(const std::function<bool(NamesInUse&)>& find) {
  {
    const std::lock_guard lock(mutex_);
    ++round_;
  }
  NamesInUse used;
  const bool found = find(used);
  const std::lock_guard lock(mutex_);
  if (!found || holders_ > 0) {
    growth_.postpone();
    return false;
  }
  const auto drop_from = [this](auto& names, const std::unordered_set<NameId>& kept) {
    const auto unused = [&](const auto& name) {
      return name.second.given_out < round_ && !kept.contains(name.first);
    };
    std::erase_if(names.ids, [&](auto& id) { return unused(*names.entries.find(id.second)); });
    std::erase_if(names.entries, unused);
  };
  drop_from(classes_, used.classes);
  drop_from(methods_, used.methods);
  if (keeper_ != nullptr) {
    keeper_->keep_only([this](NameId id) { return classes_.entries.contains(id); },
                       [this](NameId id) { return methods_.entries.contains(id); });
  }
  growth_.swept_to(count());
  return true;
}

}  // namespace ddm
