"""Heap maps as they come over the wire, read strictly, and the oracle that they are compared with."""
import json
import os
import struct
from collections import Counter

from ddm_client import Client, address_of, chunk
from harness import PRESET, ROOT

ORACLE = os.path.join(ROOT, "build", PRESET, "lib", "libheap_oracle.so")

KINDS = ("object", "class", "array1", "array2", "array4", "array8", "unknown", "native")
FREE, HARD = 0, 1
SLICE = 1 << 32
MERGED, OBJECTS = 0, 1
NOW = 2


class Segment:
    def __init__(self, data, strict):
        self.heap, self.unit, self.start, self.offset, self.units = struct.unpack(">IBIII", data[:17])
        pairs = data[17:]
        assert len(pairs) % 2 == 0 and self.offset == 0 and self.unit in (8, 16, 32, 64)
        self.states, self.lengths = pairs[0::2], pairs[1::2]
        assert sum(self.lengths) + len(self.lengths) == self.units, "units are not those of the runs"
        assert not self.states[-1] & 0x80, "a segment ends within an object"
        if strict:
            before = 0
            for state, length in zip(self.states, self.lengths):
                assert not state & 0x40, "the unused bit"
                if before & 0x80:
                    assert state & 0x7f == before & 0x7f, "an object goes on as another kind"
                if state & 0x80:
                    assert length == 255, "a part of an object that is not full"
                before = state

    def position(self):
        return (self.heap - 1) * SLICE + self.start

    def end(self):
        return self.position() + self.units * self.unit


class HeapMap:
    """`events`: everything from HPST to HPEN."""

    def __init__(self, events, kind, strict=True):
        assert events[0] == ("HPST", struct.pack(">I", 1)), events[0]
        assert events[-1] == ("HPEN", struct.pack(">I", 1)), events[-1]
        assert all(name == kind for name, _ in events[1:-1]), {name for name, _ in events}
        self.wire_bytes = sum(len(data) for _, data in events)
        self.segments = [Segment(data, strict) for _, data in events[1:-1]]
        for a, b in zip(self.segments, self.segments[1:]):
            assert a.end() <= b.position(), "addresses do not ascend"
            assert a.heap <= b.heap
        self.bytes = sum(s.units * s.unit for s in self.segments)
        pairs = Counter()
        for s in self.segments:
            for (state, length), count in Counter(zip(s.states, s.lengths)).items():
                pairs[state, length, s.unit] += count
        self.objects, self.kind_bytes, self.free = Counter(), Counter(), 0
        for (state, length, unit), count in pairs.items():
            solidity, name = state & 7, KINDS[state >> 3 & 7]
            size = (length + 1) * unit * count
            if solidity == FREE:
                assert state & 0x7f == 0
                self.free += size
                continue
            self.kind_bytes[name] += size
            if not state & 0x80:
                self.objects[name] += count


def map_of(events, strict=True):
    """The first whole map among the events, and what is left of them."""
    names = [name for name, _ in events]
    begin, end = names.index("HPST"), names.index("HPEN")
    return HeapMap(events[begin:end + 1], names[begin + 1], strict)


def draw(ddm, what=OBJECTS, strict=True):
    """One map, now."""
    ddm.take_events()
    assert ddm.request("HPSG", bytes([NOW, what])) == b""
    events = [e for e in ddm.take_events() if e[0] in ("HPST", "HPSG", "HPSO", "HPEN")]
    return HeapMap(events, "HPSO" if what == OBJECTS else "HPSG", strict)


class Shape:
    """A running HeapShape with the oracle; `with Shape(t, 100_000) as p`."""

    def __init__(self, t, objects, flags=(), agent="", small=False):
        self.t = t
        self.process = t.popen("HeapShape", str(objects), *(["small"] if small else []), agent=agent,
                               flags=[f"-agentpath:{ORACLE}", *flags])
        self.address = address_of(self.process)
        line = self.process.stdout.readline()
        assert line == "ready\n", (line, self.stderr())

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        try:
            self.process.communicate(timeout=20)
        except Exception:
            self.process.kill()
            self.process.wait()
            raise
        if failure == (None, None, None):
            assert self.process.returncode == 0, self.process.returncode

    def stderr(self):
        return "".join(self.process.said.lines())

    def client(self, **options):
        return Client(self.address, **options)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def collect(self):
        assert self.ask("gc") == "done"

    def count(self):
        """{kind: (objects, bytes)} by JVMTI."""
        return {kind: tuple(pair) for kind, pair in json.loads(self.ask("count")).items()}


__all__ = ["HARD", "HeapMap", "KINDS", "MERGED", "NOW", "OBJECTS", "ORACLE", "Shape", "chunk",
           "draw", "map_of"]
