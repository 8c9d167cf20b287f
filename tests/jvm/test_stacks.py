"""Stacks as the agent walks them itself (walker=vm), compared one by one with GetStackTrace's."""
import os

from agent_jars import agent_jar
from compiled import compiled_once
from harness import AGENT, FULL, HERE, JDKS, WORK, Report, test
from java_sources import FILES, unpack_sources
from soak_programs import H2

EVERY_STACK = {"DDMAGENT_CHECK_STACKS": "1"}  # docs/testing.md
MODES = [(), ("-Xint",), ("-XX:TieredStopAtLevel=1",), ("-XX:-TieredCompilation",), ("-Xcomp",)]


def compare(t, engine, *program, least, flags=(), jar=None):
    """Runs a program with every stack compared; its summary."""
    path = ("-cp", f"{t.classes()}:{jar}") if jar else ()
    run = t.java(*path, *program, env=EVERY_STACK, flags=flags,
                 agent=f"track=y,engine={engine},records=1k,dump=r.jsonl,address=none")
    summary = Report(t.path("r.jsonl")).summary
    told = (f"     {t.name} {engine} {program[0]}: {summary['walker_compared']} stacks compared, "
            f"different {summary['walker_differed']}, left to GetStackTrace "
            f"{summary['walker_gave_up']} of {summary['seen']}")
    print(told, flush=True)
    assert summary["walker"] == "vm", run
    assert summary["walker_differed"] == {}, told
    assert summary["walker_compared"] >= least, told
    return summary


@test(jdks="each", flags=[(), ("-Xint",)], daily=2)
def stacks_are_those_that_the_vm_tells(t):
    for engine in t.engines():
        compare(t, engine, "Stacks", "60", "2", least=10_000)


@test(jdks="each", flags=MODES, gc="all", full_only=True, timeout=900)
def stacks_are_those_that_the_vm_tells_in_every_mode_on_every_collector(t):
    rounds = "100" if t.flags and t.flags[0] in ("-Xint", "-Xcomp") else "600"
    for engine in ("bci", "vm"):
        compare(t, engine, "Stacks", rounds, "3", least=20_000)


@test(jdks="each", full_only=True, flags=[(), ("-Xint",), ("-XX:TieredStopAtLevel=1",)], timeout=900)
def stacks_of_javac_are_those_that_the_vm_tells(t):
    root = unpack_sources(t)
    for engine in ("bci", "vm"):
        compare(t, engine, "Javac", root, str(FILES if not t.flags else FILES // 3), "1",
                least=100_000)


def compare_database(t):
    """H2: code that it makes itself, lambdas, exceptions and locks."""
    for engine in ("bci", "vm"):
        compare(t, engine, "Database", "25", least=1_000_000, jar=H2.JAR)


@test(jdks="each", full_only=True, flags=MODES, timeout=900)
def stacks_of_a_database_are_those_that_the_vm_tells(t):
    compare_database(t)


@test(jdks="each", full_only=True, gc="all", timeout=900)
def stacks_of_a_database_are_those_that_the_vm_tells_on_every_collector(t):
    compare_database(t)


@test(jdks="each")
def methods_that_nobody_asked_for_are_named_on_the_way(t):
    methods = 300
    with open(t.path("Many.java"), "w", encoding="utf-8") as f:
        f.write("public class Many { static volatile Object last;\n")
        for i in range(methods):
            f.write(f"static void m{i}() {{ last = new Object(); }}\n")
        calls = " ".join(f"m{i}();" for i in range(methods))
        f.write(f"public static void main(String[] arguments) {{ {calls} }} }}\n")
    done = t.command([os.path.join(t.jdk.home, "bin", "javac"), "-d", t.dir, t.path("Many.java")])
    assert done.code == 0, done
    done = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}=track=y,dump=r.jsonl,address=none",
                      "-cp", t.dir, "Many"])
    assert done.code == 0, done
    report = Report(t.path("r.jsonl"))
    found = {frame["method"] for site in report.sites if site.get("stack")
             for frame in site["stack"][:1] if frame["class"] == "Many"}
    assert {f"m{i}" for i in range(methods)} <= found, found
    # No stack is left to the VM because a class is new on it.
    assert sum(report.summary["walker_gave_up"].values()) < 10, report.summary


def compare_virtual(t, program, *arguments, least):
    """Frames of virtual threads in the heap are read there, but where the collector moves them
    while the program runs, and for moments in which it pauses."""
    for engine in t.engines():
        summary = compare(t, engine, program, *arguments, least=least)
        gave_up = summary["walker_gave_up"]
        assert set(gave_up) <= {"virtual thread", "method without id", "odd frame"}, summary
        # Between one frame's return and the next one's coming back from the heap.
        assert gave_up.get("odd frame", 0) <= summary["seen"] / 10_000, summary
        if t.gc not in ("zgc", "shenandoah") and t.jdk.major >= 25:  # 21 does not tell where they are
            assert gave_up.get("virtual thread", 0) <= summary["seen"] / 100, summary


