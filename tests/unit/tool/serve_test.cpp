// `ddm serve` without sockets: requests, who may ask, metrics, differences of profiles.
#include <catch2/catch.hpp>
#include <protozero/pbf_reader.hpp>

#include "jvm_figures.h"
#include "report/protobuf_writer.h"
#include "serve/cpu_samples.h"
#include "serve/http_request.h"
#include "serve/metrics_text.h"
#include "serve/pprof_profile.h"
#include "serve/serve_access.h"

using namespace ddm;

namespace {

HttpRequest request_of(std::string_view head) {
  HttpRequestReader reader;
  CHECK(reader.feed(head));
  CHECK(reader.error_status() == 0);
  return reader.request();
}

int fault_of(std::string_view head) {
  HttpRequestReader reader;
  CHECK(reader.feed(head));
  return reader.error_status();
}

// A profile whose stacks are one function each.
struct ProfileSample {
  std::string function;
  std::vector<std::uint64_t> values;
};
std::string profile_of(const std::vector<std::string>& types,
                       const std::vector<ProfileSample>& samples) {
  ProtobufWriter profile;
  profile.add_bytes(6, "");
  for (const std::string& type : types) profile.add_bytes(6, type);
  for (std::size_t type = 1; type <= types.size(); ++type) {
    ProtobufWriter kind;
    kind.add_integer(1, type);
    profile.add_message(1, kind);
  }
  std::uint64_t id = 0;
  for (const auto& [name, values] : samples) {
    ++id;
    profile.add_bytes(6, name);
    ProtobufWriter function, line, location, sample;
    function.add_integer(1, id);
    function.add_integer(2, id + types.size());
    profile.add_message(5, function);
    line.add_integer(1, id);
    location.add_integer(1, id);
    location.add_message(4, line);
    profile.add_message(4, location);
    const std::uint64_t ids[] = {id};
    sample.add_packed(1, ids);
    sample.add_packed(2, values);
    profile.add_message(2, sample);
  }
  profile.add_integer(9, 7'000);
  return profile.bytes();
}
std::string profile_of(const std::vector<std::pair<std::string, std::int64_t>>& samples,
                       const std::string& type = "alloc_space") {
  std::vector<ProfileSample> with_values;
  for (const auto& [name, value] : samples) {
    with_values.push_back({name, {static_cast<std::uint64_t>(value)}});
  }
  return profile_of({type}, with_values);
}

std::vector<std::uint64_t> addresses_of(const std::string& profile) {
  std::vector<std::uint64_t> addresses;
  for (protozero::pbf_reader in(profile); in.next(4);) {
    for (protozero::pbf_reader location = in.get_message(); location.next(3);) {
      addresses.push_back(location.get_uint64());
    }
  }
  return addresses;
}

// The values of a profile's samples, in its order.
std::vector<std::vector<std::int64_t>> values_of(const std::string& profile) {
  std::vector<std::vector<std::int64_t>> values;
  for (protozero::pbf_reader in(profile); in.next(2);) {
    for (protozero::pbf_reader sample = in.get_message(); sample.next(2);) {
      const auto packed = sample.get_packed_int64();
      values.emplace_back(packed.begin(), packed.end());
    }
  }
  return values;
}

}  // namespace

TEST_CASE("A request is read however its bytes come") {
  const std::string head =
      "GET /a%20b?pid=shop.Shop&token=x%2By&pid=2 HTTP/1.1\r\nHost: localhost:1\r\n"
      "Authorization: Bearer z\r\n\r\n";
  HttpRequestReader reader;
  for (std::size_t i = 0; i < head.size(); ++i) {
    CHECK(reader.feed(head.substr(i, 1)) == (i + 1 == head.size()));
  }
  const HttpRequest& request = reader.request();
  CHECK(request.method == "GET");
  CHECK(request.path == "/a b");
  CHECK(request.parameter("pid") == "shop.Shop");
  CHECK(request.parameter("token") == "x+y");
  CHECK(request.parameter("none").empty());
  CHECK(request.host == "localhost:1");
  CHECK(request.authorization == "Bearer z");
  CHECK_FALSE(request.origin);
}

TEST_CASE("What is no request, or more than one, is told by its status") {
  CHECK(fault_of("hello\r\n\r\n") == 400);
  CHECK(fault_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
  CHECK(fault_of("GET http://a/ HTTP/1.1\r\n\r\n") == 400);
  CHECK(fault_of("GET /%00 HTTP/1.1\r\n\r\n") == 400);
  CHECK(fault_of("GET /?a=%4 HTTP/1.1\r\n\r\n") == 400);
  CHECK(fault_of("GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\n") == 413);
  CHECK(fault_of("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n") == 400);
  CHECK(fault_of("GET /" + std::string(HttpRequestReader::kMaxBytes, 'x')) == 431);
}

TEST_CASE("Who has the token and asks this server by its name is answered") {
  const ServeAccess access("0123456789abcdef", {Address::Kind::kTcp, "127.0.0.1", 8040, ""});
  CHECK(access.url() == "http://127.0.0.1:8040/?token=0123456789abcdef");
  const auto status = [&](const std::string& path, const std::string& headers) {
    const auto refused =
        access.refusal(request_of("GET " + path + " HTTP/1.1\r\n" + headers + "\r\n"));
    return refused ? refused->status : 200;
  };
  const std::string host = "Host: 127.0.0.1:8040\r\n", token = "/?token=0123456789abcdef";
  CHECK(status(token, host) == 200);
  CHECK(status(token, "Host: LOCALHOST:8040\r\n") == 200);
  CHECK(status("/", host + "Authorization: bearer 0123456789abcdef\r\n") == 200);
  CHECK(status(token, host + "Origin: http://127.0.0.1:8040\r\n") == 200);
  CHECK(status("/", host + "Authorization: 0123456789abcdef\r\n") == 200);
  CHECK(status("/", host) == 401);
  CHECK(status("/?token=0123456789abcdeF", host) == 401);
  // A header that is there counts, whatever the address has.
  CHECK(status(token, host + "Authorization: Basic x\r\n") == 401);
  CHECK(status(token, "") == 403);
  CHECK(status(token, "Host: 127.0.0.1:80\r\n") == 403);
  CHECK(status(token, "Host: evil.example\r\n") == 403);
  CHECK(status(token, host + "Origin: null\r\n") == 403);
  CHECK(status(token, host + "Origin: http://127.0.0.1:8041\r\n") == 403);
}

TEST_CASE("Metrics are Prometheus' text, with names that forge no line, and 500 series at most") {
  WatchedJvm jvm{7, "a\"b\\c\nd", "", JvmFigures{}, {}, 0, 0.5};
  jvm.figures->seen_bytes = 3;
  const std::string text = metrics_text({jvm});
  CHECK(text.find("ddm_allocated_bytes_total{pid=\"7\",app=\"a\\\"b\\\\c") != std::string::npos);
  CHECK(text.find("ddm_agent_cpu_seconds_total{pid=\"7\"") != std::string::npos);
  CHECK(text.find("} 0.5\n") != std::string::npos);
  CHECK(text.find("ddm_live_bytes{") == std::string::npos);
  jvm.figures->live_bytes = jvm.figures->heap_used = jvm.figures->heap_max = 1;
  jvm.figures->collections = jvm.figures->collection_ms = jvm.figures->threads = 1;
  const std::string much = metrics_text(std::vector<WatchedJvm>(1'000, jvm));
  std::size_t series = 0;
  for (std::size_t at = 0; at < much.size(); at = much.find('\n', at) + 1) {
    series += much[at] != '#' ? 1 : 0;
  }
  CHECK(series > 450);
  CHECK(series <= kMaxSeries);
  CHECK(much.find("ddm_jvms_left_out 955\n") != std::string::npos);
}

TEST_CASE("A rate is not known before a second reading of the same tracking") {
  JvmFigures first;
  first.tracking = true;
  first.period = 1;
  JvmFigures second = first;
  second.seen_bytes = 500;
  const std::chrono::duration<double> passed(2);
  CHECK_FALSE(bytes_per_second({}, second, passed));
  CHECK(bytes_per_second(first, second, passed) == 250);
  second.period = 2;
  CHECK_FALSE(bytes_per_second(first, second, passed));
}

TEST_CASE("The CPU time of the agent's threads keeps what ended ones have used") {
  AgentCpu cpu;
  CHECK(cpu.total_with({{{10, 1}, 5}, {{11, 1}, 7}}) == 12);
  CHECK(cpu.total_with({{{10, 1}, 6}}) == 13);
  CHECK(cpu.total_with({{{10, 1}, 6}, {{11, 9}, 2}}) == 15);  // another thread with the same id
  CHECK(cpu.total_with({}) == 15);
  CHECK(cpu.total_with({{{12, 20}, 1}}) == 16);
}

TEST_CASE("A difference has what is more by stack, whatever numbers the stacks have") {
  const auto before = profile_of({{"a", 5}, {"b", 7}, {"gone", 2}});
  const auto after = profile_of({{"new", 1}, {"b", 7}, {"a", 8}});
  const auto more = pprof_difference(before, after, 1'000);
  REQUIRE(more.ok());
  // Against what is as before in the end, all of it comes out again.
  const auto back = pprof_difference(*more, profile_of({{"gone", -2}, {"a", 3}, {"new", 1}}), 0);
  REQUIRE(back.ok());
  const auto nothing = pprof_difference(before, before, 1'000);
  REQUIRE(nothing.ok());
  const auto count = [](const std::string& profile) {
    // Samples are what differs between a profile and the same without any.
    const auto none = pprof_difference(profile, profile, 0);
    return none.ok() ? profile.size() - none->size() : 0;
  };
  CHECK(count(*nothing) < 8);  // the duration
  CHECK(count(*back) < 8);
  CHECK(count(*more) > 20);
  CHECK_FALSE(pprof_difference(before, profile_of({}, "inuse_space"), 0).ok());
  CHECK_FALSE(pprof_difference("\x12\x7f", after, 0).ok());
  CHECK_FALSE(with_default_type(before, "inuse_space").ok());
  CHECK(with_default_type(before, "alloc_space").ok());
}

TEST_CASE("A difference of profiles whose numbers are not packed is the one of packed ones") {
  const auto profile = [](std::uint64_t first, std::uint64_t second, bool packed) {
    ProtobufWriter all;
    for (const char* text : {"", "alloc_objects", "alloc_space", "Node"}) all.add_bytes(6, text);
    for (const std::uint64_t type : {1, 2}) {
      ProtobufWriter kind;
      kind.add_integer(1, type);
      all.add_message(1, kind);
    }
    ProtobufWriter function, line, location, sample;
    function.add_integer(1, 1);
    function.add_integer(2, 3);
    all.add_message(5, function);
    line.add_integer(1, 1);
    location.add_integer(1, 1);
    location.add_integer(2, 7);  // a mapping
    location.add_integer(3, 4711);
    location.add_message(4, line);
    all.add_message(4, location);
    if (packed) {
      const std::uint64_t stack[] = {1}, values[] = {first, second};
      sample.add_packed(1, stack);
      sample.add_packed(2, values);
    } else {
      sample.add_integer(1, 1);
      sample.add_integer(2, first);
      sample.add_integer(2, second);
    }
    all.add_message(2, sample);
    return all.bytes();
  };
  const std::vector<std::string> types{"alloc_objects", "alloc_space"};
  for (const bool packed : {true, false}) {
    const auto more = pprof_difference(profile(1, 24, packed), profile(3, 72, !packed), 0);
    REQUIRE(more.ok());
    CHECK(values_of(*more) == std::vector<std::vector<std::int64_t>>{{2, 48}});
    const auto gone = pprof_difference(profile(1, 24, packed), profile_of(types, {}), 0);
    REQUIRE(gone.ok());
    CHECK(values_of(*gone) == std::vector<std::vector<std::int64_t>>{{-1, -24}});
    CHECK(addresses_of(*gone) == std::vector<std::uint64_t>{4711});
  }
}

TEST_CASE("Samples that differ in no line are one in a difference, with the sum of both") {
  const auto before = profile_of({{"a", 100}, {"b", 1}, {"a", 1}});
  const auto nothing = pprof_difference(before, before, 0);
  REQUIRE(nothing.ok());
  CHECK(values_of(*nothing).empty());
  const auto more = pprof_difference(before, profile_of({{"a", 3}, {"a", 110}, {"b", 1}}), 0);
  REQUIRE(more.ok());
  CHECK(values_of(*more) == std::vector<std::vector<std::int64_t>>{{12}});
  const auto gone = pprof_difference(before, profile_of({{"b", 1}}), 0);
  REQUIRE(gone.ok());
  CHECK(values_of(*gone) == std::vector<std::vector<std::int64_t>>{{-101}});
}

TEST_CASE("A difference has the types of values that are asked for") {
  const std::vector<std::string> types{"alloc_space", "inuse_space"};
  const auto before = profile_of(types, {{"a", {5, 5}}, {"b", {1, 1}}});
  const auto after = profile_of(types, {{"a", {8, 2}}, {"b", {1, 0}}});
  const auto both = pprof_difference(before, after, 0);
  REQUIRE(both.ok());
  CHECK(values_of(*both) == std::vector<std::vector<std::int64_t>>{{3, -3}, {0, -1}});
  const auto made = pprof_difference(before, after, 0, "alloc_");
  REQUIRE(made.ok());
  CHECK(values_of(*made) == std::vector<std::vector<std::int64_t>>{{3}});
  CHECK_FALSE(with_default_type(*made, "inuse_space").ok());
}

TEST_CASE("What is zipped comes out again, within its bounds") {
  const std::string text(100'000, 'x');
  CHECK(*unzipped(zipped(text), text.size()) == text);
  CHECK_FALSE(unzipped(zipped(text), text.size() / 2).ok());
  CHECK_FALSE(unzipped("no gzip", 100).ok());
}

TEST_CASE("A profile of CPU has the samples that came meanwhile, and no others") {
  const auto sample = [](const char* method, int count) {
    return Json{{"type", "sample"},
                {"count", count},
                {"thread", "main"},
                {"stack",
                 {{{"class", "a.B"},
                   {"method", method},
                   {"signature", "()V"},
                   {"file", "B.java"},
                   {"line", 7},
                   {"bci", 3}}}}};
  };
  const Json summary{{"type", "summary"}, {"sampler", {{"asked_ns", 10'000'000}}}};
  const auto profile =
      cpu_samples_profile({summary, sample("runs", 3), sample("ran", 4)},
                          {summary, sample("runs", 5), sample("ran", 4), sample("comes", 1)}, {},
                          std::chrono::seconds(1));
  REQUIRE(profile);
  const auto bytes = unzipped(*profile, 1 << 20);
  REQUIRE(bytes);
  CHECK(bytes->find("a.B.runs") != std::string::npos);
  CHECK(bytes->find("a.B.comes") != std::string::npos);
  CHECK(bytes->find("a.B.ran()") == std::string::npos);
  // Values of a sample: its count, and as many times 10 ms.
  ProtobufWriter values;
  const std::uint64_t two[] = {2, 20'000'000};
  values.add_packed(2, two);
  CHECK(bytes->find(values.bytes()) != std::string::npos);
  ProtobufWriter duration;
  duration.add_integer(10, 1'000'000'000);
  CHECK(bytes->find(duration.bytes()) != std::string::npos);
  const Json no_sampler{{"type", "summary"}};
  const Json no_frame{{"type", "sample"}, {"stack", {1}}};
  CHECK_FALSE(cpu_samples_profile({}, {no_sampler}, {}, std::chrono::seconds(1)));
  CHECK_FALSE(cpu_samples_profile({}, {summary, no_frame}, {}, std::chrono::seconds(1)));
}
