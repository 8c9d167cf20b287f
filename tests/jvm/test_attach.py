"""Late attach: what is loaded already is tracked too, and nothing that goes wrong ends a program."""
import contextlib
import os
import signal
import subprocess
import time

from adb_bridge import wait_for
from attached import Running, check_counts
from harness import HERE, Report, test
from process_stat import state_of
from tool import DDM, REFUSED, ddm


def line_of(text):
    with open(os.path.join(HERE, "programs", "Attached.java")) as f:
        return next(number for number, line in enumerate(f, 1) if text in line)


@test()
def classes_loaded_before_and_after_a_late_attach_are_tracked(t):
    for engine in ("bci", "vm"):
        with Running(t, "Attached") as program:
            assert program.load(f"track=y,engine={engine},dump=r.jsonl,address=none")
            if engine == "vm":
                program.tell("fill")
            program.tell("before 100")
            program.tell("after 50")
            assert program.end() == []
        report = Report(t.path("r.jsonl"))
        assert report.summary["engine"] == engine and report.summary["app"] == "Attached"
        if engine == "vm":
            # Object.clone() is where the VM makes the copies.
            for r in report.records:
                if r["stack"] and r["stack"][0]["method"] == "clone":
                    del r["stack"][0]
        check_counts(report, 100, 50)
        made = {tuple((f["method"], f["line"]) for f in r["stack"]) for r in report.records
                if r["class"] == "Attached$Before" and r["stack"][0]["method"] == "before"}
        assert made == {(("before", line_of("= new Before()")), ("main", line_of("case \"before\"")))}


@test()
def a_bad_option_fails_the_attach_and_the_program_runs_on(t):
    with Running(t, "Attached") as program:
        assert not program.load("trakc=y")
        program.tell("before 10")
        assert not program.load("track=y,engine=jit")
        program.tell("before 10")
        assert program.load("track=y,dump=r.jsonl,address=none")
        program.tell("before 10")
        lines = program.end()
    assert len(lines) == 2 and "trakc" in lines[0] and "track" in lines[0], lines
    assert "jit" in lines[1] and "bci" in lines[1] and "vm" in lines[1], lines
    check_counts(Report(t.path("r.jsonl")), 10, 0)


@test()
def a_second_load_switches_tracking_and_the_records_stay_until_the_exit(t):
    with Running(t, "Attached") as program:
        assert program.load("address=none,dump=r.jsonl,track=n")
        program.tell("before 7")
        assert program.load("track=y")
        program.tell("before 10")
        program.tell("after 20")
        assert program.load("track=n")
        program.tell("before 30")
        assert program.end() == []
    report = Report(t.path("r.jsonl"))
    check_counts(report, 10, 20)
    assert report.summary["recorded"] == report.summary["seen"] == len(report.records)


@test()
def a_second_load_may_change_the_engine_and_the_number_of_frames(t):
    with Running(t, "Attached") as program:
        assert program.load("track=y,address=none,dump=r.jsonl")
        program.tell("before 10")
        assert program.load("track=n")
        assert program.load("track=y,engine=vm,depth=1")
        program.tell("fill")
        program.tell("after 20")
        assert program.end() == []
    report = Report(t.path("r.jsonl"))
    assert report.summary["engine"] == "vm"
    check_counts(report, 0, 20)
    assert max(len(r["stack"]) for r in report.records) == 1


@test()
def what_a_second_load_does_not_name_stays_as_it_was(t):
    with Running(t, "Attached") as program:
        assert program.load("track=n,address=none,engine=vm,depth=1,dump=r.jsonl")
        assert program.load("depth=2")
        assert program.load("track=y")
        assert program.load("engine=bci")  # not in the middle of it
        program.tell("fill")
        program.tell("after 20")
        lines = program.end()
        assert len(lines) == 1 and "goes on as it is" in lines[0], lines
    report = Report(t.path("r.jsonl"))
    assert report.summary["engine"] == "vm"
    check_counts(report, 0, 20)
    assert max(len(r["stack"]) for r in report.records) == 2


@test()
def a_second_load_may_give_the_interval_alone(t):
    with Running(t, "Attached") as program:
        assert program.load("track=n,address=none,engine=vm,dump=r.jsonl")
        assert program.load("interval=1g")
        assert program.load("track=y")
        program.tell("before 1000")
        assert program.end() == []
    report = Report(t.path("r.jsonl"))
    assert report.summary["engine"] == "vm" and len(report.records) < 100, len(report.records)


@test()
def a_second_load_with_another_option_is_refused_by_name(t):
    with Running(t, "Attached") as program:
        assert program.load("track=y,address=none,dump=r.jsonl")
        assert not program.load("address=127.0.0.1:0")
        assert not program.load("track=n,access=any")
        program.tell("before 10")
        lines = program.end()
    assert len(lines) == 2, lines
    assert "address" in lines[0] and "track" in lines[0], lines
    assert "access" in lines[1], lines
    check_counts(Report(t.path("r.jsonl")), 10, 0)  # the refused track=n has done nothing


@test()
def help_at_attach_does_not_end_the_program(t):
    with Running(t, "Attached") as program:
        assert program.load("help")
        program.tell("before 1")
        assert program.load("track=y,address=none,dump=r.jsonl")
        program.tell("before 10")
        assert program.end() == []
    check_counts(Report(t.path("r.jsonl")), 10, 0)


