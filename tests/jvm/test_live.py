"""live=: what is still alive, by site, against what the program keeps."""
import os
import re
import resource
import time
from collections import Counter

from adb_bridge import wait_for
from asked_reports import report_of
from ddm_client import Target
from harness import AGENT, test
from jni_references import jni_references
from thread_names import threads_of
from tool import DDM, REFUSED, ddm, ddm_json

ENGINES = ("vm", "bci")
HOLDER = os.path.join(os.path.dirname(AGENT), "libhold_thread.so")
OPTIONS = "track=y,records=1k,sites_depth=8,dump=none"


def of_site(report, kind, method):
    """count and live count of a class, allocated by a method of the program or its constructor."""
    found = [s for s in report.sites if s["class"] == kind and
             any(f["class"].startswith("Live") and f["method"] == method for f in s["stack"][:2])
             and s["stack"][0]["class"].startswith("Live")]
    return sum(s["count"] for s in found), sum(s["live_count"] for s in found)


def check_sums(report):
    for name in ("live_count", "live_bytes"):
        assert sum(s[name] for s in report.sites) == report.summary[name], name
    for s in report.sites:
        assert 0 <= s["live_count"] <= s["count"] and 0 <= s["live_bytes"] <= s["bytes"], s


def exactly(t, client, nodes):
    report = report_of(t, client)
    check_sums(report)
    truth = {("Live$Node", "keepNodes"): (nodes, nodes), ("Live$Half", "keepHalf"): (5000, 2500),
             ("char[]", "keepArrays"): (1000, 1000), ("Live$Late", "keepLate"): (100, 100),
             ("short[]", "keepLate"): (100, 100), ("int[]", "lambda$threads$0"): (2000, 2000),
             ("Live$Dropped", "drop"): (50000, 0)}
    for (kind, method), figures in truth.items():
        shown = of_site(report, kind, method)
        assert shown == figures, f"{kind} in {method}: {shown} instead of {figures}"
    assert report.summary["live_not_followed"] == {}
    assert of_loaders(report) == (20, 1)
    return report


def of_loaders(report):
    """Count and live count of objects whose class was loaded for each anew."""
    loaded = [(s["count"], s["live_count"]) for s in report.sites
              if s["class"] == "Live$Dropped" and
              any(f["method"] == "loaders" for f in s["stack"])]
    return sum(count for count, _ in loaded), sum(alive for _, alive in loaded)


def collect(client):
    client.request("HPGC")


def live_is_exact(t, nodes, engines=ENGINES):
    for engine in engines:
        with Target(t, f"{OPTIONS},engine={engine},live=y", program=("Live",)) as p, \
                p.client() as client:
            for line in (f"nodes {nodes}", "half 5000", "arrays 1000", "late 100", "drop 50000",
                         "threads 500", "loaders 20"):
                p.tell(line)
            p.tell("gc")
            first = exactly(t, client, nodes).summary["gc"]
            p.tell("forget")
            collect(client)
            report = report_of(t, client)
            assert report.summary["gc"] > first > 0
            for kind, method in (("Live$Node", "keepNodes"), ("Live$Half", "keepHalf"),
                                 ("int[]", "lambda$threads$0")):
                count, alive = of_site(report, kind, method)
                assert count > 0 and alive == 0, (kind, count, alive)


@test(jdks="each", gc="all", timeout=240, daily=2)
def live_figures_are_what_the_program_keeps(t):
    live_is_exact(t, 30_000, ["vm"])


@test(jdks="each", timeout=240)
def live_figures_of_rewritten_bytecode_are_what_the_program_keeps(t):
    live_is_exact(t, 30_000, ["bci"])


@test(jdks="each", gc="all", flags=[("-Xmx600m",)], timeout=400, full_only=True)
def live_figures_of_a_million_objects_are_what_the_program_keeps(t):
    live_is_exact(t, 1_000_000)


def class_of_age(age):
    """0, 1, 2 (and 3), 4 (to 7), ..., 1024 (and more): the least of those that count together."""
    return 0 if age == 0 else min(1 << (age.bit_length() - 1), 1024)


