#include "serve/pprof_profile.h"

#include <zlib.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <protozero/pbf_writer.hpp>
#include <unordered_map>
#include <vector>

#include "core/deflate_sink.h"
#include "report/report_pieces.h"
#include "serve/pprof_fields.h"

namespace ddm {
namespace {

using protozero::pbf_writer;

// Fields of the messages (report_pprof.cpp has them all).
constexpr PprofFields::Tag kSampleType = 1, kSample = 2, kLocation = 4, kFunction = 5, kText = 6,
                           kTime = 9, kDuration = 10, kDefaultType = 14;

// A 128-bit hash of a stack; collisions are negligible.
struct Identity {
  std::uint64_t a = 0x9ae16a3b2f90404f, b = 0xc3a5c85c97cb3127;
  void add(std::uint64_t x, std::uint64_t y) {
    a = (a ^ x) * 0x9fb21c651e98df25;
    a ^= a >> 32;
    b = (b + y) * 0xd6e8feb86659fd93;
    b ^= b >> 29;
  }
  void add(const Identity& other) { add(other.a, other.b); }
  friend bool operator==(const Identity&, const Identity&) = default;
};
struct IdentityHash {
  std::size_t operator()(const Identity& id) const { return id.a; }
};

Identity identity_of(std::string_view text) {
  Identity id;
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  id.add(std::hash<std::string_view>()(text), sum);
  return id;
}

// A parsed profile, with the identities of its samples.
class ParsedProfile {
 public:
  // Only of the types of values whose names begin with `types`.
  explicit ParsedProfile(std::string_view bytes, std::string_view types = "") : bytes_(bytes) {
    for (PprofFields in = reader(); in.next();) {
      switch (in.tag()) {
        case kSampleType:
          types_.push_back(in.bytes());
          break;
        case kText:
          texts_.push_back(in.bytes());
          break;
        case kTime:
          time_ = static_cast<std::int64_t>(in.number());
          break;
        default:
          in.skip();
      }
    }
    for (const std::string_view type : type_names()) kept_.push_back(type.starts_with(types));
    for (const std::string_view text : texts_) text_ids_.push_back(ddm::identity_of(text));
    for (PprofFields in = reader(); in.next(kFunction);) add_function(in.message());
    for (PprofFields in = reader(); in.next(kLocation);) add_location(in.message());
  }

  PprofFields reader() const { return PprofFields(bytes_); }
  bool keeps_type(std::size_t number) const { return kept_.at(number); }
  std::int64_t time() const { return time_; }
  std::size_t texts() const { return texts_.size(); }
  std::uint64_t last_location() const { return last_location_; }
  std::uint64_t last_function() const { return last_function_; }

  std::vector<std::string_view> type_names() const {
    std::vector<std::string_view> names;
    for (const std::string_view type : types_) {
      for (PprofFields in(type); in.next(1);) names.push_back(texts_.at(in.number()));
    }
    return names;
  }

  struct Sample {
    std::string_view message;
    Identity identity;
    std::vector<std::int64_t> values;
  };
  Sample sample(std::string_view message) const {
    Sample sample{message, {}, {}};
    std::size_t type = 0;
    for (PprofFields in(message); in.next();) {
      if (in.tag() == 1) {
        in.each_number([&](std::uint64_t id) { sample.identity.add(locations_.at(id)); });
      } else if (in.tag() == 2) {
        in.each_number([&](std::uint64_t value) {
          if (keeps_type(type++)) sample.values.push_back(static_cast<std::int64_t>(value));
        });
      } else if (in.tag() == 3) {
        sample.identity.add(identity_of_texts(in.message(), 1, 2));
      } else {
        in.skip();
      }
    }
    return sample;
  }

