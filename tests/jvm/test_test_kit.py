"""ddm-test.jar: what tests allocate, exactly, and limits of it."""
import glob
import os
import re

import known_matrix
from harness import AGENT, test
from junit import COUNTING, JARS, KIT, SUITES, amounts, platform_run, suite_classes
from tool import USAGE, ddm

ROUNDS = 20_000


def counted_by_hand(jdk):
    """{method: (objects, bytes)} of what stands behind the methods of KnownCounts, None where it is "steady"."""
    known = {}
    with open(os.path.join(SUITES, "known", "KnownCounts.java"), encoding="utf-8") as f:
        for name, said in re.findall(r"@(?:Test|RepeatedTest\(3\))\n    void (\w+)\(.*\{ // (.*)", f.read()):
            if said.startswith("steady"):
                known[name] = None
                continue
            later = re.match(r"(.*), 21: (.*)", said)
            if later:
                said = later[2] if jdk >= 21 else later[1]
            objects, size, _, once, once_size = re.fullmatch(r"(\d+) (\d+)(, once (\d+) (\d+))?", said).groups()
            known[name] = (int(objects) * ROUNDS + int(once or 0), int(size) * ROUNDS + int(once_size or 0))
    return known


def counted(t, name, flags=()):
    folders, selected = known_matrix.suites(t.jdk)
    done = platform_run(t, suite_classes(*folders), *selected,
                        flags=[*flags, f"-Dddm.allocations={t.path(name)}"])
    assert done.code == 0, done
    return amounts(t.path(name))[0], done


@test(jdks="each", daily=1, every_days=5, timeout=600)
def tests_of_known_counts_have_them_however_their_code_runs(t):
    first, done = counted(t, "first.txt")
    for method, truth in counted_by_hand(t.jdk.major).items():
        names = [f"known.KnownCounts.{method}"] if method != "repeated" else [
            f"known.KnownCounts.repeated[{n}]" for n in (1, 2, 3)]
        for name in names:
            if truth is not None:
                # Sizes by hand are those of headers of 12 bytes; from JDK 27 on they are compact by default.
                known = first[name][0] == truth[0] if t.jdk.compact_headers else first[name] == truth
                assert known, (name, first[name], truth)
    assert re.search(rf"^allocations: {len(first)} tests, [\d,]+ objects, [\d.]+ MiB; most: known\.\S+ [\d.]+ MiB in ",
                     done.err, re.M), done.err
    for number, flags in enumerate(t.some(known_matrix.MODES[1:], 3)):
        again, _ = counted(t, f"again{number}.txt", flags)
        differ = [(flags, name, first[name], again[name]) for name in first if again[name] != first[name]]
        assert not differ, differ


@test(full_only=True, jdks="each", timeout=3600)
def thirty_runs_of_every_kind_have_the_same_figures(t):
    """However code runs, with G1, Serial and ZGC, one at a time and in parallel."""
    differ, _ = known_matrix.differences(t.jdk, 30)
    assert not differ, "\n".join(differ)


@test(every_days=4)
def tests_that_wait_for_a_pool_do_not_have_what_their_thread_runs_meanwhile(t):
    """From JDK 25 on a thread of JUnit's pool that waits for another pool's task runs further tests."""
    differ, _ = known_matrix.differences(t.jdk, 2, rounds=1000)
    assert not differ, "\n".join(differ)


def broken(out):
    """{test: what it says of its limit}"""
    return dict(re.findall(r"AssertionError: limits\.(\S+) ((?:allocated|leaves) .*)", out))


def wide_headers(t):
    """Objects have the sizes that the limits' messages tell: compact headers make arrays smaller."""
    return ["-XX:-UseCompactObjectHeaders"] if t.jdk.compact_headers else []


