"""Programs under the agent as libhprof.so."""
import os
import select
import socket
import struct
import time

from harness import AGENT
from hprof_reader import HprofBinary, made_at

HPROF = os.path.join(os.path.dirname(AGENT), "libhprof.so")
LIBRARIES = {"LD_LIBRARY_PATH": os.path.dirname(AGENT)}


def run(t, options, *program, flags=(), env=None, check=True):
    line = [t.jdk.java, *t.vm_flags(), *flags,
            f"-agentlib:hprof={options}" if options else "-agentlib:hprof", "-cp", t.classes(), *program]
    result = t.command(line, env={**LIBRARIES, **(env or {})})
    assert not check or result.code == 0, result
    return result


def truth_of(out):
    return [(kind, method, int(count), int(size))
            for kind, method, count, size in (line.split() for line in out.splitlines() if " " in line)]


def check(sites, out, wraps=False):
    truth = truth_of(out)
    assert truth
    for kind, method, count, size in truth:
        assert made_at(sites, kind, method) == (count, size), (kind, method, made_at(sites, kind, method), count, size)


class Running:
    """A program under hprof's name that waits for the end of its input."""

    def __init__(self, t, options, *program):
        line = [f"-agentpath:{HPROF}={options}"]
        self.process = t.popen(*program, "wait", flags=line)
        self.out = ""
        while not self.out.endswith("made\n"):
            line = self.process.stdout.readline()
            assert line, (self.out, self.process.stderr.read())
            self.out += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def end(self, timeout=60):
        out, err = self.process.communicate(timeout=timeout)
        return self.process.returncode, out, err


def wait_for(program, path, end_of_dump, dumps):
    """Until a running program has written so many dumps."""
    end = time.monotonic() + 60
    while True:
        with open(path, encoding="utf-8", errors="replace") as f:
            if f.read().count(end_of_dump) >= dumps:
                return
        assert time.monotonic() < end and program.process.poll() is None
        time.sleep(0.05)


class Tool:
    """The other end of net=."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.stream, self.raw = HprofBinary(), b""
        self.serial = 0

    def accept(self):
        self.listener.settimeout(60)
        self.socket = self.listener.accept()[0]
        self.listener.close()

    def command(self, tag, body=b""):
        self.serial += 1
        self.socket.sendall(struct.pack(">BII", tag, self.serial, len(body)) + body)

    def read_until(self, condition, timeout=60):
        end = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < end, self.stream.records[-20:]
            if select.select([self.socket], [], [], 0.2)[0]:
                data = self.socket.recv(1 << 20)
                assert data, "the connection is closed"
                self.raw += data
                self.stream.feed(data)

    def read_to_end(self):
        self.stream.feed(self.read_all())

    def read_all(self, until=None):
        self.socket.settimeout(60)
        data = b""
        while not (until and until in data) and (piece := self.socket.recv(1 << 20)):
            data += piece
        return data

    def ask(self, tag, answer, body=b""):
        """How many records of that kind there are then."""
        before = self.stream.count(answer)
        self.command(tag, body)
        self.read_until(lambda: self.stream.count(answer) > before)