def settled_gc(t, client):
    """The number of the last collection, once a concurrent collector has ended its cycle."""
    last = None
    while True:
        gc = report_of(t, client).summary["gc"]
        if gc == last:
            return gc
        last = gc
        time.sleep(0.2)


def ages_of_site(report, kind, method):
    ages = Counter()
    for s in report.sites:
        check_ages(s)
        if s["class"] == kind and s["stack"] and s["stack"][0]["method"] == method and \
                s["stack"][0]["class"].startswith("Live"):
            for one in s["live_ages"]:
                ages[one["survived"]] += one["count"]
    return dict(ages)


def check_ages(figures):
    """What is alive is in one of the ages."""
    survived = [one["survived"] for one in figures["live_ages"]]
    assert survived == sorted(set(survived)) and all(class_of_age(n) == n for n in survived), figures
    for name in ("count", "bytes"):
        assert all(one[name] >= 0 for one in figures["live_ages"]), figures
        assert sum(one[name] for one in figures["live_ages"]) == figures[f"live_{name}"], figures


STOP_THE_WORLD = ("serial", "parallel", "g1", "default")


@test(jdks="each", gc="all", flags=[("-Xms512m", "-Xmx512m")], timeout=300, daily=1, every_days=5)
def ages_are_the_collections_that_objects_have_survived(t):
    for engine in ENGINES:
        with Target(t, f"{OPTIONS},engine={engine},live=y", program=("Live",)) as p, \
                p.client() as client:
            born = []
            calls = 0  # of System.gc(), each of which is one pause where the world is stopped
            for kind, method, line, count, collections in (
                    ("Live$Node", "keepNodes", "nodes 3000", 3000, 17),
                    ("char[]", "keepArrays", "arrays 1000", 1000, 4),
                    ("Live$Late", "keepLate", "late 500", 500, 2),
                    ("Live$Half", "keepHalf", "half 2000", 1000, 1),
                    ("int[]", "lambda$threads$0", "threads 500", 2000, 0)):
                before = settled_gc(t, client)
                p.tell(line)
                after = settled_gc(t, client)
                assert t.gc not in STOP_THE_WORLD or before == after == calls, (before, after, calls)
                born.append((kind, method, count, before, after))
                for _ in range(collections):
                    p.tell("gc")
                calls += collections
            gc = settled_gc(t, client)
            report = report_of(t, client)
            assert report.summary["gc"] == gc and (t.gc not in STOP_THE_WORLD or gc == calls)
            check_ages(report.summary)
            for kind, method, count, before, after in born:
                ages = ages_of_site(report, kind, method)
                assert sum(ages.values()) == count, (kind, ages)
                # A concurrent collector may have begun one of its own while they were made.
                oldest, youngest = class_of_age(gc - before), class_of_age(gc - after)
                assert all(youngest <= age <= oldest for age in ages), (kind, ages, gc, before, after)
            check_ddm_survived(t, p, report)


def check_ddm_survived(t, p, report):
    least = 8
    nodes = sum(ages_of_site(report, "Live$Node", "keepNodes").values())
    old = ddm_json(t, "live", p.pid, "--survived", str(least))
    assert list(old) == ["gc", "survived", "rows"] and old["gc"] == report.summary["gc"]
    assert live_rows(old, "Live$Node", "keepNodes") == nodes == 3000
    for kind, method in (("char[]", "keepArrays"), ("Live$Half", "keepHalf")):
        ages = ages_of_site(report, kind, method)
        assert live_rows(old, kind, method) == sum(n for age, n in ages.items() if age >= least)
    table = ddm(t, "live", p.pid, "--survived", str(least))
    assert f"that have survived {least} or more" in table.splitlines()[0], table
    assert re.search(r"^ *[\d,]+ +3,000 +[\d,]+[-+]\d* +Live\$Node$", table, re.M), table
    said = ddm(t, "live", p.pid, "--survived", "3", code=2)
    assert "--survived" in said and "1, 2, 4, 8" in said, said


