"""REPT: the agent's own reports over the wire, and that the figures of one are of one moment."""
import json
import os
import re
import struct
import time

from adb_bridge import wait_for
from asked_reports import report
from ddm_client import DdmError, Target
from harness import Report, test
from hostile import MostMemory, memory_mib
from tool import ddm, ddm_json


def at_end(client, path):
    return client.request("REPE", struct.pack(">I", len(path)) + path.encode("utf-16-be"))


@test()
def a_server_that_is_connected_until_the_end_has_its_report_in_a_new_file_and_nowhere_else(t):
    with open(t.path("there.txt"), "w", encoding="utf-8") as f:
        f.write("mine")
    with Target(t, "track=y,dump=none") as p, p.client() as client, p.client() as other, \
            p.client() as gone:
        for path, words in ((t.path("there.txt"), "there already"), ("r.txt", "absolute"),
                            (t.path("r.png"), "absolute"), ("/no/such/r.txt", "cannot write")):
            try:
                at_end(client, path)
                raise AssertionError(f"{path} is taken")
            except DdmError as refused:
                assert words in str(refused), refused
        at_end(client, t.path("first.txt"))
        at_end(client, t.path("last.txt"))
        at_end(other, t.path("never.txt"))
        at_end(other, "")
        at_end(gone, t.path("gone.txt"))
        gone.close()
        p.tell("marks 10")
        with p.client() as late:  # what has gone before is known of then
            late.request("REAQ")
        time.sleep(0.5)
        p.process.stdin.close()
        assert p.ended()[0] == 0
    with open(t.path("last.txt"), encoding="utf-8") as f:
        assert f.read().startswith("Allocations of DdmTarget")
    with open(t.path("there.txt"), encoding="utf-8") as f:
        assert f.read() == "mine"
    assert sorted(n for n in os.listdir(t.dir) if n.endswith(".txt")) == ["last.txt", "there.txt"]


@test()
def a_report_of_many_sites_leaves_no_memory_behind(t):
    with Target(t, "track=y,dump=none", flags=["-Xms64m", "-Xmx64m", "-Xint"]) as p, \
            p.client() as client:
        p.tell("paths 16")
        report(client, "summary")
        time.sleep(2)  # what that left goes
        with MostMemory(p.pid) as memory:
            for _ in range(2):
                report(client, "html")
        assert memory.grown > 40, "there was nothing to give back"
        # malloc_trim() leaves the top of an arena that is not the main one, which may be some 20 MiB.
        wait_for(lambda: memory_mib(p.pid) < memory.before + memory.grown / 2, "the memory of the reports")


@test(every_days=4)
def all_figures_of_a_report_are_of_one_moment(t):
    for engine in ("vm", "bci"):
        agent = f"track=y,engine={engine},records=1m,depth=1,dump=none"
        with Target(t, agent=agent, program=("Bursts",)) as p, p.client() as client:
            for _ in range(6):
                text = report(client, "jsonl")
                lines = text.splitlines()
                summary = json.loads(lines[0])
                # Hundreds of thousands of records, a second or two of the program's.
                sizes = [int(size) for size in re.findall(r'^{"type":"record",.*?"size":([0-9]+),', text, re.MULTILINE)]
                sites = [json.loads(line) for line in lines if line.startswith('{"type":"site",')]
                assert sum(site["count"] for site in sites) == summary["seen"]
                assert sum(site["bytes"] for site in sites) == summary["seen_bytes"]
                assert len(sizes) == summary["recorded"]
                assert summary["seen"] - summary["dropped"] == len(sizes), summary
                assert summary["dropped"] > 0 or summary["seen_bytes"] == sum(sizes), \
                    (summary["seen_bytes"], sum(sizes))
                assert summary["unattributed_bytes"] >= 0, summary
                assert summary["allocated_bytes"] == \
                    summary["seen_bytes"] + summary["unattributed_bytes"]
                assert sum(th["seen_bytes"] for th in summary["threads"]) == summary["seen_bytes"]
                if len(sizes) > 25_000:
                    break
                time.sleep(0.02)


@test()
def reports_come_in_every_format_as_the_agent_writes_them(t):
    with Target(t, agent="track=y,depth=2,dump=none") as p, p.client() as client:
        p.tell("marks 20")
        client.track(False)
        assert "allocation-report" in client.features()
        assert report(client, "html").startswith("<!DOCTYPE html>")
        text = report(client, "txt")
        assert "stack walker" in text and "deeper frames were not kept" in text
        assert "DdmTarget$Mark_[new]" in report(client, "collapsed")
        summary = json.loads(report(client, "summary"))
        lines = [json.loads(line) for line in report(client, "jsonl").splitlines()]
        sites = sum(line["type"] == "site" for line in lines)
        # What follows it is the line's own.
        assert summary | {"site_lines": sites} == lines[0] | {"written_ms": summary["written_ms"]}
        assert summary["reason"] == "request" and summary["engine"] == "vm"
        for bad in ("png", ""):
            try:
                report(client, bad)
                raise AssertionError(f"a report as {bad!r}")
            except DdmError as error:
                assert "a report is html, txt" in str(error), error


@test()
def a_method_or_a_path_of_megabytes_is_refused(t):
    def text(value):
        return struct.pack(">I", len(value)) + value.encode("utf-16-be")

    long = "/" + "x" * 5000 + ".txt"
    with Target(t, "track=y,dump=none") as p, p.client() as client:
        for kind, data in (("REPT", text("summary") + text(long)), ("REPT", text(long)),
                           ("REPE", text(long)), ("REPE", text(t.path("end.txt")) + text(long))):
            try:
                client.request(kind, data)
                raise AssertionError(f"{kind} takes it")
            except DdmError as refused:
                assert "at most 4096 bytes" in str(refused), refused
                assert len(str(refused)) < 1000, refused
        assert client.request("REPT", text("summary") + text("x" * 4096))


