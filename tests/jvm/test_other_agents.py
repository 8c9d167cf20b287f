"""Other agents that rewrite classes work beside this one, whoever comes first."""
import os
import re
import time
import zipfile
from collections import Counter

from agent_jars import agent_jar
from asked_reports import report_of
from attached import Running, check_counts
from ddm_client import DdmError, Reader, Target
from harness import AGENT, HERE, Report, test

JACOCO = "/usr/share/java/org.jacoco.agent.jar"
ASM = "/usr/share/java/asm.jar"
OURS = "track=y,engine=bci,address=none,dump=r.jsonl"
LINES = "before 10\nafter 20\nbefore 5\n"  # for the program Attached, which does "before 1" itself


def compile_for_11(t, out, source, *more):
    """For Java 11: JaCoCo 0.8.6 and ASM 9.4 know no class files of 25."""
    javac = os.path.join(t.jdk.home, "bin", "javac")
    done = t.command([javac, "-g", "-nowarn", "-Xlint:-options", "--release", "11", "-d", t.path(out),
                      *more, os.path.join(HERE, "programs", source)])
    assert done.code == 0, done
    return t.path(out)


def program_of_11(t, program="Attached"):
    return compile_for_11(t, "classes11", program + ".java")


def asm_agent(t, name):
    """The flag for a Java agent that is made with ASM."""
    classes = compile_for_11(t, "agent", f"agents/{name}.java", "-cp", ASM)
    return "-javaagent:" + agent_jar(t, name, classes, f"Class-Path: file:{ASM}\n")


def jacoco_jar(t):
    with zipfile.ZipFile(JACOCO) as jar:
        return jar.extract("jacocoagent.jar", t.dir)


