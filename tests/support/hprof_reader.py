"""Readers of hprof's two formats, written from their layouts alone."""
import mmap
import re
import struct

PRIMITIVES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}


class Site:
    def __init__(self, kind, stack, live, made, trace):
        self.kind, self.stack, self.trace = kind, stack, trace
        self.live_bytes, self.live_count = live
        self.bytes, self.count = made


def made_at(sites, kind, method):
    """(count, bytes) of what was made of a class by a method of class Sites, anywhere below it for "*"."""
    found = [s for s in sites if s.kind == kind and
             (s.stack[:1] and s.stack[0].endswith("." + method) or method == "*") and
             any(f.startswith("Sites") for f in s.stack)]
    return sum(s.count for s in found), sum(s.bytes for s in found)


def alive_at(sites, kind, method):
    found = [s for s in sites if s.kind == kind and s.stack[:1] == ["Sites." + method]]
    return sum(s.live_count for s in found), sum(s.live_bytes for s in found)


class HprofText:
    """dumps: one list of sites a dump; stacks as "class.method", places beside them in frames."""

    ROW = re.compile(r" *(\d+) +([\d.]+)% +([\d.]+)% +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) (\S.*)")
    FRAME = re.compile(r"\t(\S+)\((.+):(\d+|Native method|Unknown line|Compiled method)\)")
    START = re.compile(r'THREAD START \(obj=[0-9a-f]+, id = (\d+), name="(.*)", group="(.*)"\)')

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            lines = f.read().split("\n")
        assert re.fullmatch(r"JAVA PROFILE 1\.0\.1, created \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}", lines[0]), lines[0]
        body = iter(lines[lines.index("--------") + 1:])
        self.frames, self.dumps, self.orders, self.threads, self.ended = {}, [], [], {}, []
        self.heaps, self.heap_traces, self.thread_of = [], [], {}
        self.samples, self.times, self.monitors, self.callers, self.monitor_dumps = [], [], [], [], []
        for line in body:
            if match := re.fullmatch(r"TRACE (\d+):(?: \(thread=(\d+)\))?", line):
                trace = int(match[1])
                self.thread_of[trace] = int(match[2] or 0)
                assert trace not in self.frames, "a trace twice"
                self.frames[trace] = []
            elif line == "\t<empty>":
                assert self.frames[trace] == []
            elif line.startswith("\t"):
                match = self.FRAME.fullmatch(line)
                assert match, line
                self.frames[trace].append((match[1], match[2], match[3]))
            elif match := self.START.fullmatch(line):
                self.threads[int(match[1])] = (match[2], match[3])
            elif match := re.fullmatch(r"THREAD END \(id = (\d+)\)", line):
                self.ended.append(int(match[1]))
            elif match := re.fullmatch(r"SITES BEGIN \(ordered by (live|allocated) bytes\) .*", line):
                self.orders.append(match[1])
                self.dumps.append(list(self.sites(body)))
            elif match := re.fullmatch(r"CPU SAMPLES BEGIN \(total = (\d+)\) .*", line):
                self.samples.append((int(match[1]), self.costs(body, "method", "CPU SAMPLES END")))
            elif match := re.fullmatch(r"CPU TIME \(ms\) BEGIN \(total = (\d+)\) .*", line):
                self.times.append((int(match[1]), self.costs(body, "method", "CPU TIME (ms) END")))
            elif match := re.fullmatch(r"MONITOR TIME BEGIN \(total = (\d+) ms\) .*", line):
                self.monitors.append((int(match[1]), self.costs(body, "monitor", "MONITOR TIME END")))
            elif line == "MONITOR DUMP BEGIN":
                self.monitor_dumps.append(self.monitor_dump(body))
            elif line == "count callee caller time":
                self.callers.append([])
            elif self.callers and (match := re.fullmatch(r"(\d+) (\S+) (<unknown caller>|\S+) (\d+)", line)):
                self.callers[-1].append((int(match[1]), match[2], match[3], int(match[4])))
            elif match := re.fullmatch(r"HEAP DUMP BEGIN \((\d+) objects, (\d+) bytes\) .*", line):
                self.heaps.append(self.heap(body))
                counted = len(self.heaps[-1]), sum(size for _, size, _ in self.heaps[-1].values())
                assert counted == (int(match[1]), int(match[2])), (counted, line)
            else:
                assert line == "", line

    COST = re.compile(r" *(\d+) +([\d.]+)% +([\d.]+)% +(\d+) +(\d+) (\S.*)")

    def costs(self, body, column, end):
        """[(share in percent, count, stack, name)]"""
        rows, share = [], 0
        for line in body:
            if line == end:
                return rows
            if not rows and line.split() == ["rank", "self", "accum", "count", "trace", column]:
                continue
            match = self.COST.fullmatch(line)
            assert match and int(match[1]) == len(rows) + 1, line
            share += float(match[2])
            assert abs(share - float(match[3])) < 0.01 * (len(rows) + 2), line
            stack = [f[0] for f in self.frames[int(match[5])]]
            if column == "method":
                assert match[6] == (stack[0] if stack else "<empty trace>"), line
            rows.append((float(match[2]), int(match[4]), stack, match[6]))
        raise AssertionError("no " + end)

    def monitor_dump(self, body):
        """({thread: (stack, status)}, [(class, owner, entry count, [waiting], [to be notified])])"""
        threads, monitors = {}, []
        for line in body:
            if line == "MONITOR DUMP END":
                return threads, [tuple(m) for m in monitors]
            if match := re.fullmatch(r" {4}THREAD (\d+), trace (\d+), status: (\S+)", line):
                threads[int(match[1])] = [f[0] for f in self.frames[int(match[2])]], match[3]
            elif match := re.fullmatch(r" {4}MONITOR (\S.*)", line):
                monitors.append([match[1], None, 0, [], []])
            elif match := re.fullmatch(r"\towner: thread (\d+), entry count: (\d+)", line):
                monitors[-1][1:3] = int(match[1]), int(match[2])
            elif line == "\tunowned":
                pass
            elif match := re.fullmatch(r"\twaiting to (enter|be notified):((?: thread \d+,?)+)", line):
                monitors[-1][3 if match[1] == "enter" else 4] = [int(n) for n in re.findall(r"\d+", match[2])]
            else:
                raise AssertionError(line)
        raise AssertionError("no MONITOR DUMP END")

    OBJECT = re.compile(r"OBJ ([0-9a-f]+) \(sz=(\d+), trace=(\d+), class=(\S.*)@([0-9a-f]+)\)")
    ARRAY = re.compile(r"ARR ([0-9a-f]+) \(sz=(\d+), trace=(\d+), nelems=(\d+), elem type=([^@]+)(@[0-9a-f]+)?\)")
    CLASS = re.compile(r"CLS ([0-9a-f]+) \(name=(.*), trace=(\d+)\)")

    def heap(self, body):
        """{id: (class, size, [ids that it refers to])}; {id: trace} goes to heap_traces."""
        objects, classes, named, refers = {}, {}, [], None
        traces = {}
        self.heap_traces.append(traces)
        for line in body:
            if match := self.OBJECT.fullmatch(line):
                refers = []
                objects[match[1]] = (match[4], int(match[2]), refers)
                traces[match[1]] = int(match[3])
                named.append((match[5], match[4]))
            elif match := self.ARRAY.fullmatch(line):
                refers = []
                objects[match[1]] = (match[5] + "[]", int(match[2]), refers)
                traces[match[1]] = int(match[3])
            elif match := self.CLASS.fullmatch(line):
                refers = []
                classes[match[1]] = match[2]
            elif match := re.fullmatch(r"\t(.*)\t([0-9a-f]+)", line):
                refers.append(match[2])
            elif line == "HEAP DUMP END":
                assert all(classes[id] == name for id, name in named)
                assert set(traces.values()) <= set(self.frames), "a trace that was not told of"
                return objects
            else:
                assert re.fullmatch(r"ROOT [0-9a-f]+ \(kind=<[^>]+>.*\)", line), line
        raise AssertionError("no HEAP DUMP END")

    def sites(self, body):
        assert next(body).split() == "percent live alloc'ed stack class".split()
        assert next(body).split() == "rank self accum bytes objs bytes objs trace name".split()
        for rank, line in enumerate(body, 1):
            if line == "SITES END":
                return
            match = self.ROW.fullmatch(line)
            assert match and int(match[1]) == rank, line
            live_bytes, live_count, size, count, trace = (int(match[i]) for i in range(4, 9))
            yield Site(match[9], [f[0] for f in self.frames[trace]], (live_bytes, live_count), (size, count), trace)
        raise AssertionError("no SITES END")


