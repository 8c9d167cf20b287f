"""jdb and JDWP's commands, and what a server asks for while a debugger holds every thread."""
import os
import queue
import random
import socket
import subprocess
import threading
import time

from ddm_client import read_allocations

JDWP = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0"
VERSION, DISPOSE, SUSPEND, RESUME = (1, 1), (1, 6), (1, 8), (1, 9)  # of VirtualMachine


class Jdb:
    """The JDK's jdb; what it says is read as it comes."""

    def __init__(self, t, address):
        self.process = subprocess.Popen(
            [os.path.join(t.jdk.home, "bin", "jdb"), "-attach", address], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1,
            env=dict(os.environ, LC_ALL="C"))
        self.pieces = queue.Queue()
        self.said = ""
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def _listen(self):
        while True:
            piece = self.process.stdout.read(1)
            self.pieces.put(piece)
            if not piece:
                return

    def expect(self, words, seconds=60):
        deadline = time.monotonic() + seconds
        while words not in self.said:
            try:
                piece = self.pieces.get(timeout=max(deadline - time.monotonic(), 0.01))
            except queue.Empty:
                raise AssertionError(f"jdb does not say {words!r}:\n{self.said}") from None
            assert piece, f"jdb has ended without {words!r}:\n{self.said}"
            self.said += piece
        self.said = self.said.partition(words)[2]

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def stop_at_marks(self, p, count, command="marks"):
        """Has `p` (a DdmTarget) do `marks count`, and stand still where that begins."""
        self.expect("Initializing jdb")
        self.say("stop in DdmTarget.marks")
        self.expect("Set breakpoint DdmTarget.marks")
        p.say(f"{command} {count}")
        self.expect("Breakpoint hit")
        self.expect("main[1]")

    def go_on_from_marks(self, p):
        """Lets `p` do them without another stop."""
        self.say("clear DdmTarget.marks")
        self.expect("Removed")
        self.say("cont")
        p.expect("done")

    def quit(self):
        self.say("quit")
        assert self.process.wait(60) == 0


def jdwp(ddm, command, data=b""):
    """(error, data) of a JDWP command."""
    return ddm.wait_reply(ddm.send_raw(data, *command))


def free_port():
    """Below those that the system gives to connections, which may take it before it is listened on."""
    while True:
        port = random.randrange(20_000, 32_000)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            pass


class Clock:
    """Every answer comes within three seconds, on a busy machine within ten; what waits for the
    debugger never comes."""

    def __enter__(self):
        self.begin = time.monotonic()

    def __exit__(self, *failure):
        took = time.monotonic() - self.begin
        assert failure[0] or took < 10, f"{took:.1f} s"


def check_answers_while_all_stand_still(p, ddm):
    """What a server asks for is told as ever."""
    for _ in range(2):
        with Clock():
            table = ddm.thread_table()
        with Clock():
            assert ddm.stack(min(table))
        with Clock():
            assert ddm.request("HPIF", b"\1")
        for on in (b"\1", b"\0"):
            with Clock():
                assert ddm.request("THEN", on) == b""
        with Clock():
            records = ddm.request("REAL")
        assert read_allocations(records)
        assert ddm.hello().pid == p.pid
