"""Tracking goes on and off in a running program, any number of times, and leaves nothing behind."""
import random
import time

from ddm_client import Target
from harness import Report, test


class Loop:
    """An Escape program under the agent: how many bytes does an iteration of its loop allocate?"""

    def __init__(self, target):
        self.target = target

    def bytes(self, seconds):
        answer = self.target.ask(str(seconds)).split()
        assert answer[0::2] == ["BYTES", "ROUNDS", "NANOS"], answer
        return float(answer[1])


@test()
def a_loop_without_garbage_has_none_before_and_after_tracking(t):
    for engine in ("bci", "vm"):
        with Target(t, f"engine={engine},dump=none", program=("Escape", "100000")) as target:
            with target.client() as client:
                loop = Loop(target)
                assert loop.bytes(60) < 0.01, f"{engine}: an idle agent makes objects escape"
                for _ in range(3):
                    client.track(True)
                    if engine == "bci":  # every object is told, so every object is made
                        assert loop.bytes(0) >= 3 * 24 + 24
                        records = [r for r in client.allocations()
                                   if r["class"] in ("LEscape$Point;", "[I")]
                        assert len(records) > 60_000, f"{len(records)} records"
                    else:
                        loop.bytes(0)
                    client.track(False)
                    after = loop.bytes(60)
                    assert after < 0.01, f"{engine}: {after} bytes an iteration after tracking"


def toggle_under_load(t, rounds):
    pause = random.Random(t.name)
    with Target(t, "dump=r.jsonl,track=n", program=("ToggleLoad",)) as target:
        with target.client() as client:
            for _ in range(rounds):
                client.track(True)
                assert client.tracking()
                time.sleep(pause.uniform(0, 0.1))
                client.track(False)
                assert not client.tracking()
                time.sleep(pause.uniform(0, 0.1))
            before = client.allocations()
            assert len(before) > 1000 and client.allocations() == before, "recorded while off"
            client.track(True)
            time.sleep(0.5)
        target.say("")
        target.expect("DONE")
        assert target.process.wait(60) == 0
    report = Report(t.path("r.jsonl"))
    assert report.summary["dropped"] == 0, report.summary
    assert not report.summary["classes_skipped"], report.summary
    counts = report.count_by_class()
    for kind in ("ToggleLoad$Item", "ToggleLoad$Item[]", "ToggleLoad$Bad", "int[][][]", "int[][]"):
        assert counts.get(kind, 0) > 0, f"no {kind}: {counts}"
    assert "unknown" not in counts
    for r in report.records:
        if r["class"] == "ToggleLoad$Bad":
            assert r["stack"][0]["method"] == "round", r


@test(timeout=300)
def twenty_rounds_of_on_and_off_under_load_harm_nothing(t):
    toggle_under_load(t, 20)


@test(full_only=True, gc="all", timeout=600)
def a_hundred_rounds_of_on_and_off_under_load_harm_nothing(t):
    toggle_under_load(t, 100)
