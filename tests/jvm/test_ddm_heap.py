"""The heap over DDM: HPIF, HPGC, HPDU, HPDS."""
import glob
import os
import stat
import struct
import time

from ddm_client import DdmError, Target, chunk, read_heap_info, text
from harness import test

YOUNG, SURVIVOR, OLD, METASPACE, CLASS_SPACE = 101, 102, 103, 111, 112
CODE = ["CodeCache", "non-nmethods", "profiled_nmethods", "non-profiled_nmethods"]


def usage(p):
    """{name: (max, committed, used)} as java.lang.management and java.lang.Runtime have it."""
    result = {}
    for part in p.ask("usage").removeprefix("usage ").split(" | "):
        name, *figures = part.split()
        result[name] = tuple(max(int(f), 0) for f in figures)
    return result


def kind_of(pool):
    if "Code" in pool:
        return CODE.index(pool.strip("'").rpartition("'")[2]) + 121
    if "Class_Space" in pool:
        return CLASS_SPACE
    if "Metaspace" in pool:
        return METASPACE
    if "Survivor" in pool:
        return SURVIVOR
    return YOUNG if "Eden" in pool or "Young" in pool else OLD


def between(low, value, high):
    return min(low, high) <= value <= max(low, high)


@test(gc="all")
def heap_info_now_equals_what_the_program_is_told(t):
    with Target(t, flags=["-Xmx128m", "-Xms128m"]) as p, p.client() as ddm:
        ddm.heap_info()
        usage(p)
        before = usage(p)
        now = time.time()
        heaps = ddm.heap_info()
        after = usage(p)
        heap = heaps[1]
        assert heap.reason == 1 and abs(heap.time_ms / 1000 - now) < 10
        assert heap.max == before["heap"][0], (heap.max, before)
        assert between(before["heap"][1], heap.committed, after["heap"][1])
        assert between(before["heap"][2], heap.used, after["heap"][2]), \
            (before["heap"], heap.used, after["heap"])
        pools = [name for name in before if name != "heap"]
        assert len(heaps) == 1 + len(pools), (sorted(heaps), pools)
        for name in pools:
            number = kind_of(name)
            pool = heaps[number]
            assert pool.max == min(before[name][0], 2**31 - 1), name
            assert between(before[name][1], pool.committed, after[name][1]), name
            slack = 1 << 20 if number >= METASPACE else 0  # the VM compiles and loads as it likes
            assert min(before[name][2], after[name][2]) - slack <= pool.used <= \
                max(before[name][2], after[name][2]) + slack, (name, before[name], pool.used)


@test(gc="all")
def heap_info_knows_what_is_used_before_the_first_collection(t):
    with Target(t, flags=["-Xmx256m", "-Xms256m"]) as p, p.client() as ddm:
        assert ddm.heap_info()[1].used > 100 << 10
        p.tell("marks 300000")  # small ones: no region of their own under G1
        assert p.ask("collections") == "0"
        used = ddm.heap_info()[1].used
        assert 4 << 20 <= used < 64 << 20, used


@test()
def heap_info_follows_what_the_program_keeps(t):
    with Target(t, flags=["-Xmx256m"]) as p, p.client() as ddm:
        p.tell("gc")
        low = ddm.heap_info()[1].used
        p.tell("keepbytes 50")
        high = ddm.heap_info()[1].used
        assert 49 << 20 < high - low < 60 << 20, (low, high)


@test(flags=[("-Xmx3g",)])
def figures_of_more_than_2_gib_are_cut(t):
    with Target(t) as p, p.client() as ddm:
        assert ddm.heap_info()[1].max == 2**31 - 1


@test()
def heap_info_never_next_and_every_answer_without_heaps(t):
    with Target(t) as p, p.client() as ddm:
        for when in (0, 2, 3, 0):
            assert ddm.heap_info(when) == {}


@test(gc="all")
def heap_info_at_the_next_collection_comes_once(t):
    with Target(t, flags=["-Xms128m", "-Xmx128m"]) as p, p.client() as ddm:
        ddm.heap_info(2)
        time.sleep(0.3)
        assert not ddm.take_events(), "before a collection"
        p.tell("gc")
        heaps = read_heap_info(ddm.next_event("HPIF")[1])
        assert heaps[1].reason == 2 and heaps[1].max > 0
        p.tell("gc")
        time.sleep(0.3)
        assert not ddm.take_events(), "only the next one was asked for"


