#include <zlib.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/jvm_text.h"
#include "report_sample.h"

using namespace ddm;

namespace {

std::string unpacked(const std::string& gzip) {
  z_stream z{};
  REQUIRE(inflateInit2(&z, 15 + 16) == Z_OK);
  std::string result(1 << 20, 0);
  std::string in = gzip;
  z.next_in = reinterpret_cast<Bytef*>(in.data());
  z.avail_in = static_cast<uInt>(in.size());
  z.next_out = reinterpret_cast<Bytef*>(result.data());
  z.avail_out = static_cast<uInt>(result.size());
  REQUIRE(inflate(&z, Z_FINISH) == Z_STREAM_END);
  result.resize(z.total_out);
  inflateEnd(&z);
  return result;
}

// Fields of a message by number; integers as text.
struct Message {
  std::multimap<std::uint64_t, std::string> texts;
  std::multimap<std::uint64_t, std::uint64_t> integers;

  std::vector<std::string> all(std::uint64_t field) const {
    std::vector<std::string> result;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) result.push_back(at->second);
    return result;
  }
  std::uint64_t integer(std::uint64_t field) const {
    const auto at = integers.find(field);
    return at == integers.end() ? 0 : at->second;
  }
};

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    REQUIRE(at < bytes.size());
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

Message parsed_message(const std::string& bytes) {
  Message message;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t tag = varint(bytes, at), value = varint(bytes, at);
    if (tag % 8 == 0) {
      message.integers.emplace(tag / 8, value);
      continue;
    }
    REQUIRE(tag % 8 == 2);
    REQUIRE(value <= bytes.size() - at);
    message.texts.emplace(tag / 8, bytes.substr(at, value));
    at += value;
  }
  return message;
}

std::vector<std::uint64_t> packed(const std::string& bytes) {
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at < bytes.size();) values.push_back(varint(bytes, at));
  return values;
}

}  // namespace

TEST_CASE("The pprof report has each stack with its class, lines, objects and bytes") {
  ReportSample sample;
  const Frame inner = sample.frame("a.B", "make", "B.java", 12);
  const Frame outer = sample.frame("a.B", "main", "B.java", 30);
  sample.add("a.Item", 24, 1, {inner, outer});
  sample.add("int[]", 40, 1, {outer}, kStackTruncated);
  const Message profile = parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
  const Message period = parsed_message(profile.all(11).at(0));
  CHECK(profile.all(6)[period.integer(1)] == "space");
  CHECK(profile.all(6)[period.integer(2)] == "bytes");
  CHECK(profile.integer(12) == 1);

  const std::vector<std::string> texts = profile.all(6);
  REQUIRE_FALSE(texts.empty());
  CHECK(texts[0].empty());
  std::vector<std::string> types;
  for (const std::string& bytes : profile.all(1)) {
    const Message type = parsed_message(bytes);
    types.push_back(texts[type.integer(1)] + "/" + texts[type.integer(2)]);
  }
  CHECK(types == std::vector<std::string>{"alloc_objects/count", "alloc_space/bytes"});
  CHECK(texts[profile.integer(14)] == "alloc_space");

  std::map<std::uint64_t, std::string> functions, locations;
  for (const std::string& bytes : profile.all(5)) {
    const Message function = parsed_message(bytes);
    functions[function.integer(1)] = texts[function.integer(2)] + " " + texts[function.integer(4)];
  }
  for (const std::string& bytes : profile.all(4)) {
    const Message location = parsed_message(bytes);
    REQUIRE(location.all(4).size() == 1);
    const Message line = parsed_message(location.all(4)[0]);
    locations[location.integer(1)] =
        functions.at(line.integer(1)) + ":" + std::to_string(line.integer(2));
  }
  std::multimap<std::string, std::vector<std::uint64_t>> samples;
  for (const std::string& bytes : profile.all(2)) {
    const Message one = parsed_message(bytes);
    std::string stack;
    for (const std::uint64_t id : packed(one.all(1).at(0))) stack += locations.at(id) + "; ";
    const Message label = parsed_message(one.all(3).at(0));
    CHECK(texts[label.integer(1)] == "class");
    stack += texts[label.integer(2)];
    samples.emplace(stack, packed(one.all(2).at(0)));
  }
  const std::multimap<std::string, std::vector<std::uint64_t>> expected = {
      {"a.Item_[new] :0; a.B.make B.java:12; a.B.main B.java:30; a.Item", {1, 24}},
      {"int[]_[new] :0; a.B.main B.java:30; [deeper frames cut] :0; int[]", {1, 40}}};
  CHECK(samples == expected);
}

TEST_CASE("All texts of a pprof report are UTF-8, as proto3 wants") {
  const auto sample = hostile_sample();
  const MethodName method{"a.B", "m", "(La/\xED\xA0\xBD;)V", "B.java", false, {}};
  sample->add("a.Item", 24, 1, {{sample->names.add_method(method), 0}});
  sample->data.summary.vm = "a VM \xC0\x80";
  const Message profile =
      parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample->data)));
  for (const std::string& text : profile.all(6)) CHECK(utf8_of(text) == text);
}

