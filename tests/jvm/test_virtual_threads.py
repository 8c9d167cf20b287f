"""What the VM allocates for virtual threads: their stacks while they wait."""
import collections

from asked_reports import report_of
from ddm_client import Target
from harness import Report, test


@test(jdks="each", min_jdk=21, flags=[("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx1g")], daily=1, every_days=5)
def virtual_threads_stacks_are_counted(t):
    for engine, most in (("vm", 1.01), ("bci", 1.05)):
        # JDK 21 sets the timer of a wait in a transition between thread and carrier, where the VM
        # tells no agent of an allocation: some 116 bytes for each of the program's 6,000 waits.
        timers = 6000 * 128 if engine == "vm" and t.jdk.major < 24 else 0
        run = t.java("VirtualStacks", agent=f"address=none,engine={engine},dump=r.jsonl,dump=r.txt")
        truth = int(run.out)  # every StackChunk there ever was, in bytes
        summary = Report(t.path("r.jsonl")).summary
        found = summary["virtual_thread_stack_bytes"]
        assert 1 << 20 < truth <= found <= most * truth + timers + (64 << 10), (engine, truth, found)
        assert found <= summary["unattributed_bytes"] < found + found / 4, summary
        with open(t.path("r.txt"), encoding="utf-8") as f:
            assert "virtual thread stacks" in f.read()


@test(jdks="each")
def without_virtual_threads_there_is_nothing_to_say_of_them(t):
    run = t.java("Exits", "return", agent="address=none,dump=r.jsonl,dump=-")
    assert Report(t.path("r.jsonl")).summary["virtual_thread_stack_bytes"] == 0
    assert "virtual thread" not in run.err
    t.java("Exits", "return",
           agent="address=none,engine=vm,interval=64k,dump=r.jsonl")
    assert Report(t.path("r.jsonl")).summary["virtual_thread_stack_bytes"] is None


@test(jdks="each", min_jdk=21, flags=[(), ("-XX:+UseZGC",)], daily=2)
def records_have_the_thread_that_made_them_mounted_or_not(t):
    threads, objects = 60, 40
    truth = {1000 + 8 * i: f"v-{i}" for i in range(threads)} | {20000 + 8 * i: f"p-{i}" for i in range(threads)}
    for engine in ("vm", "bci"):
        t.java("ThreadMarks", str(threads), str(objects), agent=f"address=none,engine={engine},every=1,dump=r.jsonl")
        made = collections.Counter((r["size"] - 16, r["thread"]["name"]) for r in Report(t.path("r.jsonl")).records
                                   if r["class"] == "byte[]" and r["thread"]["name"] != "main" and r["size"] > 1000)
        wrong = set(made.items()) ^ {(mark, objects) for mark in truth.items()}
        assert not wrong, (engine, sorted(wrong))


@test(jdks="each", min_jdk=21)
def threads_that_allocate_while_a_report_is_made_keep_their_names(t):
    agent = "track=y,records=8k,depth=1,sites=0,dump=none"
    with Target(t, agent, program=("BriefThreads",)) as p, p.client() as client:
        for _ in range(12):
            nameless = [r["thread"] for r in report_of(t, client).records
                        if r["class"] == "byte[]" and r["size"] == 1016 and not r["thread"]["name"]]
            assert not nameless, (len(nameless), nameless[:5])
