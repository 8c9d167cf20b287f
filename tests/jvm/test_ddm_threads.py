"""Threads over DDM: THEN, THCR, THNM, THDE, THST in both layouts, STKL."""
import os
import re
import socket
import struct
import time

from adb_bridge import wait_for
from ddm_client import (Client, DdmError, Target, address_of, chunk, probe_request, read_named,
                        read_thread_list)
from harness import test
from process_stat import cpu_seconds, cpu_ticks
from tool import REFUSED, ddm as ddm_tool, ddm_json

ZOMBIE, RUNNING, TIMED_WAIT, MONITOR, WAIT, INIT, START, NATIVE, VM_WAIT, SUSPENDED = range(10)


def read_id(data):
    assert len(data) == 4, data
    return struct.unpack(">I", data)[0]


def created(events):
    """{name: id}; no id twice."""
    pairs = [read_named(data) for kind, data in events if kind == "THCR"]
    assert len({number for number, _ in pairs}) == len(pairs), pairs
    return {name: number for number, name in pairs}


def all_created(ddm):
    ddm.enable_threads()
    return created(ddm.take_events())


def next_named(ddm, kind, name, timeout=30):
    """The id of the next event of the kind that has this name."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        number, got = read_named(ddm.next_event(kind)[1])
        if got == name:
            return number
    raise TimeoutError(f"no {kind} for {name}")


class Jstack:
    """What jstack says: OS thread ids, and frames as (class, method, where)."""

    def __init__(self, t, pid):
        tool = os.path.join(t.jdk.home, "bin", "jstack")
        out = t.command([tool, str(pid)]).out
        self.tids, self.frames, name = {}, {}, None
        for line in out.splitlines():
            head = re.match(r'"(.*?)" .*?nid=(0x[0-9a-f]+|\d+)', line)
            if head:
                name = head.group(1)
                self.tids[name] = int(head.group(2), 0)
                self.frames[name] = []
            frame = re.match(r"\tat (.+)\.([^.(]+)\((?:[^/)]*@[^/]*/)?([^)]*)\)", line)
            if frame and name:
                self.frames[name].append(frame.groups())


def as_jstack(frames):
    def where(file, line):
        if line == -2:
            return "Native Method"
        if not file:
            return "Unknown Source"
        return f"{file}:{line}" if line >= 0 else file

    return [(kind, method, where(file, line)) for kind, method, file, line in frames]


@test()
def enabling_threads_lists_all_live_threads_before_the_answer(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("start first")
        number = ddm.send_raw(chunk("THEN", b"\1"))
        assert ddm.wait_reply(number) == (0, b"")
        ids = created(ddm.take_events())  # all were there when the reply came
        seen = set(Jstack(t, p.pid).frames)
        for name in ("main", "first", "Reference Handler", "Finalizer", "Signal Dispatcher"):
            assert name in ids and name in seen, (name, ids)
        assert all(1 <= number <= 65535 for number in ids.values())
        assert max(ids.values()) < 100, "the ids are small"


@test()
def a_thread_that_starts_and_ends_is_told_at_once(t):
    with Target(t) as p, p.client() as ddm:
        all_created(ddm)
        p.tell("start Zw\u00f6lf-\U0001f600") if t.jdk.major >= 18 else p.tell("start twelve")
        number, name = read_named(ddm.next_event("THCR")[1])
        assert name in ("Zw\u00f6lf-\U0001f600", "twelve"), name
        p.tell(f"end {name}")
        assert read_id(ddm.next_event("THDE")[1]) == number
        assert not [kind for kind, _ in ddm.take_events() if kind in ("THCR", "THDE")]


@test()
def every_short_lived_thread_is_created_once_and_dies_once(t):
    with Target(t) as p, p.client() as ddm:
        before = all_created(ddm)
        p.tell("churn 500")
        p.tell("start last")
        living, names = {}, []
        while "last" not in names:
            kind, data = ddm.next_event("THCR", "THDE")
            if kind == "THCR":
                number, name = read_named(data)
                assert number not in living and number not in before.values(), (number, name)
                living[number] = name
                names.append(name)
            else:
                del living[read_id(data)]
        short = [name for name in names if name.startswith("short-")]
        assert short == [f"short-{i}" for i in range(500)], short
        assert not [name for name in living.values() if name.startswith("short-")], living


@test()
def an_ended_threads_id_is_not_used_again_while_others_are_free(t):
    with Target(t) as p, p.client(timeout=60) as ddm:
        before = all_created(ddm)
        p.tell("churn 6000")
        p.tell("start last")
        number = next_named(ddm, "THCR", "last")
        assert max(before.values()) + 6000 < number < 65536, number


@test()
def a_renamed_thread_is_told_by_thnm(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("start before")
        ids = all_created(ddm)
        p.tell("rename before after")
        assert read_named(ddm.next_event("THNM")[1]) == (ids["before"], "after")
        assert all_created(ddm)["after"] == ids["before"]


@test()
def disabling_threads_ends_the_events(t):
    with Target(t) as p, p.client() as ddm, p.client() as other:
        assert all_created(ddm) and all_created(other)
        ddm.enable_threads(False)
        p.tell("start one")
        next_named(other, "THCR", "one")
        p.tell("end one")
        other.next_event("THDE")
        assert not ddm.take_events()
        assert "main" in all_created(ddm), "enabling again lists again"


@test()
def thread_events_belong_to_the_connection(t):
    with Target(t) as p:
        with p.client() as ddm:
            ids = all_created(ddm)
        with p.client() as ddm:
            p.tell("start one")
            time.sleep(0.5)
            assert not ddm.take_events()
            again = all_created(ddm)
            assert again["main"] == ids["main"], "a live thread keeps its id"
            assert "one" in again


# Status

WANTED = {"monitor": MONITOR, "sleeping": TIMED_WAIT, "waiting": WAIT, "timed": TIMED_WAIT,
          "parked": WAIT, "busy": RUNNING, "native": NATIVE, "holding": WAIT, "deep": WAIT}
# In the founding document's words a wait with a limit is a wait, and only sleeping is sleeping.
WANTED_2007 = dict(WANTED, timed=WAIT)


@test()
def the_status_table_tells_states_os_ids_daemons(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("states")
        ids = all_created(ddm)
        table = ddm.thread_table()
        assert {name: table[ids[name]].state for name in WANTED} == WANTED
        tids = Jstack(t, p.pid).tids
        for name, number in ids.items():
            if number in table and name in tids:
                assert table[number].tid == tids[name], name
        assert sum(name in tids for name in ids) > 10
        assert table[ids["main"]].daemon == 0 and table[ids["busy"]].daemon == 1


class Debugger:
    """Just enough of a JDWP debugger to suspend a thread."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, 30)
        self.socket.sendall(b"JDWP-Handshake")
        assert self.read(14) == b"JDWP-Handshake"
        self.last = 0

    def read(self, size):
        data = b""
        while len(data) < size:
            data += self.socket.recv(size - len(data))
        return data

    def command(self, command_set, command, data=b""):
        self.last += 1
        self.socket.sendall(struct.pack(">IIBBB", 11 + len(data), self.last, 0, command_set,
                                        command) + data)
        while True:
            length, number, flags, error = struct.unpack(">IIBH", self.read(11))
            payload = self.read(length - 11)
            if flags == 0x80 and number == self.last:
                assert error == 0, error
                return payload

    def suspend(self, wanted):
        threads = self.command(1, 4)  # VirtualMachine.AllThreads: u4 count, ids of 8 bytes
        for at in range(4, len(threads), 8):
            thread = threads[at:at + 8]
            name = self.command(11, 1, thread)[4:].decode()  # ThreadReference.Name
            if name == wanted:
                self.command(11, 2, thread)  # ThreadReference.Suspend


