"""A method trace file, read from its layout."""
import contextlib
import json
import re
import signal
import struct
import subprocess
import time

from tool import DDM


class Trace:
    """The file of Android's tracer, as its readers take it apart."""

    def __init__(self, data):
        end = data.index(b"*end\n") + len(b"*end\n")
        sections = re.split(r"^\*(\w+)\n", data[:end].decode("ascii"), flags=re.M)[1:]
        parts = dict(zip(sections[::2], sections[1::2]))
        first, *options = parts["version"].splitlines()
        self.version = int(first)
        self.options = dict(line.split("=") for line in options)
        self.threads = {int(number): name for number, name in
                        (line.split("\t") for line in parts["threads"].splitlines())}
        self.methods = {}
        for line in parts["methods"].splitlines():
            number, kind, name, signature, file, at = line.split("\t")
            assert int(number, 16) % 4 == 0 and int(number, 16) > 0
            self.methods[int(number, 16)] = (f"{kind}.{name}", signature, file, int(at))
        magic, version, offset, self.begin = struct.unpack_from("<4sHHQ", data, end)
        assert (magic, version, offset) == (b"SLOW", self.version, 32)
        layout = "<HII" if version == 2 else "<HIII"
        size = struct.calcsize(layout)
        if version == 3:
            assert struct.unpack_from("<H", data, end + 16) == (14,)
        body = data[end + offset:]
        assert len(body) % size == 0
        self.events = [(thread, self.methods[method & ~3][0], method & 3, *clocks)
                       for thread, method, *clocks in struct.iter_unpack(layout, body)]

    def calls(self):
        """{(thread's name, method): [entries, exceptions]}; every thread's calls nest."""
        counts, stacks, last = {}, {}, {}
        for thread, method, action, *clocks in self.events:
            assert 0 < thread < 32768 and thread in self.threads
            assert clocks[-1] >= last.get(thread, 0), "time goes back"
            last[thread] = clocks[-1]
            count = counts.setdefault((self.threads[thread], method), [0, 0])
            stack = stacks.setdefault(thread, [])
            if action == 0:
                count[0] += 1
                stack.append(method)
            else:
                assert stack.pop() == method
                count[1] += action == 2
        return counts


def read_counts(p):
    truth = {}
    while (line := p.process.stdout.readline().rstrip("\n")) != "counted":
        method, calls, exceptions = line.split()
        truth[method] = [int(calls), int(exceptions)]
    return truth


def await_tracing(p, tool, mode):
    with p.client() as ddm:
        deadline = time.monotonic() + 30
        while ddm.request("MPRQ") != mode:
            assert time.monotonic() < deadline and tool.poll() is None
            time.sleep(0.05)


@contextlib.contextmanager
def ended_while_traced(p, *words, target=None):
    """`ddm trace` runs in the block; then the program ends. With --json: a list of what it says."""
    told = []
    tool = subprocess.Popen([DDM, "trace", target or str(p.pid), *words], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    await_tracing(p, tool, b"\2" if "--sample" in words else b"\1")
    yield told
    p.process.stdin.close()
    assert p.ended()[0] == 0
    out, err = tool.communicate(timeout=60)
    assert tool.returncode == 0 and "the program has ended" in err, (out, err)
    if "--json" in words:
        told.append(json.loads(out))


def traced(p, path, *words):
    """(what `ddm trace --json` says, the program's own counts) of one "go"."""
    tool = subprocess.Popen([DDM, "trace", str(p.pid), "--methods", "Calls*", "-d", "60", "-o", path,
                             "--json", *words], stdout=subprocess.PIPE, text=True)
    await_tracing(p, tool, b"\1")
    p.say("go")
    truth = read_counts(p)
    tool.send_signal(signal.SIGINT)  # ends it early, and it writes
    told = json.loads(tool.communicate(timeout=60)[0])
    assert tool.returncode == 0
    found = {f"{m['class']}.{m['method']}": [m["calls"], m["exceptions"]] for m in told["methods"]}
    assert {method: found.get(method) for method in truth} == truth
    return told, truth
