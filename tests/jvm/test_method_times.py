"""cpu=times: entries, exits and time of methods, against the program's own count and clock."""
import json
import os

from attached import Running
from harness import AGENT, test
from measured import best_of


def methods_of(path):
    """{"Class.method": line} of a jsonl report."""
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    return {f"{line['class']}.{line['method']}": line for line in lines if line["type"] == "method"}


def run(t, what, methods="methods=Calls*,", flags=(), options=""):
    out = t.java("Calls", what, flags=flags,
                 agent=f"cpu=times,{methods}address=none,dump=m.jsonl{options}").out
    return methods_of(t.path("m.jsonl")), [line.split() for line in out.splitlines()]


def check_counts(found, truth):
    for method, calls, exceptions in (line for line in truth if len(line) == 3):
        line = found[method]
        assert (line["calls"], line["exceptions"]) == (int(calls), int(exceptions)), \
            f"{method}: {line}, made {calls} {exceptions}"
        assert 0 <= line["self_ns"] <= line["total_ns"], line


@test(flags=[(), ("-Xint",), ("-Xcomp", "-XX:CompileOnly=Calls.*")])
def calls_and_exceptions_of_methods_are_counted_exactly(t):
    found, truth = run(t, "counts")
    assert len(truth) > 10
    check_counts(found, truth)
    assert all(line["class"].startswith("Calls") for line in found.values()), found


@test(min_jdk=25)
def calls_are_as_many_as_the_vms_own_method_timing_has(t):
    recording = t.path("x.jfr")
    found, truth = run(t, "counts", flags=[
        "-Xlog:disable", f"-XX:StartFlightRecording:filename={recording},"
        "jdk.MethodTiming#enabled=true,jdk.MethodTiming#filter=Calls"])
    check_counts(found, truth)
    printed = t.command([os.path.join(t.jdk.home, "bin", "jfr"), "print", "--json",
                         "--events", "jdk.MethodTiming", recording])
    assert printed.code == 0, printed
    timed = {}
    for event in json.loads(printed.out)["recording"]["events"]:
        method = event["values"]["method"]
        name = f"{method['type']['name'].replace('/', '.')}.{method['name']}"
        timed[name] = max(timed.get(name, 0), event["values"]["invocations"])
    # JDK 25 counts a call twice that throws an exception itself.
    methods = [name for name, _, exceptions in truth
               if name.startswith("Calls.") and exceptions == "0"]
    assert len(methods) > 5, truth
    assert {name: timed.get(name) for name in methods} == \
        {name: found[name]["calls"] for name in methods}, timed


@test(min_jdk=21)
def calls_of_ten_thousand_virtual_threads_are_counted_exactly(t):
    found, truth = run(t, "virtual")
    assert len(truth) == 3
    check_counts(found, truth)
    # A thread that waits uses no CPU: 10,000 threads waited, and 2 processors worked.
    assert found["Calls.job"]["cpu_ns"] < found["Calls.job"]["total_ns"] / 20


@test(min_jdk=21, jdks="each")
def a_virtual_thread_that_changes_its_carrier_has_no_cpu_time_of_others(t):
    out = t.java("CarrierHops", flags=["-Djdk.virtualThreadScheduler.parallelism=2"],
                 agent="cpu=times,methods=CarrierHops.work\\,CarrierHops.step,address=none,dump=m.jsonl").out
    found, computed = methods_of(t.path("m.jsonl")), int(out.split()[1])
    for line in found.values():
        assert 0 < line["cpu_ns"] <= line["total_ns"], line
    # It computes all the time, unless another thread has the processor.
    step = found["CarrierHops.step"]
    assert step["calls"] == 300 and step["cpu_ns"] <= computed * 1.01, (step, computed)
    assert step["cpu_ns"] > 300 * 50_000, (step, computed)


@test()
def a_method_that_cannot_be_rewritten_is_told_of_and_its_class_timed(t):
    # 65,530 bytes of code, of 65,535: there is no room for a hook.
    with open(t.path("Huge.java"), "w", encoding="ascii") as f:
        f.write("class Huge { static int small(int i) { return i + 1; }\n static int huge(int i) {\n" +
                "i = i * 31 + 7;\n" * 8191 + "return i; }\n"
                "public static void main(String[] args) { System.out.println(small(huge(1))); } }\n")
    javac = t.command([os.path.join(t.jdk.home, "bin", "javac"), t.path("Huge.java")])
    assert javac.code == 0, javac
    huge = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}=cpu=times,methods=Huge.*,"
                      "address=none,dump=m.jsonl,dump=m.txt", "-cp", t.dir, "Huge"])
    assert huge.code == 0, huge
    found = methods_of(t.path("m.jsonl"))
    assert {name: line["calls"] for name, line in found.items()} == {
        "Huge.main": 1, "Huge.small": 1}, found
    with open(t.path("m.jsonl"), encoding="utf-8") as f:
        assert json.loads(f.readline())["not_timed"] == {"code-too-long": 1}
    with open(t.path("m.txt"), encoding="utf-8") as f:
        assert "1  code-too-long" in f.read()


