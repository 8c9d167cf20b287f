"""javac as a whole program: what the engines see of it, against the VM's own counters."""
from harness import Report, test
from java_sources import FILES, unpack_sources


def compile_under(t, engine, root, rounds, files=FILES):
    """The summary of what `engine` saw of javac, which has to be nearly all of it."""
    run = t.java("Javac", root, str(files), str(rounds),
                 agent=f"track=y,engine={engine},records=1k,depth=1,dump=r.jsonl,address=none")
    assert f"DONE {files}" in run.out
    summary = Report(t.path("r.jsonl")).summary
    truth = summary["seen_bytes"] + summary["unattributed_bytes"]
    share = summary["seen_bytes"] / truth
    print(f"     {t.jdk.major} {engine}: {summary['seen']} objects, {summary['seen_bytes']} of "
          f"{truth} bytes seen, {100 * share:.4f} %", flush=True)
    least = 0.9999 if engine == "vm" else 0.99 if t.jdk.major < 25 else 0.98
    assert share >= least, summary
    return summary


def compare_engines(t, rounds):
    root = unpack_sources(t)
    seen = {engine: compile_under(t, engine, root, rounds) for engine in ("vm", "bci")}
    # Objects that C2 would have eliminated exist while hooks look at them, so bci may see more.
    least = 0.99 if t.jdk.major < 25 else 0.98
    assert seen["bci"]["seen"] >= least * seen["vm"]["seen"]
    assert seen["bci"]["seen_bytes"] >= least * seen["vm"]["seen_bytes"]


@test(timeout=500, every_days=5)
def javac_is_seen_nearly_whole_by_bytecode(t):
    compile_under(t, "bci", unpack_sources(t), 1, files=FILES // 3)


@test(jdks="each", full_only=True, timeout=900)
def javac_is_seen_whole_by_the_vm_and_nearly_whole_by_bytecode(t):
    compare_engines(t, 1)


@test(jdks="each", full_only=True, timeout=1200)
def javac_is_seen_whole_when_it_is_warm_too(t):
    compare_engines(t, 2)
