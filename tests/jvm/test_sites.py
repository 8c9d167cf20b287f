"""Every allocation of the run is counted at its site, and all sites together are what was seen."""
import threading
import time

from asked_reports import report, report_of
from ddm_client import Target
from harness import Report, test
from made_runtime import linked, run_on
from tool import ddm

ENGINES = ("vm", "bci")


def sites_of(report, kind, method):
    """Those that a line of the program's is about; "*": any method below one of the program's."""
    return [s for s in report.sites if s["class"] == kind and s["stack"] and
            (s["stack"][0]["method"] == method or method == "*") and
            any(f["class"].startswith("Sites") for f in s["stack"])]


def run(t, what, n, engine, options="", flags=()):
    out = t.java("Sites", what, str(n), flags=flags,
                 agent=f"track=y,engine={engine},address=none,records=1k,dump=r.jsonl{options}").out
    return Report(t.path("r.jsonl")), [line.split() for line in out.splitlines()]


def check(t, what, n, engine, flags=()):
    written, truth = run(t, what, n, engine, flags=flags)
    assert truth
    for kind, method, count, size in truth:
        found = sites_of(written, kind, method)
        shown = (sum(s["count"] for s in found), sum(s["bytes"] for s in found))
        assert shown == (int(count), int(size)), f"{engine}: {kind} in {method}: {shown}, made {count} {size}"
    assert written.summary["sites_unplaced"] == 0
    return written


@test(jdks="each", flags=[(), ("-Xint",)], daily=2, every_days=4)
def every_site_has_what_the_program_made_there(t):
    for engine in ENGINES:
        for what, n in (("kinds", 3000), ("threads", 5000), ("constructors", 3000)):
            check(t, what, n, engine)


@test(jdks="each", every_days=5, machines_libc=True)
def a_runtime_of_one_module_has_the_same_sites(t):
    run_on(t, linked(t))
    for engine in ENGINES:
        written = check(t, "constructors", 1000, engine)
        assert written.summary["walker"] == "vm" and not written.summary["walker_gave_up"], written.summary


@test(jdks="each")
def a_constructor_chain_is_the_allocating_method_and_the_constructor_that_allocates(t):
    for engine in ENGINES:
        written = check(t, "constructors", 1000, engine)
        (longer,), (leaf,) = (sites_of(written, "Sites$Longer", "*"), sites_of(written, "Sites$Leaf", "*"))
        assert [f["method"] for f in longer["stack"]] == ["constructors", "main"]
        assert [f["method"] for f in leaf["stack"]] == ["<init>", "<init>", "constructors", "main"]
        assert [f["class"] for f in leaf["stack"]][:2] == ["Sites$Chain", "Sites$Longer"]


@test(jdks="each", flags=[(), ("-Xcomp",)], daily=1, every_days=5)
def each_depth_of_a_recursion_is_a_site_with_its_whole_stack(t):
    for engine in ENGINES:
        written = check(t, "deep", 200, engine)
        found = sites_of(written, "Sites$Leaf", "deeper")
        assert not any(s.get("truncated") for s in found)
        assert {s["stack"][-1]["method"] for s in found} == {"main"}
        assert {len(s["stack"]): s["count"] for s in found} == {
            depth: 200 for depth in range(3, 103)}
        assert max(len(r["stack"]) for r in written.records) == 16


@test(jdks="each", flags=[(), ("-Xcomp",)], daily=1, every_days=4)
def a_recursion_is_cut_beyond_a_thousand_and_twenty_four_frames(t):
    for engine in ENGINES:
        found = sites_of(check(t, "deepest", 2, engine), "Sites$Leaf", "deeper")
        whole = [s for s in found if not s.get("truncated")]
        assert {len(s["stack"]): s["count"] for s in whole} == {
            depth: 2 for depth in range(3, 1025)}
        cut = [s for s in found if s.get("truncated")]
        assert {len(s["stack"]) for s in cut} == {1024}
        assert {s["stack"][-1]["method"]: s["count"] for s in cut} == {
            "deepest": 2, "deeper": 2 * 977}


@test(jdks="each")
def sites_of_sixteen_frames_are_cut_there(t):
    written, _ = run(t, "deep", 10, "vm", ",sites_depth=16,depth=20")
    found = sites_of(written, "Sites$Leaf", "deeper")
    assert len(found) == 16 and max(len(s["stack"]) for s in found) == 16
    assert sum(s["count"] for s in found) == 1000
    assert max(len(r["stack"]) for r in written.records) == 20


@test(jdks="each", timeout=240, daily=1)
def seventy_arrays_of_sixty_four_mebibytes_are_shown_as_what_they_are(t):
    for engine in ENGINES:
        written = check(t, "big", 70, engine, flags=["-Xmx320m"])
        (site,) = sites_of(written, "long[]", "big")
        assert site["bytes"] == 4697620480 and site["count"] == 70


@test(jdks="each")
def what_finds_no_room_is_counted_under_its_class_and_its_first_frame(t):
    for engine in ENGINES:
        written, truth = run(t, "kinds", 2000, engine, ",sites=3")
        assert written.summary["sites_shortened"] > 0
        # The thread's first frame has room at any price.
        made = [s for s in written.sites if s["class"].startswith("Sites$")]
        assert {s["stack"][-1]["method"] for s in made} <= {"main", "run"}, made
        shown = {}
        for s in written.sites:
            shown[s["class"]] = shown.get(s["class"], 0) + s["count"]
        for kind, _, count, _ in truth:
            if kind.startswith("Sites$"):
                assert shown[kind] == sum(int(c) for k, _, c, _ in truth if k == kind), (kind, shown)