@test(gc="all")
def heap_info_at_every_collection_comes_until_never(t):
    with Target(t, flags=["-Xmx128m"]) as p, p.client() as ddm:
        ddm.heap_info(3)
        for _ in range(5):
            time.sleep(0.2)  # the pauses of a cycle before
            ddm.take_events()
            p.tell("gc")
            heaps = read_heap_info(ddm.next_event("HPIF")[1])
            assert heaps[1].reason == 3 and heaps[1].used > 0
        ddm.heap_info(0)
        time.sleep(0.3)
        ddm.take_events()
        p.tell("gc")
        time.sleep(0.3)
        assert not ddm.take_events()


@test()
def a_collection_asked_for_right_after_its_figures_brings_them(t):
    with Target(t, flags=["-Xmx64m", "-XX:+UseSerialGC"]) as p, p.client() as ddm, \
            p.client() as other:
        for _ in range(30):
            # No server waits for the first answer; another one keeps the agent's threads busy.
            for _ in range(5):
                other.send_raw(chunk("THST"))
            asked = [ddm.send_raw(chunk("HPIF", b"\2")), ddm.send_raw(chunk("HPGC"))]
            assert read_heap_info(ddm.next_event("HPIF")[1])[1].reason == 2
            for number in asked:
                assert ddm.wait_reply(number)[0] == 0


@test()
def heap_info_after_a_collection_shows_what_it_left(t):
    with Target(t, flags=["-Xmx256m", "-XX:+UseSerialGC"]) as p, p.client() as ddm:
        p.tell("keepbytes 60")
        p.tell("forget")
        assert ddm.heap_info()[1].used > 60 << 20
        ddm.heap_info(3)
        p.tell("gc")
        assert read_heap_info(ddm.next_event("HPIF")[1])[1].used < 10 << 20


@test()
def heap_info_modes_belong_to_the_connection(t):
    with Target(t) as p, p.client() as other:
        with p.client() as ddm:
            ddm.heap_info(3)
            p.tell("gc")
            ddm.next_event("HPIF")
            assert not other.take_events()
        with p.client() as ddm:
            p.tell("gc")
            time.sleep(0.3)
            assert not ddm.take_events(), "a mode outlived its connection"


@test(gc="all")
def collect_garbage_collects_before_it_answers(t):
    with Target(t, flags=["-Xmx256m"]) as p, p.client() as ddm:
        p.tell("keepbytes 60")
        p.tell("forget")
        before = int(p.ask("collections"))
        assert ddm.request("HPGC") == b""
        assert ddm.heap_info()[1].used < 40 << 20
        assert int(p.ask("collections")) > before


@test(flags=[("-XX:+DisableExplicitGC",)])
def collect_garbage_works_where_system_gc_does_not(t):
    with Target(t) as p, p.client() as ddm:
        before = int(p.ask("collections"))
        ddm.request("HPGC")
        assert int(p.ask("collections")) > before


# Dumps

class Hprof:
    """Counts instances by class in an hprof file, after hprof's own documentation."""

    BASIC = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}

    def __init__(self, data):
        head, _, rest = data.partition(b"\0")
        assert head.startswith(b"JAVA PROFILE 1.0."), head
        self.id_size = struct.unpack(">I", rest[:4])[0]
        self.data, self.at = data, len(head) + 1 + 4 + 8
        self.names, self.classes, self.instances, self.complete = {}, {}, {}, False
        while self.at < len(data):
            tag, _, length = struct.unpack(">BII", data[self.at:self.at + 9])
            self.at += 9
            end = self.at + length
            assert end <= len(data), "the file is cut off"
            if tag == 0x01:
                name = self.id()
                self.names[name] = data[self.at:end].decode(errors="replace")
            elif tag == 0x02:
                self.at += 4
                number = self.id()
                self.at += 4
                self.classes[number] = self.names[self.id()]
            elif tag in (0x0C, 0x1C):
                self.segment(end)
            elif tag == 0x2C:
                self.complete = True
            self.at = end
        self.by_class = {}
        for number, count in self.instances.items():
            self.by_class[self.classes[number]] = count

    def number(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "big")

    def id(self):
        return self.number(self.id_size)

    def skip(self, size):
        self.at += size

    def skip_value(self):
        kind = self.number(1)
        self.skip(self.value_size(kind))

    def value_size(self, kind):
        return self.id_size if kind == 2 else self.BASIC[kind]

    def segment(self, end):
        roots = {0xFF: 0, 0x01: self.id_size, 0x02: 8, 0x03: 8, 0x04: 4, 0x05: 0, 0x06: 4,
                 0x07: 0, 0x08: 8}
        while self.at < end:
            tag = self.number(1)
            if tag in roots:
                self.at += self.id_size + roots[tag]
            elif tag == 0x20:
                self.at += self.id_size + 4 + 6 * self.id_size + 4
                for _ in range(self.number(2)):
                    self.skip(2)
                    self.skip_value()
                for _ in range(self.number(2)):
                    self.skip(self.id_size)
                    self.skip_value()
                fields = self.number(2)
                self.skip(fields * (self.id_size + 1))
            elif tag == 0x21:
                self.at += self.id_size + 4
                kind = self.id()
                self.instances[kind] = self.instances.get(kind, 0) + 1
                size = self.number(4)
                self.skip(size)
            elif tag == 0x22:
                self.at += self.id_size + 4
                count = self.number(4)
                self.at += self.id_size * (count + 1)
            elif tag == 0x23:
                self.at += self.id_size + 4
                count = self.number(4)
                kind = self.number(1)
                self.skip(count * self.value_size(kind))
            else:
                raise AssertionError(f"tag {tag:#x} in a heap dump segment")
        assert self.at == end


