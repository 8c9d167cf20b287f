"""The native heap over DDM: NHSG, the map of malloc's blocks, and NHGT, sampled allocations."""
import copy
import json
import math
import os
import re
import struct
import subprocess
import time

from browser import document_of
from ddm_client import DdmError, Reader, Target
from harness import AGENT, ROOT, PRESET, Report, test
from pprof import Profile
from tool import REFUSED, USAGE, ddm as ddm_tool, ddm_json, shown_on_terminal

LIBRARIES = os.path.join(ROOT, "build", PRESET, "lib")
LOAD = os.path.join(LIBRARIES, "libnative_load.so")
LATER = os.path.join(LIBRARIES, "libnative_later.so")
PLUGIN = os.path.join(LIBRARIES, "libnative_plugin.so")

FREE, USED = 0x00, 0x39

# JDK 26 and newer are brought with a C library that is newer than the layouts that are known.
KNOWN_MALLOC = 25


class NativeTarget(Target):
    def __init__(self, t, flags=(), **options):
        native = ["--enable-native-access=ALL-UNNAMED"] if t.jdk.major >= 24 else []
        super().__init__(t, program=("NativeLoad",), flags=[*native, *flags], **options)
        self.tell(f"load {LOAD}")

    def totals(self):
        """(in use, free, in mappings of their own), as malloc has it"""
        return tuple(int(n) for n in self.ask("totals").strip("[]").split(","))


class NativeMap:
    """What comes between NHST and NHEN: bytes by state, and where they lie."""

    def __init__(self, ddm, events=None):
        kind, data = ddm.next_event("NHST") if events is None else events.pop(0)
        assert (kind, data) == ("NHST", b"\0\0\0\1"), (kind, data)
        self.bytes = {FREE: 0, USED: 0}
        self.spans = []  # (begin, end) of segments
        self.runs = 0
        while True:
            kind, data = ddm.next_event("NHSG", "NHEN", "NHST")
            if kind != "NHSG":
                assert (kind, data) == ("NHEN", b"\0\0\0\1"), (kind, data)
                break
            self.read_segment(data)
        assert self.spans == sorted(self.spans), "segments are not in the order of addresses"
        for (_, end), (begin, _) in zip(self.spans, self.spans[1:]):
            assert end <= begin, "segments overlap"

    def read_segment(self, data):
        reader = Reader(data)
        heap, unit, start, offset, units = (reader.u4(), reader.u1(), reader.u4(), reader.u4(),
                                            reader.u4())
        assert unit == 16 and offset == 0
        begin = (heap - 1 << 32) + start
        self.spans.append((begin, begin + units * unit))
        pairs = data[reader.at:]
        total = 0
        for state, length in zip(pairs[::2], pairs[1::2]):
            assert state in self.bytes, f"state {state:#x}"
            self.bytes[state] += (length + 1) * unit
            total += length + 1
            self.runs += 1
        assert total == units


def within(value, low, high, slack):
    return min(low, high) - slack <= value <= max(low, high) + slack


def check_totals(native_map, before, after):
    """Within 1 % of malloc's own figures (which count what threads keep cached as in use)."""
    slack = 0.01 * sum(after)
    used = before[0] + before[2], after[0] + after[2]
    assert within(native_map.bytes[USED], *used, slack), (native_map.bytes, before, after)
    assert within(native_map.bytes[FREE], before[1], after[1], slack), \
        (native_map.bytes, before, after)


def with_tunables(t, tunables):
    """From now on `java` runs with these settings of glibc."""
    wrapper = t.path("java")
    with open(wrapper, "w", encoding="utf-8") as f:
        f.write(f'#!/bin/sh\nGLIBC_TUNABLES={tunables} exec "{t.jdk.java}" "$@"\n')
    os.chmod(wrapper, 0o700)
    t.jdk = copy.copy(t.jdk)
    t.jdk.java = wrapper


# No compiler, whose arenas come and go by the megabyte between two looks at malloc's figures.
WITHOUT_COMPILER = "-Xint"


@test(max_jdk=KNOWN_MALLOC)
def arenas_of_another_size_are_on_the_map(t):
    with_tunables(t, "glibc.malloc.hugetlb=2")  # heaps of four huge pages
    with NativeTarget(t, flags=[WITHOUT_COMPILER]) as p, p.client() as ddm:
        p.tell("blocks 500000")  # by a thread with an arena of its own
        before = p.totals()
        ddm.request("NHSG", b"\2\0")
        check_totals(NativeMap(ddm), before, p.totals())


