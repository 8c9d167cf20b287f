"""The `ddm` command on live programs: what it prints for people, its JSON, its exit codes."""
import glob
import json
import os
import re
import socket
import stat
import struct
import subprocess
import threading
import time

from attached import Running
from browser import document_of
from ddm_client import Target, address_of
from harness import ROOT, Report, test
from tool import DDM, OK, REFUSED, USAGE, ddm, ddm_json, shown_on_terminal


@test()
def ps_lists_what_lives_and_clears_up_after_what_was_killed(t):
    with Target(t) as p:
        rows = [row for row in ddm_json(t, "ps") if row["pid"] == p.pid]
        assert [(row["app"], row["address"], row["uid"]) for row in rows] == [
            ("DdmTarget", p.address, os.getuid())]
        assert str(t.jdk.major) in rows[0]["vm"] and set(rows[0]) == {
            "pid", "app", "address", "vm", "uid"}
        lines = ddm(t, "ps").splitlines()
        assert lines[0].split() == ["PID", "ADDRESS", "VM", "APP"]
        assert any(line.split()[:2] == [str(p.pid), p.address] for line in lines)
        p.process.kill()
        p.process.wait()
        assert not [row for row in ddm_json(t, "ps") if row["pid"] == p.pid]
        assert "there is no process" in ddm(t, "info", p.pid, code=REFUSED)


@test()
def a_program_is_named_by_pid_port_or_socket(t):
    path = t.path("socket")
    for options in ("", f"address=unix:{path}"):
        with Target(t, options, flags=["-Xmx64m"]) as p:
            assert p.address == f"unix:{path}" or not options
            for name in (p.pid, p.address):
                info = ddm_json(t, "info", name)
                assert info["pid"] == p.pid and info["app"] == "DdmTarget"
                assert info["address"] == p.address and info["tracking"] is False
                heap = next(heap for heap in info["heaps"] if heap["id"] == 1)
                assert heap["maxBytes"] == 64 << 20
                assert "hprof-heap-dump-streaming" in info["features"]
                text = ddm(t, "info", name)
                assert f"pid       {p.pid}\n" in text and "max 64.0 MiB" in text


def jstack_ids(t, pid):
    """Java's id of each thread, by its number in the kernel."""
    out = t.command([os.path.join(t.jdk.home, "bin", "jstack"), str(pid)]).out
    return {int(tid, 0): int(number) for number, tid in
            re.findall(r'(?m)^".*" #(\d+) .*? nid=(0x[0-9a-f]+|\d+)', out)}


@test()
def threads_and_stacks_are_shown(t):
    with Target(t) as p:
        p.tell("start \u00e4ther\x1b[31m")  # an escape sequence is a name like any other
        threads = {row["name"]: row for row in ddm_json(t, "threads", p.pid)}
        assert not threads["main"]["daemon"]
        # Java's own ids, as jstack says them; the wire's count the threads that there are.
        ids = jstack_ids(t, p.pid)
        assert {name: row["id"] for name, row in threads.items()} == {
            name: ids[row["tid"]] for name, row in threads.items()}, (threads, ids)
        assert max(ids.values()) > len(threads)
        odd = threads["\u00e4ther\x1b[31m"]
        assert odd["state"] == "wait" and odd["daemon"] and odd["tid"] > p.pid
        table = ddm(t, "threads", p.pid)
        assert re.search(rf"(?m)^ *{odd['id']} +wait ", table), table
        assert "\u00e4ther\\u001b[31m\n" in table and "\x1b" not in table
        stack = ddm_json(t, "stack", p.pid, odd["id"])
        assert stack["id"] == odd["id"]
        stack = stack["stack"]
        assert stack[1]["class"] == "java.util.concurrent.locks.LockSupport"
        assert stack[0]["line"] == -2
        lines = ddm(t, "stack", p.pid, odd["id"]).splitlines()
        assert len(lines) == len(stack)
        assert lines[0].endswith(".misc.Unsafe.park(Native Method)")
        assert "(DdmTarget.java:" in lines[-2] + lines[-3] + lines[-4]
        assert ddm(t, "stack", p.pid, 65000, code=REFUSED).startswith("ddm: no platform thread 65000")
        with p.client() as wire:  # what only the wire knows is no thread's number
            gone = max(wire.thread_table())
        if gone not in ids.values():
            assert ddm(t, "stack", p.pid, gone, code=REFUSED).startswith(f"ddm: no platform thread {gone}")
        every = {one["name"]: one for one in ddm_json(t, "stack", p.pid, "--all")}
        assert every.keys() >= threads.keys() - {"Signal Dispatcher"}, every.keys()
        assert all(one["id"] == threads[name]["id"] for name, one in every.items()
                   if name in threads), (every.keys(), threads)
        assert every[odd["name"]]["stack"] == stack and every["main"]["state"] == "native"
        text = ddm(t, "stack", p.pid, "--all")
        assert f'"main" #{threads["main"]["id"]} native\n    at java.io.' in text, text
        assert "\x1b" not in text
        ddm(t, "stack", p.pid, 1, "--all", code=USAGE)