@test(jdks="each", min_jdk=21, timeout=300, daily=1, every_days=5)
def stacks_of_virtual_threads_are_those_that_the_vm_tells(t):
    compare_virtual(t, "VirtualThreads", least=10_000)


@test(jdks="each", min_jdk=21, timeout=300, flags=[(), ("-Xint",)], daily=1, every_days=5)
def stacks_of_virtual_threads_that_return_are_those_that_the_vm_tells(t):
    compare_virtual(t, "VirtualReturns", "400" if not t.flags else "100", least=10_000)


@test(jdks="each", min_jdk=21, timeout=900, flags=[*MODES, ("-XX:-UseCompressedOops",)], gc="all",
      full_only=True)
def stacks_of_virtual_threads_are_those_that_the_vm_tells_everywhere(t):
    compare_virtual(t, "VirtualReturns", "200", least=10_000)


@test(jdks="each", min_jdk=25, flags=[(), ("-Xint",)], timeout=300, daily=1, every_days=4)
def stacks_below_upcalls_are_those_that_the_vm_tells(t):
    classes = compiled_once(os.path.join(WORK, "classes22"), JDKS[-1], "22",
                            [os.path.join(HERE, "programs", "jdk22", "Upcalls.java")])
    for engine in t.engines():
        summary = compare(t, engine, "Upcalls", "1" if t.flags else "3", least=10_000,
                          jar=classes, flags=["--enable-native-access=ALL-UNNAMED"])
        assert summary["walker_gave_up"].get("odd frame", 0) <= summary["seen"] / 10_000, summary
        assert "upcall" not in summary["walker_gave_up"], summary


@test(timeout=300, every_days=3)  # the quick set has it on the machine's own JDKs: on 21 it takes minutes
def stacks_are_those_that_the_vm_tells_while_classes_are_redefined(t):
    rounds, redefined = t.path("rounds"), t.path("redefined")
    restless = f"-javaagent:{agent_jar(t, 'RestlessAgent', t.classes())}={rounds}"
    redefining = f"-javaagent:{agent_jar(t, 'RedefiningAgent', t.classes())}={redefined},Stacks"
    enough = 60 if FULL else 6
    for engine in t.engines():
        # The program goes on until enough has been redefined.
        compare(t, engine, "Stacks", "50" if FULL else "2", "2", redefined, str(enough), least=2_000,
                flags=[restless, redefining])
        assert os.path.getsize(rounds) > 0 and os.path.getsize(redefined) >= enough


@test(jdks="each", full_only=True, gc="all", timeout=900)
def stacks_are_those_that_the_vm_tells_through_a_thousand_redefinitions(t):
    redefined = t.path("redefined")
    agent = f"-javaagent:{agent_jar(t, 'RedefiningAgent', t.classes())}={redefined},org.h2."
    for engine in ("bci", "vm"):
        before = os.path.getsize(redefined) if os.path.exists(redefined) else 0
        # The program goes on until enough has been redefined.
        compare(t, engine, "Database", "25", redefined, "1000", least=1_000_000, jar=H2.JAR, flags=[agent])
        assert os.path.getsize(redefined) - before >= 1000


@test(jdks="each")
def a_walker_can_be_chosen(t):
    for walker, used in (("auto", "vm"), ("vm", "vm"), ("jvmti", "jvmti")):
        t.java("Exits", "return", agent=f"track=y,walker={walker},dump=r.jsonl,address=none")
        assert Report(t.path("r.jsonl")).summary["walker"] == used


def check_constructor_chain(t, constructors):
    for engine in ("bci", "vm"):
        for walker in ("vm", "jvmti"):
            t.java("ConstructorChain", "2000", str(constructors),
                   agent=f"track=y,engine={engine},walker={walker},depth=3,dump=r.jsonl,"
                         "address=none")
            report = Report(t.path("r.jsonl"))
            told = f"{constructors} constructors, engine={engine}, walker={walker}"
            assert report.summary["walker"] == walker, told
            stacks = [[f["method"] for f in r["stack"]] for r in report.records
                      if r["class"] == "ConstructorChain$Level000"]
            assert len(stacks) == 2001, f"{told}: {len(stacks)} objects"
            others = [s for s in stacks[:-1] if s != ["make", "get", "main"]]
            assert not others, f"{told}: {others[:3]}"
            assert stacks[-1] and "<init>" not in stacks[-1], f"{told}: {stacks[-1]}"


@test(jdks="each", daily=1, every_days=5)
def the_frame_below_a_hundred_constructors_is_told(t):
    """What the object itself runs through is not shown, and hides nothing: neither a walker's nor
    a buffer's length ends the search for the frame below."""
    check_constructor_chain(t, 100)


@test(jdks="each", flags=[("-Xint",), ("-XX:MaxInlineLevel=200",), ("-Xcomp",)], full_only=True, timeout=300)
def the_frame_below_any_number_of_constructors_is_told_in_every_mode(t):
    for constructors in (1, 80, 250):
        check_constructor_chain(t, constructors)