def type_name(internal):
    dimensions = len(internal) - len(internal.lstrip("["))
    name = internal[dimensions:]
    if dimensions:
        name = dict(Z="boolean", C="char", F="float", D="double", B="byte", S="short", I="int",
                    J="long").get(name) or name[1:-1]
    return name.replace("/", ".") + "[]" * dimensions


class HprofBinary:
    """Feed it bytes; what a record refers to must have come before it. records: (tag, body)."""

    HEADER = 31

    def __init__(self, data=b""):
        self.buffer, self.header = b"", None
        self.texts, self.types, self.frames, self.traces = {0: ""}, {}, {}, {}
        self.dumps, self.records, self.summaries, self.settings, self.flags = [], [], [], [], []
        self.totals, self.thread_of, self.samples = [], {}, []
        self.feed(data)

    def feed(self, data):
        self.buffer += data
        if self.header is None:
            if len(self.buffer) < self.HEADER:
                return
            self.header, self.buffer = self.buffer[:self.HEADER], self.buffer[self.HEADER:]
            assert self.header[:19] == b"JAVA PROFILE 1.0.2\0", self.header
            assert struct.unpack(">I", self.header[19:23]) == (8,)
        at = 0
        while len(self.buffer) >= at + 9:
            tag, _, length = struct.unpack_from(">BII", self.buffer, at)
            if len(self.buffer) < at + 9 + length:
                break
            self.records.append((tag, length))
            self.record(tag, self.buffer[at + 9:at + 9 + length])
            at += 9 + length
        self.buffer = self.buffer[at:]

    def record(self, tag, body):
        if tag == 0x01:
            self.texts[struct.unpack(">Q", body[:8])[0]] = body[8:].decode(errors="replace")
        elif tag == 0x02:
            serial, _, trace, name = struct.unpack(">IQIQ", body)
            assert trace in self.traces or trace in (0, 1), trace
            self.types[serial] = type_name(self.texts[name])
        elif tag == 0x04:
            frame, method, _, source, serial, line = struct.unpack(">QQQQIi", body)
            assert line > 0 or line in (0, -1, -2, -3)
            self.frames[frame] = (f"{self.types[serial]}.{self.texts[method]}", self.texts[source], line)
        elif tag == 0x05:
            serial, thread, n = struct.unpack(">III", body[:12])
            self.thread_of[serial] = thread
            assert serial not in self.traces or serial < 100000, "a trace twice"  # below: the VM's own
            self.traces[serial] = [self.frames[f] for f in struct.unpack(f">{n}Q", body[12:])]
        elif tag == 0x06:
            flags, cutoff, live_bytes, live, size, count, n = struct.unpack(">HfIIQQI", body[:34])
            assert len(body) == 34 + 25 * n
            self.flags.append((flags, cutoff))
            self.totals.append((count, size))
            sites = []
            for at in range(34, len(body), 25):
                array, serial, trace, *figures = struct.unpack(">BIIIIII", body[at:at + 25])
                kind = self.types[serial]
                element = kind[:-2] if kind.endswith("[]") else None
                assert PRIMITIVES.get(array, {0: None, 2: element}.get(array)) == element, (kind, array)
                sites.append(Site(kind, [f[0] for f in self.traces[trace]], figures[0:2], figures[2:4], trace))
            self.dumps.append(sites)
        elif tag == 0x07:
            self.summaries.append(struct.unpack(">IIQQ", body))
        elif tag == 0x0D:
            total, n = struct.unpack(">II", body[:8])
            pairs = list(struct.iter_unpack(">II", body[8:]))
            assert len(pairs) == n
            self.samples.append((total, [(count, [f[0] for f in self.traces[trace]]) for count, trace in pairs]))
        elif tag == 0x0E:
            self.settings.append(struct.unpack(">IH", body))

    def count(self, tag):
        return sum(1 for t, _ in self.records if t == tag)


