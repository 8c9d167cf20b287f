"""Heap dumps that know where their objects were allocated: `ddm dump --sites`, dump=x.hprof, `ddm sites`."""
import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import stat
import subprocess

from adb_bridge import wait_for
from ddm_client import Target
from dumped_sites import KINDS, LIVE, check_stacks_of_threads, rows_of, seen, tool_rows, truth
from harness import AGENT, test
from hprof_reader import HprofHeap
from jni_references import jni_references
from process_stat import status_kb
from tool import DDM, REFUSED, ddm, ddm_json


def check(path, n):
    heap = HprofHeap(path)
    assert seen(rows_of(heap)) == truth(n)
    check_stacks_of_threads(heap)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    # Each of our classes is there once, and nothing has two numbers.
    assert sum(kind == "Dumped$Box" for kind, _, _ in heap.objects.values()) == 6 * n
    return heap


def check_tool(t, path, heap, n):
    shown = ddm_json(t, "sites", path)
    assert shown["count"] == heap.count
    assert seen(tool_rows(shown)) == truth(n)
    assert sum(r["count"] for r in shown["rows"]) == shown["count"]
    assert sum(r["bytes"] for r in shown["rows"]) == shown["bytes"]
    table = ddm(t, "sites", path, "--top", 1000)
    assert f"{shown['with_stack_count']:,}" in table and "Dumped.south(Dumped.java:" in table, table[:2000]
    return shown


@test(gc="all", timeout=240, daily=2, every_days=5)
def a_heap_dump_knows_where_each_object_was_allocated(t):
    n = 500
    for engine in ("vm", "bci"):
        with Target(t, f"{LIVE},engine={engine}", program=("Dumped",)) as p:
            p.tell(f"keep {n}")
            path = t.path(f"{engine}.hprof")
            said = ddm(t, "dump", p.pid, "-o", path, "--sites")
            told = re.search(r"([\d,]+) objects have the stack of their allocation", said)
            assert told, said
            heap = check(path, n)
            sites = check_tool(t, path, heap, n)
            assert int(told[1].replace(",", "")) == sites["with_stack_count"], (said, sites["with_stack_count"])
            # The agent knows the sizes that the tool finds out from the dump.
            alive = {}
            for row in ddm_json(t, "live", p.pid)["rows"]:
                if row["class"] in KINDS and any(f["method"] in ("north", "south") for f in row["stack"]):
                    alive[row["class"]] = alive.get(row["class"], 0) + row["live_bytes"]
            found = {}
            for row in sites["rows"]:
                if row["class"] in KINDS and any(f["method"] in ("north", "south") for f in row["stack"]):
                    found[row["class"]] = found.get(row["class"], 0) + row["bytes"]
            assert found == alive, (found, alive)
            # The handles of that dump are gone, and what does not ask for stacks has none.
            plain = t.path(f"plain-{engine}.hprof")
            ddm(t, "dump", p.pid, "-o", plain)
            after = HprofHeap(plain, plain=True)
            assert not after.sites()
            assert abs(after.roots.get(1, 0) - heap.roots.get(1, 0)) < 50, (after.roots, heap.roots)
            assert not [f for f in os.listdir(t.dir) if f.startswith(".ddmagent")]


@test(jdks="each", gc="all", daily=2)
def objects_of_a_dump_are_as_large_as_the_vm_says(t):
    layouts = [("-XX:ObjectAlignmentInBytes=16",), ("-XX:ObjectAlignmentInBytes=32",)]
    layouts += [("-XX:-UseCompressedClassPointers",)] if t.jdk.major < 25 else [("-XX:+UseCompactObjectHeaders",)]
    # Up to JDK 18 a thread has @Contended fields.
    kinds = KINDS + ("java.lang.Thread", "java.util.concurrent.CopyOnWriteArrayList")
    for flags in layouts:
        with Target(t, "dump=none", program=("Dumped",), flags=flags) as p:
            p.tell("keep 500")
            ddm(t, "dump", p.pid, "-o", t.path(f"{flags[0]}.hprof"))
            histogram = t.jcmd(p.pid, "GC.class_histogram")
        short = {"[S": "short[]", "[C": "char[]", "[F": "float[]", "[LDumped$Box;": "Dumped$Box[]"}
        told = {short.get(kind, kind): int(size) / int(count) for count, size, kind in
                re.findall(r": +(\d+) +(\d+) +(\S+)", histogram)}
        rows = ddm_json(t, "sites", t.path(f"{flags[0]}.hprof"), "--by", "class")["rows"]
        found = {row["class"]: row["bytes"] / row["count"] for row in rows}
        wrong = {kind: (found[kind], told[kind]) for kind in kinds if found[kind] != told[kind]}
        assert not wrong, (flags, wrong)


