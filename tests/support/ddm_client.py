"""A DDM server for tests: connects to an agent, asks, listens.

Written from the protocol alone, so that it does not share the agent's misunderstandings: every
reader here checks that a chunk is exactly as long as its fields.
"""
import json
import os
import queue
import re
import select
import socket
import struct
import threading
import time
import zlib

HANDSHAKE = b"JDWP-Handshake"


class DdmError(Exception):
    """A FAIL chunk or a JDWP error."""

    def __init__(self, code, message):
        super().__init__(f"{code}: {message}")
        self.code, self.message = code, message


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), f"{size} bytes wanted at {self.at} of {self.data!r}"
        self.at += size
        return self.data[self.at - size:self.at]

    def u1(self):
        return self.take(1)[0]

    def u2(self):
        return struct.unpack(">H", self.take(2))[0]

    def s2(self):
        return struct.unpack(">h", self.take(2))[0]

    def u4(self):
        return struct.unpack(">I", self.take(4))[0]

    def s4(self):
        return struct.unpack(">i", self.take(4))[0]

    def u8(self):
        return struct.unpack(">Q", self.take(8))[0]

    def chars(self, units):
        return self.take(2 * units).decode("utf-16-be")

    def str(self):
        return self.chars(self.u4())

    def end(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes too many"


def text(value):
    units = value.encode("utf-16-be")
    return struct.pack(">I", len(units) // 2) + units


def chunk(kind, data=b""):
    return kind.encode() + struct.pack(">I", len(data)) + data


def probe_request(methods, what=0, condition="", line=0, field="", records=0, budget=0):
    """The data of PRBS."""
    return (struct.pack(">B", what) + text(methods) + text(condition) + struct.pack(">I", line) +
            text(field) + struct.pack(">II", records, budget))


def packed(kind, data=b""):
    """The chunk inside a ZLIB chunk."""
    return chunk("ZLIB", kind.encode() + struct.pack(">I", len(data)) + zlib.compress(data))


def split(payload):
    """[(type, data)] of a payload that holds chunks and nothing else."""
    chunks = []
    reader = Reader(payload)
    while reader.at < len(payload):
        kind = reader.take(4).decode()
        data = reader.take(reader.u4())
        if kind == "ZLIB":
            kind, length = data[:4].decode(), struct.unpack(">I", data[4:8])[0]
            data = zlib.decompress(data[8:])
            assert len(data) == length, "the length in a ZLIB chunk is wrong"
        chunks.append((kind, data))
    return chunks


class Client:
    def __init__(self, address, timeout=30):
        """`address`: where an agent listens, or the socket by which one has connected to us."""
        self.timeout = timeout
        if isinstance(address, socket.socket):
            self.socket = address
        elif address.startswith("unix:"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address[len("unix:"):])
        else:
            host, _, port = address.rpartition(":")
            self.socket = socket.create_connection((host.strip("[]"), int(port)), timeout)
        self.socket.settimeout(None)
        self.events = queue.Queue()  # (type, data)
        self._replies = {}
        self._changed = threading.Condition()
        self._next_id = 0x40000000
        self._closed = False
        self.socket.sendall(HANDSHAKE)
        assert self._read(len(HANDSHAKE)) == HANDSHAKE, "no handshake"
        threading.Thread(target=self._receive, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def _read(self, size):
        data = memoryview(bytearray(size))
        at = 0
        while at < size:
            count = self.socket.recv_into(data[at:])
            if count == 0:
                raise EOFError("the agent has closed the connection")
            at += count
        return bytes(data)

    def _receive(self):
        try:
            while True:
                length, number, flags, high, low = struct.unpack(">IIBBB", self._read(11))
                payload = self._read(length - 11)
                if flags & 0x80:
                    with self._changed:
                        assert number not in self._replies, f"two replies to {number:#x}"
                        self._replies[number] = (high << 8 | low, payload)
                        self._changed.notify_all()
                    continue
                assert flags == 0 and (high, low) == (0xC7, 1), f"not DDM: {flags} {high} {low}"
                assert number & 0x80000000, "an event's id must not be one of ours"
                chunks = split(payload)
                assert len(chunks) == 1, "an event is one chunk"
                self.events.put(chunks[0])
        except (EOFError, OSError):
            pass
        finally:
            with self._changed:
                self._closed = True
                self._changed.notify_all()

    def send_raw(self, payload, command_set=0xC7, command=1):
        self._next_id += 1
        self.socket.sendall(struct.pack(">IIBBB", 11 + len(payload), self._next_id, 0, command_set,
                                        command) + payload)
        return self._next_id

    def wait_reply(self, number):
        """(JDWP error, payload)"""
        with self._changed:
            ready = self._changed.wait_for(lambda: number in self._replies or self._closed,
                                           self.timeout)
            if number in self._replies:
                return self._replies.pop(number)
            raise EOFError("closed instead of a reply") if ready else TimeoutError("no reply")

    def exchange(self, payload):
        """The chunks of the reply, [(type, data)]."""
        error, answer = self.wait_reply(self.send_raw(payload))
        if error:
            raise DdmError(error, "JDWP error")
        return split(answer)

    def request(self, kind, data=b""):
        """The data of the reply, which is b"" or a chunk of the request's type."""
        answers = self.exchange(chunk(kind, data))
        if not answers:
            return b""
        assert len(answers) == 1, answers
        answer, content = answers[0]
        if answer == "FAIL":
            reader = Reader(content)
            code, message = reader.u4(), reader.str()
            reader.end()
            raise DdmError(code, message)
        assert answer == kind, f"{answer} answers {kind}"
        return content

    def wait_closed(self):
        with self._changed:
            assert self._changed.wait_for(lambda: self._closed, self.timeout), "still connected"

    # Events

    def next_event(self, *kinds, timeout=None):
        """The next event of one of the types; others before it are dropped."""
        deadline = time.monotonic() + (timeout or self.timeout)
        while True:
            left = deadline - time.monotonic()
            try:
                event = self.events.get(timeout=max(left, 0.001))
            except queue.Empty:
                raise TimeoutError(f"no {' or '.join(kinds)}") from None
            if event[0] in kinds:
                return event

    def take_events(self):
        """All events that are there by now."""
        events = []
        while not self.events.empty():
            events.append(self.events.get())
        return events

    # Chunks

    def hello(self):
        return Hello(self.request("HELO", struct.pack(">I", 1)))

    def features(self):
        reader = Reader(self.request("FEAT"))
        names = [reader.str() for _ in range(reader.u4())]
        reader.end()
        return names

    def heap_info(self, when=1):
        return read_heap_info(self.request("HPIF", bytes([when])))

    def enable_threads(self, on=True):
        assert self.request("THEN", bytes([on])) == b""

    def thread_table(self):
        reader = Reader(self.request("THST"))
        header, entry, count = reader.u1(), reader.u1(), reader.u2()
        assert (header, entry) == (4, 18)
        table = {}
        for _ in range(count):
            status = ThreadStatus(reader)
            assert status.id not in table, f"thread {status.id} twice"
            table[status.id] = status
        reader.end()
        return table

    def stack(self, thread):
        reader = Reader(self.request("STKL", struct.pack(">I", thread)))
        assert (reader.u4(), reader.u4()) == (0, thread)
        frames = [(reader.str(), reader.str(), reader.str(), reader.s4())
                  for _ in range(reader.u4())]
        reader.end()
        return frames

    def track(self, on):
        assert self.request("REAE", bytes([on])) == b""

    def tracking(self):
        data = self.request("REAQ")
        assert len(data) == 1 and data[0] in (0, 1), data
        return data[0] == 1

    def allocations(self):
        return read_allocations(self.request("REAL"))


class Hello:
    def __init__(self, data):
        reader = Reader(data)
        self.version, self.pid = reader.u4(), reader.u4()
        vm_units, app_units = reader.u4(), reader.u4()
        self.vm, self.app = reader.chars(vm_units), reader.chars(app_units)
        self.user_id = reader.u4()
        self.abi, self.flags = reader.str(), reader.str()
        self.native_debuggable = reader.u1()
        self.package = reader.str()
        self.stage = reader.take(4)
        reader.end()


class Heap:
    def __init__(self, reader):
        self.id, self.time_ms, self.reason = reader.u4(), reader.u8(), reader.u1()
        self.max, self.committed, self.used, self.objects = (reader.s4() for _ in range(4))
        assert min(self.max, self.committed, self.used, self.objects) >= 0


def read_heap_info(data):
    reader = Reader(data)
    heaps = [Heap(reader) for _ in range(reader.u4())]
    reader.end()
    assert len({h.id for h in heaps}) == len(heaps), "a heap twice"
    return {h.id: h for h in heaps}


class ThreadStatus:
    def __init__(self, reader):
        self.id, self.state, self.tid = reader.u4(), reader.u1(), reader.u4()
        self.user, self.system, self.daemon = reader.u4(), reader.u4(), reader.u1()


def read_thread_list(data):
    """THST as the founding document has it: {id: (state, suspended)}."""
    reader = Reader(data)
    threads = {reader.u4(): (reader.u1(), reader.u1()) for _ in range(reader.u4())}
    reader.end()
    return threads


def read_named(data):
    """THCR, THNM: (id, name)."""
    reader = Reader(data)
    result = (reader.u4(), reader.str())
    reader.end()
    return result


def read_allocations(data):
    """REAL: dicts, newest first."""
    reader = Reader(data)
    assert (reader.u1(), reader.u1(), reader.u1()) == (15, 9, 8)
    count, strings_at = reader.u2(), reader.u4()
    counts = reader.u2(), reader.u2(), reader.u2()
    strings = Reader(data)
    strings.at = strings_at
    classes, methods, files = ([strings.str() for _ in range(n)] for n in counts)
    strings.end()
    records = []
    for _ in range(count):
        size, thread, kind, depth = reader.u4(), reader.u2(), reader.u2(), reader.u1()
        stack = [(classes[reader.u2()], methods[reader.u2()], files[reader.u2()], reader.s2())
                 for _ in range(depth)]
        records.append({"size": size, "thread": thread, "class": classes[kind], "stack": stack})
    assert reader.at == strings_at
    return records


class Stderr:
    """What a process says on stderr, line by line. Read all the time: nobody may block on it."""

    def __init__(self, process):
        self.fd = os.dup(process.stderr.fileno())  # ours: communicate() closes its own
        self.lock = threading.Lock()
        self.kept, self.rest, self.ended = [], b"", False
        threading.Thread(target=self.read_on, daemon=True).start()

    def read_on(self):
        while not self.ended:
            select.select([self.fd], [], [])
            self.read_what_is_there()
        os.close(self.fd)

    def read_what_is_there(self):
        with self.lock:
            while not self.ended and select.select([self.fd], [], [], 0)[0]:
                piece = os.read(self.fd, 65536)
                self.ended = not piece
                *whole, self.rest = (self.rest + piece).split(b"\n")
                if self.ended and self.rest:
                    whole.append(self.rest)
                self.kept += [line.decode("utf-8", "replace") + "\n" for line in whole]

    def lines(self):
        """All that was said up to now, as a list that stays the same."""
        self.read_what_is_there()
        return self.kept

    def wait_for(self, matches, seconds=60):
        """The first line that matches, or None; it stays among the lines."""
        end = time.monotonic() + seconds
        while True:
            last = self.ended or time.monotonic() > end
            found = next(filter(None, map(matches, list(self.lines()))), None)
            if found or last:
                return found
            time.sleep(0.005)


def address_of(process):
    """Where an agent listens, from its line on the process's stderr, which it takes out."""
    process.said = Stderr(process)
    found = process.said.wait_for(re.compile(r"ddmagent: pid \d+ listening on (\S+)").match)
    assert found, f"the agent does not say where it listens: {process.said.lines()}"
    at = process.said.lines().index(found.string)
    process.said_before = process.said.lines()[:at]
    del process.said.lines()[:at + 1]
    return found.group(1)


def published_address_of(process, seconds=60):
    """Where an agent listens that says nothing on stderr: from the file that `ddm ps` reads."""
    process.said = Stderr(process)
    process.said_before = []
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    directory = os.path.join(runtime, "ddm") if runtime else f"/tmp/ddm-{os.getuid()}"
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            with open(os.path.join(directory, str(process.pid)), encoding="utf-8") as f:
                return json.load(f)["address"]
        except (OSError, ValueError):
            time.sleep(0.005)
    raise AssertionError(f"the agent has not published where it listens: {process.said.lines()}")


class Target:
    """A running DdmTarget under the agent; `with Target(t) as p: p.tell("marks 5")`."""

    def __init__(self, t, agent="", flags=(), program=("DdmTarget",), env=None):
        self.t = t
        self.process = t.popen(*program, agent=agent, flags=list(flags),
                               env={**os.environ, **env} if env else None)
        if agent is None:  # attached later, by attach()
            self.address = None
        else:
            silent = "log=error" in agent or "quiet=y" in agent
            self.address = (published_address_of if silent else address_of)(self.process)
        self.expect("ready")

    def attach(self, library, options=""):
        self.t.jcmd(self.pid, "JVMTI.agent_load", library, f'"{options}"')
        if self.address is None:
            self.address = address_of(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            try:
                self.process.stdin.close()  # end of input ends the program
                self.process.wait(10)
            except Exception:
                self.process.kill()
                self.process.wait()
                if failure == (None, None, None):
                    raise
        if failure == (None, None, None):
            assert not self.stderr(), f"the program's stderr: {self.stderr()}"

    @property
    def pid(self):
        return self.process.pid

    def stderr(self):
        # The VM's own jdwp agent says so of a program that ends while it is about to listen again,
        # and of a debugger that goes before its answer.
        jdwp_says = ("failed to initialize, VM_DEAD", "ERROR: transport error 202: send failed")
        return "".join(line for line in self.process.said.lines()
                       if line.strip() and not any(words in line for words in jdwp_says))

    def stderr_line(self, part):
        """Takes the line with `part` in it out of what was said on stderr; waits for it."""
        before, said = self.process.said_before, self.process.said
        line = next((line for line in before if part in line), None)
        if line:
            before.remove(line)
            return line
        line = said.wait_for(lambda line: line if part in line else None, 20)
        assert line, f"no {part!r} on stderr: {before} {said.lines()}"
        said.lines().remove(line)
        return line

    def expect(self, line):
        got = self.process.stdout.readline().rstrip("\n")
        assert got == line, f"{got!r} instead of {line!r}\n{self.stderr()}"

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.say(line)
        return self.process.stdout.readline().rstrip("\n")

    def tell(self, line):
        self.say(line)
        self.expect("done")

    def client(self, **options):
        return Client(self.address, **options)

    def ended(self, seconds=30):
        code = self.process.wait(seconds)
        return code, self.process.stdout.read()
