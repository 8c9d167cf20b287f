"""Allocation tracking over DDM: REAE, REAQ, REAL."""
import struct
import threading

from ddm_client import DdmError, Target, chunk, read_allocations
from harness import test

ENGINES = ("engine=vm", "engine=bci")
MARK = "LDdmTarget$Mark;"


def track_exactly(p, ddm):
    """On, and past the gap that engine=vm has at first, when a thread's next sample may still be
    far away. How many marks were recorded meanwhile."""
    ddm.track(True)
    for _ in range(200):
        p.tell("marks 1000")
        before = len(marks(ddm.allocations()))
        p.tell("marks 10")
        after = len(marks(ddm.allocations()))
        if after == before + 10:
            return after
    raise AssertionError("allocations are not recorded")


def marks(records):
    return [r for r in records if r["class"] == MARK]


@test()
def allocations_are_recorded_from_on_to_off(t):
    for engine in ENGINES:
        with Target(t, agent=engine + ",dump=none") as p, p.client() as ddm:
            p.tell("marks 3")
            assert not ddm.tracking()
            before = track_exactly(p, ddm)
            assert ddm.tracking()
            p.tell("marks 20")
            ddm.track(False)
            assert not ddm.tracking()
            p.tell("marks 40")
            records = ddm.allocations()
            assert len(marks(records)) - before == 20, (before, len(marks(records)))
            for record in marks(records)[:20]:
                assert record["size"] in (8, 16), record
                assert record["stack"][0] == ("LDdmTarget;", "marks", "DdmTarget.java", 23), record
                assert [f[:2] for f in record["stack"]] == \
                    [("LDdmTarget;", "marks"), ("LDdmTarget;", "main")], record


@test()
def before_tracking_was_ever_on_the_list_is_empty_and_valid(t):
    with Target(t) as p, p.client() as ddm:
        assert ddm.request("REAL") == bytes([15, 9, 8, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0])


@test()
def on_while_on_keeps_the_records_and_on_after_off_starts_anew(t):
    with Target(t, agent="engine=vm,dump=none") as p, p.client() as ddm:
        before = track_exactly(p, ddm)
        p.tell("marks 5")
        ddm.track(True)
        assert len(marks(ddm.allocations())) == before + 5
        ddm.track(False)
        assert len(marks(ddm.allocations())) == before + 5, "off keeps the records readable"
        ddm.track(True)
        assert not marks(ddm.allocations())


@test()
def tracking_is_the_programs_and_survives_the_connection(t):
    with Target(t, agent="engine=vm,dump=none") as p:
        with p.client() as ddm:
            before = track_exactly(p, ddm)
        with p.client() as ddm:
            assert ddm.tracking()
            p.tell("marks 7")
            with p.client() as other:
                other.track(False)
            assert not ddm.tracking()
            assert len(marks(ddm.allocations())) == before + 7


@test()
def the_newest_record_comes_first(t):
    with Target(t, agent="engine=vm,dump=none") as p, p.client() as ddm:
        track_exactly(p, ddm)
        p.tell("marks 5")
        p.tell("keep 5")
        ddm.track(False)
        kinds = [r["class"] for r in ddm.allocations()
                 if r["class"] in (MARK, "LDdmTarget$Kept;")][:10]
        assert kinds == ["LDdmTarget$Kept;"] * 5 + [MARK] * 5, kinds


@test()
def at_most_65535_records_are_sent_the_newest(t):
    with Target(t, agent="track=y,engine=vm,records=100000") as p, p.client() as ddm:
        p.tell("keep 3")
        p.tell("marks 80000")
        ddm.track(False)
        records = ddm.allocations()
        assert len(records) == 65535, len(records)
        assert len(marks(records)) > 60000
        assert not [r for r in records if r["class"] == "LDdmTarget$Kept;"]


@test()
def records_carry_the_ids_of_their_threads(t):
    with Target(t, agent="engine=vm,dump=none") as p, p.client() as ddm:
        ddm.enable_threads()
        track_exactly(p, ddm)
        p.tell("churn 50")
        ddm.track(False)
        records = ddm.allocations()
        ids = {name: number for number, name in names(ddm, "THCR").items()}
        main = {r["thread"] for r in marks(records) if r["stack"][-1][1] == "main"}
        assert main == {ids["main"]}, (main, ids["main"])
        short = [r["thread"] for r in marks(records) if r["stack"][-1][1] != "main"]
        assert len(short) == 50 and len(set(short)) == 50, "ended threads have ids of their own"
        assert set(short) == {ids[f"short-{i}"] for i in range(50)}


def names(ddm, kind):
    from ddm_client import read_named
    return dict(read_named(data) for event, data in ddm.take_events() if event == kind)


@test()
def the_query_is_never_ahead_of_the_switch_before_it(t):
    with Target(t, agent="engine=bci") as p, p.client() as ddm:
        for on in (1, 0, 1, 0):
            switch = ddm.send_raw(chunk("REAE", bytes([on])))
            query = ddm.send_raw(chunk("REAQ"))
            _, answer = ddm.wait_reply(query)
            assert answer[-1] == on
            assert ddm.wait_reply(switch) == (0, b"")


@test()
def several_servers_may_switch_and_read_at_the_same_time(t):
    with Target(t, agent="engine=vm,dump=none") as p:
        failures = []

        def work(number):
            try:
                with p.client() as ddm:
                    for i in range(10):
                        ddm.track((i + number) % 2 == 0)
                        ddm.tracking()
                        ddm.allocations()
            except Exception as failure:
                failures.append(failure)

        workers = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for w in workers:
            w.start()
        p.tell("marks 10000")
        for w in workers:
            w.join()
        assert not failures, failures
