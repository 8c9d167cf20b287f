"""The native heap over DDM: NHSG, the map of malloc's blocks, and NHGT, sampled allocations."""
import os
import struct

from ddm_client import DdmError, Reader, Target
from harness import ROOT, PRESET, test

LIBRARIES = os.path.join(ROOT, "build", PRESET, "lib")
LOAD = os.path.join(LIBRARIES, "libnative_load.so")
LATER = os.path.join(LIBRARIES, "libnative_later.so")

FREE, USED = 0x00, 0x39


class NativeTarget(Target):
    def __init__(self, t, **options):
        flags = ["--enable-native-access=ALL-UNNAMED"] if t.jdk.major >= 24 else []
        super().__init__(t, program=("NativeLoad",), flags=flags, **options)
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


@test(flags=[(), ("-Xcheck:jni",)])
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


@test()
def native_maps_follow_collections_until_switched_off(t):
    with NativeTarget(t) as p, p.client() as ddm:
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


@test()
def native_maps_of_a_program_with_busy_threads_do_it_no_harm(t):
    with NativeTarget(t) as p, p.client() as ddm:
        p.say("churn 4 3000")
        for _ in range(20):
            assert ddm.request("NHSG", b"\2\0") == b""
            assert NativeMap(ddm).bytes[USED] > 1_000_000
        p.expect("done")
        before = p.totals()
        ddm.request("NHSG", b"\2\0")
        check_totals(NativeMap(ddm), before, p.totals())