@test()
def recent_allocations_of_threads_that_have_ended_have_their_names(t):
    with Target(t) as p:
        ddm(t, "track", p.pid, "on")
        p.tell("churn 3")
        p.tell("marks 5")
        ddm(t, "track", p.pid, "off")
        rows = ddm_json(t, "allocs", p.pid, "--recent", "--by", "thread")
        counts = {row["thread"].split(" ", 1)[1]: row["count"] for row in rows}
        assert all(counts[f"short-{i}"] >= 1 for i in range(3)) and counts["main"] >= 5, rows
        assert sum(row["count"] for row in rows) == sum(
            row["count"] for row in ddm_json(t, "allocs", p.pid, "--recent")), rows
        said = ddm(t, "allocs", p.pid, "--recent", "--by", "thread")
        assert "recorded: the recent ones" in said and "(ended)" not in said, said


@test()
def all_recent_allocations_are_shown_however_many_are_kept(t):
    with Target(t, agent="dump=none,records=200k") as p:
        ddm(t, "track", p.pid, "on")
        p.tell("marks 100000")
        ddm(t, "track", p.pid, "off")
        for by in ("class", "site", "app", "thread"):
            rows = ddm_json(t, "allocs", p.pid, "--recent", "--by", by)
            assert max(row["count"] for row in rows) >= 100_000, rows


@test()
def a_saved_report_shows_its_recent_records_as_its_program_did(t):
    for options in ("", ",interval=1k"):
        with Target(t, agent="dump=none" + options) as p:
            ddm(t, "track", p.pid, "on")
            p.tell("churn 3")
            p.tell("marks 5000")
            ddm(t, "track", p.pid, "off")
            whole, sites = t.path("whole.jsonl"), t.path("only.sites.jsonl")
            ddm(t, "allocs", p.pid, "-o", whole)
            ddm(t, "allocs", p.pid, "-o", sites)
            for by in ("class", "site", "app", "thread"):
                arguments = "--recent", "--by", by
                assert ddm_json(t, "allocs", whole, *arguments) == ddm_json(t, "allocs", p.pid, *arguments), by
                text = ddm(t, "allocs", p.pid, *arguments)
                if not options or by != "thread":
                    assert ddm(t, "allocs", whole, *arguments) == text, text
            ddm(t, "allocs", p.pid, "--recent", "-o", t.path("recent.jsonl"))
            assert ddm(t, "allocs", t.path("recent.jsonl"), "--recent") == ddm(t, "allocs", whole, "--recent")
            said = ddm(t, "allocs", t.path("recent.jsonl"), code=REFUSED)
            assert "--recent shows its records" in said.replace("\n", " "), said
            said = ddm(t, "allocs", sites, "--recent", code=REFUSED)
            assert "without single records" in said.replace("\n", " "), said
            with open(whole, encoding="utf-8") as f:
                lines = f.readlines()
            with open(t.path("cut.jsonl"), "w", encoding="utf-8") as f:
                f.writelines(lines[:-1])
            said = ddm(t, "allocs", t.path("cut.jsonl"), "--recent", code=REFUSED)
            assert "is no whole jsonl report: it has" in said.replace("\n", " "), said


@test()
def tracked_allocations_are_shown_and_written(t):
    with Target(t) as p:
        assert ddm(t, "track", p.pid) == "tracking is off\n"
        assert ddm_json(t, "track", p.pid, "on", "--exact") == {"tracking": True}
        p.tell("marks 1234")
        assert ddm(t, "track", p.pid, "off") == "tracking is off\n"

        rows = ddm_json(t, "allocs", p.pid)
        marks = next(row for row in rows if row["class"] == "DdmTarget$Mark")
        assert marks == {"class": "DdmTarget$Mark", "bytes": 1234 * 16, "count": 1234}
        assert [row["bytes"] for row in rows] == sorted((row["bytes"] for row in rows),
                                                        reverse=True)
        sites = [row for row in ddm_json(t, "allocs", p.pid, "--by", "site")
                 if row["class"] == "DdmTarget$Mark"]
        assert [(row["count"], row["site"].split(":")[0]) for row in sites] == [
            (1234, "DdmTarget.marks(DdmTarget.java")]
        # Of the whole run, by Java's own ids of threads.
        threads = ddm_json(t, "allocs", p.pid, "--by", "thread")
        mains = next(row for row in ddm_json(t, "threads", p.pid) if row["name"] == "main")
        assert next(row["count"] for row in threads if row["thread"] == f'{mains["id"]} main') >= 1234
        # Of the recent records too, which come with the wire's numbers.
        recent = ddm_json(t, "allocs", p.pid, "--recent", "--by", "thread")
        assert next(row["count"] for row in recent if row["thread"] == f'{mains["id"]} main') >= 1234
        text = ddm(t, "allocs", p.pid, "--top", 1)
        assert "19,744  1,234  DdmTarget$Mark\n" in text, text

        for ending in ("txt", "collapsed", "jsonl", "html"):
            assert "written to" in ddm(t, "allocs", p.pid, "-o", t.path(f"report.{ending}"))
        report = Report(t.path("report.jsonl"))
        mine = [r for r in report.records if r["class"] == "DdmTarget$Mark"]
        assert len(mine) == 1234
        assert all(r["size"] == 16 and r["thread"]["name"] == "main" for r in mine)
        assert {(r["stack"][0]["method"], r["stack"][0]["file"]) for r in mine} == {
            ("marks", "DdmTarget.java")}
        assert mine[0]["stack"][0]["line"] > 0
        with open(t.path("report.collapsed")) as f:
            stacks = [line for line in f if "DdmTarget$Mark_[new]" in line]
        assert sum(int(line.rsplit(" ", 1)[1]) for line in stacks) == 1234 * 16
        assert "png" in ddm(t, "allocs", p.pid, "-o", t.path("report.png"), code=USAGE)
        assert "--json" in ddm(t, "allocs", p.pid, "--json", "-o", t.path("r.txt"), code=USAGE)
        sites = ddm(t, "allocs", p.pid, "--by", "site").splitlines()
        at = next(i for i, line in enumerate(sites) if line.endswith(" DdmTarget$Mark"))
        assert sites[at + 1].startswith("    at DdmTarget.marks(DdmTarget.java:"), sites
        assert "cannot write" in ddm(t, "allocs", p.pid, "-o", "/no/such/x.txt", code=REFUSED)


