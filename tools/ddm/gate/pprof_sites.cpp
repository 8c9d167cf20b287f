#include "gate/pprof_sites.h"

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>

#include "report/report_names.h"
#include "report/report_words.h"
#include "serve/pprof_fields.h"
#include "serve/pprof_profile.h"
#include "stack/names/name_table.h"

namespace ddm {
namespace {

constexpr std::size_t kMaxProfileBytes = std::size_t{1} << 30;

// The number in field `tag` of a message; by default protobuf's default, if it is missing.
std::uint64_t number_of_message(PprofFields message, PprofFields::Tag tag,
                                std::uint64_t missing = 0) {
  return message.next(tag) ? message.number() : missing;
}

class ProfileSites {
 public:
  explicit ProfileSites(std::string_view profile) {
    for (PprofFields in(profile); in.next();) take(in);
  }

  // Why the figures cannot be compared; none: they can.
  std::optional<std::string> unfit() const {
    if (types_.size() < 2 || text(types_[0]) != "alloc_objects" ||
        text(types_[1]) != "alloc_space") {
      return "it has no allocations in it";
    }
    if (comment(kPprofEstimated)) {
      return "its figures are estimates (interval=), which are other ones each time";
    }
    if (comment(kLowerBounds)) return std::string("its figures are ").append(kLowerBounds);
    if (comment(kPprofRecentOnly)) return "it was written with sites=0";
    return {};
  }

  PprofSites sites() const {
    PprofSites result;
    result.vm = comment(kPprofVm).value_or("");
    for (const std::string_view sample : samples_) result.sites.push_back(site(sample));
    return result;
  }

 private:
  void take(PprofFields& field) {
    switch (field.tag()) {
      case 1:
        types_.push_back(number_of_message(field.message(), 1));
        break;
      case 2:
        samples_.push_back(field.bytes());
        break;
      case 4:
        take_location(field.message());
        break;
      case 5:
        take_function(field.message());
        break;
      case 6:
        texts_.push_back(field.bytes());
        break;
      case 13:
        field.each_number([this](std::uint64_t index) { comments_.push_back(index); });
        break;
      default:
        field.skip();
    }
  }

  struct Location {
    std::uint64_t function = 0;
    int line = kLineUnknown;
  };
  void take_location(PprofFields message) {
    Location& place = locations_[number_of_message(message, 1)];
    if (!message.next(4)) return;
    const PprofFields line = message.message();
    place = {number_of_message(line, 1),
             static_cast<int>(number_of_message(line, 2, kLineUnknown))};
  }

  struct Function {
    std::uint64_t name = 0, file = 0;
  };
  void take_function(const PprofFields& message) {
    functions_[number_of_message(message, 1)] = {number_of_message(message, 2),
                                                 number_of_message(message, 4)};
  }

  std::string_view text(std::uint64_t index) const { return texts_.at(index); }

  // What follows `head` in a comment.
  std::optional<std::string> comment(std::string_view head) const {
    for (const std::uint64_t index : comments_) {
      if (text(index).starts_with(head)) return std::string(text(index).substr(head.size()));
    }
    return {};
  }

  // The innermost entry of a stack is the class.
  Json site(std::string_view sample) const {
    std::vector<std::uint64_t> stack;
    std::vector<std::int64_t> values;
    std::string_view class_name;
    for (PprofFields in(sample); in.next();) {
      if (in.tag() == 1) {
        in.each_number([&](std::uint64_t id) { stack.push_back(id); });
      } else if (in.tag() == 2) {
        in.each_number(
            [&](std::uint64_t value) { values.push_back(static_cast<std::int64_t>(value)); });
      } else if (in.tag() == 3) {
        const PprofFields label = in.message();
        if (text(number_of_message(label, 1)) == "class") {
          class_name = text(number_of_message(label, 2));
        }
      } else {
        in.skip();
      }
    }
    auto frames = std::span(stack).subspan(stack.empty() ? 0 : 1);
    const bool cut = !frames.empty() && name_of(frames.back()) == kDeeperFramesCut;
    if (cut) frames = frames.first(frames.size() - 1);
    Json site = {{"class", json_text(class_name)},
                 {"count", values.at(0)},
                 {"bytes", values.at(1)},
                 {"stack", json_list(frames, [this](std::uint64_t id) { return frame(id); })}};
    if (cut) site["truncated"] = true;
    return site;
  }

  std::string_view name_of(std::uint64_t location) const {
    return text(functions_.at(locations_.at(location).function).name);
  }

  Json frame(std::uint64_t location) const {
    const Location& place = locations_.at(location);
    const Function& function = functions_.at(place.function);
    const std::string_view name = text(function.name), file = text(function.file);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return frame_json("", name, file, place.line);
    return frame_json(name.substr(0, dot), name.substr(dot + 1), file, place.line);
  }

  std::vector<std::uint64_t> types_, comments_;
  std::vector<std::string_view> samples_, texts_;
  std::unordered_map<std::uint64_t, Location> locations_;
  std::unordered_map<std::uint64_t, Function> functions_;
};

}  // namespace

// PprofFields, and at() above, throw on damaged data.
Result<PprofSites> read_pprof_sites(std::string_view gzipped) {
  const auto profile = unzipped(gzipped, kMaxProfileBytes);
  if (!profile) return Error{profile.message()};
  try {
    const ProfileSites sites(*profile);
    if (auto wrong = sites.unfit()) return Error{*wrong};
    return sites.sites();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return Error{"it is damaged"};
  }
}

}  // namespace ddm
