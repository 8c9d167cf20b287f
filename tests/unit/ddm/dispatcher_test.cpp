#include "wire/chunks/dispatcher.h"

#include <unistd.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <deque>
#include <stdexcept>
#include <thread>

#include "fake_session.h"
#include "wire/chunks/packet.h"
#include "wire/chunks/zlib_chunk.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

// Runs a lane's tasks when told to.
class ManualExecutor : public Executor {
 public:
  void run(Lane lane, const SessionPtr&, std::function<void()> task) override {
    (lane == Lane::kQuick ? quick : slow).push_back(std::move(task));
  }
  static void run_all(std::deque<std::function<void()>>& tasks) {
    while (!tasks.empty()) {
      const auto task = std::move(tasks.front());
      tasks.pop_front();
      task();
    }
  }
  void answered_later(std::weak_ptr<OpenRequest> request) override { open.push_back(request); }

  std::deque<std::function<void()>> quick;
  std::deque<std::function<void()>> slow;
  std::vector<std::weak_ptr<OpenRequest>> open;
};

Bytes payload(const std::vector<Chunk>& chunks) {
  ByteWriter out;
  for (const Chunk& chunk : chunks) {
    out.u4(chunk.type);
    out.u4(static_cast<std::uint32_t>(chunk.data.size()));
    out.bytes(chunk.data);
  }
  return out.take();
}

constexpr ChunkType kOne = chunk_type("AAAA");
constexpr ChunkType kTwo = chunk_type("BBBB");

void echo(const Request& request, Reply reply) { reply.send(Chunk{request.type, request.data}); }

struct Bench {
  std::vector<std::vector<Chunk>> replies;
  std::shared_ptr<FakeSession> session = std::make_shared<FakeSession>();
  Dispatcher dispatcher;
  ManualExecutor executor;  // last: what it still holds at the end answers with FAIL

  void request(Bytes bytes) {
    dispatcher.dispatch(session, std::move(bytes), executor, [this](std::vector<Chunk> answers) {
      replies.push_back(std::move(answers));
    });
  }
};

std::optional<Fail> only_fail(const Bench& bench) {
  if (bench.replies.size() != 1 || bench.replies[0].size() != 1 ||
      bench.replies[0][0].type != Fail::kType) {
    return {};
  }
  return decode<Fail>(bench.replies[0][0].data);
}

}  // namespace

TEST_CASE("A request gets its handler's answer") {
  Bench bench;
  REQUIRE(bench.dispatcher.add(kOne, Lane::kInline, echo));
  bench.request(payload({{kOne, {1, 2}}}));
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0] == std::vector<Chunk>{{kOne, {1, 2}}});
}

TEST_CASE("A type has one handler, until it is removed") {
  Dispatcher dispatcher;
  CHECK(dispatcher.add(kOne, Lane::kInline, echo));
  CHECK_FALSE(dispatcher.add(kOne, Lane::kQuick, echo));
  CHECK(dispatcher.remove(kOne));
  CHECK_FALSE(dispatcher.remove(kOne));
  CHECK(dispatcher.add(kOne, Lane::kQuick, echo));
}

TEST_CASE("An unknown type gets the empty reply") {
  Bench bench;
  bench.request(payload({{kOne, {1, 2}}}));
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0].empty());
}

TEST_CASE("A payload that is no chunk gets FAIL with a sentence") {
  Bench bench;
  bench.request({'H', 'E', 'L'});
  const auto fail = only_fail(bench);
  REQUIRE(fail);
  CHECK(fail->code == FailCode::kRefused);
  CHECK(fail->message.find("3 bytes") != std::string::npos);
}

TEST_CASE("Several chunks get one reply with all answers in order") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kQuick, echo);
  bench.dispatcher.add(kTwo, Lane::kSlow, echo);
  const ChunkType unknown = chunk_type("????");
  bench.request(payload({{kTwo, {1}}, {kOne, {2}}, {unknown, {3}}, {kTwo, {4}}}));
  for (int round = 0; round < 2; ++round) {
    CHECK(bench.replies.empty());
    ManualExecutor::run_all(bench.executor.quick);
    ManualExecutor::run_all(bench.executor.slow);
  }
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0] ==
        std::vector<Chunk>{{kTwo, {1}}, {kOne, {2}}, {unknown, {}}, {kTwo, {4}}});
}