def check_times(found, truth):
    outer = sum(int(ns) for name, ns in truth if name == "outer")
    again = next(int(ns) for name, ns in truth if name == "again")
    assert abs(found["Calls.outer"]["total_ns"] / outer - 1) < 0.05, (found["Calls.outer"], outer)
    # Recursion counts once in total, and its callee's time is not its own.
    assert abs(found["Calls.again"]["total_ns"] / again - 1) < 0.05, (found["Calls.again"], again)
    assert found["Calls.again"]["calls"] == 10
    assert found["Calls.again"]["self_ns"] < again * 0.05
    assert found["Calls.outer"]["self_ns"] < outer * 0.05
    spent = sum(found[f"Calls.{name}"]["self_ns"] for name in ("busy", "outer", "inner", "again"))
    assert abs(spent / (outer + again) - 1) < 0.05, (spent, outer, again)
    # Half of outer's time, but for what other programs take of the processor meanwhile.
    inner = next(int(ns) for name, ns in truth if name == "inner")
    assert abs(found["Calls.inner"]["total_ns"] / inner - 1) < 0.05, (found["Calls.inner"], inner)


@test()
def times_are_those_of_the_programs_own_clock(t):
    # Other programs may take the processor away at any place: not every time where it matters.
    best_of(8, lambda: check_times(*run(t, "clock")))


@test()
def what_a_callee_waits_for_the_processor_is_not_its_callers_own_time(t):
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(everywhere)[:1])  # the program's, too
    try:
        t.java("PassedOn", "4", "200", agent="cpu=times,methods=PassedOn.*,address=none,dump=m.jsonl")
    finally:
        os.sched_setaffinity(0, everywhere)
    found = methods_of(t.path("m.jsonl"))
    passed, spin = found["PassedOn.pass"], found["PassedOn.spin"]
    assert passed["calls"] == spin["calls"] == 800, found
    # Half of its time was the caller's when the wait came between the readings of the two clocks.
    assert spin["total_ns"] > 1.5 * 800 * 1_000_000, found
    assert passed["self_ns"] < 0.1 * passed["total_ns"], found


@test(jdks="each")
def calls_in_which_the_program_ends_have_their_time_so_far(t):
    ways = ["exit", "halt", "virtualExit"] if t.jdk.major >= 21 else ["exit", "halt"]
    for how in ways:
        found, ((_, spent),) = run(t, how)
        for method in ("Calls.end", "Calls.main"):
            assert found[method]["calls"] == 1 and found[method]["total_ns"] >= int(spent), (how, method, found)
        assert found["Calls.busy"]["total_ns"] >= 150_000_000 > found["Calls.end"]["self_ns"], (how, found)
        assert found["Calls$Framed.<init>"]["exceptions"] == 1, (how, found)


@test()
def a_stack_that_overflows_leaves_the_counts_right(t):
    found, truth = run(t, "overflow")
    assert truth[0] == ["overflowed"]
    check_counts(found, truth)
    overflow = found["Calls.overflow"]
    assert overflow["calls"] > 500 and overflow["calls"] - overflow["exceptions"] <= 1, overflow


@test()
def calls_whose_ends_are_not_seen_do_not_pile_up(t):
    found, truth = run(t, "failedOnce")
    check_counts(found, truth)
    # It has some 16,000 of the 500,000 calls that follow.
    assert found["Calls$Framed.<init>"]["total_ns"] < found["Calls.failedOnce"]["total_ns"] / 4, found
    found, truth = run(t, "failing")
    check_counts(found, truth)


@test(min_jdk=21, jdks="each")
def a_constructor_that_fails_does_not_outlast_its_thread(t):
    for kind, threads in (("virtual", 3000), ("platform", 50)):
        out = t.java("FailedConstructors", kind, str(threads), agent="cpu=times,methods=FailedConstructors$Failed\\,FailedConstructors$Base,"
                     "address=none,dump=m.jsonl").out
        found, truth = methods_of(t.path("m.jsonl")), [line.split() for line in out.splitlines()]
        check_counts(found, truth)
        failed, elapsed = found["FailedConstructors$Failed.<init>"], int(truth[2][1])
        assert failed["total_ns"] < elapsed * 4, (failed, elapsed)