@test()
def exact_tracking_runs_a_collection_and_nothing_else_does(t):
    def marks(p):
        return sum(row["count"] for row in ddm_json(t, "allocs", p.pid)
                   if row["class"] == "DdmTarget$Mark")

    with Target(t, agent="engine=vm,dump=none", flags=["-XX:+UseSerialGC", "-Xms128m", "-Xmx128m"]) as p:
        before = int(p.ask("collections"))
        ddm(t, "track", p.pid, "on")
        ddm(t, "track", p.pid, "off")
        assert int(p.ask("collections")) == before, "a collection that nobody asked for"
        assert "tracking is on" in ddm(t, "track", p.pid, "on", "--exact")
        assert int(p.ask("collections")) > before
        p.tell("marks 500")
        if t.jdk.major >= 25:  # 17 keeps a thread that was there before unseen for a while longer
            assert marks(p) == 500, marks(p)
        assert "--exact" in ddm(t, "track", p.pid, "off", "--exact", code=USAGE)


@test()
def a_collection_and_a_heap_dump_can_be_had(t):
    with Target(t, flags=["-Xmx64m"]) as p:
        before = int(p.ask("collections"))
        result = ddm_json(t, "gc", p.pid)
        assert int(p.ask("collections")) > before
        assert 0 < result["usedAfter"] < 64 << 20
        assert "used before" in ddm(t, "gc", p.pid)
        path = t.path("heap.hprof")
        ddm(t, "dump", p.pid, "-o", path)
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        with open(path, "rb") as f:
            content = f.read()
        assert content.startswith(b"JAVA PROFILE 1.0.2\0") and content[-9] == 0x2c
        assert os.listdir(t.dir).count("heap.hprof") == 1
        with open(path, "w") as f:
            f.write("mine")
        assert "--force" in ddm(t, "dump", p.pid, "-o", path, code=REFUSED)
        with open(path) as f:
            assert f.read() == "mine"
        ddm(t, "dump", p.pid, "-o", path, "--force")
        assert os.path.getsize(path) > 100_000, "not replaced"
        assert "to a file" in ddm(t, "dump", p.pid, "-o", "-", code=USAGE)


@test()
def any_chunk_can_be_sent(t):
    with Target(t) as p:
        answer = ddm_json(t, "send", p.pid, "HELO", "00000001")
        assert answer["reply"]["type"] == "HELO" and answer["events"] == []
        assert answer["reply"]["data"]["pid"] == p.pid
        assert ddm_json(t, "send", p.pid, "NICS") == {
            "reply": {"type": None, "length": 0}, "events": []}
        # THCR for every thread comes before the answer.
        events = ddm_json(t, "send", p.pid, "THEN", "0", "1")["events"]
        assert "main" in [event["data"]["name"] for event in events if event["type"] == "THCR"]
        done = t.command([DDM, "send", str(p.pid), "STKL", "ff"])
        assert done.code == REFUSED and "reply: FAIL" in done.out
        for wrong in (("HEL",), ("HELLO",), ("HELO", "0"), ("HELO", "xy")):
            ddm(t, "send", p.pid, *wrong, code=USAGE)


@test()
def mistakes_are_told_in_one_line(t):
    for words in ((), ("nonsense",), ("probe",), ("track", 1, "perhaps"), ("stack", 1, "x"),
                  ("bridge", "--port", 70000), ("attach", "127.0.0.1:1"), ("ps", "--jsn")):
        ddm(t, *words, code=USAGE)
    for target in ("1", "0", "99999999999", "127.0.0.1:1", "unix:/no/such", "nonsense", "scan",
                   "127.0.0.1:0"):
        assert len(ddm(t, "info", target, code=REFUSED)) > 20
    said = ddm(t, "info", "foo:bar", code=REFUSED)
    assert "'bar' is no port number (0 to 65535); give a pid (see `ddm ps`), HOST:PORT or unix:PATH" in said, said
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (("serve", "--address", f"127.0.0.1:{port}"), ("bridge", "--port", port)):
            said = ddm(t, *words, code=REFUSED)
            assert "choose another port, or 0 for any free one" in said and "scan" not in said, said
    assert "no command 'frob'" in ddm(t, "frob", code=USAGE)
    assert ddm(t, "--version").startswith("ddm 0.")
    assert "not a HotSpot JVM" in ddm(t, "attach", os.getpid(), "--agent", DDM, code=REFUSED)