@test()
def an_attach_to_a_stopped_program_is_refused_and_the_program_prints_nothing(t):
    with Running(t, "Attached") as program:
        os.kill(program.process.pid, signal.SIGSTOP)
        wait_for(lambda: state_of(program.process.pid) == "T", "the stop")
        try:
            assert "is stopped" in ddm(t, "attach", program.process.pid, code=REFUSED)
        finally:
            os.kill(program.process.pid, signal.SIGCONT)
        program.tell("before 10")  # a thread dump would come before the answer
        assert program.end() == []


@test(flags=[(), ("-XX:+UseZGC",)])
def a_vm_that_has_just_started_is_attached_to_as_soon_as_it_is_ready(t):
    # Of one start in four the first look comes too early.
    for _ in range(4):
        with t.popen("Attached") as process:
            def has_vm():
                with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
                    return "libjvm.so" in maps.read()
            wait_for(has_vm, "the VM")
            assert "tracking is on" in ddm(t, "attach", process.pid, "track=y,dump=none")
            out, err = process.communicate("", timeout=60)
            assert process.returncode == 0 and out == "ready\nends\n" and "dump" not in err, (out, err)


SILENT = "-XX:-UsePerfData"  # no hsperfdata
SETTLED = 3.5  # seconds: then a VM that publishes nothing is not one that is just starting


@test()
def a_vm_that_publishes_nothing_is_attached_to(t):
    with contextlib.ExitStack() as stack:
        programs = [stack.enter_context(Running(t, "Attached", flags=[flag]))
                    for flag in (SILENT, "-XX:+PerfDisableSharedMem")]
        if os.getuid() == 0:  # as in a container whose /etc/passwd does not have its user
            programs.append(stack.enter_context(
                Running(t, "Attached", user=4242, group=4242, extra_groups=[])))
        time.sleep(SETTLED)
        for program in programs:
            assert "tracking is on" in ddm(t, "attach", program.process.pid, "track=y,dump=none")
            program.tell("before 10")
            assert "tracking is off" in ddm(t, "attach", program.process.pid, "track=n")
            assert len(program.end()) == 1 and "dump" not in program.err, program.err


@test()
def a_vm_that_publishes_nothing_and_may_refuse_an_attach_gets_no_signal(t):
    refuses = "-XX:+DisableAttachMechanism"
    for name, text in (("words", f"-Dx=y '{refuses}'"), ("flags", "+DisableAttachMechanism"), ("gone", "-Dx=y")):
        with open(t.path(name), "w") as f:
            f.write(text + "\n")
    cases = (([refuses], {}, "DisableAttachMechanism is in /proc/"),
             (["@words"], {}, "DisableAttachMechanism is in words"),
             ([f"-XX:VMOptionsFile={t.path('words')}"], {}, "DisableAttachMechanism is in /"),
             ([f"-XX:Flags={t.path('flags')}"], {}, "DisableAttachMechanism is in /"),
             ([], {"JAVA_TOOL_OPTIONS": refuses}, "DisableAttachMechanism is in JAVA_TOOL_OPTIONS"),
             ([], {"JDK_JAVA_OPTIONS": "@words"}, "DisableAttachMechanism is in words"),
             (["@gone"], {}, "its options cannot be read: /"))
    with contextlib.ExitStack() as stack:
        programs = [stack.enter_context(Running(t, "Attached", flags=[SILENT, *flags], env={**os.environ, **env}))
                    for flags, env, _ in cases]
        os.remove(t.path("gone"))
        time.sleep(SETTLED)
        for program, (flags, env, words) in zip(programs, cases):
            said = ddm(t, "attach", program.process.pid, code=REFUSED)
            assert words in said, (flags, env, said)
            assert ("jcmd" in said) == (flags == ["@gone"]), said
            program.tell("before 1")  # and nothing else on its stdout
            assert program.end() == [] and "dump" not in program.err, program.err


@test(every_days=4)
def an_attach_under_load_harms_nothing(t):
    with Running(t, "ToggleLoad") as program:
        assert program.load("track=y,address=none,dump=r.jsonl")
        time.sleep(1)
        assert program.load("track=n")
        assert program.end() == []
    report = Report(t.path("r.jsonl"))
    assert report.summary["dropped"] == 0 and not report.summary["classes_skipped"]
    counts = report.count_by_class()
    assert counts["ToggleLoad$Item"] > 1000 and "unknown" not in counts


@test()
def a_class_that_is_being_defined_while_tracking_is_switched_on_is_tracked(t):
    with Running(t, "InFlight") as program:
        assert program.load("track=y,engine=bci,dump=r.jsonl,address=none")
        program.tell("go")
        assert program.end() == [] and "Exception" not in program.err
    report = Report(t.path("r.jsonl"))
    assert report.count_by_class().get("InFlight$Item[]", 0) == 100, report.count_by_class()
    assert not report.summary["classes_skipped"], report.summary


@test()
def a_program_that_ends_while_the_agent_is_loaded_leaves_nothing_behind(t):
    folder = t.path("run")
    os.mkdir(folder, 0o700)
    env = {**os.environ, "XDG_RUNTIME_DIR": folder}
    for _ in range(3):
        process = t.popen("Exits", "wait", env=env, flags=("-XX:+EnableDynamicAgentLoading",))
        assert process.stdout.readline() == "ready\n"
        tool = subprocess.Popen([DDM, "attach", str(process.pid), f"log=info,track=y,ring={folder}/r"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
        while "ring file" not in (line := process.stderr.readline()):  # the features are being made
            assert line
        process.communicate("", timeout=60)
        told = tool.communicate(timeout=60)
        assert process.returncode == 0, process.returncode
        left = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
        assert not left, (left, told)
