"""VisualVM's own library, as Debian has it, reads the heap dumps that carry stacks, and finds the stacks."""
import os

from ddm_client import Target
from dumped_sites import LIVE, seen as own_sites, truth
from harness import JDKS, ROOT, test
from hprof_reader import HprofHeap
from hprof_runs import run
from tool import ddm

LIBRARY = "/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"
SOURCES = [os.path.join(ROOT, "tests", "e2e", "visualvm", name) for name in ("HeapFacts.java", "AllocationStacks.java")]


class VisualVm:
    """classes {name: instances}, all, threads [[frames]], reached: instances of Dumped$Box that a root leads to,
    allocated {(class, (frames of its objects' stack)): objects}, a frame (method, line)."""

    def __init__(self, t, path):
        self.classpath = f"{LIBRARY}:{t.path('visualvm')}"
        if not os.path.exists(t.path("visualvm")):
            javac = os.path.join(JDKS[0].home, "bin", "javac")
            built = t.command([javac, "-cp", LIBRARY, "-d", t.path("visualvm"), *SOURCES])
            assert built.code == 0, built
        self.classes, self.threads, self.allocated, figures = {}, [], {}, {}
        for count, kind, *frames in self.read(t, "org.graalvm.visualvm.lib.jfluid.heap.AllocationStacks", path):
            assert frames != ["(unknown)"], (kind, count)
            if frames != ["(none)"]:
                split = (frame.rsplit(":", 1) for frame in frames)
                self.allocated[kind, tuple((method, int(line)) for method, line in split)] = int(count)
        for words in self.read(t, "HeapFacts", path, "Dumped$Box"):
            if words[0] == "class":
                assert words[1] not in self.classes, "a class twice"
                self.classes[words[1]] = int(words[2])
            elif words[0] == "thread":
                self.threads.append(words[1:])
            else:
                figures[words[0]] = int(words[1])
        self.all, self.reached = figures["all"], figures["reached"]

    def read(self, t, *words):
        read = t.command([JDKS[0].java, "-cp", self.classpath, *words])
        assert read.code == 0 and not read.err, read
        return [line.split("\t") for line in read.out.splitlines()]


def check(t, path, n, stream=False):
    """VisualVM sees the objects that stand in the dump, and the threads' stacks, not those of allocations. Its
    library finds the stack of each object: those that the program knows."""
    heap = HprofHeap(path, stream=stream)
    assert heap.sites(), "no object has a stack"
    counts = {}
    for kind, _, _ in heap.objects.values():
        counts[kind] = counts.get(kind, 0) + 1
    seen = VisualVm(t, path)
    assert {kind: count for kind, count in seen.classes.items() if count} == counts
    assert seen.all == heap.count
    assert seen.classes["Dumped$Box"] == seen.reached == 6 * n, (seen.reached, n)
    parked = [stack for stack in seen.threads if any(frame.startswith("Dumped.parkedHere(") for frame in stack)]
    assert len(parked) == 1 and parked[0][0].startswith("java.lang.Object.wait"), seen.threads
    assert not any("Dumped.north(" in frame for stack in seen.threads for frame in stack), seen.threads
    rows = [(kind, [method.replace("Dumped$Copy.copy", "copy") for method, _ in stack], count)
            for (kind, stack), count in seen.allocated.items()]
    assert own_sites(rows) == truth(n)
    stacks = {}
    for kind, trace, _ in heap.objects.values():
        if heap.stacks[trace]:
            key = kind, tuple((method, line) for method, _, line in heap.stacks[trace])
            stacks[key] = stacks.get(key, 0) + 1
    assert seen.allocated == stacks


@test(timeout=240, every_days=5)
def visualvm_reads_dumps_with_stacks_whoever_writes_them(t):
    n = 300
    with Target(t, LIVE, program=("Dumped",)) as p:
        p.tell(f"keep {n}")
        ddm(t, "dump", p.pid, "-o", t.path("asked.hprof"), "--sites")
    check(t, t.path("asked.hprof"), n)
    t.java("Dumped", "end", str(n), agent="live=y,records=1k,dump=exit.hprof,address=none")
    check(t, t.path("exit.hprof"), n)
    for what in ("dump", "all"):
        run(t, f"heap={what},format=b,depth=16,file={what}.hprof", "Dumped", "end", str(n))
        check(t, t.path(f"{what}.hprof"), n, stream=True)