@test(jdks="each", every_days=4)
def live_can_be_switched_on_and_off_while_the_program_runs(t):
    with Target(t, OPTIONS, program=("Live",)) as p, p.client() as client:
        p.tell("nodes 1000")
        assert "gc" not in report_of(t, client).summary
        p.attach(AGENT, "live=y")
        p.tell("half 5000")
        collect(client)
        report = report_of(t, client)
        check_sums(report)
        assert of_site(report, "Live$Node", "keepNodes") == (1000, 0)  # before it was on
        assert of_site(report, "Live$Half", "keepHalf") == (5000, 2500)
        p.attach(AGENT, "live=n")
        report = report_of(t, client)
        assert "gc" not in report.summary and not any("live_count" in s for s in report.sites)
        assert report.summary["seen"] > 6000
        p.attach(AGENT, "live=y")
        p.tell("arrays 1000")
        client.track(False)  # its figures stay
        p.tell("forget")
        collect(client)
        assert "tracking is off" in ddm(t, "live", p.pid)
        assert "tracking is off" in ddm(t, "live", p.pid, "--gc", code=REFUSED)
        report = report_of(t, client)
        assert of_site(report, "char[]", "keepArrays") == (1000, 1000)


@test(jdks="each", gc="all", timeout=120, daily=1)
def following_ends_and_begins_anew_while_its_thread_is_suspended(t):
    allowed = ["-XX:+EnableDynamicAgentLoading"] if t.jdk.major >= 21 else []
    with Target(t, f"{OPTIONS},live=y", flags=allowed, program=("Live",)) as p, \
            p.client() as client:
        def hold(what):
            p.attach(HOLDER, f"{what} ddmagent-live")
            assert p.stderr_line(f"hold_thread: {what} ddmagent-live: 1")
        for again_before_resumption in (False, True):
            p.tell("nodes 20000")
            hold("suspend")
            p.tell("half 40000")
            p.tell("gc")
            time.sleep(1.5)  # the thread sweeps, or deletes handles a second later: a call of JNI
            p.attach(AGENT, "live=n")
            if again_before_resumption:
                p.attach(AGENT, "live=y")
            hold("resume")
            if not again_before_resumption:
                p.attach(AGENT, "live=y")
            p.tell("arrays 1000")
            collect(client)
            report = report_of(t, client)
            check_sums(report)
            assert of_site(report, "Live$Half", "keepHalf")[1] == 0  # followed by the former
            assert of_site(report, "char[]", "keepArrays")[1] == 1000
        p.attach(AGENT, "live=n")
        assert wait_for(lambda: weak_handles(t, p.pid) < 1000, "the end of the handles")


@test(jdks="each", every_days=4)
def one_object_in_sixteen_is_an_estimate_within_five_percent(t):
    for engine in ENGINES:
        with Target(t, f"{OPTIONS},engine={engine},live=1/16", program=("Live",)) as p, \
                p.client() as client:
            for line in ("nodes 100000", "half 100000", "drop 100000"):
                p.tell(line)
            collect(client)
            report = report_of(t, client)
            assert report.summary["live_estimated"] and report.summary["live_one_in"] == 16
            check_sums(report)
            for kind, method, truth in (("Live$Node", "keepNodes", 100_000),
                                        ("Live$Half", "keepHalf", 50_000),
                                        ("Live$Dropped", "drop", 0)):
                count, alive = of_site(report, kind, method)
                assert count == 100_000 and abs(alive - truth) <= 0.05 * truth, (kind, alive)


@test(jdks="each", every_days=4)
def sites_of_a_few_objects_each_are_told_of_by_one_in_sixty_four_of_their_class(t):
    stacks = 4_000
    with Target(t, f"{OPTIONS.replace('sites_depth=8', 'sites_depth=64')},live=1/64",
                program=("Live",)) as p, p.client() as client:
        p.tell(f"stacks {stacks}")
        collect(client)
        report = report_of(t, client)
        check_sums(report)
        count, alive = of_site(report, "Live$Node", "keepNodes")
        assert count == 3 * stacks and abs(alive - count) <= 0.02 * count, (count, alive)
        kept = [s for s in report.sites if s["class"] == "Live$Node"]
        assert len(kept) == stacks and sum(s["live_count"] == 3 for s in kept) > 0.98 * stacks
        count, alive = of_site(report, "Live$Dropped", "drop")
        assert count == 3 * stacks and alive <= 0.02 * count, (count, alive)
        shown = ddm_json(t, "live", p.pid)
        assert live_rows(shown, "Live$Node", "keepNodes") == sum(s["live_count"] for s in kept)


