"""Maps of the Java heap (HPSG, HPSO), compared with JVMTI's own count of a heap that stands still."""
import glob
import os
import re
import socket
import struct
import time
import zlib

from ddm_client import DdmError, Target, chunk
from harness import PRESET, ROOT, test
from heap_map import MERGED, NOW, OBJECTS, Shape, draw, map_of

OBJECT_KINDS = ("object", "class", "array1", "array2", "array4", "array8")

# 17's G1 leaves regions with less than so much garbage as they are, and JVMTI does not show the
# garbage. With 0 it moves everything.
G1_MOVES_ALL = ("-XX:MarkSweepDeadRatio=0",)


# Objects and arrays of bytes that a thread of the agent's consists of, at most. One that ended while
# the program counted for seconds is made anew for the next map. 17 fills up its TLAB with an int[].
OF_A_THREAD = {"object": 8, "array1": 2, "array4": 1}


def stood_still(before, after, still):
    return before == after or not still and all(
        0 <= after[kind][0] - before[kind][0] <= OF_A_THREAD.get(kind, 0) for kind in OBJECT_KINDS)


def compare(t, p, ddm, exact=True, strict=True, still=True):
    """A map and a count of the same heap; the map. Unless `still`, the agent may make a thread."""
    draw(ddm, strict=False)  # what the first map makes (a probe, a thread) is made
    for _ in range(5):  # a thread of the VM may allocate in between
        p.collect()
        before = p.count()
        by_object = draw(ddm, OBJECTS, strict)
        merged = draw(ddm, MERGED, strict)
        after = p.count()
        if stood_still(before, after, still):
            break
    assert stood_still(before, after, still), f"the heap has not stood still: {before} {after}"
    for kind in OBJECT_KINDS:
        got, want = (by_object.objects[kind], by_object.kind_bytes[kind]), before[kind]
        if exact:
            assert all(least <= n <= most for least, n, most in zip(want, got, after[kind])), \
                f"{kind}: the map has {got}, JVMTI {want}"
        else:
            assert got[0] >= want[0] and got[1] >= want[1], f"{kind}: {got}, JVMTI {want}"
        assert merged.kind_bytes[kind] == got[1], f"{kind}: HPSG and HPSO differ"
    dead = sum(by_object.kind_bytes[k] - before[k][1] for k in OBJECT_KINDS)
    assert dead <= 0.05 * by_object.bytes, f"{dead} bytes of dead objects"
    assert by_object.objects["unknown"] == 0 and by_object.objects["native"] == 0
    assert merged.free == by_object.free >= before["filler"][1]
    assert merged.bytes == by_object.bytes
    assert merged.wire_bytes < by_object.wire_bytes
    heaps = ddm.heap_info()
    committed = heaps[1].committed
    if t.gc in ("serial", "parallel"):
        committed += heaps[102].committed  # the survivor space that totalMemory() leaves out
    assert by_object.bytes == committed, (by_object.bytes, committed)
    assert heaps[1].objects == sum(by_object.objects.values())
    return by_object


def shapes(t):
    flags = ["-Xmx1g", "-XX:-UseAdaptiveSizePolicy"]
    if t.gc == "g1" and t.jdk.major < 25:
        flags += G1_MOVES_ALL
    if t.gc == "g1" and t.jdk.major < 19:
        flags += ["-Xshare:off"]  # the gap of an archived region is an int[] that JVMTI does not show
    return flags


WALKED = ("serial", "parallel", "g1")


@test(gc=WALKED, flags=((), ("-XX:-UseCompressedOops",)), every_days=4)
def a_map_shows_the_objects_that_jvmti_counts(t):
    with Shape(t, 100_000, shapes(t)) as p, p.client() as ddm:
        compare(t, p, ddm)


@test(gc=WALKED, flags=(("-XX:+UseCompactObjectHeaders",),
                        ("-XX:+UseCompactObjectHeaders", "-XX:-UseCompressedOops")), min_jdk=24, every_days=4)
def a_map_shows_objects_with_compact_headers(t):
    with Shape(t, 100_000, shapes(t)) as p, p.client() as ddm:
        compare(t, p, ddm)


@test(gc=WALKED, flags=(("-XX:-UseCompressedClassPointers", "-XX:-UseCompressedOops",
                         "-Xlog:disable"),
                        ("-XX:ObjectAlignmentInBytes=16",)), full_only=True)
def a_map_shows_objects_of_other_layouts(t):
    with Shape(t, 100_000, shapes(t)) as p, p.client() as ddm:
        compare(t, p, ddm)


