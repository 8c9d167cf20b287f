"""What a VM has of metaspace and code cache, when it has thrown away what it can."""
import re
import time

# JDK 17 keeps replaced code, and the versions of classes that it belongs to, until some percent of
# the code cache have been replaced. Newer VMs throw it away whenever they unload classes.
THROW_CODE_AWAY_SOON = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:SweeperThreshold=0.01"]


def metaspace_and_code_kb(t, pid):
    t.jcmd(pid, "GC.run")
    both = re.search(r"Both:.* ([\d.]+) KB \([^)]*\) used,.*deallocated: \d+ blocks with ([\d.]+) "
                     r"(KB|bytes)", t.jcmd(pid, "VM.metaspace", "scale=K"))
    freed = float(both[2]) / (1024 if both[3] == "bytes" else 1)
    code = sum(int(used) for used in re.findall(r" used=(\d+)Kb", t.jcmd(pid, "Compiler.codecache")))
    assert float(both[1]) > freed and code > 0, (both[0], code)
    return float(both[1]) - freed, code


def assert_rounds_keep_none(t, pid, one_round, rounds, most_kb, first=20):
    """After `first` rounds more of them must not take more; the VM may take its time to clean up."""
    for _ in range(first):
        one_round()
    before = metaspace_and_code_kb(t, pid)
    for _ in range(rounds):
        one_round()
    end = time.monotonic() + 60
    while True:
        after = metaspace_and_code_kb(t, pid)
        if all(now - then <= most_kb for now, then in zip(after, before)):
            return
        assert time.monotonic() < end, f"metaspace and code cache, KiB: {before}, later {after}"
        one_round()