@test(max_jdk=KNOWN_MALLOC, flags=[(WITHOUT_COMPILER,), (WITHOUT_COMPILER, "-Xcheck:jni")])
def the_map_of_a_million_native_blocks_has_mallocs_totals(t):
    with NativeTarget(t) as p, p.client() as ddm:
        small = p.totals()
        p.tell("blocks 1000000")
        before = p.totals()
        assert sum(before) - sum(small) > 80_000_000
        assert ddm.request("NHSG", b"\2\0") == b""
        native_map = NativeMap(ddm)
        check_totals(native_map, before, p.totals())
        assert native_map.runs > 200_000, "every fifth block is free"


@test(max_jdk=KNOWN_MALLOC)
def native_maps_follow_collections_until_switched_off(t):
    with NativeTarget(t, flags=[WITHOUT_COMPILER]) as p, p.client() as ddm:
        p.tell("blocks 100000")
        ddm.heap_info(3)
        assert ddm.request("NHSG", b"\1\0") == b""
        for _ in range(3):
            before = p.totals()
            ddm.request("HPGC")
            kind, _ = ddm.next_event("HPIF", "NHST")
            assert kind == "HPIF", "figures come before the map"
            check_totals(NativeMap(ddm), before, p.totals())
        assert ddm.request("NHSG", b"\0\1") == b""
        ddm.request("HPGC")
        ddm.next_event("HPIF")
        ddm.request("NHSG", b"\0\0")  # a map that was due would have come by now
        assert not [kind for kind, _ in ddm.take_events() if kind.startswith("NH")]


@test()
def a_request_for_native_maps_that_means_nothing_is_refused(t):
    with NativeTarget(t) as p, p.client() as ddm:
        for data in (b"", b"\1", b"\3\0"):
            try:
                raise AssertionError(ddm.request("NHSG", data))
            except DdmError as failure:
                assert failure.code == 1 and "u1 when" in failure.message, failure


@test(max_jdk=KNOWN_MALLOC)
def native_maps_of_a_program_with_busy_threads_do_it_no_harm(t):
    with NativeTarget(t) as p, p.client() as ddm:
        p.say("churn 4 3000")
        for _ in range(20):
            assert ddm.request("NHSG", b"\2\0") == b""
            assert NativeMap(ddm).bytes[USED] > 1_000_000
        p.expect("done")
        # Java's join() returns before the native threads have given back what they cached.
        for attempts_left in range(20, -1, -1):
            before = p.totals()
            ddm.request("NHSG", b"\2\0")
            try:
                return check_totals(NativeMap(ddm), before, p.totals())
            except AssertionError:
                if not attempts_left:
                    raise
                time.sleep(0.1)


class Symbols:
    """Function names of a library, by nm."""

    def __init__(self, path):
        out = subprocess.run(["nm", "-D", "-S", "--defined-only", path], check=True,
                             capture_output=True, text=True).stdout
        rows = [line.split() for line in out.splitlines()]
        self.functions = [(int(r[0], 16), int(r[1], 16), r[3].split("@")[0]) for r in rows
                          if len(r) == 4 and r[2] in "TWt"]

    def at(self, offset):
        for begin, size, name in self.functions:
            if begin <= offset < begin + size:
                return name
        return None