@test(jdks="each", every_days=4)
def what_comes_up_often_has_its_whole_stack_whatever_came_up_once_before(t):
    for engine in ENGINES:
        written, truth = run(t, "hotAfterCold", 4000, engine, ",sites=4k,live=y,dump=r.txt")
        assert [line[0] for line in truth] == ["Sites$Cold", "Sites$Hot"]
        figures = {}
        for kind, _, count, size in truth:
            found = [s for s in written.sites if s["class"] == kind]
            assert (sum(s["count"] for s in found), sum(s["bytes"] for s in found)) == (
                int(count), int(size)), (engine, kind)
            figures[kind] = sum(s["live_count"] for s in found)
        # The last fifty hot ones stand where cold ones stood.
        assert figures == {"Sites$Cold": 20_000 - 50, "Sites$Hot": 50}, figures
        made = [s for s in written.sites if s["class"].startswith("Sites$")]
        assert {s["stack"][-1]["method"] for s in made} == {"main"}
        assert {s["stack"][0]["method"] for s in made} == {"way"}
        hot = [s for s in made if s["class"] == "Sites$Hot" and len(s["stack"]) == 43]
        assert len(hot) == 50
        assert all(s["count"] > 2500 for s in hot), [s["count"] for s in hot]
        shortened = written.summary["sites_shortened"]
        assert shortened > 50_000 and written.summary["sites"] <= 4096 + 65536
        with open(t.path("r.txt"), encoding="utf-8") as f:
            assert f"shortened{shortened:>24,} allocations of stacks without room for all frames" in f.read()


@test(jdks="each")
def sites_can_be_switched_off(t):
    written, _ = run(t, "kinds", 100, "vm", ",sites=0")
    assert not written.sites and "sites" not in written.summary


@test(jdks="each", daily=1, every_days=4)
def all_figures_are_of_one_moment_while_threads_allocate(t):
    for engine in ENGINES:
        with Target(t, f"engine={engine},track=y,records=1k,dump=none",
                    program=("Bursts",)) as target, target.client() as client:
            seen = []
            for _ in range(6):
                seen.append(report_of(t, client).summary["seen"])  # checks the sums
                time.sleep(0.05)
            assert seen == sorted(seen) and seen[-1] > seen[0]


@test(jdks="each", every_days=4)
def switching_on_again_begins_anew(t):
    for engine in ENGINES:
        with Target(t, f"engine={engine},track=n,records=1k,dump=r.jsonl", program=("Bursts",)) as target:
            with target.client() as client:
                figures = []
                for _ in range(3):
                    client.track(True)
                    time.sleep(0.3)
                    client.track(False)
                    time.sleep(0.2)  # a thread may have been in an event just then
                    figures.append(report_of(t, client).summary)  # checks the sums
                assert all(f["seen"] > 0 for f in figures), figures


SWITCHED = {"vm": ("", "live=y", "live=1/4", "interval=4k", "interval=4k,live=y", "sites=8"),
            "bci": ("", "live=y", "live=1/4", "sites=8")}


class Switching:
    """Tracking and live= are switched on and off, while it lasts; failures are told at its end."""

    def __init__(self, t, target):
        self.t, self.target, self.failure, self.turns = t, target, None, 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            with self.target.client() as client:
                while not self.ended.wait(0.05):
                    client.track(self.turns % 2 == 1)
                    if self.turns % 5 == 4:
                        ddm(self.t, "attach", self.target.pid,
                            ("live=n", "live=y", "live=1/3")[self.turns // 5 % 3])
                    self.turns += 1
                client.track(True)
        except Exception as failure:  # pylint: disable=broad-except
            self.failure = failure

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *failed):
        self.ended.set()
        self.thread.join()
        if failed == (None, None, None):
            assert self.failure is None and self.turns > 1, (self.failure, self.turns)


def check_reports(t, client, rounds):
    """Whose sums are held against what was seen as they are read."""
    summaries = []
    for _ in range(rounds):
        report = report_of(t, client)
        summary = report.summary
        for name in ("live_count", "live_bytes"):
            assert sum(s.get(name, 0) for s in report.sites) == summary.get(name, 0), name
        assert all(s.get("live_count", 0) <= s["count"] for s in report.sites) or summary["interval"]
        summaries.append(summary)
        time.sleep(0.02)
    return summaries


@test(jdks="each", timeout=900, daily=1, every_days=4)
def all_sites_are_what_was_seen_whatever_is_followed_and_switched(t):
    for engine, variants in SWITCHED.items():
        for options in t.some(variants, 3):
            with Target(t, f"engine={engine},track=y,records=1k,dump=none,{options}".rstrip(","),
                        program=("Bursts",)) as target, target.client() as client:
                steady = check_reports(t, client, 4)
                assert steady[-1]["seen"] > steady[0]["seen"] and len(
                    {s["period"] for s in steady}) == 1, steady
                with Switching(t, target):
                    switched = check_reports(t, client, 10)
                    while len({s["period"] for s in switched}) < 3:
                        switched += check_reports(t, client, 1)
                deadline = time.monotonic() + 60
                while check_reports(t, client, 1)[-1]["seen"] == 0:
                    assert time.monotonic() < deadline, f"{engine} {options}: nothing is seen any more"
