#include "allocations/scopes/scopes.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <thread>

#include "allocations/scopes/scope_figures.h"
#include "stack/names/jdk_classes.h"

namespace ddm {
namespace {

// A program with one class of objects, and stacks that are told by their methods, the innermost first.
struct ProgramWithScopes {
  NameTable names;
  std::shared_ptr<Sites> sites = Sites::create(1024, 64);
  Scopes scopes{names};
  NameId node = names.add_class("p.Node");
  MethodKinds kinds;

  Frame frame(const std::string& class_name, const std::string& method) {
    MethodName name;
    name.class_name = class_name;
    name.method = method;
    return {names.add_method(name), 0};
  }
  std::vector<Frame> stack(std::initializer_list<std::pair<const char*, const char*>> frames) {
    std::vector<Frame> result;
    for (const auto& [class_name, method] : frames) result.push_back(frame(class_name, method));
    return result;
  }
  void allocate(std::int64_t thread, std::initializer_list<std::pair<const char*, const char*>> at,
                int times = 1) {
    const TraceNumber trace = sites->traces().number_of(stack(at));
    for (int i = 0; i < times; ++i) scopes.count(thread, {node, trace, 24, 1});
  }
  void allocate(std::int64_t thread, const char* class_name,
                std::initializer_list<std::pair<const char*, const char*>> at) {
    const TraceNumber trace = sites->traces().number_of(stack(at));
    scopes.count(thread, {names.add_class(class_name), trace, 24, 1});
  }
  // Below p.T.slow, which JUnit calls, so many frames of a recursion.
  void allocate_deep(std::int64_t thread, std::size_t frames) {
    std::vector<Frame> deep(frames, frame("p.Deep", "recur"));
    deep.push_back(frame("p.T", "slow"));
    deep.push_back(frame("org.junit.Engine", "run"));
    scopes.count(thread, {node, sites->traces().number_of(deep), 24, 1});
  }
  ScopeNumber begin(std::int64_t thread, ScopeRoot root = {},
                    const std::vector<Frame>& where = {}) {
    return scopes.begin(thread, std::move(root), sites, where);
  }
  ScopeFigures figures(ScopeNumber scope) {
    scopes.end(scope);
    const auto ended = scopes.take(scope);
    REQUIRE(ended);
    return figures_of(*ended, names, kinds);
  }
  static std::int64_t own_uses(const ScopeFigures& figures) {
    std::int64_t objects = 0;
    for (const ScopeSite& site : figures.list) objects += site.first_use ? 0 : site.objects;
    return objects;
  }
};

const ScopeRoot kTestMethod{ScopeRoot::Rule::kBelowMethod, "p.T", "slow"};

TEST_CASE("A scope counts what its thread allocates while it is open") {
  ProgramWithScopes p;
  CHECK_FALSE(p.scopes.any());
  p.allocate(1, {{"p.T", "before"}});
  const ScopeNumber scope = p.begin(1);
  CHECK(p.scopes.any());
  p.allocate(1, {{"p.T", "run"}}, 5);
  p.allocate(2, {{"p.T", "elsewhere"}}, 7);
  p.scopes.end(scope);
  p.allocate(1, {{"p.T", "run"}});
  const ScopeFigures figures = p.figures(scope);
  REQUIRE(figures.list.size() == 1);
  CHECK(figures.list[0].objects == 5);
  CHECK(figures.list[0].bytes == 5 * 24);
  CHECK(figures.list[0].own);
  CHECK_FALSE(p.scopes.take(scope));
  CHECK_FALSE(p.scopes.any());
}

TEST_CASE("Of a test only what stands below its method counts, and first uses stand apart") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1, kTestMethod);
  p.allocate(1, {{"p.T", "setUp"}, {"org.junit.Engine", "run"}}, 3);
  p.allocate(1, {{"java.util.ArrayList", "grow"}, {"p.T", "slow"}, {"org.junit.Engine", "run"}}, 4);
  p.allocate(1, {{"p.Helper", "<clinit>"}, {"p.T", "slow"}, {"org.junit.Engine", "run"}}, 9);
  // What runs tests may itself stand in a class initialiser.
  p.allocate(1, {{"p.T", "slow"}, {"org.junit.Main", "<clinit>"}}, 2);
  const ScopeFigures figures = p.figures(scope);
  CHECK(p.own_uses(figures) == 6);
  std::int64_t all = 0;
  for (const ScopeSite& site : figures.list) all += site.objects;
  CHECK(all == 15);
  CHECK(figures.list[0].frames == 2);  // up to the test's method
}