TEST_CASE("A request that waits can be refused, once, and its handler does not run") {
  Bench bench;
  int runs = 0;
  bench.dispatcher.add(kOne, Lane::kQuick, [&](const Request& request, Reply reply) {
    ++runs;
    echo(request, std::move(reply));
  });
  bench.request(payload({{kOne, {1}}, {chunk_type("????"), {}}, {kOne, {2}}}));
  REQUIRE(bench.executor.open.size() == 1);
  const auto open = bench.executor.open[0].lock();
  REQUIRE(open);
  CHECK_FALSE(open->answered());
  open->refuse("somebody holds it");
  // The second one would have had to wait as well.
  REQUIRE(bench.replies.size() == 1);
  REQUIRE(bench.replies[0].size() == 3);
  for (const std::size_t refused : {0, 2}) {
    const auto fail = decode<Fail>(bench.replies[0][refused].data);
    REQUIRE(fail);
    CHECK(fail->message == "AAAA was not answered: somebody holds it");
  }
  CHECK(open->answered());
  open->refuse("again");
  ManualExecutor::run_all(bench.executor.quick);
  CHECK(runs == 0);
  CHECK(bench.replies.size() == 1);
}

TEST_CASE("A handler that goes on after its request was refused can tell") {
  Bench bench;
  std::optional<Reply> kept;
  bench.dispatcher.add(kOne, Lane::kInline,
                       [&](const Request&, Reply reply) { kept.emplace(std::move(reply)); });
  bench.request(payload({{kOne, {1}}}));
  REQUIRE(bench.executor.open.size() == 1);
  REQUIRE(kept);
  CHECK(kept->wanted());
  bench.executor.open[0].lock()->refuse("somebody holds it");
  CHECK_FALSE(kept->wanted());
  kept->send_empty();
  REQUIRE(only_fail(bench));
  kept.reset();
  CHECK(bench.executor.open[0].expired());
}

TEST_CASE("What follows a refused chunk is refused for the same reason") {
  Bench bench;
  std::optional<Reply> kept;
  bench.dispatcher.add(kOne, Lane::kQuick, echo);
  bench.dispatcher.add(kTwo, Lane::kInline,
                       [&](const Request&, Reply reply) { kept.emplace(std::move(reply)); });
  bench.request(payload({{kOne, {1}}, {kTwo, {2}}, {kOne, {3}}}));
  const auto open = bench.executor.open.at(0).lock();
  REQUIRE(open);
  open->refuse("first");
  REQUIRE(kept);
  open->refuse("second");
  REQUIRE(bench.replies.size() == 1);
  REQUIRE(bench.replies[0].size() == 3);
  for (const Chunk& answer : bench.replies[0]) {
    const auto fail = decode<Fail>(answer.data);
    REQUIRE(fail);
    CHECK(fail->message.ends_with(" was not answered: first"));
  }
}

TEST_CASE("A request that is answered at once is no open one") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline, echo);
  bench.request(payload({{kOne, {1}}, {kOne, {2}}}));
  CHECK(bench.executor.open.empty());
  CHECK(bench.replies.size() == 1);
}

TEST_CASE("Several chunks with nothing to say get the empty reply") {
  Bench bench;
  bench.request(payload({{kOne, {1}}, {kTwo, {2}}}));
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0].empty());
}

TEST_CASE("A chunk starts when the one before it is answered") {
  Bench bench;
  std::optional<Reply> kept;
  bool second_started = false;
  bench.dispatcher.add(kOne, Lane::kInline,
                       [&](const Request&, Reply reply) { kept.emplace(std::move(reply)); });
  bench.dispatcher.add(kTwo, Lane::kInline, [&](const Request& request, Reply reply) {
    second_started = true;
    echo(request, std::move(reply));
  });
  bench.request(payload({{kOne, {}}, {kTwo, {5}}}));
  CHECK_FALSE(second_started);
  kept->send(Chunk{kOne, {4}});
  CHECK(second_started);
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0] == std::vector<Chunk>{{kOne, {4}}, {kTwo, {5}}});
}

TEST_CASE("Requests do not wait for one another across lanes") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kSlow, echo);
  bench.dispatcher.add(kTwo, Lane::kQuick, echo);
  bench.request(payload({{kOne, {1}}}));
  bench.request(payload({{kTwo, {2}}}));
  ManualExecutor::run_all(bench.executor.quick);
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0][0].type == kTwo);
}

TEST_CASE("Only the first answer counts") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline, [](const Request&, Reply reply) {
    reply.send(Chunk{kOne, {1}});
    reply.send(Chunk{kOne, {2}});
    reply.send_empty();
    reply.fail(FailCode::kRefused, "late");
  });
  bench.request(payload({{kOne, {}}}));
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0] == std::vector<Chunk>{{kOne, {1}}});
}