@test()
def a_dump_that_the_program_cannot_make_is_refused_with_its_reason(t):
    with Target(t, "dump=none", program=("Dumped",), env={"TMPDIR": "/nonexistent"}) as p:
        said = ddm(t, "dump", p.pid, "-o", t.path("none.hprof"), code=REFUSED)
        assert "/nonexistent" in said and "not whole" not in said, said
    assert not os.path.exists(t.path("none.hprof"))


@test(timeout=240)
def a_dump_that_is_interrupted_or_whose_program_is_killed_leaves_no_half_of_it(t):
    with Target(t, "dump=none", flags=["-Xmx600m"], env={"TMPDIR": t.dir}) as p:
        p.tell("keepbytes 200")
        for ends, told in ((signal.SIGINT, "interrupted; x.hprof is not written"),
                           (signal.SIGTERM, "interrupted; x.hprof is not written"),
                           (signal.SIGHUP, "interrupted; x.hprof is not written"), (None, "the program has ended")):
            dump = subprocess.Popen([DDM, "dump", str(p.pid), "-o", "x.hprof"], cwd=t.dir, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for(lambda: any(name.startswith("x.hprof.tmp-") for name in os.listdir(t.dir)), "the file")
            if ends is None:
                p.process.kill()
            else:
                dump.send_signal(ends)
            out, err = dump.communicate(timeout=60)
            assert dump.returncode == REFUSED and err == f"ddm: {told}\n" and not out, (out, err)
            assert not [name for name in os.listdir(t.dir) if name.startswith("x.hprof")], os.listdir(t.dir)


@test(timeout=120)
def without_live_a_dump_with_sites_is_a_plain_one_and_says_so(t):
    with Target(t, "track=y,dump=none", program=("Dumped",)) as p:
        said = ddm(t, "dump", p.pid, "-o", t.path("x.hprof"), "--sites")
        assert "without the stacks of allocations: what is alive is not followed" in said, said
        assert not HprofHeap(t.path("x.hprof"), plain=True).sites()
        assert "--sites" in ddm(t, "sites", t.path("x.hprof"))
    assert "is there already" in ddm(t, "dump", 1, "-o", t.path("x.hprof"), code=REFUSED)
    with open(t.path("noise"), "wb") as f:
        f.write(b"x" * 1000)
    assert "no heap dump" in ddm(t, "sites", t.path("noise"), code=REFUSED)
    with open(t.path("x.hprof"), "rb") as f:
        dump = f.read()
    with open(t.path("half.hprof"), "wb") as half:
        half.write(dump[:100_000])
    whole = ddm(t, "sites", t.path("x.hprof"), "--by", "class")
    for name, content, told in (("unended", dump[:-9], "the end of its heap dump is missing"),  # HEAP DUMP END
                                ("gz", gzip.compress(dump, 1), None),
                                ("cut.gz", gzip.compress(dump, 1)[:-1000], "the end of what is packed in it is missing"),
                                ("twice", dump + dump[31:], None)):
        with open(t.path(name), "wb") as f:
            f.write(content)
        done = t.command([DDM, "sites", t.path(name), "--by", "class"])
        assert (told in done.err and done.code == REFUSED) if told else done.out == whole, (name, done)
        assert ("2 heap dumps: the last one is read" in done.err) == (name == "twice"), done
        done = t.command([DDM, "paths", t.path(name), "java.lang.Thread"])
        assert (done.code == REFUSED and told in done.err) if told else done.code == 0, (name, done)
    refused = ddm(t, "sites", t.path("half.hprof"), code=REFUSED)
    assert "middle of a record" in refused or "damaged at byte 100000" in refused, refused


@test(gc="all", timeout=120)
def dump_writes_a_heap_dump_at_exit_with_whatever_collector(t):
    # Those that work beside the program have stopped by then: what was dropped is still there.
    n = 200
    done = t.java("Dumped", "end", str(n), agent="live=y,records=1k,dump=x.hprof,address=none")
    assert not done.err, done
    found, wanted = seen(rows_of(HprofHeap(t.path("x.hprof")))), truth(n)
    if any(name in " ".join(t.vm_flags()) for name in ("ZGC", "Shenandoah")):
        assert all(found[site] >= count for site, count in wanted.items()), found
    else:
        assert found == wanted


@test(timeout=120)
def dump_writes_a_heap_dump_at_exit_beside_other_reports(t):
    n = 300
    done = t.java("Dumped", "end", str(n), agent="live=y,records=1k,dump=x.hprof,dump=r.jsonl,address=none")
    assert not done.err, done
    heap = check(t.path("x.hprof"), n)
    check_tool(t, t.path("x.hprof"), heap, n)
    with open(t.path("r.jsonl")) as f:
        assert json.loads(f.readline())["reason"] == "exit"
    again = t.java("Dumped", "end", "10", agent="dump=x.hprof,address=none")  # one that is there is replaced
    first, last = again.err.splitlines()  # one as it starts, when that can be changed yet
    assert "dump=x.hprof: it will be without the stacks of allocations" in first, again
    assert "x.hprof is without the stacks of allocations" in last, again
    assert not HprofHeap(t.path("x.hprof"), plain=True).sites()
    lost = t.java("Dumped", "end", "10", agent="live=y,dump=nowhere/lost.hprof,address=none", env={"TMPDIR": t.dir})
    assert "written to" in lost.err, lost
    assert HprofHeap(t.path("lost.hprof")).sites()


@test(gc=("serial", "g1", "zgc"), timeout=240, every_days=4)
def dump_writes_a_heap_dump_when_memory_runs_out(t):
    done = t.java("Dumped", "oom", "50", t.path("x-oom.hprof"), flags=["-Xmx48m"],
                  agent="live=y,records=1k,dump=x.hprof,address=none")
    assert not done.err, done
    heap = HprofHeap(t.path("x-oom.hprof"))
    made = [(kind, stack, n) for kind, stack, n in rows_of(heap) if "Dumped.fill" in stack]
    arrays = sum(n for kind, _, n in made if kind == "Dumped$Box[]")
    total = sum(kind == "Dumped$Box[]" for kind, _, _ in heap.objects.values())
    assert arrays > 5_000 and arrays + 6 * 50 == total, (arrays, total)
    check_stacks_of_threads(heap)
    HprofHeap(t.path("x.hprof"), keep=False)
    assert sorted(os.listdir(t.dir)) == ["x-oom.hprof", "x.hprof"], os.listdir(t.dir)


@test(gc="all", timeout=240, daily=2, every_days=4)
def a_dump_at_an_error_has_what_the_failing_frames_alone_held(t):
    done = t.java("Dumped", "spill", "50", flags=["-Xmx48m"],
                  agent="live=y,records=1k,dump=x.hprof,dump=x.jsonl,address=none")
    assert not done.err, done
    count = int(done.out.split()[1])
    heap = HprofHeap(t.path("x-oom.hprof"))
    made = sum(n for kind, stack, n in rows_of(heap) if kind == "Dumped$Box[]" and "Dumped.spill" in stack)
    # The first error that Shenandoah tells of is at times some thousand objects before the program's.
    least = count * 9 // 10 if t.gc == "shenandoah" else count
    assert count > 10_000 and least <= made <= count + 1, (count, made)
    check_stacks_of_threads(heap)


@test(timeout=900, gc=("g1",), full_only=True, alone=True)
def two_gigabytes_are_dumped_in_pieces_with_little_memory(t):
    # In memory where there is room: the memory is judged, not the disk.
    room = "/dev/shm" if shutil.disk_usage("/dev/shm").free > 6 << 30 else t.path(".")
    small, whole = (os.path.join(room, f"ddm-{os.getpid()}-{name}.hprof") for name in ("vm", "sites"))
    with contextlib.ExitStack() as at_end, \
            Target(t, LIVE, flags=["-Xms3g", "-Xmx3g", "-XX:+AlwaysPreTouch"], program=("Dumped",)) as p:
        for path in (small, whole):
            at_end.callback(lambda path=path: os.path.exists(path) and os.remove(path))
        p.tell("big 2048 512")
        ddm(t, "gc", p.pid)
        ddm(t, "dump", p.pid, "-o", small)  # what the VM itself takes for a dump
        os.remove(small)
        with open(f"/proc/{p.pid}/clear_refs", "w") as f:
            f.write("5")
        before = status_kb(p.pid, "VmRSS")
        ddm(t, "dump", p.pid, "-o", whole, "--sites")
        extra = (status_kb(p.pid, "VmHWM") - before) * 1024
        heap = HprofHeap(whole, keep=False)
        assert heap.size > 2 << 30 and heap.count > 4_000_000
        assert extra < 200 << 20, f"{extra >> 20} MiB"
        shown = ddm_json(t, "sites", whole)
        top = shown["rows"][0]
        # The line makes some other arrays, too.
        assert top["class"] == "byte[]" and 0 <= top["count"] - (4 << 20) < 100, top
        assert 0 <= top["bytes"] - (2 << 30) < 10_000, top


@test()
def paths_of_dumps_that_are_given_again_leave_no_references(t):
    with Target(t, "live=y,dump=0.hprof", flags=["-XX:+EnableDynamicAgentLoading"]) as p:
        before = jni_references(t, p.pid)[0]
        for i in range(7):
            p.attach(AGENT, f"dump={t.path(str(i))}.hprof")
        assert jni_references(t, p.pid)[0] - before < 7, before
    assert [name for name in os.listdir(t.dir) if name.endswith(".hprof")] == ["6.hprof"]
