"""Allocation tracking over DDM: REAE, REAQ, REAL."""
import threading
import time

import tool
from ddm_client import Target, chunk
from harness import AGENT, Report, test

ENGINES = ("engine=vm", "engine=bci")
MARK = "LDdmTarget$Mark;"


def marks(records):
    return [r for r in records if r["class"] == MARK]


@test()
def allocations_are_recorded_from_on_to_off(t):
    for engine in ENGINES:
        with Target(t, agent=engine + ",dump=none") as p, p.client() as ddm:
            p.tell("marks 3")
            assert not ddm.tracking()
            ddm.track(True)
            assert ddm.tracking()
            p.tell("marks 20")
            ddm.track(False)
            assert not ddm.tracking()
            p.tell("marks 40")
            records = ddm.allocations()
            assert len(marks(records)) == 20, len(marks(records))
            for record in marks(records)[:20]:
                assert record["size"] in (8, 16), record
                assert record["stack"][0] == ("LDdmTarget;", "marks", "DdmTarget.java", 23), record
                assert [f[:2] for f in record["stack"]] == \
                    [("LDdmTarget;", "marks"), ("LDdmTarget;", "main")], record


@test(gc="all", daily=2, every_days=4)
def threads_that_never_leave_their_loop_are_seen_at_once(t):
    for agent in ("dump=none", None):  # there from the start, and attached late
        for flags in ((), ("-Xint",)):
            with Target(t, agent=agent, program=("InsideLoop",), flags=flags) as p:
                if agent is None:
                    p.attach(AGENT, "dump=none")
                with p.client() as ddm:
                    for _ in range(2):
                        ddm.track(True)
                        begin = int(p.ask("made"))
                        end = begin
                        while end < begin + 100:
                            time.sleep(0.01)
                            end = int(p.ask("made"))
                        seen = [r for r in ddm.allocations() if r["class"] == "[I"
                                and r["stack"][0][:2] == ("LInsideLoop;", "loop")]
                        # A thread counts its array after it made it.
                        assert len(seen) >= end - begin - 3, (len(seen), begin, end)
                        ddm.track(False)


@test(jdks="each")
def methods_whose_old_code_runs_on_are_named_or_have_hooks_from_the_start(t):
    for hooks, probed in (("", False), ("", True), (",hooks=start", False)):
        options = f"engine=bci,address=127.0.0.1:0,track=n,dump=r.jsonl{hooks}"
        with Target(t, agent=options, program=("InsideLoop",)) as p, p.client() as ddm:
            if probed:  # the old code is then that of two versions before
                done = t.command([tool.DDM, "probe", p.address, "InsideLoop.count", "-d", "0.3"])
                assert done.code == 0 and "InsideLoop.loop" in done.err, done
            ddm.track(True)
            time.sleep(0.3)
            p.process.stdin.close()
            assert p.ended()[0] == 0
        report = Report(t.path("r.jsonl"))
        seen = report.count_by_class(lambda r: r["stack"] and
                                     r["stack"][0]["class"] == "InsideLoop").get("int[]", 0)
        running = report.summary["methods_running"]
        if hooks:
            assert seen > 10 and "InsideLoop.loop" not in running, (seen, running)
        else:
            assert seen == 0 and "InsideLoop.loop" in running, (seen, running)


@test()
def before_tracking_was_ever_on_the_list_is_empty_and_valid(t):
    with Target(t) as p, p.client() as ddm:
        assert ddm.request("REAL") == bytes([15, 9, 8, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0, 0, 0])


@test()
def on_while_on_keeps_the_records_and_on_after_off_starts_anew(t):
    with Target(t, agent="engine=vm,dump=none") as p, p.client() as ddm:
        ddm.track(True)
        p.tell("marks 5")
        ddm.track(True)
        assert len(marks(ddm.allocations())) == 5
        ddm.track(False)
        assert len(marks(ddm.allocations())) == 5, "off keeps the records readable"
        ddm.track(True)
        assert not marks(ddm.allocations())


@test(every_days=4)
def what_the_agents_own_threads_allocate_is_not_the_programs(t):
    for engine in ENGINES:
        with Target(t, agent=engine + ",track=y,dump=r.jsonl") as p, p.client() as ddm:
            ddm.enable_threads()
            ddm.thread_table()
            ddm.stack(1)
            ddm.heap_info()
            ddm.request("HPGC")
            ddm.request("HPSG", b"\2\0")
            p.tell("marks 10")
            assert len(marks(ddm.allocations())) >= 10
            ddm.send_raw(chunk("EXIT", b"\0\0\0\0"))
            p.ended()
        report = Report(t.path("r.jsonl"))
        assert report.count_by_class()["DdmTarget$Mark"] == 10
        names = {r["thread"]["name"] for r in report.records}
        names |= {thread["name"] for thread in report.summary["threads"]}
        assert "main" in names and not [n for n in names if n.startswith("ddmagent")], names
        assert "java.lang.NoSuchFieldError" not in report.count_by_class()


@test()
def thousands_of_threads_have_an_id_each(t):
    with Target(t, agent="engine=bci,dump=none") as p, p.client(timeout=60) as ddm:
        ddm.track(True)
        p.tell("churn 5000")
        threads = [r["thread"] for r in marks(ddm.allocations())]
        assert len(threads) == 5000 and 0 not in threads
        assert len(set(threads)) == 5000, f"{len(set(threads))} ids for 5,000 threads"


@test()
def tracking_is_the_programs_and_survives_the_connection(t):
    with Target(t, agent="engine=vm,dump=none") as p:
        with p.client() as ddm:
            ddm.track(True)
        with p.client() as ddm:
            assert ddm.tracking()
            p.tell("marks 7")
            with p.client() as other:
                other.track(False)
            assert not ddm.tracking()
            assert len(marks(ddm.allocations())) == 7


@test()
def the_newest_record_comes_first(t):
    with Target(t, agent="engine=vm,dump=none") as p, p.client() as ddm:
        ddm.track(True)
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
        ddm.track(True)
        p.tell("marks 1")
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


@test()
def tracking_that_an_attach_switches_on_outlasts_the_server_that_had_it_on(t):
    for options in ("track=y", "live=y"):
        with Target(t, agent="dump=none") as p, p.client() as ddm:
            with p.client() as other:
                assert other.request("REAE", b"\1\1") == b""  # for as long as it is connected
                tool.ddm(t, "attach", p.pid, options)
            with p.client() as other:
                assert other.request("REAE", b"\1\1") == b""
            time.sleep(1)
            assert ddm.tracking(), options