TEST_CASE("A handler that does not answer is answered for with FAIL") {
  Bench bench;
  SECTION("it returns") {
    bench.dispatcher.add(kOne, Lane::kInline, [](const Request&, const Reply&) {});
  }
  SECTION("it throws") {
    bench.dispatcher.add(kOne, Lane::kInline, [](const Request&, Reply reply) {
      const Reply mine = std::move(reply);
      throw std::runtime_error("no luck");
    });
  }
  SECTION("its task is thrown away") { bench.dispatcher.add(kOne, Lane::kSlow, echo); }
  bench.request(payload({{kOne, {}}}));
  bench.executor.slow.clear();
  const auto fail = only_fail(bench);
  REQUIRE(fail);
  CHECK(fail->code == FailCode::kInternal);
  CHECK(fail->message.find("AAAA") != std::string::npos);
}

TEST_CASE("Bad data is answered with the layout that would be right") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline,
                       [](const Request&, Reply reply) { reply.fail_bad_data("u1 when"); });
  bench.request(payload({{kOne, {}}}));
  const auto fail = only_fail(bench);
  REQUIRE(fail);
  CHECK(fail->code == FailCode::kRefused);
  CHECK(fail->message.find("AAAA") != std::string::npos);
  CHECK(fail->message.find("u1 when") != std::string::npos);
}

TEST_CASE("A closed session starts no further chunks and gets no reply") {
  Bench bench;
  int started = 0;
  bench.dispatcher.add(kOne, Lane::kInline, [&](const Request& request, Reply reply) {
    ++started;
    request.session->close();
    reply.send_empty();
  });
  bench.request(payload({{kOne, {}}, {kOne, {}}}));
  CHECK(started == 1);
  CHECK(bench.replies.empty());
}

TEST_CASE("More chunks than anybody needs are refused, and a thousand need no stack") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline, echo);
  bench.request(payload(std::vector<Chunk>(1024, {kOne, {1}})));
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0].size() == 1024);
  bench.replies.clear();
  bench.request(payload(std::vector<Chunk>(1025, {kOne, {1}})));
  CHECK(only_fail(bench));
}

TEST_CASE("A ZLIB request is handled as what is inside it, and never inline") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline, echo);
  bench.dispatcher.add(kTwo, Lane::kSlow, echo);
  CHECK_FALSE(bench.session->understands_zlib);
  const Chunk packed = *compress_chunk({kOne, Bytes(1000, 3)});
  bench.request(payload({packed}));
  CHECK(bench.replies.empty());  // unpacking takes time that the I/O thread has not
  ManualExecutor::run_all(bench.executor.quick);
  REQUIRE(bench.replies.size() == 1);
  CHECK(bench.replies[0] == std::vector<Chunk>{packed});  // it understands it, so it may have it
  CHECK(bench.session->understands_zlib);
  bench.request(payload({*compress_chunk({kTwo, Bytes(1000, 3)})}));
  CHECK(bench.executor.quick.empty());
  ManualExecutor::run_all(bench.executor.slow);
  CHECK(bench.replies.size() == 2);
}