def resident(pid):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return int(re.search(r"^Private_Dirty: +(\d+) kB", f.read(), re.M).group(1)) * 1024


def weak_handles(t, pid):
    return jni_references(t, pid)[1]


def has_live_thread_no_more(pid):
    """After live= the thread waits a moment for the next time."""
    return wait_for(lambda: "ddmagent-live" not in threads_of(pid), "the end of ddmagent-live", seconds=5)


@test(jdks="each", timeout=300, daily=1, every_days=4)
def a_hundred_rounds_of_live_on_and_off_leave_nothing(t):
    with Target(t, f"{OPTIONS},live=y", flags=["-Xms64m", "-Xmx64m", "-XX:+UseSerialGC",
                                               "-XX:+AlwaysPreTouch"],
                program=("Live",)) as p, p.client() as client:
        rss, handles = [], []
        for i in range(100):
            client.track(True)
            p.tell("drop 3000")
            client.track(False)  # as live=n does, handles and thread go
            if i % 20 == 19:
                handles.append(weak_handles(t, p.pid))
                assert has_live_thread_no_more(p.pid)
                rss.append(resident(p.pid))
        assert len(set(handles)) == 1 and handles[0] < 1000, handles
        assert rss[-1] - rss[1] < 4 << 20, rss
        client.track(True)
        p.tell("drop 3000")
        p.attach(AGENT, "live=n")
        assert weak_handles(t, p.pid) == handles[0]
        assert report_of(t, client).summary["seen"] > 3000


def what_is_left(t, pid):
    """Of live=: weak handles, its thread; files; what the process has of its own."""
    files = len(os.listdir(f"/proc/{pid}/fd"))  # before jcmd, whose socket the VM closes after it has answered
    # What malloc keeps for the next blocks is no block of ours: it has taken 7 MB in four rounds, of which
    # none was in use.
    t.jcmd(pid, "System.trim_native_heap")
    return weak_handles(t, pid), not has_live_thread_no_more(pid), files, resident(pid)


def rounds_of_live_under_load(t, engine, rounds):
    # With an arena for each thread that there ever was, what malloc keeps of them hides what is kept.
    with Target(t, f"{OPTIONS},engine={engine}", flags=["-Xms64m", "-Xmx64m", "-XX:+UseSerialGC",
                                                        "-XX:+AlwaysPreTouch"],
                program=("Live",), env={"MALLOC_ARENA_MAX": "1"}) as p, p.client() as client:
        def turn(i):
            ddm(t, "attach", p.pid, "live=y" if i % 3 else "live=1/4")
            p.tell("half 1000")
            if i % 2:
                collect(client)
            report = report_of(t, client)  # checks that the sites are what was seen
            assert "gc" in report.summary and "ddmagent-live" in threads_of(p.pid)
            check_sums(report)
            check_ages(report.summary)
            p.tell("forget")
            ddm(t, "attach", p.pid, "live=n")
            assert "gc" not in report_of(t, client).summary

        def measured():
            p.tell("rest")
            collect(client)  # the VM gives memory of handles back after one
            left = what_is_left(t, p.pid)
            p.tell("load 3")
            return left

        p.tell("load 3")
        warm = max(rounds // 10, 2)
        for i in range(warm):
            turn(i)
        handles, thread, files, memory = measured()
        assert not thread
        for i in range(rounds):
            turn(i)
        # A compiler that has not kept up with the load has memory for a while, and then gives it back.
        deadline = time.monotonic() + 120
        while True:
            handles_now, thread, files_now, memory_now = measured()
            if memory_now - memory < 3 << 20 or time.monotonic() > deadline:
                break
        assert not thread and handles_now <= handles + 5, (handles, handles_now)
        assert files_now <= files, (files, files_now)
        assert memory_now - memory < 3 << 20, (memory, memory_now)
        p.tell("rest")


@test(jdks="each", timeout=240, full_only=True)
def rounds_of_live_on_and_off_by_attach_under_load_leave_nothing(t):
    for engine in ENGINES:
        rounds_of_live_under_load(t, engine, 4)


@test(jdks="each", timeout=900, full_only=True)
def a_hundred_rounds_of_live_on_and_off_by_attach_under_load_leave_nothing(t):
    for engine in ENGINES:
        rounds_of_live_under_load(t, engine, 100)


@test(jdks="each", gc="all", timeout=240, daily=2, every_days=4)
def classes_are_unloaded_while_their_objects_are_followed(t):
    loaders = 200
    with Target(t, f"{OPTIONS},live=y", program=("Live",)) as p, p.client() as client:
        p.tell(f"loaders {loaders}")
        before = of_loaders(report_of(t, client))
        assert before[0] == loaders, before
        deadline = time.monotonic() + 60
        while int(p.ask("unloaded")) < loaders - 1 and time.monotonic() < deadline:
            collect(client)
        assert int(p.ask("unloaded")) >= loaders - 1
        # A concurrent collector may tell of the dead after it has unloaded their classes.
        while of_loaders(report_of(t, client)) != (loaders, 1) and time.monotonic() < deadline:
            collect(client)
        report = report_of(t, client)
        assert of_loaders(report) == (loaders, 1), of_loaders(report)
        check_sums(report)
        p.tell("half 1000")
        collect(client)
        assert of_site(report_of(t, client), "Live$Half", "keepHalf") == (1000, 500)
        p.attach(AGENT, "live=n")
        assert weak_handles(t, p.pid) < 1000


# glibc gives back what is free inside every arena, but the free end of the arenas of other threads than
# the main one stays resident: pages that the VM's compilers dirtied there would be taken for ours.
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}