@test(gc=WALKED, flags=((), ("-XX:-UseCompressedOops",)), full_only=True, timeout=300)
def a_map_shows_a_million_objects(t):
    with Shape(t, 1_000_000, shapes(t)) as p, p.client() as ddm:
        compare(t, p, ddm, strict=False)


@test(gc=WALKED, full_only=True, timeout=600, alone=True)
def a_map_shows_ten_million_objects(t):
    # Without adaptive sizes Parallel collects for ever before it takes more; HPIF ends at 2 GiB.
    with Shape(t, 10_000_000, [*shapes(t), "-Xms2000m", "-Xmx2000m"]) as p, \
            p.client(timeout=120) as ddm:
        # 17's G1 fills up a region that it leaves as it is with a dead int[].
        m = compare(t, p, ddm, exact=t.gc != "g1" or t.jdk.major >= 25, strict=False,
                    still=False)
        assert m.wire_bytes <= 4 * sum(m.objects.values()), "more than 4 bytes an object"


@test(jdks="each", every_days=4)
def a_thread_that_is_made_for_a_map_makes_nothing_but_itself(t):
    with Shape(t, 1000) as p, p.client() as ddm:
        draw(ddm, strict=False)
        comm = f"/proc/{p.process.pid}/task/*/comm"
        while any("ddmagent-maps" in open(path).read() for path in glob.glob(comm)):
            time.sleep(0.1)
        before = p.count()
        draw(ddm, strict=False)
        after = p.count()
        assert stood_still(before, after, still=False), (before, after)


@test(gc=("g1",))
def dead_objects_that_g1_keeps_are_few(t):
    with Shape(t, 100_000, ["-Xmx1g"]) as p, p.client() as ddm:
        compare(t, p, ddm, exact=False)


@test(gc=WALKED, flags=(("-Xmx9g", "-XX:-UseCompressedOops", "-Xms5g"),), full_only=True)
def a_heap_of_more_than_4_gib_has_several_slices(t):
    with Shape(t, 100_000) as p, p.client() as ddm:
        m = draw(ddm)
        assert {s.heap for s in m.segments} >= {1, 2}
        assert m.bytes >= 5 << 30


HIDER = os.path.join(ROOT, "build", PRESET, "lib", "libhide_vm_entry.so")


def entries_of_the_layout(*more_sources):
    """What the walk looks up in the VM's tables, as its source names it."""
    source = ""
    for path in ("heap/heap_layout.cpp", *more_sources):
        with open(os.path.join(ROOT, "agent", path), encoding="utf-8") as f:
            source += f.read()
    fields = re.findall(r'\{"(\w+)", "(_[\w.]+)"\}', source)
    constants = re.findall(r'"((?:\w+Tag|\w+Type|Klass|markWord)::\w+)"', source)
    return sorted({f"{kind}::{field}" for kind, field in fields} | set(constants))


def hide_entries(t, names):
    """Draws a map without each of these; how often its addresses were made up."""
    listed = 0
    for name in names:
        hidden = [f"-agentpath:{HIDER}={name}", "-Xmx256m"]
        with Target(t, flags=hidden) as p, p.client() as ddm:
            m = draw(ddm, strict=False)
            assert m.objects["object"] > 1000 and m.objects["class"] > 300, name
            said = [line for line in p.process.said.lines() if "made up" in line]
            if said:
                # It names the entry as the newest VM has it.
                assert any(part in said[0] for part in name.split("::")), (name, said)
                listed += 1
            p.process.said.lines().clear()
    return listed


@test(gc=WALKED)
def a_vm_that_does_not_tell_where_its_heap_lies_gets_a_listed_map(t):
    assert hide_entries(t, ["Universe::_collectedHeap", "Klass::_layout_helper"]) == 2


class Talking(Target):
    """With log=debug."""

    def stderr(self):
        return "".join(line for line in self.process.said.lines() if "ddmagent:" not in line)

    def stops(self):
        """How the VM was stopped for the maps so far, and what was said against it."""
        said = self.process.said.lines()
        return {line.split()[-1] for line in said if "the VM is stopped by" in line}, \
            [line for line in said if "not as expected" in line or "made up" in line]