@test()
def a_program_is_attached_to_by_its_agents_address(t):
    with Target(t, "dump=none", flags=["-XX:+EnableDynamicAgentLoading"]) as p:
        said = ddm(t, "attach", p.address, "track=y")
        assert said == f"pid {p.pid} listens on {p.address}\ntracking is on\n", said


@test()
def values_of_options_are_told_in_the_words_of_their_option(t):
    for words in (("attach", "127.0.0.1:1"), ("attach", "0")):
        said = ddm(t, *words, code=USAGE)
        assert f"'{words[1]}' is not a pid" in said, said
    for verb in ("allocs", "live", "locks", "sites", "native"):
        for top in ("-3", "many", "1.5"):
            said = ddm(t, verb, "1", f"--top={top}", code=USAGE)
            assert f"'{top}' is not a whole number from 0 on" in said, said
    durations = [(*words, name) for name in ("-d", "--for") for words in (
        ("record", "1", "-o", "r.txt"), ("trace", "1"), ("probe", "1", "a.B"), ("leaks", "1"))]
    for words in (*durations, ("send", "1", "HELO", "--listen"),
                  ("dyper", "1", "<DYPER />", "--listen")):
        for time in ("2", "2s", *(() if words[0] == "leaks" else ("500ms", "0.5"))):
            assert "is not a time" not in ddm(t, *words, time, code=REFUSED), (words, time)
        for time in ("soon", "2d", "-2s", "1e9h"):
            assert f"'{time}' is not a time from " in ddm(t, *words[:-1], f"{words[-1]}={time}"
                if words[-1].startswith("--") else words[-1] + time, code=USAGE), (words, time)
    for words, fault in (
            (("record", "1", "-d", "0"), "--for: '0' is not a time from 1ms to 2000h; right is 2, 2s, 500ms,"),
            (("leaks", "1", "-d", "500ms"), "'500ms' is not a time from 1s to 2000h; right is 2, 2s, 1m or 1h;"),
            (("trace", "1", "--min", "x"), "--min: 'x' is not a time from 1us to 4000s; right is 2, 2ms,"),
            (("trace", "1", "--sample", "2m"), "--sample: '2m' is not a time from 100us to 10s;"),
            (("trace", "1", "--buffer", "x"), "--buffer: 'x' is not a whole number from 1 to 256;"),
            (("trace", "1", "-o", "x.foo"), "-o: 'x.foo': a trace ends in .trace, .html, .txt,"),
            (("stack", "1", "abc"), "TID: 'abc' is not a whole number from 1 on; see `ddm stack --help`"),
            (("allocs", "1", "--by", "foo"), "--by: 'foo' is not one of class, site, app, thread;"),
            (("probe", "1", "a.B", "-z", "5"), "there is no option '-z'; see `ddm probe --help`"),
            (("info", "1", "b"), "'b' is one word too many; see `ddm info --help`"),
            (("--jsn",), "there is no option '--jsn'; see `ddm --help`"),
            ((), "a command is missing; see `ddm --help`")):
        said = ddm(t, *words, code=USAGE)
        assert fault in said, (words, said)


@test()
def what_cannot_be_attached_to_gets_no_advice_to_attach(t):
    for verb in ("info", "threads"):
        said = ddm(t, verb, os.getpid(), code=REFUSED)
        assert "is not a HotSpot JVM" in said and "attach" not in said, said
        assert "it is empty" in ddm(t, verb, "", code=USAGE)
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
    assert "has ended" in ddm(t, "info", ended.pid, code=REFUSED)
    ended.wait()
    with Running(t, "Attached") as p:
        assert f"`ddm attach {p.process.pid}` loads one" in ddm(t, "info", p.process.pid, code=REFUSED)
    with Running(t, "Attached") as p:
        assert p.load("address=none")
        said = ddm(t, "info", p.process.pid, code=REFUSED)
        assert "does not listen" in said and "ddm attach" not in said, said
    with Running(t, "Attached") as p, socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = ddm(t, "attach", p.process.pid, f"address={port}").replace("\n", " ")
        assert f"does not listen at {port}; why is on the program's stderr" in said, said


@test()
def a_port_that_is_no_ddm_port_is_given_up(t):
    def serve(listener, greeting):
        connection, _ = listener.accept()
        connection.recv(14)
        connection.sendall(greeting)
        time.sleep(60 if not greeting else 0)
        connection.close()

    for greeting, words in ((b"HTTP/1.1 400 No\r\n", "not a DDM port"), (b"JDWP", "closed"),
                            (b"", "does not answer")):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=serve, args=(listener, greeting), daemon=True).start()
            said = ddm(t, "info", f"127.0.0.1:{listener.getsockname()[1]}", code=REFUSED)
            assert words in said, said


