#include "report/page/page_names.h"

#include <algorithm>
#include <numeric>

#include "core/jvm_text.h"
#include "report/report_json.h"
#include "stack/names/jdk_classes.h"

namespace ddm {

PageNames::Name PageNames::add(Kind kind) {
  std::vector<std::uint32_t>& uses = numbered_[kind].uses;
  uses.push_back(0);
  return static_cast<Name>(uses.size() - 1) << kKindBits | kind;
}

PageNames::Name PageNames::frame_named(const std::string& text, const std::string& file, int line,
                                       char origin) {
  const PageFrame wanted{methods_.of(text), files_.of(file), line};
  if (wanted.name == origins_.size()) origins_ += origin;
  const std::uint64_t key = std::uint64_t{wanted.name} << 32 | static_cast<std::uint32_t>(line);
  std::vector<Name>& same = by_line_[key];
  for (const Name name : same) {
    if (frames_[name >> kKindBits].file == wanted.file) return name;
  }
  frames_.push_back(wanted);
  same.push_back(add(kFrame));
  return same.back();
}

PageNames::Name PageNames::frame(const Frame& frame) {
  const std::uint64_t key =
      std::uint64_t{frame.method} << 32 | static_cast<std::uint32_t>(frame.bci);
  const auto [known, fresh] = by_frame_.try_emplace(key, 0);
  if (fresh) {
    const PrintableMethod& method = names_.method(frame.method);
    const auto origin = static_cast<char>('0' + static_cast<int>(origin_of(method.class_name)));
    known->second = frame_named(method.qualified, method.file, names_.line(frame), origin);
  }
  return known->second;
}

PageNames::Name PageNames::frame(const std::string& class_name, const std::string& method,
                                 const std::string& file, int line) {
  const std::string type = printable(class_name), name = printable(method);
  const bool of_no_class = type.empty() || type == name;
  return frame_named(of_no_class ? name : type + "." + name, printable(file), line,
                     static_cast<char>('0' + static_cast<int>(origin_of(type))));
}

PageNames::Name PageNames::word(std::string_view text) {
  constexpr char kNoOrigin = '9';
  return frame_named(std::string(text), "", kLineUnknown, kNoOrigin);
}

PageNames::Name PageNames::class_of(NameId id) {
  const auto [known, fresh] = by_class_.try_emplace(id, 0);
  if (fresh) known->second = class_named(names_.class_name(id));
  return known->second;
}

PageNames::Name PageNames::class_named(const std::string& text) {
  const std::uint32_t at = class_texts_.of(text);
  return at < numbered_[kClass].uses.size() ? at << kKindBits | kClass : add(kClass);
}

PageNames::Name PageNames::thread(std::int64_t id, const std::string& name) {
  const auto [known, fresh] = by_thread_.try_emplace(std::to_string(id) + ' ' + name, 0);
  if (fresh) {
    threads_.emplace_back(id, printable(name));
    known->second = add(kThread);
  }
  return known->second;
}

void PageNames::rank() {
  for (Numbered& kind : numbered_) {
    kind.order.resize(kind.uses.size());
    std::iota(kind.order.begin(), kind.order.end(), 0);
    std::ranges::stable_sort(kind.order, std::greater<>(), [&](auto i) { return kind.uses[i]; });
    kind.places.resize(kind.uses.size());
    for (std::uint32_t place = 0; place < kind.order.size(); ++place) {
      kind.places[kind.order[place]] = place;
    }
  }
}

void PageNames::append_to(std::string& out) const {
  const auto texts = [&](std::string_view key, const std::vector<std::string>& list) {
    out.append(",\n\"").append(key).append("\":");
    append_json_array(out, list, [&](const std::string& text) { append_json_string(out, text); });
  };
  texts("names", methods_.list());
  out.append(",\n\"origins\":\"").append(origins_).append("\"");
  texts("files", files_.list());
  const auto column = [&](auto number_of) {
    append_json_array(out, numbered_[kFrame].order, [&](std::uint32_t frame) {
      append_json_number(out, static_cast<std::int64_t>(number_of(frames_[frame])));
    });
  };
  out += ",\n\"frames\":[";
  column([](const PageFrame& frame) { return frame.name; });
  out += ",\n";
  column([](const PageFrame& frame) { return frame.file; });
  out += ",\n";
  column([](const PageFrame& frame) { return frame.line; });
  out += "],\n\"classes\":";
  append_json_array(out, numbered_[kClass].order, [&](std::uint32_t type) {
    append_json_string(out, class_texts_.list()[type]);
  });
  out += ",\n\"thread_names\":";
  append_json_array(out, numbered_[kThread].order, [&](std::uint32_t thread) {
    out += '[';
    append_json_values(out, threads_[thread].first, threads_[thread].second);
    out += ']';
  });
}

}  // namespace ddm