def left_behind(directory):
    return [n for n in os.listdir(directory) if "ddmagent" in n]


@test(gc="all")
def a_streamed_heap_dump_holds_the_living_objects(t):
    with Target(t, flags=["-Xmx256m"]) as p, p.client(timeout=90) as ddm:
        p.tell("marks 1000")
        p.tell("keep 1234")
        dump = Hprof(ddm.request("HPDS"))
        assert dump.complete
        assert dump.by_class["DdmTarget$Kept"] == 1234
        assert dump.by_class.get("DdmTarget$Mark", 0) <= 1, "garbage does not live"
        assert ddm.hello().pid == p.pid


@test()
def a_streamed_heap_dump_leaves_no_file_behind(t):
    os.mkdir(t.path("tmp"))
    env = dict(os.environ, TMPDIR=t.path("tmp"))
    process = t.popen("DdmTarget", agent="", env=env)
    from ddm_client import Client, address_of
    with Client(address_of(process)) as ddm:
        assert ddm.request("HPDS").startswith(b"JAVA PROFILE")
    assert os.listdir(t.path("tmp")) == []
    process.communicate(timeout=30)


@test(every_days=4)
def a_program_that_ends_amid_a_heap_dump_leaves_no_file_behind(t):
    from ddm_client import Client, address_of
    os.mkdir(t.path("tmp"))
    env = dict(os.environ, TMPDIR=t.path("tmp"))
    requests = {"HPDS": chunk("HPDS"), "HPDU": chunk("HPDU", text(t.path("tmp/wanted")))}
    for kind, wait in (("HPDS", 0), ("HPDS", 0.01), ("HPDS", 0.03), ("HPDS", 0.08),
                       ("HPDU", 0.01), ("HPDU", 0.03), ("HPDU", 0.08)):
        process = t.popen("DdmTarget", agent="", flags=["-Xmx256m"], env=env)
        with Client(address_of(process)) as ddm:
            assert process.stdout.readline() == "ready\n"
            process.stdin.write("keep 500000\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"
            ddm.send_raw(requests[kind])
            time.sleep(wait)
            out, _ = process.communicate(timeout=60)  # end of input ends the program
        assert process.returncode == 0 and out == "", out
        left = [name for name in os.listdir(t.path("tmp")) if name != "wanted"]
        assert left == [], (kind, wait, left)
        if os.path.exists(t.path("tmp/wanted")):
            os.unlink(t.path("tmp/wanted"))


@test()
def what_a_killed_program_leaves_of_a_heap_dump_is_removed_by_the_next_dump_there(t):
    from ddm_client import Client, address_of
    os.mkdir(t.path("tmp"))
    env = dict(os.environ, TMPDIR=t.path("tmp"))
    dumps = t.path("tmp/.ddmagent-*/heap.hprof*")
    for request in (chunk("HPDS"), chunk("HPDU", text(t.path("tmp/wanted")))):
        killed = t.popen("DdmTarget", agent="", flags=["-Xmx256m"], env=env)
        with Client(address_of(killed)) as ddm:
            assert killed.stdout.readline() == "ready\n"
            killed.stdin.write("keep 2000000\n")
            killed.stdin.flush()
            assert killed.stdout.readline() == "done\n"
            before = set(glob.glob(dumps))
            ddm.send_raw(request)
            begin = time.monotonic()
            while set(glob.glob(dumps)) <= before:
                assert time.monotonic() < begin + 30, os.listdir(t.path("tmp"))
            killed.kill()
        killed.communicate()
    left = os.listdir(t.path("tmp"))
    assert len(left) == 1 and left[0].startswith(".ddmagent-"), "the second one has removed the first one's"
    with open(t.path("tmp/.ddmagent-mine"), "w", encoding="ascii"):
        os.mkdir(t.path("tmp/.ddmagent-empty"))  # somebody may be about to lock it
    with Target(t, env={"TMPDIR": t.path("tmp")}) as p, p.client(timeout=90) as ddm:
        assert Hprof(ddm.request("HPDS")).complete
    assert sorted(os.listdir(t.path("tmp"))) == [".ddmagent-empty", ".ddmagent-mine"], os.listdir(t.path("tmp"))


@test()
def a_heap_dump_is_written_where_the_program_runs(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("keep 77")
        for path in (t.path("dump.hprof"), "relative.hprof", t.path("d\u00fcmp\U0001f600.hprof")):
            assert ddm.request("HPDU", text(path)) == b"\0", path
            full = t.path(path)
            assert stat.S_IMODE(os.stat(full).st_mode) == 0o600
            with open(full, "rb") as f:
                dump = Hprof(f.read())
            assert dump.complete and dump.by_class["DdmTarget$Kept"] == 77
        assert not left_behind(t.dir), os.listdir(t.dir)


@test()
def a_heap_dump_leaves_files_alone_that_it_did_not_make(t):
    """Programs of several containers have one process number and may share the directory."""
    with Target(t) as p, p.client() as ddm:
        others = [t.path(f".ddmagent-{p.pid}-{i}.hprof") for i in range(1, 4)]
        for path in others:
            with open(path, "w") as f:
                f.write("of another program")
        for name in ("one.hprof", "two.hprof"):
            assert ddm.request("HPDU", text(t.path(name))) == b"\0"
        for path in others:
            with open(path) as f:
                assert f.read() == "of another program"
            os.unlink(path)
        assert not left_behind(t.dir), os.listdir(t.dir)


@test()
def a_heap_dump_that_cannot_be_written_says_so_and_overwrites_nothing(t):
    with Target(t) as p, p.client() as ddm:
        with open(t.path("there"), "w") as f:
            f.write("before")
        for path in (t.path("there"), t.path("no/such/place"), "", t.dir + "/", "/proc/x",
                     t.path("in\0side"), t.path("no/such/\nline\x1b[31m")):
            assert ddm.request("HPDU", text(path)) == b"\xff", path
        with open(t.path("there")) as f:
            assert f.read() == "before"
        assert not left_behind(t.dir), os.listdir(t.dir)
        lines = p.process.said.lines()
        assert len(lines) == 7 and all(line.startswith("ddmagent: ") for line in lines), lines
        assert all(line.rstrip("\n").isprintable() for line in lines), lines
        lines.clear()


@test(timeout=300, full_only=True)
def a_heap_that_does_not_fit_into_a_packet_is_refused_with_a_sentence(t):
    with Target(t, flags=["-Xmx1g"]) as p, p.client(timeout=120) as ddm:
        p.tell("keepbytes 700")
        begin = time.monotonic()
        try:
            raise AssertionError(f"{len(ddm.request('HPDS'))} bytes")
        except DdmError as failure:
            assert "HPDU" in failure.message and "MiB" in failure.message, failure
        print(f"refused after {time.monotonic() - begin:.1f} s")
        p.tell("forget")
        assert Hprof(ddm.request("HPDS")).complete, "garbage does not count"


@test()
def a_heap_dump_holds_up_nobody_else(t):
    with Target(t, flags=["-Xmx600m"]) as p, p.client() as ddm, p.client() as other:
        p.tell("keepbytes 200")
        dump = ddm.send_raw(chunk("HPDS"))
        for _ in range(20):
            assert other.hello().pid == p.pid
            assert ddm.hello().pid == p.pid
        error, answer = ddm.wait_reply(dump)
        assert error == 0 and answer[:4] == b"HPDS"