@test(gc=("g1", "serial", "zgc"))
def heap_shows_kinds_a_map_and_a_picture(t):
    with Target(t, "log=error", flags=["-Xmx128m"]) as p:
        p.tell("keepbytes 40")
        out = ddm_json(t, "heap", p.pid)
        assert set(out) == {"committed", "used", "kinds", "holes", "regions", "humongous_waste", "segments"}
        kinds, holes = out["kinds"], out["holes"]
        assert (holes is None) == (t.gc == "zgc"), holes
        if holes:
            assert holes["bytes"] == kinds["free"]["bytes"] >= holes["largest"] > 0, holes
            assert sum(count for _, count in holes["histogram"]) == holes["count"]
            assert all(at_least <= holes["largest"] for at_least, _ in holes["histogram"])
        assert 40 << 20 <= kinds["array1"]["bytes"] < 60 << 20 and kinds["class"]["objects"] > 300
        assert sum(kind["bytes"] for kind in kinds.values()) == out["committed"]
        assert out["used"] == out["committed"] - kinds["free"]["bytes"]
        assert sum(s["bytes"] for s in out["segments"]) == out["committed"]
        lines = ddm(t, "heap", p.pid, "-o", "heap.png").splitlines()
        assert max(map(len, lines)) <= 80, lines
        assert lines[0].split() == ["KIND", "OBJECTS", "BYTES", "SHARE"]
        assert any(line.startswith("1-byte arrays ") for line in lines)
        cells = "".join(line.split("|")[1] for line in lines if line.endswith("|"))
        if holes:
            assert cells.count("1") > len(cells.replace(" ", "")) / 4 and set(cells) <= set(" oc1248?.")
        else:
            assert not cells, lines
        with open(t.path("heap.png"), "rb") as f:
            assert f.read(8) == b"\x89PNG\r\n\x1a\n"
        assert ".html" in ddm(t, "heap", p.pid, "-o", t.path("heap.jpg"), code=USAGE)
        assert not os.path.exists(t.path("heap.jpg"))
        assert "no/such" in ddm(t, "heap", p.pid, "-o", t.path("no/such/heap.png"), code=REFUSED)


@test()
def ps_all_lists_jvms_without_the_agent(t):
    with Running(t, "Attached") as plain, Target(t) as watched, \
            Running(t, "Attached", flags=["-XX:-UsePerfData"]) as silent:
        rows = {row["pid"]: row for row in ddm_json(t, "ps", "--all")}
        assert rows[watched.pid]["agent"] and rows[watched.pid]["address"] == watched.address
        row = rows[plain.process.pid]
        assert (row["app"], row["address"], row["agent"]) == ("Attached", None, False), row
        assert str(t.jdk.major) in row["vm"] and row["uid"] == os.getuid()
        assert rows[silent.process.pid]["app"] == "Attached"
        line = next(line for line in ddm(t, "ps", "--all").splitlines()
                    if line.split()[0] == str(plain.process.pid))
        assert "(no agent)" in line and line.endswith(" Attached"), line
        assert plain.process.pid not in [row["pid"] for row in ddm_json(t, "ps")]


@test()
def an_option_error_of_attach_is_told_by_ddm(t):
    with Running(t, "Attached") as program:
        pid = program.process.pid
        assert "trakc" in ddm(t, "attach", pid, "trakc=y", code=USAGE)
        assert "engine" in ddm(t, "attach", pid, "engine=jit", code=USAGE)
        assert "dump=PATH" in ddm(t, "attach", pid, "help")
        assert "listens on 127.0.0.1:" in ddm(t, "attach", pid)
        assert "not address" in ddm(t, "attach", pid, "address=none", code=USAGE)
        # Which only the agent knows: the engine that it has.
        ddm(t, "attach", pid, "engine=bci")
        refused = ddm(t, "attach", pid, "interval=512k", code=REFUSED)
        assert "interval" in refused and "engine" in refused and "stderr" not in refused, refused
        lines = program.end()
    assert len(lines) == 2 and "listening on" in lines[0] and lines[1].strip()[-20:] in refused, (lines, refused)


@test()
def what_attach_record_and_dump_have_done_is_told_as_json_too(t):
    with Target(t, agent=None, flags=["-XX:+EnableDynamicAgentLoading"]) as p:
        loaded = ddm_json(t, "attach", p.pid, "dump=none")
        p.address = address_of(p.process)
        assert loaded == {"pid": p.pid, "address": p.address, "tracking": False}, loaded
        assert ddm_json(t, "attach", p.pid, "dump=none,track=y")["tracking"] is True
        ddm(t, "track", p.pid, "off")
        path = t.path("r.sites.jsonl")
        recorded = ddm_json(t, "record", p.pid, "-d", "0.5", "-o", path)
        summary = Report(path).summary
        assert 0.4 < recorded.pop("seconds") < 60, recorded
        assert recorded == {"file": path, "seen": summary["seen"], "seen_bytes": summary["seen_bytes"],
                            "ended": False}, (recorded, summary)
        assert "--json is for stdout, too" in ddm(t, "record", p.pid, "-o", "-", "--json", code=USAGE)
        dumped = ddm_json(t, "dump", p.pid, "-o", t.path("x.hprof"))
        assert dumped == {"file": t.path("x.hprof"), "bytes": os.path.getsize(t.path("x.hprof"))}, dumped