@test(every_days=2)
def limits_hold_to_the_object(t):
    done = platform_run(t, suite_classes("limits"), "limits.LimitedJupiter", "limits.LimitedJunit4",
                        flags=[*wide_headers(t), f"-Dddm.allocations={t.path('a.txt')}"])
    assert done.code == 1, done
    assert broken(done.out) == {
        "LimitedJupiter.noBytes": "allocated 5,441 objects, 174,112 bytes; the limit is 1,000 bytes",
        "LimitedJupiter.noObjects": "allocated 100 objects, 3,200 bytes; the limit is 99 objects",
        "LimitedJupiter.noNone": "allocated 1 object, 32 bytes; the limit is 0 objects",
        "LimitedJupiter.noTypes": "allocated 100 objects, 3,200 bytes; the limit is 0 objects",
        "LimitedJupiter.noFrom": "allocated 100 objects, 3,200 bytes; the limit is 0 objects",
        "LimitedJupiter.noStartedThreads": "allocated 1,005 objects, 32,160 bytes; the limit is 1,004 objects",
        "LimitedJupiter.noParameters[2]": "allocated 2 objects, 64 bytes; the limit is 1 object",
        "LimitedJupiter.noDeep": "allocated 1 object, 32 bytes; the limit is 0 objects",
        "LimitedJupiter.noDeepFrom": "allocated 1 object, 32 bytes; the limit is 0 objects",
        "LimitedJupiter.noCallback": "allocated 3 objects, 72 bytes; the limit is 0 objects",
        "LimitedJupiter.noLeftovers": "leaves 41 objects, 672 bytes alive; the limit is 30 objects",
        "LimitedJunit4.noObjects": "allocated 101 objects, 3,232 bytes; the limit is 100 objects",
    }, done.out
    assert "    int[]: 5,441 objects, 174,112 bytes" in done.out, done.out
    # Of each site what is alive, not what was allocated.
    assert re.search(r"the limit is 30 objects\n +limits.LimitedJupiter\$Leftover: 40 objects, 640 bytes\n", done.out), done.out
    assert "at limits.LimitedJupiter$Helper.pad(LimitedJupiter.java:" in done.out, done.out
    counts, _ = amounts(t.path("a.txt"))
    assert counts["limits.LimitedJupiter.keepsIt"] == (100, 3200), counts
    assert counts["limits.LimitedJupiter.noParameters[1]"] == (1, 32), counts
    assert counts["limits.LimitedJunit4.keepsIt"] == (100, 3200), counts
    # Without the passes of the warm-up.
    assert counts["limits.LimitedJupiter.warm"] == (10, 320), counts
    assert counts["limits.LimitedJupiter.keepsAfterWarmup"] == counts["limits.LimitedJunit4.keepsAfterWarmup"] == (0, 0)
    # What has failed is not there.
    assert not [name for name in counts if "failsByItself" in name or ".no" in name and "Parameters" not in name], counts