TEST_CASE("A damaged ZLIB request gets FAIL, and so does one in another") {
  Bench bench;
  const Chunk inner = *compress_chunk({kOne, Bytes(100'000, 3)});
  SECTION("damaged") { bench.request(payload({{kZlibType, {'A', 'A', 'A', 'A', 0, 0, 0, 9, 1}}})); }
  SECTION("short") { bench.request(payload({{kZlibType, {'A', 'A', 'A'}}})); }
  SECTION("nested") {
    Bytes data{'Z', 'L', 'I', 'B', 0, 0, 0, 9};
    data.insert(data.end(), inner.data.begin(), inner.data.end());
    bench.request(payload({{kZlibType, data}}));
  }
  ManualExecutor::run_all(bench.executor.quick);
  REQUIRE(only_fail(bench));
}

TEST_CASE("What the ZLIB chunks of one packet become is bounded, and each gets an answer") {
  Bench bench;
  std::size_t handled = 0;
  bench.dispatcher.add(kOne, Lane::kQuick, [&](const Request& request, Reply reply) {
    handled += request.data.size();
    reply.send_empty();
  });
  const Chunk bomb = *compress_chunk({kOne, Bytes(300'000, 0)});
  bench.request(payload(std::vector<Chunk>(1000, bomb)));
  ManualExecutor::run_all(bench.executor.quick);
  CHECK(handled == 3 * 300'000);
  REQUIRE(bench.replies.size() == 1);
  REQUIRE(bench.replies[0].size() == 1000);
  CHECK(bench.replies[0][2].type == kOne);
  CHECK(bench.replies[0][3].type == Fail::kType);
  CHECK(bench.replies[0][999].type == Fail::kType);
}

TEST_CASE("When the answers to a packet are enough, the chunks that are left get FAIL unhandled") {
  Bench bench;
  int handled = 0;
  bench.dispatcher.add(kOne, Lane::kSlow, [&](const Request& request, Reply reply) {
    ++handled;
    reply.send(Chunk{request.type, Bytes(6'000'000, 1)});
  });
  bench.dispatcher.add(kTwo, Lane::kInline, echo);
  std::vector<Chunk> chunks(24, {kOne, {}});
  chunks.push_back({kTwo, {1}});
  bench.request(payload(chunks));
  ManualExecutor::run_all(bench.executor.slow);
  CHECK(handled == 3);
  REQUIRE(bench.replies.size() == 1);
  REQUIRE(bench.replies[0].size() == 25);
  CHECK(bench.replies[0][2].size() == 6'000'000);
  for (std::size_t i = 3; i < 25; ++i) {
    const auto fail = decode<Fail>(bench.replies[0][i].data);
    REQUIRE(fail);
    CHECK(fail->code == FailCode::kTooBig);
  }
}

TEST_CASE("Big answers do not wait in memory, and small ones are counted while they do") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline, [](const Request& request, Reply reply) {
    reply.send(Chunk{request.type, Bytes(request.data.empty() ? 1'000'000 : 1000, 7)});
  });
  bench.dispatcher.add(kTwo, Lane::kQuick, echo);
  bench.request(payload({{kOne, {}}, {kOne, {1}}, {kTwo, {}}}));
  CHECK(bench.session->answer_bytes == 1000);
  ManualExecutor::run_all(bench.executor.quick);
  CHECK(bench.session->answer_bytes == 0);
  REQUIRE(bench.replies.size() == 1);
  const Chunk& big = bench.replies[0][0];
  CHECK(big.data.empty());
  REQUIRE(big.stored);
  CHECK(big.stored->size() == 1'000'000);
  std::uint8_t last = 0;
  CHECK((pread(big.stored->fd(), &last, 1, 999'999) == 1 && last == 7));
}

TEST_CASE("A big answer of which a part is stored already is whole") {
  Bench bench;
  bench.dispatcher.add(kOne, Lane::kInline, [](const Request& request, Reply reply) {
    auto rest = StoredData::of(Bytes(600'000, 8));
    reply.send(Chunk{request.type, Bytes(500'000, 7), *rest});
  });
  bench.request(payload({{kOne, {}}}));
  REQUIRE(bench.replies.size() == 1);
  const Chunk& whole = bench.replies[0][0];
  REQUIRE(whole.stored);
  CHECK(whole.data.empty());
  Bytes expected(500'000, 7);
  expected.insert(expected.end(), 600'000, 8);
  const auto bytes = whole.stored->read();
  REQUIRE(bytes);
  CHECK(*bytes == expected);
}

TEST_CASE("Answers from another thread never get lost or doubled") {
  // The answer races with the return of the handler that handed the Reply away.
  Dispatcher dispatcher;
  ManualExecutor executor;
  const auto session = std::make_shared<FakeSession>();
  std::atomic<Reply*> handed{nullptr};
  std::atomic<bool> stop{false};
  dispatcher.add(kOne, Lane::kInline,
                 [&](const Request&, Reply reply) { handed = new Reply(std::move(reply)); });
  std::thread answerer([&] {
    while (!stop) {
      if (Reply* reply = handed.exchange(nullptr)) {
        reply->send(Chunk{kOne, {1}});
        delete reply;
      }
    }
  });
  std::atomic<int> done{0};
  std::atomic<int> chunks{0};
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    dispatcher.dispatch(session, payload({{kOne, {}}, {kOne, {}}, {kOne, {}}}), executor,
                        [&](const std::vector<Chunk>& answers) {
                          chunks += static_cast<int>(answers.size());
                          ++done;
                        });
    while (done <= i) std::this_thread::yield();
  }
  stop = true;
  answerer.join();
  CHECK(done == kRounds);
  CHECK(chunks == 3 * kRounds);
}