@test()
def attach_says_what_stays_on_and_which_report_cannot_be_written(t):
    with Target(t, agent=None, flags=["-XX:+EnableDynamicAgentLoading"]) as p:
        assert ddm(t, "attach", p.pid).endswith("\ntracking is off\n")
        p.address = address_of(p.process)
        assert ddm(t, "attach", p.pid, "live=n").endswith("\ntracking is off\n")
        assert ddm(t, "attach", p.pid, "live=y").endswith("\ntracking is on\n")
        words = ddm(t, "attach", p.pid, "live=n")
        assert words.endswith(f"tracking stays on, `ddm track {p.pid} off` ends it\n"), words
        assert ddm_json(t, "track", p.pid)["tracking"] is True
        for options, words in ((f"dump=/no/such/r.html,dump={t.path('r.txt')}",
                                "dump=/no/such/r.html: cannot write there (No such file or directory)"),
                               ("sites=0", "the options given hold from the next start on")):
            done = t.command([DDM, "attach", str(p.pid), options])
            assert done.code == OK and done.out.endswith("\ntracking is on\n"), done
            assert done.err.startswith("ddm: ") and words in done.err, done
            assert done.err.count("\n") == 1, done
            p.stderr_line(words)
        ddm(t, "attach", p.pid, "dump=none")  # and what was said before is not said again
    flags = ["-XX:+EnableDynamicAgentLoading"]
    with Target(t, agent="quiet=y,track=y,dump=none", flags=flags) as p:  # whatever its stderr gets
        done = t.command([DDM, "attach", str(p.pid), "sites=0"])
        assert done.code == OK and "the options given hold from the next start on" in done.err, done


@test()
def attach_makes_no_vm_print_a_thread_dump(t):
    flag = "-XX:+DisableAttachMechanism"
    with Running(t, "Attached", flags=[flag]) as program:
        assert flag in ddm(t, "attach", program.process.pid, code=REFUSED)
        program.tell("before 1")  # and nothing else on its stdout
        assert program.end() == []
        assert not program.err or "dump" not in program.err


@test()
def attach_believes_no_socket_that_is_not_the_vms(t):
    if os.getuid() != 0:
        return
    for owner, mode, words in ((65534, 0o600, "belongs to uid 65534"), (0, 0o666, "open to other"),
                               (0, 0o600, "is held by process")):
        with Running(t, "Attached") as program, socket.socket(socket.AF_UNIX) as stranger:
            path = f"/tmp/.java_pid{program.process.pid}"
            stranger.bind(path)
            try:
                os.chmod(path, mode)
                os.chown(path, owner, owner)
                stranger.listen()
                stranger.settimeout(5)
                assert words in ddm(t, "attach", program.process.pid, code=REFUSED)
                if mode == 0o600 and owner == 0:
                    assert stranger.accept()[0].recv(1) == b"", "it was sent a command"
            finally:
                os.unlink(path)
            assert program.end() == []


@test()
def attach_says_when_a_program_is_another_users(t):
    if os.getuid() != 0:
        return
    with Running(t, "Attached") as program:
        done = subprocess.run([DDM, "attach", str(program.process.pid)], capture_output=True,
                              text=True, user=65534, group=65534, extra_groups=[], timeout=60,
                              cwd="/")
        assert done.returncode == REFUSED and not done.stdout, done
        assert "belongs to uid 0 (root)" in done.stderr and "as root" in done.stderr, done.stderr
        assert program.end() == []


@test(every_days=4)
def hidden_classes_have_one_name_in_all_reports(t):
    with Target(t, "engine=vm,track=y,dump=own.jsonl") as p:
        p.tell("start a")
        ddm(t, "track", p.pid, "off")
        ddm(t, "allocs", p.pid, "-o", t.path("ddm.jsonl"))
        table = {row["class"] for row in ddm_json(t, "allocs", p.pid)}
        p.say("exit")
        p.process.wait(20)

    def hidden(path):
        return {name for r in Report(path).records
                for name in (r["class"], *(frame["class"] for frame in r["stack"])) if "0x" in name}

    own = hidden(t.path("own.jsonl"))
    assert own and own == hidden(t.path("ddm.jsonl")), own
    assert all("/0x" in name and ".0x" not in name for name in own), own
    assert {name for name in table if "0x" in name} <= own


@test()
def titles_and_errors_stand_out_on_a_terminal_that_has_colors(t):
    with Target(t, "name=plain") as p:
        lines, raw = shown_on_terminal(t, "threads", p.pid, env={})
        titles = [line for line in raw.splitlines() if "\x1b[1m" in line]
        assert len(titles) == 1 and titles[0].startswith("\x1b[1m") and "STATE" in titles[0], raw
        assert titles[0].endswith("\x1b[0m"), titles
        _, raw = shown_on_terminal(t, "threads", "no-such-program", code=REFUSED, env={})
        assert raw.startswith("\x1b[1;31mddm:\x1b[0m "), raw
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            assert "\x1b" not in shown_on_terminal(t, "threads", p.pid, env=env)[1], env
            assert "\x1b" not in shown_on_terminal(t, "threads", "none", code=REFUSED, env=env)[1], env
        assert "\x1b" not in ddm(t, "threads", p.pid)