TEST_CASE("A test does not have what other tests allocate that its thread runs while it waits") {
  constexpr std::pair<const char*, const char*> kTask{
      "org.junit.platform.engine.support.hierarchical."
      "ForkJoinPoolHierarchicalTestExecutorService$ExclusiveTask",
      "exec"};
  constexpr std::pair<const char*, const char*> kWait{"java.util.concurrent.ForkJoinTask", "get"};
  constexpr std::pair<const char*, const char*> kKit{"ddm.test.Allocations", "during"};
  using Rule = ScopeRoot::Rule;
  for (const Rule rule : {Rule::kBelowMethod, Rule::kProgram, Rule::kEverything}) {
    ProgramWithScopes p;
    const ScopeRoot root{rule, "p.T", "slow"};
    // A class's task runs those of its tests.
    const ScopeNumber test = p.begin(1, root, p.stack({kTask, kTask}));
    p.allocate(1, {kWait, {"p.T", "slow"}, kKit, kTask, kTask}, 2);
    p.allocate(1, {{"org.junit.Engine", "run"}, kTask, kWait, {"p.T", "slow"}, kKit, kTask, kTask},
               4);
    const ScopeNumber other =
        p.begin(1, root, p.stack({kTask, kWait, {"p.T", "slow"}, kTask, kTask}));
    p.scopes.thread_made(1, 2, false, p.stack({{"p.T", "slow"}, kTask}));
    p.allocate(1, {{"p.T", "slow"}, kKit, kTask, kWait, {"p.T", "slow"}, kKit, kTask, kTask}, 8);
    p.allocate(2, {{"p.T", "ofThread"}}, 16);
    // The same test's sections count in it.
    const ScopeNumber section = p.begin(
        1, {}, p.stack({kKit, {"p.T", "slow"}, kTask, kWait, {"p.T", "slow"}, kTask, kTask}));
    p.allocate(
        1, {{"p.T", "part"}, kKit, {"p.T", "slow"}, kTask, kWait, {"p.T", "slow"}, kTask, kTask},
        32);
    CHECK(p.own_uses(p.figures(section)) == 32);
    CHECK(p.own_uses(p.figures(other)) == 8 + 16 + 32);
    p.allocate(1, {{"p.T", "slow"}, kKit, kTask, kTask}, 64);
    CHECK(p.own_uses(p.figures(test)) == 2 + 64);
  }
}

TEST_CASE("Stacks with callers in common each have what is further in, and no more") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1, kTestMethod);
  p.allocate(
      1, {{"p.C", "m"}, {"p.T", "slow"}, {"p.C", "<clinit>"}, {"p.T", "slow"}, {"r.Runner", "run"}},
      1);
  p.allocate(1, {{"p.T", "slow"}, {"r.Runner", "run"}}, 2);
  p.allocate(1, {{"p.C", "<clinit>"}, {"p.T", "slow"}, {"r.Runner", "run"}}, 4);
  p.allocate(1, {{"p.D", "m"}, {"p.C", "<clinit>"}, {"p.T", "slow"}, {"r.Runner", "run"}}, 8);
  p.allocate(1, {{"r.Runner", "run"}}, 16);
  const ScopeFigures figures = p.figures(scope);
  std::map<std::int64_t, std::pair<bool, std::uint32_t>> found;  // by objects
  for (const ScopeSite& site : figures.list) found[site.objects] = {site.first_use, site.frames};
  const std::map<std::int64_t, std::pair<bool, std::uint32_t>> wanted{
      {1, {false, 2}}, {2, {false, 1}}, {4, {true, 2}}, {8, {true, 3}}};
  CHECK(found == wanted);
}

