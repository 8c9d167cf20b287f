#include "report/hprof/hprof_binary.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "report_sample.h"

namespace ddm {
namespace {

class Fields {
 public:
  explicit Fields(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t integer(std::size_t size) {
    REQUIRE(at_ + size <= bytes_.size());
    std::uint64_t value = 0;
    while (size-- > 0) value = value << 8 | static_cast<unsigned char>(bytes_[at_++]);
    return value;
  }
  std::string rest() { return bytes_.substr(std::exchange(at_, bytes_.size())); }
  std::string part(std::size_t size) {
    REQUIRE(at_ + size <= bytes_.size());
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  bool done() const { return at_ == bytes_.size(); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct SiteRow {
  std::uint64_t element, live_bytes, live_count, bytes, count;
  std::string type;
  std::vector<std::string> stack;
};

// A stream as a reader takes it: what a record refers to must have come before.
struct Stream {
  std::map<std::uint64_t, std::string> texts;
  std::map<std::uint64_t, std::string> types;  // by serial
  std::map<std::uint64_t, std::string> frames;
  std::map<std::uint64_t, std::vector<std::string>> traces;
  std::vector<int> tags;
  std::vector<SiteRow> sites;
  std::uint64_t flags = 0, live_bytes = 0, bytes = 0, count = 0;
  float cutoff = -1;

  void read(const std::string& records) {
    Fields all(records);
    while (!all.done()) {
      const auto tag = static_cast<int>(all.integer(1));
      all.integer(4);
      Fields body(all.part(all.integer(4)));
      tags.push_back(tag);
      record(tag, body);
      CHECK(body.done());
    }
  }

 private:
  void record(int tag, Fields& body) {
    if (tag == 0x01) {
      const auto id = body.integer(8);
      REQUIRE(texts.count(id) == 0);
      texts[id] = body.rest();
    } else if (tag == 0x02) {
      const auto serial = body.integer(4);
      body.integer(8);
      REQUIRE(traces.count(body.integer(4)) == 1);
      REQUIRE(types.count(serial) == 0);
      types[serial] = texts.at(body.integer(8));
    } else if (tag == 0x04) {
      const auto id = body.integer(8);
      std::string method = texts.at(body.integer(8));
      method += texts.at(body.integer(8));
      const auto file = body.integer(8);
      const std::string type = types.at(body.integer(4));
      const auto line = static_cast<std::int32_t>(body.integer(4));
      frames[id] = type + "." + method + " " + (file == 0 ? "" : texts.at(file)) + ":" +
                   std::to_string(line);
    } else if (tag == 0x05) {
      const auto serial = body.integer(4);
      CHECK(body.integer(4) == 0);  // a thread's serial would make it that thread's stack
      REQUIRE(traces.count(serial) == 0);
      auto& stack = traces[serial];
      for (auto n = body.integer(4); n > 0; --n) stack.push_back(frames.at(body.integer(8)));
    } else if (tag == 0x06) {
      flags = body.integer(2);
      cutoff = std::bit_cast<float>(static_cast<std::uint32_t>(body.integer(4)));
      live_bytes = body.integer(4);
      body.integer(4);
      bytes = body.integer(8);
      count = body.integer(8);
      for (auto n = body.integer(4); n > 0; --n) {
        SiteRow row;
        row.element = body.integer(1);
        row.type = types.at(body.integer(4));
        row.stack = traces.at(body.integer(4));
        row.live_bytes = body.integer(4);
        row.live_count = body.integer(4);
        row.bytes = body.integer(4);
        row.count = body.integer(4);
        sites.push_back(row);
      }
    } else {
      body.rest();
    }
  }
};

}  // namespace

TEST_CASE("the binary sites have every class and stack, and no figure wraps round") {
  ReportSample sample;
  const Frame make = sample.frame("a.Maker", "make", "Maker.java", 12);
  const Frame main = sample.frame("a.Main", "main", "", kLineUnknown);
  const Frame native = sample.frame("java.lang.Object", "clone", "Object.java", kLineNative);
  sample.add("long[]", std::int64_t{70} << 26, 1, {make, main});
  sample.add("a.B[][]", 20, 1, {native, main});
  sample.add("a.C", 10, 1, {});
  ReportNames names(&sample.names);
  const HprofSites sites(sample.data, names, {});
  HprofBinary writer(1000);
  writer.sites(sites, names, kHprofByAllocation, 0.25f, 1000);
  Stream stream;
  stream.read(writer.take());
  CHECK(stream.flags == 2);
  CHECK(stream.cutoff == 0.25f);
  CHECK(stream.bytes == 4697620480u + 30);
  CHECK(stream.count == 3);
  REQUIRE(stream.sites.size() == 3);
  CHECK(stream.sites[0].type == "[J");
  CHECK(stream.sites[0].element == 11);
  CHECK(stream.sites[0].bytes == 0xFFFFFFFF);
  CHECK(stream.sites[0].count == 1);
  CHECK(stream.sites[0].stack ==
        std::vector<std::string>{"a/Maker.make()V Maker.java:12", "a/Main.main()V :-1"});
  CHECK(stream.sites[1].type == "[[La/B;");
  CHECK(stream.sites[1].element == 2);
  CHECK(stream.sites[1].bytes == 20);
  CHECK(stream.sites[1].stack[0] == "java/lang/Object.clone()V Object.java:-3");
  CHECK(stream.sites[2].element == 0);
  CHECK(stream.sites[2].stack.empty());

  // A second table in the same stream repeats nothing but itself.
  const std::size_t told = stream.tags.size();
  writer.sites(sites, names, 0, 0, 2000);
  stream.read(writer.take());
  CHECK(stream.tags.size() == told + 1);
  CHECK(stream.sites.size() == 6);
}

TEST_CASE("the binary header, settings, summary and threads are laid out as readers expect") {
  HprofBinary writer(0x123456789A);
  CHECK(writer.header() ==
        std::string("JAVA PROFILE 1.0.2\0\0\0\0\10\0\0\0\x12\x34\x56\x78\x9A", 31));
  writer.settings({true, false, 8});
  CHECK(writer.take() == std::string("\x0E\0\0\0\0\0\0\0\6\0\0\0\1\0\10", 15));
  HprofSite totals;
  totals.bytes = std::int64_t{5} << 32;
  totals.count = 7;
  writer.heap_summary(totals, 0x123456789A + 1);
  CHECK(writer.take() == std::string("\x07\0\0\x03\xE8\0\0\0\x18"
                                     "\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\7",
                                     33));
  writer.thread_start(1, "main", "main");
  writer.thread_end(1);
  Stream stream;
  stream.read(writer.take());
  CHECK(stream.tags.back() == 0x0B);
  CHECK(std::count(stream.tags.begin(), stream.tags.end(), 0x0A) == 1);
}

TEST_CASE("class names are those of class files") {
  CHECK(internal_class_name("a.b.C$D") == "a/b/C$D");
  CHECK(internal_class_name("int[]") == "[I");
  CHECK(internal_class_name("boolean[][]") == "[[Z");
  CHECK(internal_class_name("a.B[][]") == "[[La/B;");
  CHECK(hprof_element_type("boolean[]") == 4);
  CHECK(hprof_element_type("byte[]") == 8);
  CHECK(hprof_element_type("int[][]") == 2);
  CHECK(hprof_element_type("a.B") == 0);
}

}  // namespace ddm