@test()
def a_suspended_thread_is_suspended(t):
    jdwp = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0"
    process = t.popen("DdmTarget", agent="", flags=[jdwp])
    address = address_of(process)
    port = int(re.search(r"address: .*?(\d+)$", process.stdout.readline()).group(1))
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("start one\n")
    process.stdin.flush()
    assert process.stdout.readline() == "done\n"
    with Client(address) as ddm:
        number = all_created(ddm)["one"]
        wait_for(lambda: ddm.thread_table()[number].state == WAIT, "one waits")
        debugger = Debugger(("127.0.0.1", port))
        debugger.suspend("one")
        assert ddm.thread_table()[number].state == SUSPENDED
        ddm.request("THST", struct.pack(">I", 50))
        assert read_thread_list(ddm.next_event("THST")[1])[number] == (WAIT, 1)
        debugger.socket.close()
    process.communicate(timeout=30)
    assert process.returncode == 0


@test()
def the_status_table_tells_cpu_times(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("states")
        ids = all_created(ddm)

        tid = ddm.thread_table()[ids["busy"]].tid

        deadline = time.monotonic() + 60
        while True:
            before = cpu_ticks(p.pid, tid)
            entry = ddm.thread_table()[ids["busy"]]
            after = cpu_ticks(p.pid, tid)
            assert before[0] <= entry.user <= after[0], (before, entry.user, after)
            assert before[1] <= entry.system <= after[1], (before, entry.system, after)
            if entry.user > 10:
                break
            assert time.monotonic() < deadline, "a busy thread that uses no CPU"
            time.sleep(0.1)


@test()
def the_status_needs_no_thread_events(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("states")
        table = ddm.thread_table()
        assert sum(entry.state == MONITOR for entry in table.values()) == 1
        ids = all_created(ddm)
        assert set(table) == set(ids.values())


@test()
def status_comes_periodically_in_the_layout_of_2007_until_0(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("states")
        ids = all_created(ddm)
        ddm.take_events()
        begin = time.monotonic()
        assert ddm.request("THST", struct.pack(">I", 100)) == b""
        for _ in range(10):
            threads = read_thread_list(ddm.next_event("THST")[1])
        took = time.monotonic() - begin
        assert took >= 0.8, f"10 lists in {took:.2f} s"
        assert {name: threads[ids[name]] for name in WANTED} == \
            {name: (state, 0) for name, state in WANTED_2007.items()}
        assert all(1 <= state <= 8 for state, _ in threads.values())
        # A poll meanwhile has its own layout.
        assert ddm.thread_table()[ids["timed"]].state == TIMED_WAIT
        assert ddm.request("THST", struct.pack(">I", 0)) == b""
        ddm.take_events()
        time.sleep(0.5)
        assert not [kind for kind, _ in ddm.take_events() if kind == "THST"]


@test()
def status_follows_closely_on_the_heels_of_a_creation(t):
    with Target(t) as p, p.client() as ddm:
        all_created(ddm)
        ddm.request("THST", struct.pack(">I", 60_000))
        ddm.next_event("THST")
        p.tell("start new")
        number = next_named(ddm, "THCR", "new")
        # Sooner than the minute that the interval would take.
        assert number in read_thread_list(ddm.next_event("THST")[1])


@test()
def periodic_status_belongs_to_the_connection(t):
    with Target(t) as p, p.client() as other:
        with p.client() as ddm:
            ddm.request("THST", struct.pack(">I", 20))
            ddm.next_event("THST")
        time.sleep(0.3)
        assert not other.take_events()
        with p.client() as ddm:
            time.sleep(0.3)
            assert not ddm.take_events()


# Stacks

@test()
def a_stack_equals_what_jstack_shows(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("states")
        ids = all_created(ddm)
        wanted = Jstack(t, p.pid).frames
        compared = 0
        for name in ("holding", "monitor", "sleeping", "waiting", "timed", "parked", "deep",
                     "native", "main", "Reference Handler", "Finalizer"):
            got = as_jstack(ddm.stack(ids[name]))
            if name == "main":  # waits for input, in the middle of several layers of java.io
                got, wanted[name] = got[-5:], wanted[name][-5:]
            assert got == wanted[name], (name, got, wanted[name])
            compared += len(got)
        assert compared > 100
        deep = ddm.stack(ids["deep"])
        assert sum(f[:2] == ("DdmTarget", "deep") for f in deep) == 51


@test()
def the_stack_of_no_thread_is_a_fail(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("start one")
        number = all_created(ddm)["one"]
        assert ddm.stack(number)
        p.tell("end one")
        for wrong in (number, 0, 60000, 65536 + 1, 2**32 - 1):
            try:
                raise AssertionError(ddm.stack(wrong))
            except DdmError as failure:
                assert failure.code == 1 and str(wrong) in failure.message, failure


# Seconds of CPU: they are the program's, and the same however busy the machine is. What the clock on
# the wall says is printed here and measured by bench/ddm_answers.py.
@test(timeout=180, timing=True)
def two_thousand_threads_are_listed_in_well_under_a_second(t):
    with Target(t, flags=["-Xss256k"]) as p, p.client() as ddm:
        p.tell("many 2000")
        figures, costs = {}, {}
        for what, work in (("first THEN", lambda: ddm.enable_threads()),
                           ("first THST", lambda: ddm.thread_table()),
                           ("THEN", lambda: ddm.enable_threads()),
                           ("THST", lambda: ddm.thread_table()),
                           ("STKL", lambda: ddm.stack(next(iter(ddm_ids.values())))),
                           ("REAL", lambda: ddm.allocations())):
            begin, used = time.monotonic(), cpu_seconds(p.pid)
            work()
            costs[what] = round(1000 * (cpu_seconds(p.pid) - used))
            figures[what] = round(1000 * (time.monotonic() - begin))
            if what == "first THEN":
                ddm_ids = created(ddm.take_events())
                assert sum(name.startswith("many-") for name in ddm_ids) == 2000
        print(f"  2,000 threads on {t.jdk.major}, ms: {figures}, of CPU: {costs}", flush=True)
        table = ddm.thread_table()
        assert len(table) >= 2000
        assert sum(entry.state == WAIT for entry in table.values()) >= 2000
        assert all(entry.tid for entry in table.values())
        assert max(costs.values()) < 1000, costs
        assert ddm.request("THST", struct.pack(">I", 100)) == b""
        for _ in range(5):
            assert len(read_thread_list(ddm.next_event("THST")[1])) >= 2000


# The command

@test(jdks="each")
def stacks_of_all_threads_keep_their_files_when_classes_are_changed(t):
    """The VM gives no file for a frame that runs on in an old version of its method."""
    names = ("holding", "monitor", "sleeping", "waiting", "timed", "parked", "deep", "native")

    def stacks(p):
        rows = {row["name"]: row["stack"] for row in ddm_json(t, "stack", p.pid, "--all")}
        return {name: rows[name] for name in names}

    with Target(t, "engine=bci,dump=none") as p, p.client() as ddm:
        p.tell("states")
        before = stacks(p)
        places = {(frame["method"], frame["file"], frame["line"] > 0) for frame in before["deep"]}
        assert ("deep", "DdmTarget.java", True) in places, before
        ddm.request("PRBS", probe_request("DdmTarget.*"))
        assert stacks(p) == before
        ddm.request("PRBE")
        assert stacks(p) == before
        ddm.request("REAE", b"\1")  # java.lang.Thread is rewritten, too
        assert stacks(p) == before
        main = next(row for row in ddm_json(t, "stack", p.pid, "--all") if row["name"] == "main")
        assert main["stack"][-1]["file"] == "DdmTarget.java" and main["stack"][-1]["line"] > 0, main
        ddm.request("REAE", b"\0")


@test()
def the_command_lists_threads_by_cpu_without_the_agents(t):
    with Target(t) as p:
        p.tell("states")
        wait_for(lambda: max(row["utime"] for row in ddm_json(t, "threads", p.pid)) > 50, "busy is busy")
        rows = ddm_json(t, "threads", p.pid)
        used = [row["utime"] + row["stime"] for row in rows]
        assert used == sorted(used, reverse=True) and rows[0]["name"] == "busy", rows
        assert "cpu_percent" not in rows[0] and any(row["name"] == "ddmagent" for row in rows), rows
        lines = ddm_tool(t, "threads", p.pid).splitlines()
        assert lines[1].endswith("  busy") and not any("ddmagent" in line for line in lines), lines
        assert re.fullmatch(r"\d+ threads? of the agent hidden \(--all\)", lines[-1]), lines
        listed = ddm_tool(t, "threads", p.pid, "--all")
        assert "  ddmagent\n" in listed and "hidden" not in listed, listed
        measured = ddm_json(t, "threads", p.pid, "-d", "2")
        percents = [row["cpu_percent"] for row in measured]
        assert percents == sorted(percents, reverse=True) and measured[0]["name"] == "busy", measured
        assert 0 < percents[0] <= 110 and {row["name"] for row in measured} >= {row["name"] for row in rows if "ddm" not in row["name"]}
        assert re.match(r"CPU %  +TID  ", ddm_tool(t, "threads", p.pid, "-d", "0.1"))
        assert "dump_to_file" in ddm_tool(t, "threads", p.pid, "--virtual", code=REFUSED)
