"""Stacks as the agent walks them itself (walker=vm), compared one by one with GetStackTrace's."""
import os

from harness import Report, test
from test_other_agents import agent_jar
from test_whole_programs import FILES, unpack_sources

EVERY_STACK = {"DDMAGENT_CHECK_STACKS": "1"}  # docs/testing.md
MODES = [(), ("-Xint",), ("-XX:TieredStopAtLevel=1",), ("-XX:-TieredCompilation",), ("-Xcomp",)]


def compare(t, engine, *program, least, flags=()):
    """Runs a program with every stack compared; its summary."""
    run = t.java(*program, env=EVERY_STACK, flags=flags,
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


@test(flags=[(), ("-Xint",)])
def stacks_are_those_that_the_vm_tells(t):
    for engine in ("bci", "vm"):
        compare(t, engine, "Stacks", "60", "2", least=10_000)


@test(flags=MODES, gc="all", full_only=True, timeout=900)
def stacks_are_those_that_the_vm_tells_in_every_mode_on_every_collector(t):
    rounds = "100" if t.flags and t.flags[0] in ("-Xint", "-Xcomp") else "600"
    for engine in ("bci", "vm"):
        compare(t, engine, "Stacks", rounds, "3", least=20_000)


@test(full_only=True, flags=[(), ("-Xint",), ("-XX:TieredStopAtLevel=1",)], timeout=900)
def stacks_of_javac_are_those_that_the_vm_tells(t):
    root = unpack_sources(t)
    for engine in ("bci", "vm"):
        compare(t, engine, "Javac", root, str(FILES if not t.flags else FILES // 3), "1",
                least=100_000)


@test(min_jdk=21, timeout=300)
def stacks_of_virtual_threads_are_those_that_the_vm_tells(t):
    for engine in ("bci", "vm"):
        summary = compare(t, engine, "VirtualThreads", least=10_000)
        assert set(summary["walker_gave_up"]) <= {"virtual thread", "method without id"}, summary


@test(timeout=300)
def stacks_are_those_that_the_vm_tells_while_classes_are_redefined(t):
    rounds = t.path("rounds")
    restless = f"-javaagent:{agent_jar(t, 'RestlessAgent', t.classes())}={rounds}"
    for engine in ("bci", "vm"):
        compare(t, engine, "Stacks", "300", "2", least=20_000, flags=[restless])
        assert os.path.getsize(rounds) > 3


@test()
def a_walker_can_be_chosen(t):
    for walker, used in (("auto", "vm"), ("vm", "vm"), ("jvmti", "jvmti")):
        t.java("Exits", "return", agent=f"track=y,walker={walker},dump=r.jsonl,address=none")
        assert Report(t.path("r.jsonl")).summary["walker"] == used