class NativeAllocations:
    """NHGT, read by the layout of 64-bit servers (little-endian)."""

    def __init__(self, data):
        signature, version, pointer = struct.unpack_from("<IHH", data)
        assert (signature, version, pointer) == (0x812345DD, 2, 8)
        maps, records, record, self.total, depth = struct.unpack_from("<5Q", data, 8)
        at = 48 + maps
        assert len(data) == at + records and records % max(record, 1) == 0
        assert record in (0, 16 + 8 * depth)
        self.lines = data[48:at].decode().splitlines()
        self.mappings = []
        for line in self.lines:
            span, rights, offset, _, _, *name = line.split(None, 5)
            begin, _, end = span.partition("-")
            self.mappings.append((int(begin, 16), int(end, 16), int(offset, 16),
                                  name[0] if name else ""))
        self.records = []  # (size, count, [name of a frame])
        self.symbols = {}
        self.names = {}
        for start in range(at, len(data), max(record, 1)):
            size, count, *frames = struct.unpack_from(f"<{2 + depth}Q", data, start)
            assert count >= 1
            while frames and frames[-1] == 0:
                frames.pop()
            assert 0 not in frames
            self.records.append((size, count, [self.name(f) for f in frames]))
        estimate = sum(size * count for size, count, _ in self.records)
        assert abs(estimate - self.total) <= sum(size for size, _, _ in self.records), "rounded only"

    def name(self, frame):
        if frame not in self.names:
            self.names[frame] = self.find_name(frame)
        return self.names[frame]

    def find_name(self, frame):
        for begin, end, offset, name in self.mappings:
            if begin <= frame < end:
                if name.startswith("[java] "):
                    return name[len("[java] "):]
                if not os.path.basename(name).startswith("libnative_"):
                    return os.path.basename(name)
                if name not in self.symbols:
                    self.symbols[name] = Symbols(name)
                # A return address: the call is the byte before.
                return self.symbols[name].at(frame - 1 - begin + offset) or name
        raise AssertionError(f"{frame:#x} is in no mapping")

    def of(self, function):
        """(bytes, stacks) of what has this frame"""
        mine = [r for r in self.records if function in r[2]]
        return sum(size * count for size, count, _ in mine), [frames for _, _, frames in mine]


def sampling_error(count, size, mean):
    """Five standard deviations of an estimate, and what rounding may add."""
    p = 1 - math.exp(-size / mean)
    return 5 * size * math.sqrt(count * (1 - p) / p) + size


LEAKS = [("leak_by_malloc", 20_000, 1000), ("leak_by_calloc", 300, 100_000),
         ("leak_by_realloc", 3_000, 10_000), ("leak_by_array", 3_000, 10_000),
         ("leak_by_posix_memalign", 3_000, 10_000),
         ("leak_by_strdup", 3_000, 10_000)]
MEAN = 64 * 1024