TEST_CASE("A place in the code has an address of its own, the same in each pprof report") {
  const auto addresses_of = [](bool first_more) {
    ReportSample sample;
    if (first_more) sample.add("a.Other", 24, 1, {sample.frame("a.C", "run", "C.java", 3)});
    const Frame inner = sample.frame("a.B", "make", "B.java", 12);
    const Frame outer = sample.frame("a.B", "make", "B.java", 13);
    sample.add("a.Item", 24, 1, {inner, outer}, kStackTruncated);
    const Message profile =
        parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
    std::map<std::uint64_t, std::uint64_t> by_id;
    for (const std::string& bytes : profile.all(4)) {
      const Message location = parsed_message(bytes);
      by_id[location.integer(1)] = location.integer(3);
    }
    std::vector<std::uint64_t> addresses;
    for (const std::string& bytes : profile.all(2)) {
      const auto ids = packed(parsed_message(bytes).all(1).at(0));
      if (ids.size() != 4) continue;  // the class, two frames, and those that are cut
      for (const std::uint64_t id : ids) addresses.push_back(by_id.at(id));
    }
    return addresses;
  };
  const std::vector<std::uint64_t> addresses = addresses_of(false);
  CHECK(std::set(addresses.begin(), addresses.end()).size() == 4);
  CHECK(addresses == addresses_of(true));
}

TEST_CASE("A pprof report of samples says so and has the interval as its period") {
  ReportSample sample;
  sample.data.summary.interval = 4096;
  sample.add("a.Item", 16, 1, {sample.frame("a.B", "make", "B.java", 12)}, 0, 256);
  const Message profile = parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
  CHECK(profile.integer(12) == 4096);
  CHECK(packed(parsed_message(profile.all(2).at(0)).all(2).at(0)) ==
        std::vector<std::uint64_t>{256, 4096});
  CHECK(profile.all(6)[profile.integer(13)].find("estimated") == 0);
}

TEST_CASE("Samples of a pprof report are rounded together, each stack once") {
  ReportSample sample;
  sample.data.summary.interval = 524'288;
  constexpr int kStacks = 100;
  for (int i = 0; i < 4 * kStacks; ++i) {
    const Frame frame = sample.frame("a.B", "make", "B.java", i % kStacks + 1);
    sample.add("byte[]", 450'000, 1, {frame}, 0, 1.32f);
  }
  const Message profile = parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
  CHECK(profile.all(2).size() == kStacks);
  std::uint64_t count = 0, bytes = 0;
  for (const std::string& one : profile.all(2)) {
    const auto values = packed(parsed_message(one).all(2).at(0));
    CHECK((values.at(0) == 5 || values.at(0) == 6));
    count += values.at(0);
    bytes += values.at(1);
  }
  CHECK(count == 528);
  CHECK(bytes / 1000 == 528 * 450);
}

TEST_CASE("A pprof report of time alone has CPU, or methods, or waiting") {
  ReportSample sample;
  const Frame run = sample.frame("a.Main", "run", "Main.java", 7);
  const NameId till = sample.names.add_class("shop.Till");
  TimeData& time = sample.data.time;
  const auto check = [&](const std::vector<std::string>& words, std::uint64_t period,
                         const std::vector<std::uint64_t>& values) {
    const Message profile =
        parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
    const std::vector<std::string> texts = profile.all(6);
    std::vector<std::string> types;
    for (const std::string& bytes : profile.all(1)) {
      types.push_back(texts[parsed_message(bytes).integer(1)]);
    }
    CHECK(types == words);
    CHECK(texts[profile.integer(14)] == words[1]);
    CHECK(profile.integer(12) == period);
    REQUIRE(profile.all(2).size() == 1);
    const Message one = parsed_message(profile.all(2)[0]);
    CHECK(packed(one.all(2).at(0)) == values);
    CHECK(packed(one.all(1).at(0)).size() == 1);
    std::vector<std::string> labels;
    for (const std::string& bytes : one.all(3))
      labels.push_back(texts[parsed_message(bytes).integer(2)]);
    return labels;
  };
  time.monitor_on = true;
  time.monitors = {{MonitorKind::kPark, till, 4, 1'234'567, {run}, false},
                   {MonitorKind::kPin, kUnknownName, 1, 1'000, {run}, false}};
  CHECK(check({"contentions", "delay"}, 1, {4, 1'234'567}) ==
        std::vector<std::string>{"park", "shop.Till"});
  time.locks_ns = 3'000'000'000;
  time.methods_ns = 4'000'000'000;
  sample.data.summary.written_ms = 10'000;
  const auto moments = [&sample] {
    const Message profile =
        parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
    return std::pair(profile.integer(9), profile.integer(10));
  };
  CHECK(moments() == std::pair<std::uint64_t, std::uint64_t>(7'000'000'000, 3'000'000'000));
  time.methods = {{"a.Main", "run", "()V", 3, 0, 900, 800, 0, run.method}};
  time.method_paths = {{MethodPath::kNoCaller, 0, 3, 900, 800}};
  CHECK(check({"calls", "time"}, 1, {3, 800}).empty());
  CHECK(moments() == std::pair<std::uint64_t, std::uint64_t>(6'000'000'000, 4'000'000'000));
  time.sampler.emplace();
  time.sampler->requested_ns = 10'000'000;
  time.sampler->on_ns = 5'000'000'000;
  time.samples = {{7, "main", {run}, false}};
  CHECK(check({"samples", "cpu"}, 10'000'000, {7, 70'000'000}).empty());
  time.samples = {{7, "main", {}, false}};  // without a location readers refuse it or leave it out
  CHECK(check({"samples", "cpu"}, 10'000'000, {7, 70'000'000}).empty());
  const Message profile = parsed_message(unpacked(whole_report(ReportFormat::kPprof, sample.data)));
  CHECK(profile.integer(10) == 5'000'000'000);
}