@test(jdks="each", timeout=240, every_days=5)
def a_live_object_takes_at_most_thirty_bytes_of_native_memory(t):
    objects = 2_000_000
    with Target(t, OPTIONS, flags=["-Xms300m", "-Xmx300m", "-XX:+UseSerialGC",
                                   "-XX:+AlwaysPreTouch"],
                program=("Live",), env=ONE_ARENA) as p, p.client() as client:
        p.tell("nodes 1000")
        p.attach(AGENT, "live=y")
        p.tell("nodes 1000")
        collect(client)
        report_of(t, client)
        p.tell("nodes 200000")  # what is compiled, and the journal
        collect(client)
        p.tell("forget")
        collect(client)
        report_of(t, client)
        before = resident(p.pid)
        p.tell(f"nodes {objects}")
        collect(client)
        alive = of_site(report_of(t, client), "Live$Node", "keepNodes")
        assert alive == (objects + 202_000, objects), alive
        each = (resident(p.pid) - before) / objects
        assert 15 < each <= 30, each
        p.attach(AGENT, "live=n")
        left_after(client, p.pid, before, 0.1 * each * objects)


def left_after(client, pid, before, most):
    """What stays with the process of its own, once it is no more than that."""
    deadline = time.monotonic() + 90
    while (left := resident(pid) - before) > most:
        assert time.monotonic() < deadline, (left, most)
        collect(client)  # the VM frees its part after one, and the agent gives it back some time later
        time.sleep(0.5)
    return left


def resident_at_rest(pid):
    """What stays once the VM has given back what its compilers took, which is more than all of ours.

    It frees their arenas every 5 s, into malloc; the agent trims 1, 3, 7 and 15 s after the end of live=.
    """
    least, since = resident(pid), time.monotonic()
    while time.monotonic() - since < 9:
        time.sleep(0.2)
        if (now := resident(pid)) < least - 256 * 1024:
            least, since = now, time.monotonic()
    return least


def memory_comes_back(t, objects, rounds):
    with Target(t, OPTIONS, flags=["-Xms300m", "-Xmx300m", "-XX:+UseSerialGC",
                                   "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1"],
                program=("Live",), env=ONE_ARENA) as p, p.client() as client:
        def turn(count):
            p.attach(AGENT, "live=y")
            p.tell(f"nodes {count}")
            collect(client)
            assert of_site(report_of(t, client), "Live$Node", "keepNodes")[1] == count
            taken = resident(p.pid)
            p.attach(AGENT, "live=n")
            p.tell("forget")
            return taken

        turn(100_000)  # what is compiled, and the journals
        collect(client)
        before = resident_at_rest(p.pid)
        left = []
        for _ in range(rounds):
            taken = turn(objects) - before
            assert taken > 15 * objects, (taken, before, resident(p.pid))
            # Of all rounds together less than a third of what one has taken; code is compiled meanwhile.
            left.append(left_after(client, p.pid, before, 0.3 * taken))
        print(f"     {t.name}: {left} bytes are left of {taken}", flush=True)