@test(every_days=2)
def limits_hold_wherever_jupiter_finds_their_annotations_and_fail_where_they_limit_nothing(t):
    done = platform_run(t, suite_classes("limits"), "limits.LimitedNested", "limits.LimitedHeir", "limits.LimitedNothing",
                        "limits.LimitedSwallowed", "limits.WithoutRule",
                        flags=[*wide_headers(t), f"-Dddm.allocations={t.path('a.txt')}"])
    assert done.code == 1, done
    assert broken(done.out) == {
        "LimitedNested$Inside.noObjects": "allocated 11 objects, 352 bytes; the limit is 10 objects",
        "LimitedNested$Inside.noCheap": "allocated 4 objects, 128 bytes; the limit is 3 objects",
        "LimitedNested$Own.noObjects": "allocated 3 objects, 96 bytes; the limit is 2 objects",
        "LimitedNested$Own$Inner.noObjects": "allocated 4 objects, 128 bytes; the limit is 2 objects",
        "LimitedNested$OfInterface.noObjects": "allocated 1 object, 32 bytes; the limit is 0 objects",
        "LimitedNested.makes[2]": "allocated 101 objects, 3,232 bytes; the limit is 100 objects",
        "LimitedNested.makes[3][1]": "allocated 102 objects, 3,264 bytes; the limit is 100 objects",
        "LimitedNested.ofTheClass[1]": "allocated 11 objects, 352 bytes; the limit is 10 objects",
        "LimitedNested.ofTheJdk[1]": "allocated 1 object, 24 bytes; the limit is 0 objects",
        "LimitedNested.noObjectsAlive": "allocated 11 objects, 352 bytes; the limit is 10 objects",
        "LimitedHeir$Inside.noObjects": "allocated 1 object, 32 bytes; the limit is 0 objects",
    }, done.out
    none = "limits nothing: it means objects of exactly this class, of which there are none"
    assert dict(re.findall(r"AssertionError: limits\.(LimitedNothing\S+): (.*)", done.out)) == {
        "LimitedNothing.noAmount": "@MaxAllocated limits nothing without objects = or bytes =",
        "LimitedNothing.noLiveAmount": "@MaxLive limits nothing without objects = or bytes =",
        "LimitedNothing.noSuchObjects": f"@MaxAllocated(types = java.util.List.class) {none}",
        "LimitedNothing.noPrimitives": f"@MaxAllocated(types = int.class) {none}",
        "LimitedNothing.noBoth": "@MaxAllocated has no effect beside @NoAllocation",
        "LimitedNothing.noSuchMethod": '@MaxAllocated(from = "limits.LimitedJupiter.mkae") limits nothing: '
                                       "limits.LimitedJupiter has no code of such a method",
        "LimitedNothing$AroundATest.noTest":
            "the limit of limits.LimitedNothing$AroundATest.before limits nothing: the method is no test",
    }, done.out
    # No listener of the Platform can fail a test whose limits nobody has looked at: the list says it.
    swallowed = "limits.LimitedSwallowed.isNotHeld is not held to its limits: it has thrown, and what runs around it caught that"
    unheld = "limits.WithoutRule.isNotHeld is not held to its limits: its class has no AllocationsRule"
    with open(t.path("a.txt"), encoding="utf-8") as f:
        head, *rows = f.read().splitlines()
    assert rows == [f"incomplete: {swallowed}", f"incomplete: {unheld}",
                    "limits.LimitedNested$Inside.keepsIt\t10\t320", "limits.LimitedNested$Inside.keepsItsOwn\t20\t640",
                    "limits.LimitedNested.keepsIt\t10\t320", "limits.LimitedNested.makes[1]\t100\t3200",
                    "limits.LimitedNested.warm[1]\t0\t0", "limits.LimitedNothing.keepsIt\t0\t0",
                    "limits.LimitedSwallowed.isNotHeld\t1\t32", "limits.WithoutRule.free\t0\t0", "limits.WithoutRule.isNotHeld\t1\t32"], rows
    assert done.err.count(unheld) == done.err.count(swallowed) == 1, done.err
    with open(t.path("before.txt"), "w", encoding="utf-8") as f:
        f.write(f"{head}\nlimits.LimitedNested.keepsIt\t10\t320\n")
    assert swallowed in ddm(t, "gate", t.path("a.txt"), "--baseline", t.path("before.txt"), code=USAGE)


def listened(t, *words):
    """JUnit 4 without the Platform, over what is named."""
    return t.command([t.jdk.java, *t.vm_flags(), *wide_headers(t), "-cp",
                      ":".join([suite_classes("limits"), KIT, *JARS]), *words])


@test(every_days=4)
def junit_4_without_the_platform_fails_over_limits_without_their_rule(t):
    done = listened(t, f"-agentpath:{AGENT}={COUNTING}", "limits.ListenedJunit4", "limits.WithoutRule",
                    "limits.LimitedJunit4", "limits.PooledJunit4")
    assert done.out.splitlines()[0] == (
        "Test mechanism: limits.WithoutRule.isNotHeld is not held to its limits: its class has no AllocationsRule"), done
    assert done.out.splitlines()[1] == ("noObjects(limits.LimitedJunit4): limits.LimitedJunit4.noObjects allocated 101 "
                                        "objects, 3,232 bytes; the limit is 100 objects"), done
    # The pool was begun before the test.
    assert amounts(t.path("allocations.txt"))[0]["limits.PooledJunit4.usesIt"][0] >= 100, done
    # JUnit drops a listener that throws an exception, and goes on.
    done = listened(t, "-Dddm.required=true", "limits.ListenedJunit4", "limits.PooledJunit4")
    assert done.code != 0 and "add -agentpath:" in done.err, done


@test(every_days=3)
def limits_do_not_pass_where_stacks_are_cut_short(t):
    done = platform_run(t, suite_classes("limits"), "limits.LimitedJupiter", agent=f"{COUNTING},sites_depth=4",
                        flags=[f"-Dddm.allocations={t.path('a.txt')}"])
    assert done.code == 1, done
    assert re.search(r"limits.LimitedJupiter.noDeep could not be held to its limits: [\d,]+ allocations? .*sites_depth=",
                     done.out), done.out
    with open(t.path("a.txt"), encoding="utf-8") as f:
        assert f.read().splitlines()[1].startswith("incomplete: "), done