@test(gc=WALKED, flags=((), ("-Xint",)), every_days=4)
def a_map_steps_over_what_is_left_of_a_hundred_threads_buffers(t):
    """The VM is stopped without an iteration over the heap, which would fill what is left."""
    threads = 100
    with Talking(t, "engine=vm,interval=512k,dump=none,log=debug",
                 ["-Xmx700m", "-Xmn400m", "-XX:TLABSize=256k", "-XX:-ResizeTLAB"],  # no collection
                 ("OldThreads", str(threads), "300")) as p:
        with p.client() as ddm:
            # From JDK 26 on the objects of the VM's archive come into the heap as the program runs.
            archived = None
            while archived != (archived := draw(ddm, OBJECTS).objects["array8"]):
                time.sleep(0.3)
            for tracked in (False, True, False):  # tracking lowers the buffers' ends
                ddm.track(tracked)
                before = draw(ddm, OBJECTS).objects["array8"]
                p.ask("30")
                m = draw(ddm, OBJECTS)
                grown = m.objects["array8"] - before
                assert threads * 30 <= grown <= threads * 30 + 50, grown
                assert m.objects["unknown"] == 0, m.objects["unknown"]
            assert p.stops() == ({"FollowReferences"}, []), p.stops()


@test(gc=WALKED)
def a_vm_that_does_not_show_open_buffers_is_asked_to_fill_them(t):
    follows = t.jdk.major <= 17  # it fills them whenever it looks through the heap
    for name in ("ThreadLocalAllocBuffer::_desired_size", "ThreadsList::_length"):
        with Talking(t, "log=debug", [f"-agentpath:{HIDER}={name}", "-Xmx256m"]) as p, \
                p.client() as ddm:
            m = draw(ddm)
            assert m.objects["object"] > 1000 and m.objects["unknown"] == 0, name
            stop = "FollowReferences" if follows else "IterateThroughHeap"
            assert p.stops() == ({stop}, []), p.stops()


@test(gc=WALKED, full_only=True, timeout=300)
def a_vm_that_lacks_any_entry_of_its_tables_gets_a_map(t):
    names = entries_of_the_layout()
    assert len(names) > 40
    listed = hide_entries(t, names)
    assert listed >= 10, f"{listed} of {len(names)}"  # the others are another collector's or JDK's


@test(gc=WALKED, jdks="each", timeout=900, daily=1)
def no_wrong_entry_of_the_vms_tables_harms_a_map(t):
    """Off by a word, half a word, or up to a mebibyte: a map all the same, or addresses that are made up."""
    names = entries_of_the_layout("vm/object_layout.cpp", "heap/open_buffers.cpp")
    assert len(names) > 50
    for name in t.some(names, 20):
        far = 1 + zlib.crc32(name.encode()) % (1 << 20)
        for shift in ("+8", "+4", f"+{far}"):
            with Target(t, "log=error", flags=[f"-agentpath:{HIDER}={name}{shift}", "-Xmx256m"]) as p, \
                    p.client() as ddm:
                m = draw(ddm, strict=False)
                assert m.objects["object"] > 1000 and m.objects["class"] > 300, (name, shift, m.objects)
                p.process.said.lines().clear()  # an entry that this VM has not


def compare_listed(t):
    with Shape(t, 20_000, ["-Xmx512m"], "log=info") as p, p.client() as ddm:
        draw(ddm)
        p.collect()
        count = p.count()
        m = draw(ddm)
        for kind in OBJECT_KINDS:
            # Concurrent collectors let go of some garbage later.
            assert abs(m.objects[kind] - count[kind][0]) <= 0.02 * count[kind][0] + 5, kind
        assert m.objects["unknown"] == 0
        said = [line for line in p.process.said.lines() if "heap map" in line]
        assert len(said) == 1 and "made up" in said[0], said


@test(gc=("zgc", "shenandoah"))
def a_heap_that_is_not_walked_is_listed(t):
    compare_listed(t)


@test(flags=(("-XX:+UseZGC", "-XX:+ZGenerational"),), min_jdk=21, max_jdk=23)
def a_heap_of_zgcs_first_generations_is_listed(t):
    compare_listed(t)


@test(flags=(("-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"),), min_jdk=25)
def a_heap_of_shenandoahs_generations_is_listed(t):
    compare_listed(t)


@test(flags=(("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"),))
def a_collector_without_collections_has_a_map_too(t):
    with Shape(t, 20_000, ["-Xms512m", "-Xmx512m", "-Xlog:disable"]) as p, p.client() as ddm:
        before = p.count()
        draw(ddm)
        m = draw(ddm)
        for kind in ("object", "array1", "array8"):
            assert 0 <= m.objects[kind] - before[kind][0] <= 2000, kind