@test(every_days=4)
def a_list_of_the_sites_alone_is_jsonl_without_records(t):
    with Target(t, agent="track=y,dump=none") as p:
        p.tell("marks 20")
        ddm(t, "track", p.pid, "off")
        for name in ("x.jsonl", "x.sites.jsonl"):
            ddm(t, "allocs", p.pid, "-o", t.path(name))
        with open(t.path("x.sites.jsonl"), encoding="utf-8") as f:
            lines = [json.loads(line) for line in f]
        whole = Report(t.path("x.jsonl"))
        assert whole.records and {line["type"] for line in lines} == {"summary", "site"}
        assert lines[1:] == whole.sites and lines[0]["seen"] == whole.summary["seen"]
        rows = ddm(t, "allocs", "--diff", t.path("x.sites.jsonl"), t.path("x.jsonl"), "--json")
        assert not [row for row in json.loads(rows) if row["count"]], rows
        for name, words in (("no.sites.jsonl", "have no sites"), ("no.dhat.json", "do not tell what is alive")):
            said = ddm(t, "allocs", p.pid, "--recent", "-o", t.path(name), code=1)
            assert f"recent records alone {words}" in said.replace("\n", " "), said
        ddm(t, "allocs", p.pid, "--recent", "-o", t.path("recent.jsonl"))
        said = ddm(t, "allocs", t.path("recent.jsonl"), code=1)
        assert "no figures of a whole run: it is of the recent records alone" in said.replace("\n", " "), said
    with Target(t, agent="track=y,dump=none,sites=0") as p:
        said = ddm(t, "allocs", p.pid, "-o", t.path("no.sites.jsonl"), code=1)
        assert "no sites are counted: sites=0 was given" in said, said
        ddm(t, "allocs", p.pid, "-o", t.path("x.jsonl"))
        assert "sites=0 was given" in ddm(t, "allocs", t.path("x.jsonl"), code=1)
    with Target(t, agent="cpu=times,methods=DdmTarget.marks,dump=none") as p:
        said = ddm(t, "allocs", p.pid, "-o", t.path("no.sites.jsonl"), code=1)
        assert "no sites are counted: tracking was never on" in said, said
        ddm(t, "allocs", p.pid, "-o", t.path("x.jsonl"))
        assert "tracking was never on" in ddm(t, "allocs", t.path("x.jsonl"), code=1)


@test()
def ddm_writes_the_programs_own_report(t):
    with Target(t, agent="track=y,engine=vm,depth=2,dump=none") as p:
        p.tell("marks 20")
        for ending in ("jsonl", "html", "txt"):
            assert "written to" in ddm(t, "allocs", p.pid, "-o", t.path(f"x.{ending}"))
        written = Report(t.path("x.jsonl"))
        assert written.summary["engine"] == "vm" and written.summary["threads"]
        assert any(r.get("truncated") for r in written.records)
        assert all(r["ms"] > 0 for r in written.records)
        with open(t.path("x.txt")) as text:
            assert "fetched by ddm" not in text.read()
        with open(t.path("x.html")) as page:
            assert '"engine":"unknown"' not in page.read()


@test()
def ddms_tables_of_samples_are_estimates(t):
    with Target(t, agent="track=y,engine=vm,interval=1k,dump=none") as p:
        # A thread that was there before may take up to some MB until its first sample (17).
        p.tell("marks 300000")
        table = ddm(t, "allocs", p.pid)
        assert "one sample every 1.0 KiB of a thread" in table, table

        def marks():
            return next(row for row in ddm_json(t, "allocs", p.pid)
                        if row["class"] == "DdmTarget$Mark")["count"]

        before = marks()
        p.tell("marks 20000")
        # 16 bytes each (8 with compact headers): some 310 samples, or half as many
        assert 14000 < marks() - before < 26000, (before, marks())


@test(every_days=4)
def reports_of_four_threads_that_only_allocate_have_a_full_ring(t):
    with Target(t, agent="engine=bci,track=y,dump=exit.jsonl", program=("ManyNew",)) as p:
        for i in range(4):
            ddm(t, "allocs", p.pid, "-o", t.path(f"{i}.jsonl"))
        p.process.stdin.close()  # the threads go on
        assert p.ended()[0] == 0
    for name in ("1.jsonl", "2.jsonl", "3.jsonl", "exit.jsonl"):
        with open(t.path(name), encoding="utf-8") as f:
            summary = json.loads(f.readline())
        assert summary["seen"] > 70_000 and summary["dropped"] == 0, summary
        assert summary["recorded"] >= 60_000, summary


@test()
def a_later_load_switches_the_rewriting_of_reports_off(t):
    path = t.path("r.txt")
    with Target(t, f"dump={path},every=1") as p:
        def rewritten(seconds):
            """Whether the report, once taken away, comes back within so long."""
            if os.path.exists(path):
                os.unlink(path)
            end = time.monotonic() + seconds
            while time.monotonic() < end and not os.path.exists(path):
                time.sleep(0.05)
            return os.path.exists(path)

        assert rewritten(20)
        ddm(t, "attach", p.pid, "budget=5")  # says nothing of every=
        assert rewritten(20)
        ddm(t, "attach", p.pid, "every=off")
        # Once at most: one that was being written then.
        assert not (rewritten(2.5) and rewritten(2.5))
        ddm(t, "attach", p.pid, "every=1")
        assert rewritten(20)
        ddm(t, "attach", p.pid, "every=off")
    assert os.path.exists(path), "the last one is written all the same"
