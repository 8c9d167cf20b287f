"""Tracking goes on and off in a running program, any number of times, and leaves nothing behind."""
import random
import time

from asked_reports import report_of
from ddm_client import Target
from escape import ESCAPE_LOOPS, bytes_of
from harness import Report, test


@test(jdks="each")
def code_without_garbage_has_none_before_and_after_tracking(t):
    for engine in ("bci", "vm"):
        with Target(t, f"engine={engine},dump=none", program=("Escape",)) as target:
            with target.client() as client:
                for loop in ESCAPE_LOOPS:
                    assert bytes_of(target, loop, 0) == 0, f"{engine}: {loop} with an idle agent"
                for _ in range(2):
                    client.track(True)
                    for loop in ESCAPE_LOOPS:
                        made = bytes_of(target, loop, 5)
                        if engine == "bci":  # every object is told, so every object is made
                            assert made >= 5 * 2000 * 16, f"{loop}: {made} bytes while tracked"
                    client.track(False)
                    for loop in ESCAPE_LOOPS:
                        made = bytes_of(target, loop, 0)
                        assert made == 0, f"{engine}: {loop} allocates {made} bytes after tracking"


@test(jdks="each", every_days=2)
def strings_of_chains_that_were_compiled_before_tracking_are_counted(t):
    warm, made = 400_000, 30_000
    with Target(t, "engine=bci,dump=r.jsonl,track=n,records=1m,depth=6", program=("Escape",)) as target:
        with target.client() as client:
            target.ask(f"chains {warm // 2000} 2000")
            client.track(True)
            target.ask(f"chains {made // 2000} 2000")
    report = Report(t.path("r.jsonl"))
    assert report.summary["dropped"] == 0, report.summary
    for name in ("java.lang.String", "java.lang.StringBuilder"):
        told = report.count_by_class(
            lambda r: any(f["method"] == "chains" for f in r["stack"])).get(name, 0)
        assert told == made, f"{name}: {told} of {made}"


def toggle_under_load(t, rounds, engine):
    pause = random.Random(t.name)
    with Target(t, f"engine={engine},dump=r.jsonl,track=n", program=("ToggleLoad",)) as target:
        with target.client() as client:
            for n in range(rounds):
                client.track(True)
                assert client.tracking()
                # The last time long enough for records to compare.
                time.sleep(pause.uniform(0, 0.1) if n < rounds - 1 else 0.5)
                client.track(False)
                assert not client.tracking()
                time.sleep(pause.uniform(0, 0.1))
            before = client.allocations()  # at once: a thread that is in a hook records no more
            assert len(before) > 1000
            time.sleep(0.5)
            assert client.allocations() == before, "recorded while off"
            client.track(True)
            time.sleep(0.5)
        target.say("")
        target.expect("DONE")
        assert target.process.wait(60) == 0
    report = Report(t.path("r.jsonl"))
    assert report.summary["dropped"] == 0, report.summary
    assert not report.summary["classes_skipped"], report.summary
    counts = report.count_by_class()
    # Once C2 has compiled the loop, its cube of arrays exists for hooks only.
    cube = ("int[][][]", "int[][]") if engine == "bci" else ()
    for kind in ("ToggleLoad$Item", "ToggleLoad$Item[]", "ToggleLoad$Bad", *cube):
        assert counts.get(kind, 0) > 0, f"no {kind}: {counts}"
    assert "unknown" not in counts
    for r in report.records:
        if r["class"] == "ToggleLoad$Bad":
            assert r["stack"][0]["method"] == "round", r


@test(jdks="each", timeout=300, daily=1, every_days=5)
def rounds_of_on_and_off_under_load_harm_nothing(t):
    for engine in t.engines():
        toggle_under_load(t, 4, engine)


@test(jdks="each", full_only=True, gc="all", timeout=600)
def a_hundred_rounds_of_on_and_off_under_load_harm_nothing(t):
    for engine in ("bci", "vm"):
        toggle_under_load(t, 100, engine)


@test(jdks="each")
def nothing_is_missed_when_threads_that_allocate_are_tracked_for_a_moment(t):
    for engine in t.engines():
        with Target(t, f"engine={engine},dump=none,track=n,records=100", program=("Allocating", "2")) as target, \
                target.client() as client:
            for _ in range(5):
                client.track(True)
                time.sleep(0.05)
                # The first records of a thread are compared with the VM's stack, which may take longer.
                end = time.monotonic() + 20
                while report_of(t, client).summary["seen"] <= 100:
                    assert time.monotonic() < end, "no records"
                client.track(False)
                time.sleep(0.05)
                summary = report_of(t, client).summary
                for thread in summary["threads"]:
                    # What a thread is making at that moment: an array, and perhaps one before.
                    assert 0 <= thread["unattributed_bytes"] <= 2 * 216, (engine, thread)


# A VM that must collect garbage for the objects of a frame that it deoptimizes, while all threads wait
# for that, waits for those in a critical region.
@test(jdks="each", gc=("serial", "parallel"), timeout=120, daily=2)
def switching_on_waits_for_no_thread_in_a_critical_region(t):
    with Target(t, agent="engine=vm,dump=none", flags=["-Xmx40m"], program=("CriticalRegions",)) as p, \
            p.client() as ddm:
        for _ in range(150):
            ddm.track(True)
            ddm.track(False)