@test(gc=WALKED)
def a_map_comes_after_each_collection_until_never(t):
    with Target(t, flags=["-Xmx128m"]) as p, p.client() as ddm:
        ddm.heap_info(3)
        for what, kind in ((MERGED, "HPSG"), (OBJECTS, "HPSO")):
            assert ddm.request("HPSG", bytes([1, what])) == b""
            for _ in range(2):
                time.sleep(0.4)  # the rest after a map, and a cycle's later pauses
                ddm.take_events()
                p.tell("gc")
                events = [ddm.next_event("HPIF", "HPST")]
                assert events[0][0] == "HPIF", "HPIF comes first"
                while events[-1][0] != "HPEN":
                    events.append(ddm.next_event("HPST", kind, "HPEN", "HPIF"))
                m = map_of([e for e in events if e[0] != "HPIF"])
                assert m.bytes > 1 << 20 and m.kind_bytes["object"] > 0
        assert ddm.request("HPSG", bytes([0, 0])) == b""
        ddm.heap_info(0)
        time.sleep(0.6)
        ddm.take_events()
        p.tell("gc")
        time.sleep(0.6)
        assert not ddm.take_events()


@test()
def a_map_now_comes_before_its_answer_and_without_a_collection(t):
    with Target(t, flags=["-Xmx128m"]) as p, p.client() as ddm, p.client() as other:
        before = p.ask("collections")
        for what in (MERGED, OBJECTS):
            assert draw(ddm, what).bytes > 1 << 20
        assert p.ask("collections") == before
        # The type of the answer's segments can be asked for by its own name.
        assert ddm.request("HPSO", bytes([NOW, 1])) == b""
        assert "HPSO" in {name for name, _ in ddm.take_events()}
        p.tell("gc")
        time.sleep(0.4)
        assert not ddm.take_events() and not other.take_events(), "a map now is one map"


@test()
def a_map_that_nobody_knows_how_to_draw_is_refused(t):
    with Target(t) as p, p.client() as ddm:
        for data in (b"", b"\1", b"\3\0", b"\1\2", b"\2\7"):
            try:
                ddm.request("HPSG", data)
            except DdmError as failure:
                assert "u1 when" in failure.message, failure
            else:
                raise AssertionError(data)
        assert not ddm.take_events()


@test()
def the_objects_of_a_map_are_those_of_the_next_heap_info(t):
    with Target(t) as p, p.client() as ddm:
        assert ddm.heap_info()[1].objects == 0, "no map, no count"
        m = draw(ddm)
        assert ddm.heap_info()[1].objects == sum(m.objects.values())


@test()
def the_unit_is_the_one_asked_for(t):
    for unit in (16, 64):
        with Shape(t, 20_000, agent=f"unit={unit}") as p, p.client() as ddm:
            m = draw(ddm, MERGED)
            assert {s.unit for s in m.segments} == {unit}
            assert m.bytes == ddm.heap_info()[1].committed


@test()
def a_server_that_has_gone_gets_no_maps(t):
    with Shape(t, 500_000, ["-Xmx512m"], "log=debug") as p, p.client() as ddm:
        draw(ddm)
        host, port = p.address.rsplit(":", 1)
        with socket.create_connection((host, int(port))) as gone:
            gone.sendall(b"JDWP-Handshake")
            assert gone.recv(14) == b"JDWP-Handshake"
            payload = chunk("HPSG", bytes([NOW, OBJECTS]))
            gone.sendall(b"".join(
                struct.pack(">IIBBB", 11 + len(payload), number + 1, 0, 0xC7, 1) + payload
                for number in range(100)))
        draw(ddm)
        drawn = [line for line in p.process.said.lines() if "the program stood still" in line]
        assert 1 <= len(drawn) < 60, len(drawn)


@test()
def a_server_that_does_not_read_its_map_holds_up_nobody(t):
    with Shape(t, 3_000_000, ["-Xmx1g"]) as p, p.client() as ddm:
        host, port = p.address.rsplit(":", 1)
        deaf = socket.create_connection((host, int(port)))
        deaf.sendall(b"JDWP-Handshake")
        assert deaf.recv(14) == b"JDWP-Handshake"
        payload = chunk("HPSG", bytes([NOW, OBJECTS]))
        for number in range(4):
            deaf.sendall(struct.pack(">IIBBB", 11 + len(payload), number + 1, 0, 0xC7, 1) + payload)
        time.sleep(1)
        begin = time.monotonic()
        for _ in range(20):
            ddm.hello()
            ddm.heap_info()
        assert time.monotonic() - begin < 10
        deaf.close()
        assert draw(ddm, MERGED).bytes > 0


# Under load