TEST_CASE("A stack that is cut is one of the test that runs on its thread") {
  ProgramWithScopes p;
  p.sites = Sites::create(4096, kMaxTreeDepth);
  const ScopeNumber around = p.begin(1, {ScopeRoot::Rule::kNothing, "", ""});
  p.scopes.thread_made(1, 7, false, p.stack({{"p.T", "beforeAll"}}));
  for (const auto rule :
       {ScopeRoot::Rule::kBelowMethod, ScopeRoot::Rule::kProgram, ScopeRoot::Rule::kEverything}) {
    const ScopeNumber scope = p.begin(1, {rule, "p.T", "slow"});
    p.allocate_deep(1, 2 * kMaxTreeDepth);
    p.allocate_deep(7, 2 * kMaxTreeDepth);
    const ScopeFigures figures = p.figures(scope);
    CHECK(p.own_uses(figures) == 2);
    CHECK(figures.lost == 0);
    for (const ScopeSite& site : figures.list) CHECK(site.frames == kMaxTreeDepth);
  }
  p.figures(around);
}

TEST_CASE("Where stacks are kept less deep than possible, what a cut leaves unknown is lost") {
  ProgramWithScopes p;  // 64 frames
  ScopeNumber scope = p.begin(1, kTestMethod);
  p.allocate_deep(1, 62);
  p.allocate_deep(1, 63);  // the runner's frame is missing, the test's is not
  ScopeFigures figures = p.figures(scope);
  CHECK(p.own_uses(figures) == 2);
  CHECK(figures.lost == 0);
  scope = p.begin(1, kTestMethod);
  p.allocate_deep(1, 64);
  p.scopes.thread_made(1, 2, false, p.stack({{"p.T", "slow"}, {"org.junit.Engine", "run"}}));
  p.allocate_deep(2, 100);  // all of this thread is the test's
  CHECK(p.figures(scope).lost == 1);
  scope = p.begin(1);
  p.allocate_deep(1, 100);
  CHECK(p.figures(scope).lost == 0);
}

TEST_CASE("What a task of the program makes counts, though the JDK may run it while it waits") {
  ProgramWithScopes p;
  ScopeNumber scope = p.begin(1, kTestMethod);
  constexpr const char* kFuture = "java.util.concurrent.CompletableFuture";
  constexpr const char* kTask = "java.util.concurrent.ForkJoinTask";
  // A method reference has no frame of the program.
  p.allocate(1, "byte[]",
             {{"java.lang.String", "toUpperCase"},
              {kFuture, "uniApplyNow"},
              {kFuture, "thenApply"},
              {"p.T", "slow"}});
  p.allocate(1, "java.lang.StringBuilder", {{kFuture, "uniApplyNow"}, {"p.T", "slow"}});
  p.allocate(1, kFuture,
             {{kFuture, "newIncompleteFuture"}, {kFuture, "uniApplyNow"}, {"p.T", "slow"}});
  p.allocate(
      1, "byte[]",
      {{"java.lang.String", "concat"}, {kTask, "doExec"}, {kTask, "awaitDone"}, {"p.T", "slow"}});
  p.allocate(1, "byte[]",
             {{"java.lang.String", "concat"},
              {kTask, "doExec"},
              {"java.util.concurrent.ForkJoinPool", "awaitTermination"},
              {"p.T", "slow"}});
  p.allocate(1, "java.lang.VirtualThread",
             {{"java.lang.ThreadBuilders", "newVirtualThread"},
              {"java.util.concurrent.ThreadPerTaskExecutor", "newThread"},
              {"java.util.concurrent.ThreadPerTaskExecutor", "start"},
              {"p.T", "slow"}});
  ScopeFigures figures = p.figures(scope);
  CHECK(p.own_uses(figures) == 6);

  scope = p.begin(1, kTestMethod);
  p.allocate(1, "java.util.concurrent.CompletableFuture$UniApply",
             {{kFuture, "uniApplyStage"}, {kFuture, "thenApply"}, {"p.T", "slow"}});
  p.allocate(1, "java.util.concurrent.CompletableFuture$UniRelay",
             {{"java.util.concurrent.CompletableFuture$UniCompose", "tryFire"}, {"p.T", "slow"}});
  p.allocate(1, "java.util.concurrent.ForkJoinTask$Aux",
             {{kTask, "awaitDone"}, {kTask, "invoke"}, {"p.T", "slow"}});
  p.allocate(1, "java.util.concurrent.ConcurrentHashMap$Node[]",
             {{"java.util.concurrent.ConcurrentHashMap", "transfer"},
              {"java.util.concurrent.ConcurrentHashMap$KeySetView", "add"},
              {"java.util.concurrent.ThreadPerTaskExecutor", "start"},
              {"p.T", "slow"}});
  // The thread that ends helps another one that enlarges the table.
  p.allocate(1, "java.util.concurrent.ConcurrentHashMap$ForwardingNode",
             {{"java.util.concurrent.ConcurrentHashMap", "transfer"},
              {"java.util.concurrent.ConcurrentHashMap", "helpTransfer"},
              {"java.util.concurrent.ThreadPerTaskExecutor", "taskComplete"},
              {"p.T", "slow"}});
  figures = p.figures(scope);
  CHECK(figures.list.size() == 5);
  CHECK(p.own_uses(figures) == 0);
}