@test(every_days=4)
def everything_fits_a_terminal_of_80_columns(t):
    listed = ddm(t, "--help").split("Programs:", 1)[1]
    commands = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3].isalpha()]
    assert {"allocs", "record", "sites", "live"} <= set(commands), commands
    for words in (("--help",), *((command, "--help") for command in commands)):
        lines, _ = shown_on_terminal(t, *words)
        assert max(map(len, lines)) <= 80, "\n".join(lines)
    name = "a-name-that-nobody-would-give-to-a-thread-but-somebody-does-in-a-test-like-this-one"
    with Target(t, f"engine=vm,track=y,dump=none,name=com.example.shop.front.{'x' * 60}") as p:
        p.tell(f"start {name}")
        for words in (("ps",), ("ps", "--all"), ("info", p.pid), ("threads", p.pid),
                      ("heap", p.pid), ("paths", p.pid, "java.lang.String"), ("allocs", p.pid), ("allocs", p.pid, "--by", "site"),
                      ("allocs", p.pid, "--by", "app"), ("allocs", p.pid, "--by", "thread"),
                      ("allocs", p.pid, "--recent"), ("gc", p.pid), ("allocs", p.pid, "--mark", "m"),
                      ("allocs", p.pid, "--since", "m", "--by", "site"),
                      ("record", p.pid, "-d", "0.3", "-o", f"{'of-this-time' * 4}.jsonl"),
                      ("allocs", "--diff", f"{'of-this-time' * 4}.jsonl", f"{'of-this-time' * 4}.jsonl"),
                      ("dump", p.pid, "--sites", "-o", f"{'of-this-time' * 4}.hprof"),
                      ("sites", f"{'of-this-time' * 4}.hprof")):
            lines, _ = shown_on_terminal(t, *words)
            # A word that is longer, such as a path among the VM's flags, stands alone and whole.
            wide = [line for line in lines if len(line) > 80 and " " in line[10:].strip()]
            assert len(lines) > 1 and not wide, "\n".join(lines)
        piped = ddm(t, "threads", p.pid)
        assert name in piped, "what is no terminal gets everything"


@test()
def help_and_documents_use_plain_words(t):
    """Words that meant nothing to those who read them for the first time."""
    former = ("tells them as", "said hello", "not served yet", "made of the answer to REAL",
              "For the living", "says by itself how", "at its price", "can be looked into",
              "Show who a program is", "(any more)", "GiB or more", "counts as its last value")
    pages = [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "docs", "*.md"))]
    texts = {page: open(page, encoding="utf-8").read() for page in pages}
    texts["ddm --help"] = t.command([DDM, "--help"]).out
    for command in ("ps", "info", "stack", "allocs", "attach"):
        texts[command] = t.command([DDM, command, "--help"]).out
    texts["agent"] = t.java("Exits", "return", agent="help").out
    for where, text in texts.items():
        assert len(text) > 100, where
        found = [words for words in former if words in text]
        assert not found, f"{where}: {found}"
    assert "DDM server (such as" in texts["agent"]


@test()
def progress_is_shown_on_a_terminal_and_gone_before_the_answer(t):
    """A VM that takes its time with every answer."""
    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            connection.sendall(connection.recv(14))
            while header := connection.recv(11):
                length, number = struct.unpack(">II", header[:8])
                asked = connection.recv(length - 11)
                if asked.startswith(b"HPGC"):
                    time.sleep(2.5)
                connection.sendall(struct.pack(">IIBBB", 11, number, 0x80, 0, 0))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        lines, raw = shown_on_terminal(t, "gc", f"127.0.0.1:{listener.getsockname()[1]}")
        assert "garbage collection: 1 s" in raw, raw
        assert lines == ["done", ""], (lines, raw)


@test()
def a_vm_that_talks_without_end_is_given_up(t):
    def serve(listener):
        connection, _ = listener.accept()
        with connection:
            connection.sendall(connection.recv(14))
            event = struct.pack(">IIBBB", 11 + 8 + 5000, 1 << 31, 0, 0xC7, 1) + b"EVNT" + \
                struct.pack(">I", 5000) + bytes(5000)
            try:
                while True:
                    connection.sendall(event * 100)
            except OSError:
                pass  # it has had enough

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        said = ddm(t, "info", f"127.0.0.1:{listener.getsockname()[1]}", code=REFUSED)
        assert "more than 32.0 MiB" in said, said


