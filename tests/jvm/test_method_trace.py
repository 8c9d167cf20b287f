"""Method tracing for DDM servers: MPSS, MPSE, MPRS, MPRE, MPRQ, and the trace file that comes of it,
read by a reader of our own and by Debian's dmtracedump."""
import json
import os
import random
import re
import struct
import subprocess
import time

from ddm_client import DdmError, Target, chunk
from escape import ESCAPE_LOOPS, bytes_of
from harness import AGENT, test
from method_traces import Trace, ended_while_traced, read_counts, traced
from probed import CODES, codes_of_late, native_access, tell
from process_stat import status_kb
from tool import DDM, ddm as run_tool
from vm_memory import THROW_CODE_AWAY_SOON, assert_rounds_keep_none


def start(ddm, flags=0, methods="Calls*", size=0):
    text = methods.encode("utf-16-be")
    assert ddm.request("MPSS", struct.pack(">III", size, flags, len(text) // 2) + text) == b""
    assert ddm.request("MPRQ") == b"\1"


def check_sums(trace, truth, times=1):
    counts, sums = trace.calls(), {}
    for (_, method), count in counts.items():
        sum_ = sums.setdefault(method, [0, 0])
        for i in (0, 1):
            sum_[i] += count[i]
    for method, expected in truth.items():
        assert sums[method] == [times * count for count in expected], (method, sums[method], expected)
    return counts


def check(trace, truth):
    counts = check_sums(trace, truth)
    for n in range(4):
        assert counts[(f"caller-{n}", "Calls.leaf")] == [20_000, 0], "each thread's own calls"


@test()
def a_trace_has_every_call_of_every_thread(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        for flags, version in ((0, 2), (0x110, 3)):
            start(ddm, flags)
            p.say("go")
            truth = read_counts(p)
            data = ddm.request("MPSE")
            assert ddm.request("MPRQ") == b"\0"
            trace = Trace(data)
            assert (trace.version, trace.options["clock"]) == (version, "wall" if version == 2 else "dual")
            assert trace.options["data-file-overflow"] == "false"
            check(trace, truth)
            name, signature, file, line = next(m for m in trace.methods.values() if m[0] == "Calls.fib")
            assert (signature, file) == ("(I)I", "Calls.java") and line > 10, (signature, file, line)
            with open(t.path("calls.trace"), "wb") as f:
                f.write(data)
            done = t.command(["dmtracedump", "-o", t.path("calls.trace")])
            assert done.code == 0 and done.out.count("Calls.leaf") >= 160_000, done.err[-500:]


@test()
def a_trace_is_of_the_time_when_all_methods_have_their_hooks(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        begun = time.monotonic()
        start(ddm, methods="java.util.*,jdk.internal.*,sun.*")
        ready = time.monotonic()
        time.sleep(0.1)
        asked = time.monotonic()
        trace = Trace(ddm.request("MPSE"))
        took = time.monotonic() - asked
        # Neither what it took to change the classes nor to change them back.
        elapsed = int(trace.options["elapsed-time-usec"]) / 1e6
        assert 0.1 < elapsed < asked - ready + min(ready - begun, took) / 2, (elapsed, ready - begun, took)


@test(jdks="each")
def a_system_thread_that_is_several_java_threads_in_turn_has_the_calls_of_each(t):
    library = os.path.join(os.path.dirname(AGENT), "libreattached_thread.so")
    with Target(t, "dump=none", flags=native_access(t), program=("Reattached", library)) as p, \
            p.client() as ddm:
        for flags in (0, 0x110):
            start(ddm, flags, methods="Reattached.*")
            tell(p, "5")
            counts = Trace(ddm.request("MPSE")).calls()
            jobs = {thread: count for (thread, method), count in counts.items()
                    if method == "Reattached.job"}
            assert jobs == {f"job-{i}": [1, 0] for i in range(5)}, jobs
            calls = {thread: count for (thread, method), count in counts.items()
                     if method == "Reattached.once"}
            assert calls == {f"job-{i}": [i, 0] for i in range(1, 5)}, calls


@test(min_jdk=21, every_days=4)
def a_trace_has_every_call_of_ten_thousand_virtual_threads(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        start(ddm, size=30_000_000)
        p.say("virtual")
        truth = read_counts(p)
        trace = Trace(ddm.request("MPSE"))
        assert trace.options["data-file-overflow"] == "false"
        jobs = [count for (_, method), count in check_sums(trace, truth).items() if method == "Calls.job"]
        assert jobs == [[1, 0]] * 10_000, len(jobs)


@test()
def a_trace_goes_on_while_times_are_switched_on_and_off(t):
    rounds = 6
    with Target(t, "dump=none", program=("Calls", "serve")) as p, p.client() as ddm:
        start(ddm, size=50_000_000)
        for _ in range(rounds):
            p.say("go")
        for _ in range(3):
            run_tool(t, "attach", p.pid, "cpu=times,methods=Calls*")
            run_tool(t, "attach", p.pid, "cpu=off")
        for _ in range(rounds):
            truth = read_counts(p)
        check_sums(Trace(ddm.request("MPSE")), truth, times=rounds)


@test()
def a_trace_that_is_full_says_so_and_the_program_goes_on(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        traces = []
        for size in (0, 100_000):
            start(ddm, size=size)
            p.say("go")
            read_counts(p)
            traces.append(Trace(ddm.request("MPSE")))
        whole, trace = traces
        assert "lost-events" not in whole.options, whole.options
        assert trace.options["data-file-overflow"] == "true"
        assert 5_000 < len(trace.events) <= 10_000
        # An end without an entry in the buffer is not in the file, one that has no hook is.
        known = int(trace.options["lost-events"]) + len(trace.events)
        assert abs(known - len(whole.events)) < 100, (known, len(whole.events))


@test()
def tracing_stops_and_starts_and_leaves_nothing(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        for _ in range(5):
            start(ddm)
            p.say("go")
            truth = read_counts(p)
            check(Trace(ddm.request("MPSE")), truth)
        p.say("go")
        read_counts(p)
        try:
            raise AssertionError(ddm.request("MPSE"))
        except DdmError as failure:
            assert "no methods are being traced" in failure.message, failure
        start(ddm)
        try:
            raise AssertionError(ddm.request("MPSS", bytes(8)))
        except DdmError as failure:
            assert "already" in failure.message, failure
        with p.client() as other:
            other.hello()
            assert other.request("MPRQ") == b"\1"
        ddm.request("MPSE")


def trace_rounds(t, ddm, rounds, methods):
    pause = random.Random(t.name)
    for _ in range(rounds):
        start(ddm, methods=methods, size=100_000)
        time.sleep(pause.uniform(0, 0.1))
        assert Trace(ddm.request("MPSE")).version == 2
        time.sleep(pause.uniform(0, 0.1))


@test()
def rounds_of_tracing_under_load_harm_nothing(t):
    with Target(t, "track=n", program=("ToggleLoad",)) as p, p.client() as ddm:
        trace_rounds(t, ddm, 3, "ToggleLoad*,java.util.HashMap.put*")
        p.say("")
        p.expect("DONE")
        assert p.process.wait(60) == 0


@test(gc="all", full_only=True, timeout=300)
def a_hundred_rounds_of_tracing_under_load_harm_nothing(t):
    # Not ToggleLoad: it loads thousands of classes a second, each of which a round has to look at.
    with Target(t, "track=n", program=("Probed",)) as p, p.client() as ddm:
        p.say("busy 2")
        p.expect("counted")
        trace_rounds(t, ddm, 100, "Probed*,java.util.HashMap.*")
        p.say("stop")
        p.expect("counted")


def rounds_that_leave_nothing_in_the_vm(t, first, rounds):
    with Target(t, "dump=none", program=("Probed",), flags=THROW_CODE_AWAY_SOON) as p, \
            p.client() as ddm:
        def one_round():
            start(ddm, methods="Probed*,java.util.HashMap.*", size=100_000)
            ddm.request("MPSE")

        # A round takes some 100 KiB of metaspace and 30 of code cache, until the VM has cleaned up.
        tell(p, "busy 2")
        assert_rounds_keep_none(t, p.pid, one_round, rounds, most_kb=1500, first=first)
        tell(p, "stop")


@test(every_days=5)
def rounds_of_tracing_leave_nothing_in_metaspace_and_code_cache(t):
    rounds_that_leave_nothing_in_the_vm(t, 10, 25)


@test(full_only=True, timeout=1200)
def a_thousand_rounds_of_tracing_leave_nothing_in_metaspace_and_code_cache(t):
    rounds_that_leave_nothing_in_the_vm(t, 20, 1000)


@test(full_only=True, timeout=600, flags=[("-XX:MaxMetaspaceSize=128m",)])
def a_program_can_drop_the_classes_that_it_loads_while_tracing_starts_and_stops(t):
    with Target(t, "track=n", program=("ToggleLoad",)) as p, p.client() as ddm:
        trace_rounds(t, ddm, 30, "ToggleLoad.*,java.util.HashMap.put*")
        p.say("")
        p.expect("DONE")


@test(flags=[("-Xmx64m", "-XX:+UseSerialGC")])
def a_trace_takes_little_more_than_its_buffer_while_its_file_is_made(t):
    size = 40_000_000
    with Target(t, "dump=none", program=("Probed",)) as p, p.client() as ddm:
        tell(p, "counts 200000 2")  # the compiler's memory is not of interest
        for flags in (0, 0x110):
            start(ddm, flags, methods="Probed*", size=size)
            before = status_kb(p.pid, "VmRSS")
            with open(f"/proc/{p.pid}/clear_refs", "w", encoding="ascii") as f:
                f.write("5")  # VmHWM begins anew
            tell(p, "counts 200000 2")
            trace = ddm.request("MPSE")
            grown = (status_kb(p.pid, "VmHWM") - before) * 1024
            assert len(trace) > 0.9 * size, (flags, len(trace))
            assert grown < 1.2 * size, (flags, grown / size)


@test(flags=[("-Xmx64m", "-XX:+UseSerialGC")])
def the_memory_of_a_trace_goes_with_it(t):
    with Target(t, "dump=none", program=("Probed",)) as p, p.client() as ddm:
        kept = []
        for _ in range(2):
            start(ddm, methods="Probed*", size=20_000_000)
            tell(p, "counts 50000 2")
            events = len(ddm.request("MPSE")) // 10
            assert events > 1_500_000, events
            after = status_kb(p.pid, "VmRSS")
            for _ in range(20):  # the answer itself goes when its last byte has been sent
                time.sleep(0.05)
                after = min(after, status_kb(p.pid, "VmRSS"))
            for _ in range(2):
                start(ddm, methods="Probed.fib", size=1)
                ddm.request("MPSE")
            kept.append(after - status_kb(p.pid, "VmRSS"))
        # An event has written 4 bytes at least.
        assert min(kept) < events * 4 / 1024 / 2, (kept, events)


@test()
def code_is_as_fast_after_a_trace_as_before(t):
    """What the compiler removed before, it removes again: nothing of the hooks is left."""
    with Target(t, "dump=none", program=("Escape",)) as p, p.client() as ddm:
        for loop in ESCAPE_LOOPS:
            assert bytes_of(p, loop, 0) == 0, f"{loop} before"
        start(ddm, methods="Escape*", size=1_000_000)
        for loop in ESCAPE_LOOPS:
            bytes_of(p, loop, 5)
        assert Trace(ddm.request("MPSE")).events
        for loop in ESCAPE_LOOPS:
            assert bytes_of(p, loop, 0) == 0, f"{loop} after"


@test()
def the_code_is_method_for_method_as_it_was_when_a_trace_is_over(t):
    with Target(t, "dump=none", flags=native_access(t), program=("Probed",)) as p, p.client() as ddm:
        before = tell(p, f"codes {CODES}")
        assert len(before) > 100, before
        for flags in (0, 0x110):
            start(ddm, flags, methods="Probed*,java.lang.String.*,java.util.HashMap.*", size=100_000)
            inside = tell(p, f"codes {CODES}")
            changed = [name for name in before if inside[name] != before[name]]
            assert len(changed) > 0.9 * len(before), (len(changed), len(before))
            ddm.request("MPSE")
            after = tell(p, f"codes {CODES}")
            assert after == before, [name for name in before if after[name] != before[name]]


@test()
def a_server_that_names_no_methods_gets_those_of_the_last_load(t):
    with Target(t, "dump=none", program=("Calls", "serve")) as p, p.client() as ddm:
        for methods in ("Calls.leaf", "Calls.fib"):
            p.attach(AGENT, f"methods={methods}")
            p.stderr_line(f"methods={methods} times nothing")
            start(ddm, methods="")
            p.say("go")
            read_counts(p)
            trace = Trace(ddm.request("MPSE"))
            assert {method[0] for method in trace.methods.values()} == {methods}, trace.methods


@test()
def only_classes_with_wanted_methods_are_rewritten_and_put_back(t):
    with Target(t, "log=info,dump=none", program=("Probed",)) as p, p.client() as ddm:
        def looked_into(kind):
            return int(re.search(r"(\d+)( of \d+ loaded)? classes", p.stderr_line(kind))[1])

        tell(p, "counts 1 1")
        # The second time, the constants of what was rewritten before are in all of them still.
        for methods, least, most in (("Probed*", 4, 10), ("*.total", 1, 1)):
            start(ddm, methods=methods)
            tell(p, "counts 1 1")
            trace = Trace(ddm.request("MPSE"))
            classes = looked_into("looked into")
            assert least <= classes <= most, (methods, classes)
            assert looked_into("taken out of") == classes, methods
            assert any(method == "Probed$Cart.total" for _, method in trace.calls())


@test()
def a_class_that_is_linked_after_a_trace_has_its_own_code(t):
    def trace(target):
        ddm = target.client()
        start(ddm, methods="Probed*")

        def stop():
            ddm.request("MPSE")
            ddm.close()
        return stop

    assert codes_of_late(t, trace) == codes_of_late(t)


@test()
def a_class_that_is_loaded_before_a_trace_and_linked_in_it_is_traced(t):
    # The hook is on when it is loaded, and has nothing to do with it yet.
    with Target(t, "cpu=times,methods=Probed.fib,dump=none", program=("Probed",)) as p, \
            p.client() as ddm:
        tell(p, "load Probed$Late")
        start(ddm, methods="Probed$Late.*")
        tell(p, "late")
        calls = Trace(ddm.request("MPSE")).calls()
        assert {method: count for (_, method), count in calls.items()} == {
            "Probed$Late.<clinit>": [1, 0], "Probed$Late.twice": [1, 0]}, calls


@test()
def a_trace_ends_with_the_connection_that_wanted_it(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as stays:
        with p.client() as ddm:
            start(ddm)
        for _ in range(100):
            if stays.request("MPRQ") == b"\0":
                break
            time.sleep(0.1)
        assert stays.request("MPRQ") == b"\0"
        start(stays)
        stays.request("MPSE")


@test()
def a_trace_can_go_to_a_file(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        path = t.path("file.trace")
        for _ in range(2):  # servers use one name for all their traces
            start_to_file(ddm, path)
            p.say("go")
            truth = read_counts(p)
            assert ddm.request("MPRE") == b"\0"
            with open(path, "rb") as f:
                check(Trace(f.read()), truth)
        for where, why in (("/nowhere/x.trace", "No such file or directory"), (t.dir, "it is not a regular file")):
            try:
                start_to_file(ddm, where)
                raise AssertionError(where)
            except DdmError as failure:
                assert f"cannot write {where}: {why}" in failure.message, failure
        assert ddm.request("MPRQ") == b"\0" and not os.path.exists("/nowhere")
        # A directory that goes meanwhile.
        os.mkdir(t.path("gone"))
        start_to_file(ddm, t.path("gone/x.trace"))
        os.rmdir(t.path("gone"))
        assert ddm.request("MPRE") == b"\1"
        p.stderr_line(f"cannot write {t.path('gone/x.trace')}")


@test()
def only_the_server_that_began_a_trace_can_stop_it(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm, p.client() as other:
        def refused(kind):
            try:
                raise AssertionError(other.request(kind))
            except DdmError as failure:
                assert "only it can stop that" in failure.message, failure

        start(ddm)
        assert other.request("MPRE") == b"\1" and ddm.request("MPRE") == b"\1"  # it is none of MPRS
        p.stderr_line("another server traces; only it can stop that")
        p.stderr_line("no methods are being traced to a file")
        refused("MPSE")
        p.say("go")
        truth = read_counts(p)
        check(Trace(ddm.request("MPSE")), truth)
        start_to_file(ddm, t.path("x.trace"))
        refused("MPSE")
        assert other.request("MPRE") == b"\1" and other.request("MPRQ") == b"\1"
        p.stderr_line("another server traces; only it can stop that")
        p.say("go")
        truth = read_counts(p)
        assert ddm.request("MPRE") == b"\0"
        with open(t.path("x.trace"), "rb") as f:
            check(Trace(f.read()), truth)
        assert ddm.request("SPSS", struct.pack(">III", 0, 0, 1000)) == b""
        refused("SPSE")
        assert other.request("MPRQ") == b"\2"
        error, answer = ddm.wait_reply(ddm.send_raw(chunk("SPSE")))
        assert error == 0 and answer[:4] == b"MPSE", (error, answer[:200])


def start_to_file(ddm, path):
    text = path.encode("utf-16-be")
    assert ddm.request("MPRS", struct.pack(">III", 0, 0, len(path)) + text) == b""


@test()
def a_program_that_ends_just_as_its_trace_begins_leaves_no_file(t):
    seen, wait = "", 0.0
    while seen.count("this is what it did until then") < 8:  # before that it ends before the trace begins
        assert wait < 30 and "Broken pipe" not in seen, seen
        with Target(t, program=("Calls", "serve")) as p:
            tool = subprocess.Popen([DDM, "trace", str(p.pid), "--methods", "Calls*", "-d", "60"], text=True,
                                    env=dict(os.environ, TMPDIR=t.dir), stdout=subprocess.DEVNULL,
                                    stderr=subprocess.PIPE)
            time.sleep(wait)
            p.process.stdin.close()
            p.ended()
            seen += tool.communicate(timeout=60)[1]
        wait += 0.002 + wait / 32
    assert not [name for name in os.listdir(t.dir) if name.startswith(".ddm")], seen


@test()
def a_program_that_ends_while_it_is_traced_leaves_what_it_did_until_then(t):
    path = t.path("x.trace")
    for by_address in (False, True):
        with Target(t, program=("Calls", "serve")) as p:
            with ended_while_traced(p, "--methods", "Calls*", "-d", "60", "-o", path,
                                    target=p.address.replace("127.0.0.1", "localhost") if by_address else None):
                p.say("go")
                truth = read_counts(p)
            with open(path, "rb") as f:
                check(Trace(f.read()), truth)
        os.unlink(path)
    with Target(t, program=("SharesServed",)) as p:
        with ended_while_traced(p, "--sample", "2", "-d", "60", "--json") as told:
            time.sleep(1)
        assert "CpuShares" in {m["class"] for m in told[0]["methods"]}, told
    # For another server, and its connection: the file is its own, and nobody else's is touched.
    mine, there = t.path("mine.trace"), t.path("there.trace")
    with open(there, "w", encoding="utf-8") as f:
        f.write("mine")
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        for at_end, error in ((there, "is there already"), ("x.trace", "absolute"), ("/no/such/x", "cannot write")):
            try:
                start_filtered(ddm, at_end=at_end)
                raise AssertionError(at_end)
            except DdmError as failure:
                assert error in failure.message, failure
        start_to_file(ddm, mine)
        p.say("go")
        truth = read_counts(p)
        p.process.stdin.close()
        p.ended()
        with open(mine, "rb") as f:
            check(Trace(f.read()), truth)
    with open(there, encoding="utf-8") as f:
        assert f.read() == "mine"
    assert not [name for name in os.listdir(t.dir) if name.startswith(".ddm")]


@test()
def ddm_traces_methods_for_a_while(t):
    with Target(t, program=("Calls", "serve")) as p:
        path = t.path("x.trace")
        _, truth = traced(p, path)
        with open(path, "rb") as f:
            check(Trace(f.read()), truth)
        table = t.command([DDM, "trace", str(p.pid), "--methods", "no.such", "-d", "0.1"])
        assert (table.code, table.out) == (1, "") and "no call of such a method" in table.err, table
        wrong = t.command([DDM, "trace", str(p.pid), "-o", t.path("x.jpg")])
        assert wrong.code == 2 and ".trace, .html, .txt, .collapsed or .json" in wrong.err, wrong
        # Before anything is traced.
        wrong = t.command([DDM, "trace", str(p.pid), "-d", "3000", "-o", "/no/such/x.txt"])
        assert wrong.code == 1 and "cannot write /no/such/x.txt" in wrong.err, wrong


def start_filtered(ddm, least_micros=0, below="", methods="Calls*", at_end=""):
    methods, roots, at_end = (text.encode("utf-16-be") for text in (methods, below, at_end))
    data = (struct.pack(">III", 0, 0, len(methods) // 2) + methods
            + struct.pack(">II", least_micros, len(roots) // 2) + roots)
    if at_end:
        data += struct.pack(">I", len(at_end) // 2) + at_end
    assert ddm.request("MPSS", data) == b""


@test()
def a_trace_may_have_long_calls_alone_or_those_below_chosen_methods(t):
    with Target(t, program=("Calls", "serve")) as p, p.client() as ddm:
        start_filtered(ddm, below="*.catcher,Calls.even")
        p.say("go")
        read_counts(p)
        counts = Trace(ddm.request("MPSE")).calls()
        found = {method: count for (_, method), count in counts.items()}
        assert found == {"Calls.catcher": [100, 0], "Calls.thrower": [1000, 1000],
                         "Calls.even": [51, 0], "Calls.odd": [50, 0]}, found
        start_filtered(ddm, least_micros=2000)
        p.say("go")
        read_counts(p)
        trace = Trace(ddm.request("MPSE"))
        calls = trace.calls()
        assert calls["main", "Calls.counts"] == [1, 0], calls
        begun = {}
        for thread, _, action, at in trace.events:
            if action == 0:
                begun.setdefault(thread, []).append(at)
            else:
                assert at - begun[thread].pop() >= 1999
        assert not any(begun.values()) and len(trace.events) < 1000
        done = t.command([DDM, "trace", p.address, "--methods", "Calls*", "--min", "500us",
                          "--below", "Calls.counts", "-d", "0.3"])
        assert done.code == 1 and "no call of such a method lasted 0.5 ms or longer" in done.err, done
        start_filtered(ddm, below="*.catcher", methods="Calls.thrower")  # which are not of these
        p.say("go")
        read_counts(p)
        counts = Trace(ddm.request("MPSE")).calls()
        found = {method: count for (_, method), count in counts.items()}
        assert found == {"Calls.catcher": [100, 0], "Calls.thrower": [1000, 1000]}, found
        wrong = t.command([DDM, "trace", p.address, "--min", "soon"])
        assert wrong.code == 2 and "--min" in wrong.err, wrong
        for option, value, told in (("--methods", "", "it is empty"), ("--methods", " ,", "no method is named"),
                                    ("--below", "", "it is empty")):
            wrong = t.command([DDM, "trace", p.address, option, value])
            assert wrong.code == 2 and f"{option}: {told}" in wrong.err, wrong


@test()
def a_trace_beside_exact_times_has_its_own_methods_and_they_theirs(t):
    agent = f"cpu=times,methods=Calls.catcher\\,Calls.outer,dump={t.path('times.jsonl')}"
    with Target(t, agent=agent, program=("Calls", "serve")) as p, p.client() as ddm:
        for methods in ("Calls.thrower,Calls.even", "java.util.HashMap.*,Calls.thrower"):
            start(ddm, methods=methods, size=8_000_000)
            p.say("go")
            truth = read_counts(p)
            trace = Trace(ddm.request("MPSE"))
            found = {method for (_, method) in trace.calls() if not method.startswith("java.")}
            assert found == {m for m in methods.split(",") if m.startswith("Calls")}, found
            check_sums(trace, {method: truth[method] for method in found})
        p.say("go")
        read_counts(p)
    with open(t.path("times.jsonl"), encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    times = {line["method"]: line for line in lines if line["type"] == "method"}
    assert list(times) == ["catcher"], times
    assert times["catcher"]["calls"] == 300, times
    assert times["catcher"]["self_ns"] == times["catcher"]["total_ns"], times