TEST_CASE("What stays alive is told by site, without first uses") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1, kTestMethod);
  p.allocate(1, {{"p.T", "slow"}}, 5);
  p.allocate(1, {{"p.C", "<clinit>"}, {"p.T", "slow"}}, 7);
  p.scopes.thread_made(1, 2, false, p.stack({{"p.T", "slow"}}));
  p.allocate(2, {{"p.T", "slow"}}, 1);
  ScopeFigures figures = p.figures(scope);
  REQUIRE(figures.list.size() == 3);
  LiveBySite before, now;
  for (const ScopeSite& site : figures.list) {
    const std::uint64_t key = SiteSum::key_of(site.class_id, site.trace);
    before[key] = {1, 24};
    now[key] = {4, 96};
  }
  const LiveAmount alive = find_alive(figures, before, now);
  CHECK(alive.objects == 3);  // the site of both threads is one
  CHECK(alive.bytes == 72);
  std::int64_t told = 0;
  for (const ScopeSite& site : figures.list) {
    told += site.alive.objects;
    if (site.first_use) CHECK(site.alive.objects == 0);
  }
  CHECK(told == 3);
}

TEST_CASE("Threads that a test's method makes belong to it, and those that they make") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1, kTestMethod);
  REQUIRE(p.scopes.needs_stack(1));
  p.scopes.thread_made(1, 2, false, p.stack({{"p.T", "slow"}, {"org.junit.Engine", "run"}}));
  std::thread([&] {
    p.allocate(2, {{"java.lang.Thread", "run"}}, 10);
    p.scopes.thread_made(2, 3, true, p.stack({{"java.lang.Thread", "run"}}));
  }).join();
  p.allocate(3, {{"java.lang.Thread", "run"}}, 100);
  const ScopeFigures figures = p.figures(scope);
  CHECK(p.own_uses(figures) == 110);
  for (const ScopeSite& site : figures.list) CHECK_FALSE(site.own);
}

TEST_CASE(
    "A thread that takes the place of a waiting test in the runner's pool does not belong to it") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1, kTestMethod);
  p.scopes.thread_made(1, 2, false,
                       p.stack({{"java.util.concurrent.ForkJoinPool", "createWorker"},
                                {"java.util.concurrent.ForkJoinPool", "tryCompensate"},
                                {"java.util.concurrent.CompletableFuture", "join"},
                                {"p.T", "slow"}}));
  p.allocate(2, {{"p.OtherTest", "run"}}, 7);
  CHECK(ProgramWithScopes::own_uses(p.figures(scope)) == 0);
}