@test(every_days=3)
def a_test_that_ends_the_jvm_leaves_a_list_that_is_not_compared(t):
    done = platform_run(t, suite_classes("limits"), "limits.EndsTheJvm", flags=[
        *wide_headers(t), f"-Dddm.allocations={t.path('a.txt')}"])
    why = "the JVM has ended before its tests"
    assert done.code == 7 and f"allocations: {why}" in done.err, done
    with open(t.path("a.txt"), encoding="utf-8") as f:
        assert f.read().splitlines()[1:] == [f"incomplete: {why}", "limits.EndsTheJvm.before\t3\t96"], done


@test(jdks="each", every_days=3)
def what_the_jdk_caches_does_not_count_for_the_test_that_comes_first(t):
    done = platform_run(t, suite_classes("known"), "known.CachedCounts", flags=[f"-Dddm.allocations={t.path('a.txt')}"])
    assert done.code == 0, done
    counts, _ = amounts(t.path("a.txt"))
    for what in ("date", "digest", "format", "url"):
        first, again = (counts[f"known.CachedCounts.{what}{n}"][0] for n in (1, 2))
        # Up to some entries of tables; it was thousands.
        assert 0 < again <= first < again + 30, (what, first, again)


@test(every_days=4)
def tests_that_share_a_methods_name_keep_their_own_figures_in_parallel(t):
    done = platform_run(t, suite_classes("named"), "named.NamedJupiter", "named.NamedJunit4", flags=[
        f"-Dddm.allocations={t.path('a.txt')}", "-Djunit.jupiter.execution.parallel.enabled=true",
        "-Djunit.jupiter.execution.parallel.config.strategy=fixed",
        "-Djunit.jupiter.execution.parallel.config.fixed.parallelism=4"])
    assert "named.NamedJunit4.makes[0] allocated 3,000 objects" in done.out and "1 tests failed" in done.out, done
    assert {name: objects for name, (objects, _) in amounts(t.path("a.txt"))[0].items()} == {
        "named.NamedJunit4.makes[1]": 2000, "named.NamedJunit4.makes[2]": 1000, "named.NamedJupiter.alone": 2,
        "named.NamedJupiter.put()": 1, "named.NamedJupiter.put(int)[1]": 3000, "named.NamedJupiter.put(int)[2]": 2000,
        "named.NamedJupiter.put(int)[3]": 1000, "named.NamedJupiter.put(java.lang.String)[1]": 4,
        "named.NamedJupiter.put(java.lang.String)[2]": 5, "named.NamedJupiter.put(long)[1]": 20,
        "named.NamedJupiter.put(long)[2]": 30}, done
    done = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}={COUNTING}", f"-Dddm.allocations={t.path('b.txt')}",
                      "-cp", ":".join([suite_classes("named"), KIT, *JARS]), "org.testng.TestNG",
                      "-testclass", "named.NamedTestNg", "-d", t.path("out")])
    assert done.code == 0 and {name: objects for name, (objects, _) in amounts(t.path("b.txt"))[0].items()} == {
        "named.NamedTestNg.put()": 1, "named.NamedTestNg.put(int)": 30, "named.NamedTestNg.put(int)[2]": 20}, done


@test(every_days=4)
def inherited_tests_have_the_names_of_their_heirs_and_lists_of_several_jvms_are_joined(t):
    for one in ("NamedFirst", "NamedSecond"):
        done = platform_run(t, suite_classes("named"), f"named.{one}", flags=[f"-Dddm.allocations={t.path('a-%p.txt')}"])
        assert done.code == 0, done
    for ending in (".txt", ".txt.sites.jsonl"):
        lists = sorted(glob.glob(t.path(f"a-*{ending}")))
        assert len(lists) == 2 and all(re.search(r"a-\d+\.txt", one) for one in lists), lists
        with open(t.path(f"all{ending}"), "w", encoding="utf-8") as joined:
            for one in lists:
                with open(one, encoding="utf-8") as f:
                    joined.write(f.read())
    ddm(t, "gate", t.path("all.txt"), "--baseline", t.path("joined.txt"), "--update")
    assert {name: objects for name, (objects, _) in amounts(t.path("joined.txt"))[0].items()} == {
        "named.NamedFirst$Inside.inherited": 10, "named.NamedFirst.inherited": 1,
        "named.NamedSecond$Inside.inherited": 20, "named.NamedSecond.inherited": 2}, done
    with open(t.path("joined.txt.sites"), encoding="utf-8") as f:
        assert "named.NamedSecond.inherited: int[] @ named.NamedJupiter.make\t2\t" in f.read()


