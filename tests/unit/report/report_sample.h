// A small record set whose every sum can be done in the head. Shared by the report tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/report_pieces.h"

namespace ddm {

// The pieces of a report put together.
inline std::string whole_report(ReportFormat format, const ReportData& data) {
  std::string whole;
  report_as(format, data, into(whole));
  return whole;
}

struct ReportSample {
  NameTable names;
  ReportData data;

  ReportSample() { data.names = &names; }

  Frame frame(const std::string& type, const std::string& method, const std::string& file,
              int line) {
    MethodName name{type, method, "()V", file, line == kLineNative, {}};
    if (line >= 0) name.lines = {{0, 1}, {4, static_cast<std::uint16_t>(line)}};
    return {names.add_method(std::move(name)), line == kLineNative ? kNativeFrameBci : 5};
  }

  // seq counts from 1, time_ms = step_ms * seq.
  std::int64_t step_ms = 1000;
  void add(const std::string& type, std::int64_t size, std::int64_t thread,
           const std::vector<Frame>& frames, std::uint16_t flags = 0, float weight = 1) {
    AllocRecord record;
    record.seq = ++last_seq_;
    record.time_ms = step_ms * static_cast<std::int64_t>(last_seq_);
    record.size = size;
    record.thread_id = thread;
    record.class_id = names.add_class(type);
    record.flags = flags;
    record.weight = weight;
    data.records.append_newer(record, frames);
  }

 private:
  std::uint64_t last_seq_ = 0;
};

// Four records, 200 bytes: two byte[] of 64 from one site, an Integer of 16, and a 56-byte array
// without a frame.
inline std::unique_ptr<ReportSample> small_sample() {
  auto sample = std::make_unique<ReportSample>();
  const Frame run = sample->frame("a.Main", "run", "Main.java", 7);
  const Frame make = sample->frame("a.b.Maker", "make", "Maker.java", 42);
  const Frame clone = sample->frame("java.lang.Object", "clone", "Object.java", kLineNative);
  const Frame hidden = sample->frame("a.Main$$Lambda/0x12", "get", "", kLineUnknown);
  sample->add("byte[]", 64, 1, {make, run});
  sample->add("byte[]", 64, 2, {make, run}, kStackTruncated);
  sample->add("java.lang.Integer", 16, 1, {clone, hidden, run});
  sample->add("int[][]", 56, 3, {});
  sample->data.thread_names = {{1, "main"}, {2, "worker"}};
  ReportSummary& s = sample->data.summary;
  s.pid = 4711;
  s.app = "app.jar";
  s.vm = "OpenJDK 64-Bit Server VM 17.0.15+6";
  s.engine = "bci";
  s.walker = "jvmti";
  s.walks.gave_up = {{"virtual thread", 5}};
  s.walks.compared = 128;
  s.seen = 1234567;
  s.seen_bytes = 3000000;
  s.dropped = 2;
  s.dropped_reasons = {{"ring busy", 2}};
  s.allocated_bytes = 2200;
  s.unattributed_bytes = 1000;
  s.virtual_thread_stack_bytes = 400;
  s.threads = {{1, "main", 1500, 500}, {2, "worker", 700, 700}};
  s.classes_rewritten = 812;
  s.classes_skipped = {{"not modifiable", 3}};
  s.methods_skipped = {{"too large", 1}};
  s.methods_running = {"shop.Shop.serve"};
  s.tracked_ms = 12345;
  s.written_ms = 1714564800123;
  s.reason = "exit";
  return sample;
}

// Three samples that stand for 130.25 allocations and 4,624 bytes: two Integers, one array.
inline std::unique_ptr<ReportSample> sampled_sample() {
  auto sample = std::make_unique<ReportSample>();
  const Frame run = sample->frame("a.Main", "run", "Main.java", 7);
  sample->add("java.lang.Integer", 16, 1, {run}, 0, 64.5f);
  sample->add("java.lang.Integer", 16, 1, {run}, 0, 64.5f);
  sample->add("byte[]", 2048, 1, {run}, 0, 1.25f);
  sample->data.thread_names = {{1, "main"}};
  ReportSummary& s = sample->data.summary;
  s.app = "app.jar";
  s.engine = "vm";
  s.walker = "jvmti";
  s.interval = 1024;
  s.samples = 3;
  s.seen = 130;
  s.seen_bytes = 4624;
  s.allocated_bytes = 5000;
  s.threads = {{1, "main", 5000, 4624}};
  return sample;
}

// Names that a report must survive.
inline std::unique_ptr<ReportSample> hostile_sample() {
  auto sample = std::make_unique<ReportSample>();
  const std::string smile = "\xED\xA0\xBD\xED\xB8\x80";  // U+1F600 in modified UTF-8
  const Frame quotes = sample->frame("a.\"Q\"\\", "line\nbreak\t\x01", "F;\"x.java", 3);
  const Frame script = sample->frame("b.</script><!--", "</SCRIPT >", "<script>", 4);
  const Frame broken = sample->frame("c.\xFF\xC0\x80\xED\xA0\xBD", "m " + smile, "\xE2\x82", 5);
  sample->add("d; " + smile + "[]", 8, 1, {quotes, script, broken});
  sample->data.thread_names = {{1, "t\"\\\r\n\x7F</script>\xC0\x80"}};
  ReportSummary& s = sample->data.summary;
  s.app = "evil</script>\xF0\x9F\x98\x80\xFE.jar";
  s.vm = "vm\"";
  s.engine = "bci";
  s.walker = "vm";
  s.classes_skipped = {{"why\n\"", 1}};
  s.threads = {{1, "\xC0", 10, 0}};
  s.seen = 1;
  s.seen_bytes = 8;
  return sample;
}

}  // namespace ddm