@test()
def only_wanted_methods_are_timed(t):
    found, _ = run(t, "counts", methods="methods=*.leaf\\,Calls$Square,")
    assert sorted(found) == ["Calls$Square.<init>", "Calls$Square.area", "Calls.leaf"], sorted(found)
    found, _ = run(t, "counts", methods="methods=java.util.concurrent.atomic.AtomicLong,")
    assert all(name.startswith("java.util.concurrent.atomic.AtomicLong.") for name in found), found
    found, _ = run(t, "counts", methods="")
    assert "Calls.leaf" in found and not any(name.startswith("java.") for name in found), sorted(found)


@test(every_days=4)
def times_and_allocations_can_be_asked_for_together(t):
    for engine in ("vm", "bci"):
        found, truth = run(t, "counts", options=f",track=y,engine={engine}")
        check_counts(found, truth)
        with open(t.path("m.jsonl"), encoding="utf-8") as f:
            summary = json.loads(f.readline())
        assert summary["engine"] == engine and summary["seen"] > 500, summary


@test()
def times_and_samples_can_be_asked_for_together(t):
    t.java("Calls", "clock", agent="cpu=times,cpu=samples,interval_ms=1,methods=Calls.outer,"
                                   "address=none,dump=m.jsonl,dump=m.hprof.txt")
    with open(t.path("m.jsonl"), encoding="utf-8") as f:
        kinds = [json.loads(line)["type"] for line in f]
    assert kinds.count("method") == 1 and kinds.count("sample") > 1, kinds
    with open(t.path("m.hprof.txt"), encoding="utf-8") as f:
        text = f.read()
    assert "CPU TIME (ms) BEGIN" in text and "CPU SAMPLES BEGIN" in text, text


@test()
def times_begin_when_all_methods_have_their_hooks(t):
    # Those of the first classes come in another batch than those of the last ones.
    with Running(t, "Paired") as p:
        assert p.load("cpu=times,methods=Paired.caller\\,java.*\\,jdk.*\\,sun.*,"
                      "address=none,dump=m.jsonl")
        assert p.end() == []
    found = methods_of(t.path("m.jsonl"))
    calls = [found[name]["calls"] for name in ("Paired.caller", "java.lang.Throwable.getLocalizedMessage")]
    # Each of two threads may be between both when times begin.
    assert calls[0] > 0 and abs(calls[0] - calls[1]) <= 2, calls


@test()
def methods_that_are_not_timed_are_told_of(t):
    why = "cpu=times: no class with a method of methods=no.such.* was loaded"
    done = t.java("Calls", "clock", agent="cpu=times,methods=no.such.*,address=none")
    assert done.err == f"ddmagent: {why}\n"
    t.java("Calls", "clock", agent="cpu=times,methods=no.such.*,address=none,dump=m.txt,dump=m.jsonl")
    with open(t.path("m.txt"), encoding="utf-8") as f:
        text = f.read()
    assert text.startswith("Time of ") and text.endswith(f"\n{why}\n") and "allocation" not in text, text
    with open(t.path("m.jsonl"), encoding="utf-8") as f:
        assert json.loads(f.readline())["incomplete"] == why
    done = t.java("-version", agent="cpu=times,address=none")
    assert done.err.splitlines()[-1] == ("ddmagent: cpu=times: no class but the JDK's was loaded; "
                                         "methods=java.util.* times theirs"), done
    done = t.java("Calls", "clock", agent="methods=Calls.*,address=none")
    assert done.err.startswith("ddmagent: methods=Calls.* times nothing without cpu=times"), done
    assert done.err.count("\n") == 1, done
    done = t.java("Calls", "clock", agent="cpu=times,methods=Calls.outer(,address=none", check=False)
    assert done.code == 1 and "bad value for option methods: 'Calls.outer(' is no method" in done.err

@test()
def a_thread_that_follows_another_has_its_own_cpu_time(t):
    out = t.java("CpuTurns", agent="cpu=times,methods=CpuTurns.*,address=none,dump=m.jsonl").out
    found, told = methods_of(t.path("m.jsonl")), [line.split() for line in out.splitlines()]
    assert [method for method, _ in told] == ["first", "second", "third"], out
    for method, cpu in told:
        measured = found[f"CpuTurns.{method}"]["cpu_ns"]
        assert abs(measured - int(cpu)) < int(cpu) / 10, (method, cpu, measured)