 private:
  // The identity of the text fields `first` to `last` of a message.
  Identity identity_of_texts(PprofFields in, PprofFields::Tag first, PprofFields::Tag last) const {
    Identity id;
    while (in.next()) {
      if (in.tag() >= first && in.tag() <= last) {
        id.add(in.tag(), 1);
        id.add(text_ids_.at(in.number()));
      } else {
        in.skip();
      }
    }
    return id;
  }
  void add_function(PprofFields message) {
    std::uint64_t number = 0;
    for (PprofFields in = message; in.next(1);) number = in.number();
    functions_[number] = identity_of_texts(message, 2, 4);
    last_function_ = std::max(last_function_, number);
  }
  void add_location(PprofFields in) {
    std::uint64_t number = 0;
    Identity id;
    while (in.next()) {
      if (in.tag() == 1) {
        number = in.number();
      } else if (in.tag() == 4) {
        for (PprofFields line = in.message(); line.next();) {
          if (line.tag() == 1) {
            id.add(functions_.at(line.number()));
          } else {
            const std::uint64_t at = line.number();
            id.add(at, at);
          }
        }
      } else {
        in.skip();
      }
    }
    locations_[number] = id;
    last_location_ = std::max(last_location_, number);
  }

  const std::string_view bytes_;
  std::vector<std::string_view> types_, texts_;
  std::vector<bool> kept_;  // by type
  std::vector<Identity> text_ids_;
  std::unordered_map<std::uint64_t, Identity> functions_, locations_;
  std::uint64_t last_location_ = 0, last_function_ = 0;
  std::int64_t time_ = 0;
};

// Added to the ids of a profile's texts, functions and locations when they are appended to another
// profile.
struct IdOffsets {
  std::uint64_t texts = 0, functions = 0, locations = 0;
  std::uint64_t text(std::uint64_t number) const { return number == 0 ? 0 : number + texts; }
};

void add_bytes(pbf_writer& out, PprofFields::Tag tag, std::string_view bytes) {
  out.add_bytes(tag, bytes.data(), bytes.size());
}

void add_shifted_function(pbf_writer& out, PprofFields in, const IdOffsets& offsets) {
  pbf_writer function(out, kFunction);
  while (in.next()) {
    const auto tag = in.tag();
    const std::uint64_t value = in.number();
    const bool is_text = tag >= 2 && tag <= 4;
    function.add_uint64(tag, tag == 1  ? value + offsets.functions
                             : is_text ? offsets.text(value)
                                       : value);
  }
}

// Without the mapping: a Java frame has no binary.
void add_shifted_location(pbf_writer& out, PprofFields in, const IdOffsets& offsets) {
  pbf_writer location(out, kLocation);
  while (in.next()) {
    if (in.tag() == 1) {
      location.add_uint64(1, in.number() + offsets.locations);
    } else if (in.tag() == 3) {
      location.add_uint64(3, in.number());  // the address
    } else if (in.tag() == 4) {
      pbf_writer line(location, 4);
      for (PprofFields fields = in.message(); fields.next();) {
        const auto tag = fields.tag();
        line.add_uint64(tag, fields.number() + (tag == 1 ? offsets.functions : 0));
      }
    } else {
      in.skip();
    }
  }
}

void add_sample(pbf_writer& out, const ParsedProfile::Sample& sample,
                const std::vector<std::int64_t>& values, const IdOffsets& offsets) {
  pbf_writer written(out, kSample);
  std::vector<std::uint64_t> stack;
  for (PprofFields in(sample.message); in.next();) {
    if (in.tag() == 1) {
      in.each_number([&](std::uint64_t id) { stack.push_back(id + offsets.locations); });
    } else if (in.tag() == 3) {
      pbf_writer label(written, 3);
      for (PprofFields fields = in.message(); fields.next();) {
        const auto tag = fields.tag();
        const std::uint64_t value = fields.number();
        label.add_uint64(tag, tag == 3 ? value : offsets.text(value));  // 3: a number
      }
    } else {
      in.skip();
    }
  }
  written.add_packed_uint64(1, stack.begin(), stack.end());
  written.add_packed_int64(2, values.begin(), values.end());
}

bool any(const std::vector<std::int64_t>& values) {
  return std::ranges::any_of(values, [](std::int64_t value) { return value != 0; });
}

using Values = std::vector<std::int64_t>;
void add_to(Values& sum, const Values& more, std::int64_t sign) {
  sum.resize(std::max(sum.size(), more.size()));
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += sign * more[i];
}

// Sites of one line and class are several samples with one identity.
using ValuesByIdentity = std::unordered_map<Identity, Values, IdentityHash>;
void add_samples(ValuesByIdentity& sums, const ParsedProfile& profile, std::int64_t sign) {
  for (PprofFields in = profile.reader(); in.next(kSample);) {
    const auto sample = profile.sample(in.bytes());
    add_to(sums[sample.identity], sample.values, sign);
  }
}

std::string difference(std::string_view old_bytes, std::string_view new_bytes, std::int64_t nanos,
                       std::string_view types) {
  const ParsedProfile before(old_bytes, types), after(new_bytes, types);
  ValuesByIdentity changes;
  add_samples(changes, before, -1);
  add_samples(changes, after, 1);
  std::erase_if(changes, [](const auto& change) { return !any(change.second); });
  std::string result;
  pbf_writer out(result);
  // A change stands at the first sample of its identity.
  const auto add_change = [&](const ParsedProfile::Sample& sample, const IdOffsets& offsets) {
    const auto change = changes.find(sample.identity);
    if (change == changes.end()) return;
    add_sample(out, sample, change->second, offsets);
    changes.erase(change);
  };
  std::size_t type = 0;
  for (PprofFields in = after.reader(); in.next();) {
    if (in.tag() == kSample) {
      add_change(after.sample(in.bytes()), {});
    } else if (in.tag() == kSampleType && !after.keeps_type(type++)) {
      in.skip();
    } else if (in.tag() == kTime || in.tag() == kDuration) {
      in.skip();
    } else if (const auto tag = in.tag(); in.is_number()) {
      out.add_uint64(tag, in.number());
    } else {
      add_bytes(out, tag, in.bytes());
    }
  }
  // Stacks that only `before` has: a report that grows too large merges the rarest ones.
  if (!changes.empty()) {
    const IdOffsets offsets{after.texts(), after.last_function(), after.last_location()};
    for (PprofFields in = before.reader(); in.next();) {
      if (in.tag() == kText) {
        add_bytes(out, kText, in.bytes());
      } else if (in.tag() == kFunction) {
        add_shifted_function(out, in.message(), offsets);
      } else if (in.tag() == kLocation) {
        add_shifted_location(out, in.message(), offsets);
      } else if (in.tag() == kSample) {
        add_change(before.sample(in.bytes()), offsets);
      } else {
        in.skip();
      }
    }
  }
  out.add_int64(kTime, after.time());
  out.add_int64(kDuration, nanos);
  return result;
}

// PprofFields, and at() above, throw on damaged data.
template <typename Read>
Result<std::string> read_or_error(Read read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    return Error{"the target's profile is damaged"};
  }
}

}  // namespace

