// A trace as a profile: what the reader of the processed format asks for, and times that add up.
#include "report/traces/firefox_trace.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "firefox_format.h"
#include "report/report_pieces.h"

using namespace ddm;
using nlohmann::json;

namespace {

MethodTrace two_threads() {
  MethodTrace trace;
  trace.pid = 4711;
  trace.begin_micros = 1'700'000'000'123'456;
  trace.elapsed_micros = 10'000;
  trace.threads = {{1, "main"}, {7, "\"other\""}};
  trace.methods[0] = {"a.A", "outer", "()V", "A.java", 12};
  trace.methods[1] = {"a.A", "inner", "()V", "", -1};
  const auto event = [&](std::uint64_t at, std::uint32_t method, TraceEvent::Action action,
                         std::uint16_t thread = 1) {
    trace.events.push_back({at, 0, method, thread, action});
  };
  event(1000, 0, TraceEvent::kEnter);
  event(1500, 1, TraceEvent::kEnter);
  event(1600, 0, TraceEvent::kEnter, 7);  // has no end
  event(1750, 1, TraceEvent::kThrow);
  event(1750, 1, TraceEvent::kEnter);
  event(1750, 1, TraceEvent::kReturn);  // took no time
  event(3000, 0, TraceEvent::kReturn);
  event(3001, 1, TraceEvent::kReturn);  // was not entered
  return trace;
}

json profile_of(const MethodTrace& trace) {
  std::string text;
  firefox_trace(trace, TraceNames(trace), "shop", "VM 17", into(text));
  return json::parse(text);
}

std::string stack_of(const json& profile, const json& stack) {
  if (stack.is_null()) return "-";
  const json& shared = profile["shared"];
  std::string text;
  std::size_t at = stack.get<std::size_t>();
  for (;;) {
    const std::size_t frame = shared["stackTable"]["frame"].at(at);
    const std::size_t function = shared["frameTable"]["func"].at(frame);
    const std::size_t name = shared["funcTable"]["name"].at(function);
    text = shared["stringArray"].at(name).get<std::string>() + (text.empty() ? "" : ";") + text;
    const std::size_t offset = shared["stackTable"]["prefixOffset"].at(at);
    if (offset == 0) return text;
    REQUIRE(offset <= at);
    at -= offset;
  }
}

std::string spans_of(const json& profile, std::size_t thread) {
  const json& samples = profile["threads"][thread]["samples"];
  std::string text;
  for (std::size_t i = 0; i < samples["length"].get<std::size_t>(); ++i) {
    text += samples["time"].at(i).dump() + " " + samples["weight"].at(i).dump() + " " +
            stack_of(profile, samples["stack"].at(i)) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("A trace becomes spans of the same stack, weighed by their time") {
  const json profile = profile_of(two_threads());
  check_firefox_format(profile);
  CHECK(profile["meta"]["startTime"] == 1'700'000'000'123);
  CHECK(profile["meta"]["product"] == "shop");
  REQUIRE(profile["threads"].size() == 2);
  CHECK(profile["threads"][0]["samples"]["weightType"] == "tracing-ms");
  CHECK(spans_of(profile, 0) ==
        "0.0 1.0 -\n"
        "1.0 0.5 a.A.outer\n"
        "1.5 0.25 a.A.outer;a.A.inner\n"
        "1.75 1.25 a.A.outer\n"
        "3.0 7.0 -\n"
        "10.0 0.0 -\n");
  CHECK(spans_of(profile, 1) == "0.0 1.6 -\n1.6 8.4 a.A.outer\n10.0 0.0 -\n");
}

TEST_CASE("Spans of a trace that did not hold all end with their thread's last event") {
  MethodTrace trace = two_threads();
  trace.overflow = true;
  trace.events.push_back({2000, 0, 1, 7, TraceEvent::kEnter});  // has no end
  CHECK(spans_of(profile_of(trace), 1) == "0.0 1.6 -\n1.6 0.4 a.A.outer\n2.0 0.0 -\n");
}

TEST_CASE("A profile of a trace names its threads, and one of them stands for the process") {
  const json profile = profile_of(two_threads());
  CHECK(profile["threads"][0]["name"] == "main");
  CHECK(profile["threads"][0]["isMainThread"] == true);
  CHECK(profile["threads"][0]["tid"] == 1);
  CHECK(profile["threads"][1]["name"] == "\"other\"");
  CHECK(profile["threads"][1]["isMainThread"] == false);
  CHECK(profile["threads"][1]["pid"] == "4711");
  const json& lines = profile["shared"]["frameTable"]["line"];
  CHECK(lines == json::parse("[12, null]"));
}

TEST_CASE("A profile of an empty trace is one") {
  const json profile = profile_of({});
  CHECK(profile["threads"].empty());
  CHECK(profile["shared"]["stringArray"].empty());
}