def read_probes(path):
    """{class: (id of its class file, which probes were hit)} of an .exec file."""
    with open(path, "rb") as f:
        reader = Reader(f.read())

    def utf():
        return reader.take(reader.u2()).decode()

    def packed_int():
        value = shift = 0
        while True:
            byte = reader.u1()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    probes = {}
    while reader.at < len(reader.data):
        block = reader.u1()
        if block == 0x01:
            assert (reader.u2(), reader.u2()) == (0xC0C0, 0x1007)
        elif block == 0x10:
            utf(), reader.u8(), reader.u8()
        else:
            assert block == 0x11, block
            number, name, count = reader.u8(), utf(), packed_int()
            bits = reader.take((count + 7) // 8)
            probes[name] = (number, [bits[i // 8] >> i % 8 & 1 for i in range(count)])
    return probes


def orders(java_agent):
    """The flags with this agent behind and in front of the other one."""
    ours = f"-agentpath:{AGENT}={OURS}"
    return [[java_agent, ours], [ours, java_agent]]


def check_report(t, before=16):
    report = Report(t.path("r.jsonl"))
    check_counts(report, before, 20)
    assert report.summary["dropped"] == 0 and not report.summary["classes_skipped"], report.summary
    assert not report.summary["methods_skipped"], report.summary


@test(every_days=5)
def coverage_by_jacoco_is_the_same_with_tracking(t):
    classes = program_of_11(t)
    jacoco = f"-javaagent:{jacoco_jar(t)}=destfile={t.path('j.exec')},includes=Attached*"
    alone = t.java("-cp", classes, "Attached", flags=[jacoco], stdin=LINES)
    expected = read_probes(t.path("j.exec"))
    assert sorted(expected) == ["Attached", "Attached$After", "Attached$Before"], expected
    assert sum(map(sum, (hit for _, hit in expected.values()))) > 10
    for flags in orders(jacoco):
        os.remove(t.path("j.exec"))
        run = t.java("-cp", classes, "Attached", flags=flags, stdin=LINES)
        assert run.out == alone.out and run.err == alone.err, run
        assert read_probes(t.path("j.exec")) == expected
        check_report(t)


@test(every_days=4)
def coverage_by_jacoco_goes_on_when_the_agent_is_attached_later(t):
    classes = program_of_11(t)
    jacoco = f"-javaagent:{jacoco_jar(t)}=destfile={t.path('j.exec')},includes=Attached*"
    t.java("-cp", classes, "Attached", flags=[jacoco], stdin=LINES)
    expected = read_probes(t.path("j.exec"))
    os.remove(t.path("j.exec"))
    with Running(t, "-cp", classes, jacoco, "Attached") as program:
        assert program.load(OURS)
        for line in LINES.splitlines():
            program.tell(line)
        assert program.end() == []
    assert read_probes(t.path("j.exec")) == expected
    check_report(t, before=15)


@test(every_days=5)
def an_agent_that_rewrites_with_asm_counts_the_same_with_tracking(t):
    classes, counting = program_of_11(t), asm_agent(t, "CountingAgent")
    alone = t.java("-cp", classes, "Attached", flags=[counting], stdin=LINES)
    assert re.fullmatch(r"uses \d{3,}\n", alone.err), alone
    for flags in orders(counting):
        run = t.java("-cp", classes, "Attached", flags=flags, stdin=LINES)
        assert run.out == alone.out and run.err == alone.err, run
        check_report(t)
    with Running(t, counting, "-cp", classes, "Attached") as program:
        assert program.load(OURS)
        for line in LINES.splitlines():
            program.tell(line)
        assert program.end() == [] and alone.err in program.err
    check_report(t, before=15)


HOLDER = os.path.join(os.path.dirname(AGENT), "libhold_sampling.so")


@test()
def another_profiler_can_have_the_allocation_events_while_tracking_is_off(t):
    with Target(t, agent="dump=none", flags=(f"-agentpath:{HOLDER}",)) as p:
        assert p.stderr_line("hold_sampling: 0")
        with p.client() as ddm:  # the other has them: bytecode tells as much
            ddm.track(True)
            p.tell("marks 10")
            assert len([r for r in ddm.allocations() if r["class"] == "LDdmTarget$Mark;"]) == 10
            assert p.stderr_line("only one can have; engine=bci works beside it; so it is used")
    with Target(t, agent="engine=vm,dump=none", flags=(f"-agentpath:{HOLDER}",)) as p:
        with p.client() as ddm:  # asked for by name, it is refused
            try:
                ddm.track(True)
                raise AssertionError("engine=vm without its events")
            except DdmError as refused:
                assert "another agent" in str(refused), refused
            assert not ddm.tracking()
        assert p.stderr_line("hold_sampling: 0")
    for tracked_before in (False, True):
        with Target(t, agent="dump=none", flags=("-XX:+EnableDynamicAgentLoading",)) as p, \
                p.client() as ddm:
            if tracked_before:
                ddm.track(True)
                ddm.track(False)
            p.attach(HOLDER)
            assert p.stderr_line("hold_sampling: 0")


@test()
def a_start_that_is_refused_leaves_the_figures_of_the_run_before(t):
    with Target(t, agent="engine=vm,dump=none", flags=("-XX:+EnableDynamicAgentLoading",)) as p, \
            p.client() as ddm:
        ddm.track(True)
        p.tell("marks 10")
        ddm.track(False)
        before = report_of(t, ddm)
        assert before.count_by_class()["DdmTarget$Mark"] == 10 and before.sites
        p.attach(HOLDER)
        assert p.stderr_line("hold_sampling: 0")
        try:
            ddm.track(True)
            raise AssertionError("engine=vm without its events")
        except DdmError as refused:
            assert "another agent" in str(refused), refused
        after = report_of(t, ddm)
        assert (after.sites, after.records) == (before.sites, before.records)
        for name in ("seen", "seen_bytes", "unattributed_bytes"):
            assert after.summary[name] == before.summary[name], (name, before.summary, after.summary)


def line_in(program, text):
    with open(os.path.join(HERE, "programs", program + ".java")) as f:
        return next(number for number, line in enumerate(f, 1) if text in line)


# Not from JDK 26 on, where an old version has the id of the new one: docs/jdks.md.
@test(max_jdk=25, every_days=5)
def lines_stay_right_when_another_agent_moves_the_code(t):
    """The other agent comes behind this one: the code is read anew between the two."""
    moving, classes = asm_agent(t, "MovingAgent") + "=slow", program_of_11(t, "Moving")
    kinds = {"Moving$Last": line_in("Moving", "new Last()"),
             "Moving$Item": line_in("Moving", "new Item()"),
             "Moving$Item[]": line_in("Moving", "new Item[")}
    for engine in ("bci", "vm"):
        t.java("-cp", classes, "Moving", "8", "2",
               flags=[f"-agentpath:{AGENT}={OURS},engine={engine},records=20k", moving])
        seen = dict.fromkeys(kinds, 0)
        for record in Report(t.path("r.jsonl")).records:
            if record["class"] in kinds:
                top = record["stack"][0]
                assert (top["class"], top["line"]) == ("Moving", kinds[record["class"]]), record
                seen[record["class"]] += 1
        assert seen["Moving$Last"] == 1000 and min(seen.values()) >= 10, seen


# There only calls of the newest code have their lines.
@test(min_jdk=26, jdks="each", every_days=3)
def lines_of_new_code_are_right_when_another_agent_has_moved_it(t):
    moving, classes = asm_agent(t, "MovingAgent"), program_of_11(t, "Moving")
    for engine in ("vm", "bci"):
        t.java("-cp", classes, "Moving", "15", "0",
               flags=[f"-agentpath:{AGENT}={OURS},engine={engine},records=20k", moving])
        lines = Counter(record["stack"][0]["line"] for record in Report(t.path("r.jsonl")).records
                        if record["class"] == "Moving$Item")
        # The newest records are those of the last rounds.
        assert list(lines) == [line_in("Moving", "new Item()")] and lines.total() > 5, (engine, lines)


def grown_kib(run):
    quarter, end = (int(line.split()[1]) for line in run.out.splitlines())
    return end - quarter


RETRANSFORMATIONS = "2000"


@test(full_only=True, timeout=900)
def retransformations_by_another_agent_leave_flat_memory(t):
    moving, classes = asm_agent(t, "MovingAgent"), program_of_11(t, "Moving")
    flags = ["-XX:+UseSerialGC", "-Xmx64m", "-Xms64m", moving, "-cp", classes]
    plain = grown_kib(t.java("Moving", RETRANSFORMATIONS, "0", flags=flags))
    ours = [f"-agentpath:{AGENT}={OURS},engine=bci,records=5k"]
    grown = grown_kib(t.java("Moving", RETRANSFORMATIONS, "0", flags=ours + flags))
    told = f"RSS {grown:+d} KiB with, {plain:+d} KiB without the agent over the last three quarters"
    print(f"     {t.name}: {RETRANSFORMATIONS} rounds: {told}", flush=True)
    # The VM itself keeps some 20 to 30 KiB a round, now and then; a leak of ours took 45 more.
    assert grown - plain < 32 * 1024, told


def wait_for_rounds(process, path, count):
    """Until so many more whole rounds are over; the first that ends may have begun before."""
    size = lambda: os.path.getsize(path) if os.path.exists(path) else 0  # noqa: E731
    wanted = size() + count + 1
    while size() < wanted:
        assert process.poll() is None, "the program has ended"
        time.sleep(0.05)


@test(full_only=True)
def an_agent_that_retransforms_all_the_time_loses_no_hook(t):
    rounds = t.path("rounds")
    restless = f"-javaagent:{agent_jar(t, 'RestlessAgent', t.classes())}={rounds}"
    for flags in orders(restless):
        run = t.java("-cp", t.classes(), "Attached", flags=flags, stdin=LINES)
        assert run.out == "ready\ndone\ndone\ndone\nends\n", run
        assert re.fullmatch(r"restless \d+\n", run.err), run
        check_report(t)
    os.remove(rounds)
    with Running(t, restless, "ToggleLoad") as program:
        for options in (OURS, "track=n", "track=y"):
            wait_for_rounds(program.process, rounds, 1)
            assert program.load(options)
        wait_for_rounds(program.process, rounds, 2)
        assert program.end() == []
        assert "Exception" not in program.err and "Error" not in program.err, program.err
    report = Report(t.path("r.jsonl"))
    assert report.summary["dropped"] == 0 and not report.summary["classes_skipped"], report.summary
    assert report.count_by_class()["ToggleLoad$Item"] > 100


@test(full_only=True)
def a_flight_recording_and_tracking_run_side_by_side(t):
    recording = f"-XX:StartFlightRecording=filename={t.path('f.jfr')},settings=profile"
    for flags in orders(recording):
        run = t.java("Attached", flags=flags, stdin=LINES)
        lines = [line for line in run.out.splitlines() if re.fullmatch("[a-z]+", line)]
        assert lines == ["ready", "done", "done", "done", "ends"], run
        check_report(t)
        summary = t.command([os.path.join(t.jdk.home, "bin", "jfr"), "summary", t.path("f.jfr")])
        assert summary.code == 0 and "jdk.ObjectAllocation" in summary.out, summary