Result<std::string> unzipped(std::string_view packed, std::size_t most) {
  std::string out;
  std::string_view rest;
  const auto take = [&](std::string_view piece) {
    out += piece;
    return out.size() <= most;
  };
  const bool whole = inflate_pieces(DeflateSink::Format::kGzip, packed, take, &rest);
  if (out.size() > most) return Error{"it is too large"};
  if (!whole) return Error{"it is damaged"};
  if (!rest.empty()) return Error{"a second one begins in it"};
  return out;
}

std::string zipped(std::string_view bytes) {
  std::string out;
  DeflateSink gzip(DeflateSink::Format::kGzip, Z_DEFAULT_COMPRESSION, into(out));
  gzip.add(bytes);
  gzip.finish();
  return out;
}

Result<std::string> with_default_type(std::string profile, std::string_view type) {
  return read_or_error([&]() -> Result<std::string> {
    const ParsedProfile read(profile);
    const auto names = read.type_names();
    if (std::ranges::find(names, type) == names.end()) return Error{"the profile has no such type"};
    std::uint64_t number = 0;
    for (PprofFields in = read.reader(); in.next(kText);) {
      if (in.bytes() == type) break;
      ++number;
    }
    // Of a protobuf field that occurs twice, the last one counts.
    std::string out = profile;
    pbf_writer(out).add_uint64(kDefaultType, number);
    return out;
  });
}

Result<std::string> pprof_difference(std::string_view before, std::string_view after,
                                     std::int64_t nanos, std::string_view types) {
  return read_or_error([&]() -> Result<std::string> {
    if (ParsedProfile(before).type_names() != ParsedProfile(after).type_names()) {
      return Error{"what the program counts has changed meanwhile"};
    }
    return difference(before, after, nanos, types);
  });
}

}  // namespace ddm