@test()
def a_limit_that_could_not_be_measured_fails_and_no_list_hides_it(t):
    # The start of JUnit alone fills this tree.
    done = platform_run(t, suite_classes("limits"), "limits.LimitedJupiter",
                        agent=COUNTING.replace("sites=512k", "sites=1k"), flags=[f"-Dddm.allocations={t.path('a.txt')}"])
    assert done.code == 1, done
    failed = set(re.findall(r"MethodSource \[className = 'limits.LimitedJupiter', methodName = '(\w+)'", done.out))
    assert {"noObjects", "noNone", "noTypes", "noFrom", "noStartedThreads", "noBytes"} <= failed, done.out
    assert re.search(r"limits.LimitedJupiter.\w+ could not be held to its limits: [\d,]+ allocations found no room.*sites=512k",
                     done.out), done.out
    with open(t.path("a.txt"), encoding="utf-8") as f:
        head, mark, *rows = f.read().splitlines()
    assert head == f"# jdk {t.jdk.major}" and mark.startswith("incomplete: ") and "sites=512k" in mark, (head, mark)
    # What has figures has the right ones.
    known = {"limits.LimitedJupiter." + name: made for name, made in
             {"free": "100", "keepsIt": "100", "keepsNone": "0", "keepsTypes": "100", "keepsFrom": "100"}.items()}
    assert "limits.LimitedJupiter.free\tincomplete" in rows, rows
    assert all(row[1] in ("incomplete", known.get(row[0], row[1])) for row in (line.split("\t") for line in rows)), rows
    assert "is marked as incomplete" in done.err, done.err
    with open(t.path("before.txt"), "w", encoding="utf-8") as f:
        f.write(f"{head}\nlimits.LimitedJupiter.free\t100\t3200\n")
    for words in ((), ("--update",)):
        told = ddm(t, "gate", t.path("a.txt"), "--baseline", t.path("before.txt"), *words, code=USAGE)
        assert "incomplete: " in told and "sites=512k" in told, told


@test()
def testng_finds_its_listener_by_itself(t):
    classes = suite_classes("limits")
    done = t.command([t.jdk.java, *t.vm_flags(), *wide_headers(t), f"-agentpath:{AGENT}={COUNTING}",
                      "-cp", ":".join([classes, KIT, *JARS]), "org.testng.TestNG", "-testclass", "limits.LimitedTestNg",
                      "-verbose", "2", "-d", t.path("out")])
    assert "Total tests run: 6, Failures: 3, Skips: 0" in done.out, done
    assert "limits.LimitedTestNg.noObjects allocated 101 objects, 3,232 bytes; the limit is 100 objects" in done.out
    assert "limits.LimitedTestNg.noObjectsAndThrows allocated 102 objects" in done.out
    assert amounts(t.path("allocations.txt"))[0] == {"limits.LimitedTestNg.free": (12, 384),
                                                     "limits.LimitedTestNg.keepsIt": (100, 3200),
                                                     "limits.LimitedTestNg.keepsItAndThrows": (99, 3168)}


@test(every_days=3)
def limits_of_testng_hold_for_heirs_and_where_something_else_would_hide_them(t):
    more = [f"limits.MoreTestNg${name}" for name in ("Limited", "Free", "Expecting", "Hooked", "Timed")]
    done = t.command([t.jdk.java, *t.vm_flags(), *wide_headers(t), f"-agentpath:{AGENT}={COUNTING}",
                      "-cp", ":".join([suite_classes("limits"), KIT, *JARS]), "org.testng.TestNG",
                      "-testclass", ",".join(more), "-verbose", "2", "-d", t.path("out")])
    assert "Total tests run: 6, Failures: 4, Skips: 0" in done.out, done
    assert broken(done.out) == {
        "MoreTestNg$Limited.inherited": "allocated 2 objects, 64 bytes; the limit is 0 objects",
        "MoreTestNg$Expecting.noObjects": "allocated 3 objects, 96 bytes; the limit is 2 objects",
        "MoreTestNg$Timed.noObjects": "allocated 4 objects, 128 bytes; the limit is 2 objects"}, done.out
    assert "AssertionError: limits.MoreTestNg$Hooked.isNotHeld is not held to its limits: " in done.out, done.out
    assert amounts(t.path("allocations.txt"))[0] == {"limits.MoreTestNg$Expecting.keepsIt": (2, 64),
                                                     "limits.MoreTestNg$Free.inherited": (2, 64)}