@test(jdks="each", timeout=400, daily=1, every_days=4)
def memory_comes_back_after_each_round_of_live(t):
    memory_comes_back(t, 500_000, 2)


@test(jdks="each", timeout=900, full_only=True)
def memory_of_a_million_objects_comes_back_after_each_round_of_live(t):
    memory_comes_back(t, 1_000_000, 6)


@test(jdks="each")
def ddm_live_shows_what_is_alive_and_collects_only_when_asked(t):
    with Target(t, f"{OPTIONS},live=n", program=("Live",)) as p, p.client() as client:
        refused = ddm(t, "live", p.pid, code=1)
        assert "live= is off" in refused and "live=y" in refused
        p.attach(AGENT, "live=y")
        p.tell("half 5000")
        p.tell("drop 3000")
        before = ddm_json(t, "live", p.pid)
        assert list(before) == ["gc", "rows"]
        assert live_rows(before, "Live$Dropped", "drop") == 3000  # nobody has looked yet
        assert ddm_json(t, "live", p.pid)["gc"] == before["gc"]
        after = ddm_json(t, "live", p.pid, "--gc")
        assert after["gc"] > before["gc"]
        assert live_rows(after, "Live$Half", "keepHalf") == 2500
        assert live_rows(after, "Live$Dropped", "drop") == 0
        report = report_of(t, client)
        assert {(r["class"], r["live_count"], r["live_bytes"], str(r["stack"]))
                for r in after["rows"] if r["class"].startswith("Live")} == \
            {(s["class"], s["live_count"], s["live_bytes"], str(s["stack"]))
             for s in report.sites if s["class"].startswith("Live") and s["live_count"]}
        assert all(set(r) - {"truncated"} == \
            {"class", "live_count", "live_bytes", "live_ages", "stack"}
                   for r in after["rows"])
        table = ddm(t, "live", p.pid)
        assert re.search(r"^ *80,000 +2,500 +1 +Live\$Half\n    at Live\.keepHalf\(Live\.java:\d+\)$",
                         table, re.M), table
        assert "as of collection" in table.splitlines()[0]
        p.attach(AGENT, "live=1/4")
        p.tell("half 40000")
        estimate = ddm_json(t, "live", p.pid, "--gc")
        assert estimate["estimated"] and all(r["estimated"] for r in estimate["rows"])
        # A standard deviation is 200.
        assert abs(live_rows(estimate, "Live$Half", "keepHalf") - 20_000) < 1200
        assert "one object in 4" in ddm(t, "live", p.pid)


def live_rows(answer, kind, method):
    return sum(r["live_count"] for r in answer["rows"] if r["class"] == kind and
               r["stack"] and r["stack"][0]["method"] == method)


@test(jdks="each", min_jdk=25, flags=(("-Xmx64m",),))
def live_says_when_memory_is_short_for_its_sites(t):
    with Target(t, agent="address=127.0.0.1:0") as p:
        with open(f"/proc/{p.pid}/status", encoding="utf-8") as status:
            pages = int(re.search(r"VmSize:\s+(\d+) kB", status.read()).group(1)) << 10
        before = resource.prlimit(p.pid, resource.RLIMIT_AS)
        resource.prlimit(p.pid, resource.RLIMIT_AS, (pages + (64 << 20), before[1]))
        try:
            attach = t.command([DDM, "attach", str(p.pid),
                                "track=y,live=y,records=1k,sites=512k,dump=none"])
        finally:
            resource.prlimit(p.pid, resource.RLIMIT_AS, before)
        short = "there was no memory for sites=524288"
        assert attach.code == 0 and f"live= needs sites, and {short}" in attach.err, attach
        p.stderr_line(f"{short}; no sites are counted")
        p.stderr_line(f"live objects are not followed: live= needs sites, and {short}")
        live = t.command([DDM, "live", str(p.pid)])
        assert live.code == 1 and short in live.err, live