class HprofHeap:
    """A heap dump: objects {id: (class, stack trace serial, elements)}, stacks {serial: [(method, file, line)]},
    threads {serial of the stack: the thread's name}, and what roots there are. `stream`: one that hprof's other
    records stand around. It is held to what AHAT, the strictest of readers, takes for granted: each class is told
    of once, before the first object, and has its CLASS DUMP; unless it is `plain`, as the VM has written it. `told_before`: the stream has named classes before the dump."""

    SIZES = {2: 8, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
    ROOTS = {0xFF: 0, 0x01: 8, 0x02: 8, 0x03: 8, 0x04: 4, 0x05: 0, 0x06: 4, 0x07: 0, 0x08: 8}

    def __init__(self, path, keep=True, stream=False, plain=False, told_before=False):
        self.texts, self.types, self.names, frames = {0: ""}, {}, {}, {}
        self.stacks, self.thread_of, self.objects, self.count, self.bytes = {}, {}, {}, 0, 0
        self.roots, self.thread_roots, self.complete, self.keep = {}, {}, False, keep
        self.class_dumps, self.used_classes, self.plain = set(), set(), plain
        with open(path, "rb") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as data:
            assert data[:19] == b"JAVA PROFILE 1.0.2\0" and data[19:23] == b"\0\0\0\x08", data[:31]
            self.size, at = len(data), 31
            while at < len(data):
                tag, _, length = struct.unpack_from(">BII", data, at)
                at += 9
                end = at + length
                assert end <= len(data), "the file is cut off"
                assert not self.complete or tag != 0x1C, "objects behind the end"
                if tag == 0x01:
                    text, = struct.unpack_from(">Q", data, at)
                    assert text not in self.texts, "a text twice"
                    self.texts[text] = data[at + 8:end].decode(errors="replace")
                elif tag == 0x02:
                    serial, object, trace, name = struct.unpack_from(">IQIQ", data, at)
                    assert serial not in self.types and (plain or object not in self.names), "a class twice"
                    assert plain or not self.class_dumps, "a class behind the objects"
                    self.types[serial] = self.names[object] = type_name(self.texts[name])
                elif tag == 0x04:
                    frame, method, _, source, serial, line = struct.unpack_from(">QQQQIi", data, at)
                    assert frame not in frames, "a frame twice"
                    frames[frame] = (f"{self.types[serial]}.{self.texts[method]}", self.texts[source], line)
                elif tag == 0x05:
                    serial, thread, n = struct.unpack_from(">III", data, at)
                    assert serial not in self.stacks and length == 12 + 8 * n, "a trace twice"
                    self.thread_of[serial] = thread
                    self.stacks[serial] = [frames[f] for f in struct.unpack_from(f">{n}Q", data, at + 12)]
                elif tag == 0x1C:
                    self.segment(data, at, end)
                elif tag == 0x2C:
                    assert length == 0
                    self.complete = True
                else:
                    assert stream and tag in (0x06, 0x07, 0x0A, 0x0B, 0x0D, 0x0E), tag
                at = end
        assert self.complete, "no end"
        if plain:
            return
        assert self.class_dumps == self.names.keys(), {
            self.names.get(id) for id in self.class_dumps ^ self.names.keys()}
        assert self.used_classes <= self.class_dumps
        # What the dump has no address for is no class that it has.
        invented = [name for id, name in self.names.items() if id < 1 << 20]
        assert told_before or not set(invented) & {name for id, name in self.names.items() if id >= 1 << 20}, invented

    def segment(self, data, at, end):
        unpack = struct.unpack_from
        while at < end:
            tag = data[at]
            at += 1
            if tag == 0x21:
                id, trace, of, n = unpack(">QIQI", data, at)
                at += 24 + n
                self.object(id, of, trace, n)
            elif tag == 0x22:
                id, trace, n, of = unpack(">QIIQ", data, at)
                at += 24 + 8 * n
                self.object(id, of, trace, n)
            elif tag == 0x23:
                id, trace, n, element = unpack(">QIIB", data, at)
                at += 17 + self.SIZES[element] * n
                self.object(id, PRIMITIVES[element] + "[]", trace, n)
            elif tag == 0x20:
                id, trace, above = unpack(">QIQ", data, at)
                assert id in self.names and trace in self.stacks, id
                assert self.plain or id not in self.class_dumps, "a class dumped twice"
                self.class_dumps.add(id)
                self.used_classes.update({above} - {0})
                at += 8 + 4 + 6 * 8 + 4
                for skipped in (2, 8):
                    n, = unpack(">H", data, at)
                    at += 2
                    for _ in range(n):
                        at += skipped + 1 + self.SIZES[data[at + skipped]]
                at += 2 + 9 * unpack(">H", data, at)[0]
            else:
                id, = unpack(">Q", data, at)
                self.roots[tag] = self.roots.get(tag, 0) + 1
                if tag == 0x05:
                    self.used_classes.add(id)
                if tag == 0x08:
                    thread, trace = unpack(">II", data, at + 8)
                    self.thread_roots[thread] = trace
                at += 8 + self.ROOTS[tag]
        assert at == end, "a segment ends in the middle of an object"

    def object(self, id, of, trace, n):
        self.count += 1
        assert trace in self.stacks, trace
        if self.keep:
            assert id not in self.objects, "an object twice"
            self.objects[id] = (self.names[of] if isinstance(of, int) else of, trace, n)
        if isinstance(of, int):
            self.used_classes.add(of)

    def sites(self):
        """{(class, (methods of the stack)): objects}, without those that have no stack."""
        counts = {}
        for kind, trace, _ in self.objects.values():
            if self.stacks[trace]:
                key = kind, tuple(frame[0] for frame in self.stacks[trace])
                counts[key] = counts.get(key, 0) + 1
        return counts