def told_roomy(done):
    return re.findall(r"^allocations: ((?:the limit of|and ).*)", done.err, re.M)


@test(every_days=4)
def limits_that_are_much_too_high_are_told_after_the_tests(t):
    nested = "the limit of limits.RoomyJupiter"
    for options in ((), ("-Dddm.allocations=off",)):
        done = platform_run(t, suite_classes("limits"), "limits.RoomyJupiter", flags=[*wide_headers(t), *options])
        assert done.code == 0 and told_roomy(done) == [
            f"{nested}$RoomyForAll is 1,000 objects; its tests used at most 99",
            f"{nested}.roomy is 100,000,000 bytes; it used 64",
            f"{nested}.roomyEachTime is 1,000 objects; it used 3"], done
    junit4 = [*(f"the limit of limits.RoomyJunit4.roomy{n} is 100,000 objects; it used {n}" for n in (1, 2)),
              "the limit of limits.RoomyJunit4.roomy2 is 3,000,000 bytes; it used 64",
              *(f"the limit of limits.RoomyJunit4.roomy{n} is 100,000 objects; it used {n}" for n in (3, 4)),
              "and 2 more"]
    for done in (platform_run(t, suite_classes("limits"), "limits.RoomyJunit4", flags=wide_headers(t)),
                 listened(t, f"-agentpath:{AGENT}={COUNTING}", "limits.ListenedJunit4", "limits.RoomyJunit4")):
        assert told_roomy(done) == junit4, done
    done = listened(t, f"-agentpath:{AGENT}={COUNTING}", "org.testng.TestNG", "-testclass", "limits.RoomyTestNg",
                    "-d", t.path("out"))
    assert done.code == 0 and told_roomy(done) == [
        "the limit of limits.RoomyTestNg.roomy is 1,000 objects; it used 7"], done


def during(t, *options):
    done = t.command([t.jdk.java, *t.vm_flags(), *options, "-cp", ":".join([suite_classes("limits"), KIT]),
                      "limits.DuringMain"])
    assert done.code == 0, done
    return {line.split(" ")[0]: line.split(" ")[1:] for line in done.out.splitlines()}, done


@test(jdks="each", flags=((), ("-Xint",)), daily=2)
def a_program_measures_a_piece_of_itself(t):
    told, done = during(t, f"-agentpath:{AGENT}={COUNTING}")
    assert told["nothing"] == ["true", "0", "0", "0", "-"], done
    assert told["nodes"][:3] == ["true", "1000", "16000"] and told["nodes"][4] == "limits.DuringMain$Node", done
    assert told["first"][:3] == ["true", "0", "0"] and int(told["first"][3]) >= 1, done
    assert told["threads"] == ["110"] and told["nested"] == ["20", "25", "25"], done
    assert told["settled"] == ["true", "0", "0", "0", "-"], done
    assert told["stack"] == ["limits.DuringMain.nodes(DuringMain.java:31)"], done
    assert told["passes"] == ["through"], done


def inside(t, program, *arguments, flags=()):
    """A program in the package of the jar's own classes."""
    done = t.command([t.jdk.java, *t.vm_flags(), *flags, f"-agentpath:{AGENT}={COUNTING}", "-cp",
                      ":".join([suite_classes("inside"), KIT, *JARS]), f"ddm.test.{program}", *arguments])
    assert done.code == 0, done
    return done


@test()
def measured_code_that_throws_leaves_no_scope_with_the_agent(t):
    done = inside(t, "LeftScopes")
    assert done.out.splitlines() == ["connecting left 0",
                                     "during thrown true begun 1 left 0",
                                     "allocated thrown true begun 2 left 0",
                                     "live thrown true begun 1 left 0",
                                     "passed thrown false begun 2 left 0"], done