TEST_CASE("A thread that was made outside a test's method serves the test that is alone") {
  ProgramWithScopes p;
  const ScopeNumber around = p.begin(1, {ScopeRoot::Rule::kNothing, "", ""});
  p.allocate(1, {{"p.T", "beforeAll"}});
  p.scopes.thread_made(1, 7, false, p.stack({{"p.T", "beforeAll"}}));
  const ScopeNumber scope = p.begin(1, kTestMethod);
  p.allocate(7, {{"java.util.concurrent.ThreadPoolExecutor", "runWorker"}}, 3);
  p.allocate(7, {{"org.junit.Engine", "work"}}, 50);  // of what runs tests
  SECTION("alone") { CHECK(p.own_uses(p.figures(scope)) == 3); }
  SECTION("beside another one it is nobody's") {
    const ScopeNumber other = p.begin(2, kTestMethod);
    p.allocate(7, {{"p.Task", "run"}}, 1000);
    CHECK(p.own_uses(p.figures(other)) == 0);
    p.allocate(7, {{"p.Task", "run"}}, 10);
    CHECK(p.own_uses(p.figures(scope)) == 13);
  }
  CHECK(p.own_uses(p.figures(around)) == 0);
}

TEST_CASE("A thread of the runner that runs the test's method has what is below that, as its own") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1, kTestMethod);
  p.scopes.thread_made(1, 2, false, p.stack({{"org.junit.FailOnTimeout", "evaluate"}}));
  const auto count = [&](int times) {
    p.allocate(2, {{"p.C", "m"}, {"p.T", "slow"}, {"org.junit.FailOnTimeout", "call"}}, times);
    p.allocate(2, {{"p.T", "setUp"}, {"org.junit.FailOnTimeout", "call"}}, 1000);
  };
  count(1);
  // A pool's task may itself call JUnit.
  p.allocate(2, {{"p.C", "m"}, {"org.junit.Assert", "assertThrows"}, {"p.Task", "run"}}, 2);
  const ScopeNumber inner = p.begin(2);
  count(4);
  CHECK(p.own_uses(p.figures(inner)) == 1004);
  count(8);  // the inner scope has not made it one of the test's own threads
  const ScopeFigures figures = p.figures(scope);
  CHECK(p.own_uses(figures) == 15);
  for (const ScopeSite& site : figures.list) CHECK(site.own == (site.objects != 2));
}

TEST_CASE("Virtual threads serve the tests of the class that made them, and are then forgotten") {
  ProgramWithScopes p;
  const ScopeNumber suite = p.begin(1, {ScopeRoot::Rule::kNothing, "", ""});
  ScopeNumber around = p.begin(1, {ScopeRoot::Rule::kNothing, "", ""});
  p.scopes.thread_made(1, 7, false, p.stack({{"p.T", "beforeAll"}}));
  p.scopes.thread_made(1, 8, true, p.stack({{"p.T", "beforeAll"}}));
  const auto in_a_test = [&](std::int64_t thread) {
    const ScopeNumber scope = p.begin(1, kTestMethod);
    p.allocate(thread, {{"p.Server", "answer"}}, 3);
    return p.own_uses(p.figures(scope));
  };
  ScopeNumber test = p.begin(1, kTestMethod);
  p.scopes.thread_made(7, 9, true, p.stack({{"p.Server", "accept"}}));
  p.scopes.thread_made(8, 10, true, p.stack({{"p.Server", "accept"}}));
  for (const std::int64_t thread : {7, 8, 9, 10}) p.allocate(thread, {{"p.Server", "answer"}});
  CHECK(p.own_uses(p.figures(test)) == 4);
  for (const std::int64_t thread : {7, 8, 9, 10}) CHECK(in_a_test(thread) == 3);

  p.figures(around);
  for (const std::int64_t thread : {8, 9, 10}) CHECK_FALSE(p.scopes.needs_stack(thread));

  // The server of the first class is still there for the next one.
  around = p.begin(1, {ScopeRoot::Rule::kNothing, "", ""});
  test = p.begin(1, kTestMethod);
  p.scopes.thread_made(7, 11, true, p.stack({{"p.Server", "accept"}}));
  const ScopeNumber inner = p.begin(1);
  p.allocate(11, {{"p.Server", "answer"}}, 5);
  CHECK(p.own_uses(p.figures(inner)) == 5);
  p.allocate(11, {{"p.Server", "answer"}}, 5);
  CHECK(p.own_uses(p.figures(test)) == 10);
  CHECK_FALSE(p.scopes.needs_stack(11));
  CHECK(in_a_test(7) == 3);
  p.figures(around);
  p.figures(suite);
  CHECK(p.scopes.needs_stack(7));
}