@test()
def a_saved_report_is_written_in_every_other_format(t):
    endings = ("txt", "collapsed", "sites.jsonl", "hprof.txt", "html", "pb.gz")
    dumps = "".join(f",dump=r.{ending}" for ending in ("jsonl", *endings))
    t.java("LockOwners", "lock", "platform", "3", "200", agent=f"track=y,monitor=y,address=none{dumps}")

    def text_of(path):
        with open(t.path(path), "rb") as f:
            return f.read()
    for ending in endings:
        told = ddm(t, "allocs", t.path("r.jsonl"), "-o", t.path("saved." + ending))
        assert "report written to" in told, told
        ours, theirs = text_of("r." + ending), text_of("saved." + ending)
        if ending in ("collapsed", "sites.jsonl"):  # of equal sizes the order is by chance
            assert sorted(ours.splitlines())[:-1] == sorted(theirs.splitlines())[:-1], ending
        else:
            assert len(theirs) > 0.7 * len(ours), (ending, len(ours), len(theirs))
    ddm(t, "allocs", t.path("r.sites.jsonl"), "-o", t.path("of-sites.collapsed"))
    assert len(text_of("of-sites.collapsed")) == len(text_of("r.collapsed"))
    assert text_of("saved.txt").splitlines()[:12] == text_of("r.txt").splitlines()[:12]
    page = document_of(t, "file://" + t.path("saved.html"))
    assert 'data-self-check="ok"' in page, page[:3000]
    assert "needs live=y" in ddm(t, "allocs", t.path("r.jsonl"), "-o", t.path("x.dhat.json"), code=REFUSED)
    os.truncate(t.path("r.jsonl"), 5000)
    assert "no whole jsonl report" in ddm(t, "allocs", t.path("r.jsonl"), "-o", "-", code=REFUSED)


@test()
def live_objects_and_waits_for_locks_are_shown_of_a_saved_report(t):
    stack = [{"class": "shop.Cart", "method": "add", "file": "Cart.java", "line": 3}]
    summary = {"type": "summary", "sites": 2, "site_lines": 2, "seen": 5, "threads": []}
    sites = [{"type": "site", "class": name, "count": count, "bytes": 16 * count, "live_count": alive, "live_bytes": 16 * alive,
              "live_ages": [{"survived": 2, "count": alive, "bytes": 16 * alive}] if alive else [], "stack": stack}
             for name, count, alive in (("int[]", 3, 0), ("long[]", 2, 1))]
    monitor = {"type": "monitor", "kind": "enter", "class": "shop.Till", "count": 4, "ns": 5_000_000, "stack": stack}
    record = {"type": "record", "seq": 1}

    def written(name, facts, *lines):
        with open(t.path(name), "w", encoding="utf-8") as f:
            f.write("".join(json.dumps(line) + "\n" for line in (summary | facts, *lines)))
        return t.path(name)
    whole = written("whole.jsonl", {"gc": 7, "live_one_in": 1, "monitor": "on"}, *sites, monitor, record)
    told = ddm(t, "live", whole)
    assert "1 object alive" in told and "as of collection 7" in told and "long[]" in told and "int[]" not in told, told
    row, = ddm_json(t, "live", whole)["rows"]
    assert (row["class"], row["live_count"]) == ("long[]", 1), row
    assert not ddm_json(t, "live", whole, "--survived", 4)["rows"]
    assert "is a saved report" in ddm(t, "live", whole, "--gc", code=USAGE)
    told = ddm(t, "locks", whole)
    assert "5.0 ms to enter (4 times)" in told and "shop.Till" in told and "shop.Cart.add" in told, told
    assert [wait["ns"] for wait in ddm_json(t, "locks", whole)] == [5_000_000]
    without = written("without.jsonl", {}, *sites)
    assert "live= was off" in ddm(t, "live", without, code=REFUSED).replace("\n", " ")
    assert "monitor=y was off" in ddm(t, "locks", without, code=REFUSED).replace("\n", " ")
    cut = written("cut.jsonl", {"gc": 7, "monitor": "on"}, sites[0])
    for command in ("live", "locks"):
        for words in ((), ("--json",)):
            assert "it is cut" in ddm(t, command, cut, *words, code=REFUSED).replace("\n", " "), command
    facts = {"monitor": "on", "time_lines": 2}
    timed = {"type": "method", "class": "shop.Cart", "method": "add"}
    assert "shop.Till" in ddm(t, "locks", written("timed.jsonl", facts, *sites, timed, monitor))
    for there in ([], [timed]):
        cut = written("cut.jsonl", facts, *sites, *there)
        said = f"it is cut: it has {len(there)} of its 2 lines of time"
        assert said in ddm(t, "locks", cut, code=REFUSED).replace("\n", " "), there


@test()
def output_that_is_lost_is_told_and_no_success(t):
    report = t.path("r.sites.jsonl")
    with open(report, "w", encoding="utf-8") as f:
        f.write('{"type":"summary","sites":1,"site_lines":1,"seen":1,"threads":[]}\n'
                '{"type":"site","class":"int[]","count":1,"bytes":16,"stack":[]}\n')
    for words in (["--help"], ["allocs", "--help"], ["help", "--man"], ["--version"], ["allocs", report], ["ps", "--json"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([DDM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (REFUSED, "ddm: cannot write to stdout: No space left on device\n"), (words, done)
        # A reader that has had enough is none.
        done = subprocess.run(f"'{DDM}' {' '.join(words)} | true; exit ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
                              capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), (words, done)