@test(timeout=60)
def many_tests_of_one_name_are_numbered_in_no_time(t):
    """A data provider's rows; a search for a free name from the first on takes minutes."""
    rows = 20_000
    inside(t, "LedgerNames", str(rows))
    assert set(amounts(t.path("allocations.txt"))[0]) == {
        "named", "named[2]", "named[3]", "named[4]", "named[2][2]", "torn ?",
        "rows", *(f"rows[{n}]" for n in range(2, rows + 1))}
    # What is not in a list is not told as if it were.
    os.makedirs(t.path("folder"))
    done = inside(t, "LedgerNames", "1", flags=[f"-Dddm.allocations={t.path('folder')}"])
    assert done.err.splitlines() == [f"allocations: {t.path('folder')} cannot be written: "
                                     f"java.nio.file.FileSystemException: {t.path('folder')}: Is a directory"], done


@test()
def a_name_of_junit_4_leads_to_the_method_whatever_the_runner_adds(t):
    """JUnitParams has the arguments in it."""
    done = inside(t, "Junit4Names", "adds", "adds[0]", "adds(1, 2) [0]", "adds([1], (2)) [1]", "[0] 1", "removes(1)")
    adds = "public void ddm.test.Junit4Names.adds(int,int)"
    assert done.out.splitlines() == [adds] * 4 + ["null"] * 2, done


@test()
def a_test_without_figures_makes_its_list_none_to_compare(t):
    done = inside(t, "LedgerNames", "1", "lost")
    why = "there are tests without figures: tracking was switched off meanwhile"
    with open(t.path("allocations.txt"), encoding="utf-8") as f:
        head, *rows = f.read().splitlines()
    assert rows[0] == f"incomplete: {why}" and rows[1:3] == ["lost\tincomplete", "lost[2]\tincomplete"], rows
    assert done.err.count(why) == 1, done.err
    with open(t.path("before.txt"), "w", encoding="utf-8") as f:
        f.write(f"{head}\nlost\t0\t0\n")
    assert why in ddm(t, "gate", t.path("allocations.txt"), "--baseline", t.path("before.txt"), code=USAGE)


@test(every_days=3)
def without_the_agent_programs_and_tests_run_as_ever(t):
    line = f"allocations are not counted; add -agentpath:{AGENT}={COUNTING} to the arguments of the JVM that runs the tests"
    for options, why in (((), line),
                         ((f"-agentpath:{AGENT}=address=none,dump=none,engine=vm,track=y",),
                          "allocations are not counted: it tracks with engine=vm; engine=bci counts the same each time")):
        told, done = during(t, *options)
        assert told["nodes"] == ["false", "0", "0", "0", "-"] and done.err.splitlines() == [why], done
    classes = suite_classes("limits")
    done = platform_run(t, classes, "limits.LimitedJupiter", agent=None)
    assert "1 tests failed" in done.out and "failsByItself" in done.out, done
    assert done.err.splitlines() == [line], done.err
    assert not os.path.exists(t.path("allocations.txt"))
    # Where the agent is required nothing runs.
    done = t.command([t.jdk.java, *t.vm_flags(), "-Dddm.required=true", "-cp", f"{classes}:{KIT}", "limits.DuringMain"])
    assert done.code != 0 and line in done.err and not done.out, done
    done = platform_run(t, classes, "limits.LimitedJupiter", agent=None, flags=["-Dddm.required=true"])
    assert done.code != 0 and "-agentpath:" in done.out + done.err and "keepsIt" not in done.out, done
    # And where nobody wants to know, nothing is said.
    done = platform_run(t, classes, "limits.LimitedJupiter", flags=["-Dddm.allocations=off"])
    assert "7 tests failed" not in done.err and "allocations:" not in done.err, done
    # Nor is anything counted, but for a limit.
    for selected, counts in (("limits.WithoutRule", False), ("limits.LimitedJunit4", True)):
        done = platform_run(t, classes, selected, agent=COUNTING.replace("track=y", "log=info"),
                            flags=["-Dddm.allocations=off"])
        assert ("tracking on" in done.err) == counts, (selected, done)
        # No limit is passed over in silence.
        assert ("isNotHeld is not held to its limits: its class has no AllocationsRule" in done.err) == (not counts), done
    done = platform_run(t, classes, "limits.LimitedJupiter", agent=None, flags=["-Dddm.allocations=off"])
    assert done.err.splitlines() == [line], done.err


@test(min_jdk=17)
def the_kit_attaches_the_agent_to_its_own_jvm_where_it_may(t):
    told, done = during(t, "-Djdk.attach.allowAttachSelf=true", *(
        ["-XX:+EnableDynamicAgentLoading"] if t.jdk.major >= 21 else []))
    assert told["nodes"][:3] == ["true", "1000", "16000"], done