TEST_CASE("What an inner scope counts, the outer one of the thread counts too") {
  ProgramWithScopes p;
  const ScopeNumber outer = p.begin(1, kTestMethod);
  p.allocate(1, {{"p.T", "slow"}}, 1);
  const ScopeNumber inner = p.begin(1);
  p.allocate(1, {{"p.T", "slow"}}, 10);
  p.scopes.thread_made(1, 2, false, p.stack({{"p.T", "slow"}}));
  p.allocate(2, {{"p.Task", "run"}}, 100);
  CHECK(p.own_uses(p.figures(inner)) == 110);
  p.allocate(2, {{"p.Task", "run"}}, 1000);  // it goes on, for the outer one
  p.allocate(1, {{"p.T", "slow"}}, 1);
  CHECK(p.own_uses(p.figures(outer)) == 1112);
}

TEST_CASE("Scopes of several threads at once do not mix, however often they begin and end") {
  ProgramWithScopes p;
  const TraceNumber trace = p.sites->traces().number_of(p.stack({{"p.T", "slow"}}));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int n = 1; n <= 4; ++n) {
    threads.emplace_back([&, n] {
      MethodKinds kinds;
      for (int round = 0; round < 200; ++round) {
        const ScopeNumber scope = p.begin(n, kTestMethod);
        for (int i = 0; i < 10 * n + round; ++i) p.scopes.count(n, {p.node, trace, 16, 1});
        p.scopes.end(scope);
        const auto ended = p.scopes.take(scope);
        if (!ended || p.own_uses(figures_of(*ended, p.names, kinds)) != 10 * n + round) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("Where figures begin anew an open scope has none") {
  ProgramWithScopes p;
  const ScopeNumber scope = p.begin(1);
  p.allocate(1, {{"p.T", "slow"}});
  p.scopes.forget();
  p.allocate(1, {{"p.T", "slow"}});
  p.scopes.end(scope);
  CHECK_FALSE(p.scopes.take(scope));
  CHECK_FALSE(p.scopes.any());
}

TEST_CASE("Frames of what runs tests are neither the JDK's nor the program's") {
  CHECK(is_test_runner("org.junit.jupiter.engine.Main"));
  CHECK(is_test_runner("org.apache.maven.surefire.booter.ForkedBooter"));
  CHECK(is_test_runner("worker.org.gradle.process.internal.worker.GradleWorkerMain"));
  CHECK(is_test_runner("com.intellij.rt.junit.JUnitStarter"));
  CHECK(is_test_runner("org.eclipse.jdt.internal.junit5.runner.JUnit5TestLoader"));
  CHECK(is_test_runner("com.microsoft.java.test.runner.Launcher"));
  CHECK(is_test_runner("com.google.testing.junit.runner.BazelTestRunner"));
  CHECK(is_test_runner("sbt.ForkMain$Run"));
  CHECK_FALSE(is_test_runner("org.eclipse.jdt.core.dom.ASTParser"));
  CHECK_FALSE(is_test_runner("org.junitpioneer.X"));
  CHECK(is_test_runner("junit.framework.TestCase"));
  CHECK_FALSE(is_test_runner("org.apache.maven.plugins.shop.ShopMojo"));
  CHECK_FALSE(is_program_under_test("java.lang.Thread"));
  CHECK(is_program_under_test("shop.Shop"));
}

}  // namespace
}  // namespace ddm