@test(flags=[(), ("-Xcheck:jni",), ("-Xint",)])
def native_leaks_are_found_by_function_name_with_their_java_callers(t):
    with NativeTarget(t, agent="native=64k") as p, p.client() as ddm:
        for function, count, size in LEAKS:
            p.tell(f"leak {function} {count} {size}")
        p.tell("leak borrow 20000 10000")
        seen = NativeAllocations(ddm.request("NHGT"))
        for function, count, size in LEAKS:
            found, stacks = seen.of(function)
            error = sampling_error(count, size, MEAN)
            assert abs(found - count * size) <= error, (function, found, count * size, error)
            for stack in stacks:
                at = stack.index(function)
                assert stack[at + 1] == "Java_NativeLoad_leak", stack
                assert stack[at + 2] == "NativeLoad.leak(Native Method)", stack
                assert stack[at + 3].startswith("NativeLoad.leakFromJava(NativeLoad.java:"), stack
                assert any(f.startswith("NativeLoad.main(NativeLoad.java:") for f in stack), stack
        assert seen.of("borrow")[0] == 0, "what is freed does not live"
        rows = ddm_json(t, "native", p.pid)["rows"]
        assert rows == sorted(rows, key=lambda row: -row["bytes"])
        for function, count, size in LEAKS:
            shown = [row for row in rows if any(f.get("symbol") == function for f in row["stack"])]
            error = sampling_error(count, size, MEAN)
            assert abs(sum(row["bytes"] for row in shown) - count * size) <= error, (function, shown)
            for row in shown:
                names = [frame.get("symbol", frame.get("method")) for frame in row["stack"]]
                at = names.index(function)
                assert names[at + 1:at + 4] == ["Java_NativeLoad_leak", "leak", "leakFromJava"], names
                assert row["stack"][at]["library"] == LOAD and row["stack"][at + 3]["line"] > 0, row
        told = ddm_tool(t, "native", p.pid)
        assert f" {LEAKS[0][0]}\n    by libnative_load.so Java_NativeLoad_leak\n" in told, told
        ddm_tool(t, "native", p.pid, "-o", t.path("n.collapsed"))
        with open(t.path("n.collapsed"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        for function, _, _ in LEAKS:  # of what the VM itself has, some comes and goes meanwhile
            assert sum(int(line.rsplit(" ", 1)[1]) for line in lines if function in line) == \
                sum(row["bytes"] for row in rows
                    if any(f.get("symbol") == function for f in row["stack"])), function
        assert seen.total > sum(count * size for _, count, size in LEAKS) * 0.9


@test()
def a_library_that_a_library_opens_later_is_sampled_from_its_first_block(t):
    with NativeTarget(t, agent="native=64k") as p, p.client() as ddm:
        p.tell(f"later {LATER} 2000 20000")
        found, stacks = NativeAllocations(ddm.request("NHGT")).of("leak_later")
        assert abs(found - 2000 * 20000) <= sampling_error(2000, 20000, MEAN), found
        assert all("Java_NativeLoad_leakLater" in stack for stack in stacks)


@test()
def direct_buffers_are_native_allocations_with_java_callers(t):
    with NativeTarget(t, agent="native=64k") as p, p.client() as ddm:
        p.tell("direct 100 100000")
        seen = NativeAllocations(ddm.request("NHGT"))
        mine = [(size * count, stack) for size, count, stack in seen.records
                if any("NativeLoad.direct(" in frame for frame in stack)]
        found = sum(size for size, _ in mine)
        # A buffer is a little larger than asked for: it begins on a page, or at a multiple of 8.
        assert abs(found - 100 * 100_000) <= sampling_error(100, 100_000, MEAN) + 100 * 4096, found


@test()
def native_allocations_are_not_sampled_unless_asked_for(t):
    with NativeTarget(t) as p, p.client() as ddm:
        try:
            raise AssertionError(ddm.request("NHGT"))
        except DdmError as failure:
            assert failure.code == 1 and "native=BYTES" in failure.message, failure
        with open(f"/proc/{p.pid}/maps") as f:
            assert "libunwind" not in f.read(), "nothing is opened without native="


@test(flags=[(), ("-Xcheck:jni",)], daily=1, every_days=4)
def sampling_under_threads_that_churn_does_the_program_no_harm(t):
    with NativeTarget(t, agent="native=4k") as p, p.client() as ddm:
        p.say("churn 4 4000")
        for _ in range(15):
            NativeAllocations(ddm.request("NHGT"))
        p.expect("done")
        p.tell("gc")
        seen = NativeAllocations(ddm.request("NHGT"))
        assert seen.of("borrow")[0] == 0 and seen.of("Java_NativeLoad_work")[0] == 0, \
            (seen.of("borrow"), seen.of("Java_NativeLoad_work"))
        p.tell("run true")  # a child of the program


@test()
def sampling_begins_at_a_late_attach(t):
    with NativeTarget(t, agent=None) as p:
        p.attach(AGENT, "native=64k")
        with p.client() as ddm:
            p.tell("leak leak_by_malloc 2000 20000")
            found, stacks = NativeAllocations(ddm.request("NHGT")).of("leak_by_malloc")
            assert abs(found - 2000 * 20000) <= sampling_error(2000, 20000, MEAN), found
            assert all("NativeLoad.leak(Native Method)" in stack for stack in stacks)


@test()
def a_plugin_with_an_allocator_of_its_own_keeps_it(t):
    with NativeTarget(t, agent="native=64") as p, p.client() as ddm:
        p.tell(f"plugin {PLUGIN} 2000")
        time.sleep(0.7)  # the slots are looked at again once they are bound
        p.tell(f"plugin {PLUGIN} 2000")
        NativeAllocations(ddm.request("NHGT"))


@test()
def a_malloc_that_checks_its_blocks_gets_back_its_own(t):
    flags = ["--enable-native-access=ALL-UNNAMED"] if t.jdk.major >= 24 else []
    for options in ("native=1g", "native=64k"):
        done = t.java("NativeLoad", agent=f"address=none,{options}", flags=flags,
                      stdin=f"load {LOAD}\nindex 5\nleak leak_by_strdup 100 100\n",
                      env={"LD_PRELOAD": "libc_malloc_debug.so.0", "MALLOC_CHECK_": "3"})
        lines = done.out.split("\n")
        assert lines[1] == "done" and lines[2].startswith("ns ") and lines[3] == "done", done


@test(gc=("serial", "g1"))
def small_negative_ints_in_registers_do_not_end_a_program_that_is_sampled(t):
    # The heap ends at 4 GiB, so an int of -1 to -7, taken for an address, lies on its last bytes.
    done = t.java("NegativeInts", "25", agent="native=64,address=none",
                  flags=["-Xms300m", "-Xmx300m", "-XX:+AlwaysPreTouch", "-Xbatch",
                         "-XX:-CreateCoredumpOnCrash"])
    assert done.out == "done\n", done


@test()
def native_memory_that_nobody_samples_is_told_with_the_option(t):
    with Target(t, "dump=none,log=error") as p:
        assert "native=512k" in ddm_tool(t, "native", p.pid, code=REFUSED)


@test(every_days=4)
def sampling_goes_on_and_off_while_the_program_runs(t):
    with NativeTarget(t) as p:
        assert "`ddm native PID on`" in ddm_tool(t, "native", p.pid, code=REFUSED)
        assert "were not before" in ddm_tool(t, "native", p.pid, "off")
        for words in ((p.pid,), (p.pid, "off"), ()):
            assert "--interval goes with on" in ddm_tool(t, "native", *words, "--interval", "5", code=USAGE)
        assert "one byte in 64.0 KiB" in ddm_tool(t, "native", p.pid, "on", "--interval", "64k")
        p.tell("leak leak_by_malloc 2000 20000")
        ddm_tool(t, "native", p.pid, "--mark", "one")
        p.tell("leak leak_by_calloc 1000 30000")

        def of(rows, function):
            return sum(row["bytes"] for row in rows if any(f.get("symbol") == function for f in row["stack"]))

        rows = ddm_json(t, "native", p.pid)["rows"]
        assert abs(of(rows, "leak_by_malloc") - 2000 * 20000) <= sampling_error(2000, 20000, MEAN)
        grown = ddm_json(t, "native", p.pid, "--since", "one")["rows"]
        assert abs(of(grown, "leak_by_calloc") - 1000 * 30000) <= sampling_error(1000, 30000, MEAN)
        assert of(grown, "leak_by_malloc") == 0
        told = ddm_tool(t, "native", p.pid, "--since", "one")
        assert "since mark 'one'" in told and "\n+" in told, told
        # Every format has the same sum.
        total = sum(row["bytes"] for row in rows)
        ddm_tool(t, "native", p.pid, "-o", "n.html")
        ddm_tool(t, "native", p.pid, "-o", "n.jsonl")
        ddm_tool(t, "native", p.pid, "-o", "n.pb.gz")
        report = Report(t.path("n.jsonl"))
        assert abs(report.summary["seen_bytes"] - total) <= total / 10
        leaks = [r for r in report.records if any(f["method"] == "leak_by_malloc" for f in r["stack"])]
        assert leaks and all(r["class"] == "malloc" and r["size"] == 20000 for r in leaks)
        assert all(any(f["class"] == "NativeLoad" and f["method"] == "leakFromJava" for f in r["stack"])
                   for r in leaks), leaks[0]
        profile = Profile(t.path("n.pb.gz"))
        assert any("leak_by_malloc" in name for stack, _ in profile.samples for name, _ in stack)
        with open(t.path("n.html"), encoding="utf-8") as f:
            assert "leak_by_malloc" in f.read()
        page = document_of(t, "file://" + t.path("n.html"))
        assert "<title>Native memory of NativeLoad</title>" in page
        facts, cards = page.split('id="facts"')[1].split('id="span"')[0].split('id="cards"')
        assert "engine malloc" in facts and "tracked" not in facts and "not known" not in cards, (facts, cards)
        # How many samples were taken is not told: they come as sums by stack.
        assert "estimated from samples, one every" in facts and report.summary["samples"] is None, facts
        table = re.sub("<[^>]*>", "", page.split('id="toptitle"')[1].split("</table>")[0])
        assert "from NativeLoad.leak " in table, table
        assert 'data-tab="packages"' in page and 'data-tab="threads"' not in page, "blocks are of no thread"
        ddm_tool(t, "native", p.pid, "-o", "n.txt")
        with open(t.path("n.txt"), encoding="utf-8") as f:
            text = f.read()
        assert text.startswith("Native memory of NativeLoad, pid"), "the text names what it is of"
        assert "not known" not in text and "allocations" not in text and "not freed" in text, text[:2000]
        assert "of native memory" in ddm_tool(t, "allocs", t.path("n.jsonl"), code=REFUSED)
        # A saved one has the same stacks, and makes the same reports.
        saved = ddm_json(t, "native", t.path("n.jsonl"))["rows"]
        assert abs(of(saved, "leak_by_malloc") - of(rows, "leak_by_malloc")) <= total / 10, saved[:2]
        assert "leak_by_malloc" in ddm_tool(t, "native", t.path("n.jsonl"))
        ddm_tool(t, "native", t.path("n.jsonl"), "-o", "saved.collapsed")
        with open(t.path("saved.collapsed"), encoding="utf-8") as f:
            assert any("NativeLoad.leakFromJava" in line and "leak_by_malloc" in line for line in f)
        ddm_tool(t, "native", t.path("n.jsonl"), "-o", "saved.txt")
        assert "is a saved report" in ddm_tool(t, "native", t.path("n.jsonl"), "--since", "one", code=USAGE)
        # A difference says so, and has what shrank.
        ddm_tool(t, "native", p.pid, "--mark", "two")
        p.tell("leak free_kept 600 0")
        p.tell("leak leak_by_malloc 500 20000")
        # However much has grown, what has shrunk most is shown, and all of it in 80 columns.
        told = ddm_tool(t, "native", p.pid, "--since", "two", "--top", "1")
        assert "\n+" in told and "\n-" in told and told.count(" blocks\n") == 2, told
        for words in (("--since", "two"), ("--top", "100")):
            lines, _ = shown_on_terminal(t, "native", p.pid, *words)
            assert len(lines) > 10 and max(map(len, lines)) <= 80, "\n".join(lines)
        for name in ("d.html", "d.txt", "d.jsonl"):
            assert "difference written" in ddm_tool(t, "native", p.pid, "--since", "two", "-o", name)
        assert ".html, .txt or .jsonl" in ddm_tool(t, "native", p.pid, "--since", "two", "-o", "d.pb.gz", code=USAGE)
        with open(t.path("d.txt"), encoding="utf-8") as f:
            assert "since mark 'two'" in (text := f.read()) and "\n+" in text and "\n-" in text, text
        with open(t.path("d.jsonl"), encoding="utf-8") as f:
            head, *changes = [json.loads(line) for line in f]
        assert head["type"] == "difference" and head["bytes"] == sum(c["bytes"] for c in changes), head
        assert of(changes, "leak_by_calloc") < 0, changes
        page = document_of(t, "file://" + t.path("d.html"))
        assert "<title>Changes of native memory in NativeLoad</title>" in page
        cards = page.split('id="cards"')[1].split('id="empty"')[0]
        assert "Shrunk" in cards and "block" in cards and "allocation" not in cards, cards
        rows = ddm_json(t, "native", p.pid)["rows"]
        assert ".dhat.json" in ddm_tool(t, "native", p.pid, "-o", "n.dhat.json", code=USAGE)
        assert "not sampled any more" in ddm_tool(t, "native", p.pid, "off")
        p.tell("leak leak_by_calloc 1000 30000")
        after = ddm_json(t, "native", p.pid)["rows"]
        assert of(after, "leak_by_calloc") == of(rows, "leak_by_calloc")
        for name in ("off.hprof.txt", "off.collapsed", "off.txt"):  # estimates still, and said to be
            ddm_tool(t, "native", p.pid, "-o", t.path(name))
            with open(t.path(name), encoding="utf-8") as f:
                text = f.read().replace("_", " ")
            assert "one sample every 64.0 KiB" in text and "live=y" not in text, (name, text[:2000])
        ddm_tool(t, "native", p.pid, "on", "--interval", "64k")
        assert "off and on again" in ddm_tool(t, "native", p.pid, "--since", "one", code=REFUSED)
        assert of(ddm_json(t, "native", p.pid)["rows"], "leak_by_malloc") == 0
        p.attach(AGENT, "native=0")
        assert "not sampled" not in "".join(p.process.said.lines())
        assert ddm_tool(t, "native", p.pid, "off")


@test(every_days=4)
def threads_churn_while_sampling_goes_on_and_off(t):
    with NativeTarget(t) as p:
        p.say("churn 4 4000")
        for _ in range(6):
            assert ddm_json(t, "native", p.pid, "on", "--interval", "4k") == {"on": True, "interval": 4096}
            ddm_json(t, "native", p.pid)
            ddm_tool(t, "native", p.pid, "off")
        p.expect("done")
        p.tell("run true")