def stress(t, maps, flags=(), agent=""):
    flags = ["-Xmx400m", "-XX:+ExplicitGCInvokesConcurrent", "-XX:InitiatingHeapOccupancyPercent=20",
             "-Xlog:disable", *flags]
    with Target(t, agent, flags, ("HeapStress",)) as p, p.client(timeout=60) as ddm:
        assert ddm.request("HPSG", bytes([1, MERGED])) == b"" and ddm.heap_info(3) == {}
        unknown = 0
        for i in range(maps):
            # Maps after collections come in between: each kind is whole.
            assert ddm.request("HPSG", bytes([NOW, OBJECTS])) == b""
            events = [e for e in ddm.take_events() if e[0] in ("HPST", "HPSG", "HPSO", "HPEN")]
            while "HPEN" not in {name for name, _ in events}:
                events.append(ddm.next_event("HPST", "HPSG", "HPSO", "HPEN"))
            last = max(i for i, e in enumerate(events) if e[0] == "HPST" and
                       "HPSO" in {name for name, _ in events[i:]})
            m = map_of(events[last:], strict=i % 20 == 0)
            assert m.bytes <= 400 << 20 and m.objects["object"] > 1000
            assert m.objects["array1"] > 1000 and m.objects["class"] > 300
            unknown += m.kind_bytes["unknown"]
        # Dead objects whose class is gone; a walk that has lost its way would have more.
        assert unknown <= 0.02 * maps * (400 << 20), unknown
        assert ddm.request("HPSG", bytes([0, 0])) == b""
        p.process.stdin.close()
        line = p.process.stdout.readline()
        assert line == "ended\n", (line, p.stderr())
        assert p.process.wait(30) == 0


@test(gc=("g1", "zgc"), every_days=4)
def maps_are_drawn_while_everything_changes(t):
    stress(t, 5)


@test(gc="all", full_only=True, timeout=900)
def two_hundred_maps_in_a_row_under_full_load(t):
    stress(t, 200)


@test(gc=WALKED, full_only=True, timeout=900,
      flags=(("-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifyBeforeGC", "-XX:+VerifyAfterGC"),))
def maps_leave_a_heap_that_verifies(t):
    stress(t, 15)


@test(gc=WALKED, flags=(("-XX:+UseCompactObjectHeaders",),), min_jdk=24, full_only=True, timeout=900)
def two_hundred_maps_in_a_row_with_compact_headers(t):
    stress(t, 200)


EPSILON = ("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx512m", "-Xlog:disable")


@test(flags=(EPSILON,))
def a_map_of_a_heap_that_is_never_collected_has_true_addresses(t):
    with Shape(t, 100_000) as p, p.client() as ddm:
        before = p.count()
        m = draw(ddm, strict=False)
        after = p.count()
        assert "made up" not in p.stderr(), p.stderr()
        assert m.bytes == ddm.heap_info()[1].committed
        for kind in ("object", "array1", "array4"):  # asking for them makes some
            assert before[kind][0] <= m.objects[kind] <= after[kind][0], (kind, before, after)


def peak_memory(pid):
    """Of the process, in bytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmHWM"))


@test(gc=("serial", "g1"), flags=(("-Xms3g", "-Xmx3g"),))
def a_map_of_a_large_heap_that_is_nearly_empty_takes_little_memory(t):
    with Target(t) as p, p.client() as ddm:
        ddm.heap_info()
        before = peak_memory(p.pid)
        draw(ddm, strict=False)
        assert peak_memory(p.pid) - before < 20 << 20, (before, peak_memory(p.pid))


@test(gc=("serial", "parallel"), flags=(("-Xmx128m",),), every_days=4)
def a_map_knows_the_classes_that_were_loaded_a_moment_before(t):
    with Target(t, program=("ClassRush",)) as p, p.client() as ddm:
        time.sleep(1)
        for _ in range(3):
            m = draw(ddm, strict=False)
            assert m.objects["object"] > 1000 and m.kind_bytes["unknown"] == 0, m.kind_bytes


@test(gc=("g1",), flags=(("-Xmx128m", "-XX:-ClassUnloadingWithConcurrentMark"),), every_days=4)
def only_what_g1_has_unloaded_is_unknown_while_classes_are_loaded(t):
    with Target(t, program=("ClassRush",)) as p, p.client() as ddm:
        time.sleep(1)
        for _ in range(5):
            m = draw(ddm, strict=False)
            # A class or two that were on their way.
            assert m.objects["object"] > 1000 and m.kind_bytes["unknown"] < 1 << 18, m.kind_bytes
