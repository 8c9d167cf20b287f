"""DDM servers that mean harm, for tests and benchmarks: what they send, and how they (do not) read.

Each attack is a function of a Crowd, which holds its connections until it is over.
"""
import os
import socket
import struct
import threading
import time
import zlib

from ddm_client import HANDSHAKE, chunk, text

MIB = 1 << 20


def packet(payload, number=1):
    return struct.pack(">IIBBB", 11 + len(payload), number, 0, 0xC7, 1) + payload


def bomb(kind, size):
    """A ZLIB chunk with `size` zeros in it."""
    return chunk("ZLIB", kind.encode() + struct.pack(">I", size) + zlib.compress(bytes(size), 9))


class Crowd:
    """Connections to a target, and the threads that use them."""

    def __init__(self, address):
        self.address = address
        self.links = []
        self.threads = []
        self.stop = threading.Event()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop.set()
        for link in self.links:
            link.close()
        for thread in self.threads:
            thread.join()

    def connect(self):
        host, _, port = self.address.rpartition(":")
        # Little room on our side, so that what is not read is the target's.
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        link.settimeout(30)
        link.connect((host, int(port)))
        link.sendall(HANDSHAKE)
        link.settimeout(0.2)
        self.links.append(link)
        return link

    def run(self, body):
        def quietly():
            try:
                body()
            except (OSError, EOFError):
                pass  # dropped, or the target has ended
        self.threads.append(threading.Thread(target=quietly, daemon=True))
        self.threads[-1].start()

    def send(self, link, data):
        """All of it, or as much as is taken before the end."""
        data = memoryview(data)
        while data and not self.stop.is_set():
            try:
                data = data[link.send(data[:MIB]):]
            except TimeoutError:
                pass

    def ask_without_reading(self, servers, data, again=False):
        """Each sends the packets, over and over with `again`, and reads nothing."""
        def ask():
            while not self.stop.is_set():
                try:
                    link = self.connect()
                    self.send(link, data)
                    while again and not self.stop.is_set():
                        self.send(link, data)
                    return
                except OSError:  # dropped: it comes again
                    if not again:
                        return
                    time.sleep(0.05)
        for _ in range(servers):
            self.run(ask)

    def ask_and_read_slowly(self, servers, data):
        def ask():
            link = self.connect()
            self.send(link, data)
            while not self.stop.is_set():
                try:
                    if not link.recv(1000):
                        return
                except TimeoutError:
                    pass
                time.sleep(0.05)
        for _ in range(servers):
            self.run(ask)


def zlib_bombs_in_full_packets(crowd):
    crowd.ask_without_reading(4, packet(bomb("HELO", 16 * MIB - 64) * 1000), again=True)


def zlib_bombs_in_many_packets(crowd):
    crowd.ask_without_reading(4, packet(bomb("HPIF", 16 * MIB - 64)) * 50, again=True)


def zlib_of_the_size_allowed(crowd):
    crowd.ask_without_reading(4, packet(bomb("REAQ", MIB)) * 200, again=True)


def many_dumps_in_a_packet(crowd):
    crowd.ask_without_reading(3, packet(chunk("HPDS") * 24))


def unread_dumps(crowd):
    crowd.ask_without_reading(6, packet(chunk("HPDS")) * 3)


def unread_maps(crowd):
    crowd.ask_without_reading(6, packet(chunk("HPSO", b"\2\1")) * 20)
    crowd.ask_without_reading(2, packet(chunk("HPSG", b"\2\0")) * 20)


def unread_allocations(crowd):
    crowd.ask_without_reading(12, packet(chunk("REAL")) * 20)


def unread_answers_of_packets_with_many_chunks(crowd):
    crowd.ask_without_reading(6, packet((chunk("THST") + chunk("REAL") + chunk("HELO", b"\0\0\0\1"))
                                        * 300) * 100)


def unread_reports(crowd):
    asked = b"".join(packet(chunk("REPT", text(form)))
                     for form in ("html", "txt", "jsonl", "collapsed", "pb.gz", "summary"))
    crowd.ask_without_reading(12, asked * 5)


def unread_events(crowd):
    asked = b"".join(packet(chunk(kind, data)) for kind, data in (
        ("THEN", b"\1"), ("THST", struct.pack(">I", 10)), ("HPIF", b"\3"), ("HPSG", b"\1\1"),
        ("NHSG", b"\1\0"), ("HPGC", b"")))
    crowd.ask_without_reading(10, asked * 20)


def floods_of_requests(crowd):
    mixed = b"".join(packet(chunk(kind, data)) for kind, data in (
        ("HELO", b"\0\0\0\1"), ("THST", b""), ("HPIF", b"\1"), ("FEAT", b""), ("STKL", b"\0\0\0\1")))
    crowd.ask_without_reading(10, mixed * 1000, again=True)


def half_packets(crowd):
    half = struct.pack(">IIBBB", 16 * MIB, 1, 0, 0xC7, 1) + bytes(15 * MIB)
    crowd.ask_without_reading(40, half)


def slow_reading(crowd):
    crowd.ask_and_read_slowly(4, packet(chunk("HPSO", b"\2\1")) * 5)
    crowd.ask_and_read_slowly(4, packet(chunk("HPDS")) * 5)
    crowd.ask_and_read_slowly(4, packet(chunk("REAL")) * 5)


ATTACKS = [zlib_bombs_in_full_packets, zlib_bombs_in_many_packets, zlib_of_the_size_allowed,
           many_dumps_in_a_packet, unread_dumps, unread_maps, unread_allocations,
           unread_answers_of_packets_with_many_chunks, unread_reports, unread_events,
           floods_of_requests, half_packets, slow_reading]


def memory_mib(pid):
    """What the process has for itself; files are the system's."""
    with open(f"/proc/{pid}/status") as f:
        fields = dict(line.split(":", 1) for line in f)
    return sum(int(fields[name].split()[0]) for name in ("RssAnon", "RssShmem")) / 1024


class MostMemory:
    """The most that a process has had while this ran, beyond what it had at first."""

    def __init__(self, pid):
        self.pid = pid
        self.before = self.most = memory_mib(pid)
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self):
        while not self.done.wait(0.02):
            try:
                self.most = max(self.most, memory_mib(self.pid))
            except (OSError, KeyError):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    @property
    def grown(self):
        return self.most - self.before


def exit_seconds(process):
    """From the program's last line to the end of its process."""
    begin = time.monotonic()
    process.stdin.write("exit\n")
    process.stdin.flush()
    code = process.wait(120)
    assert code == 0, code
    return time.monotonic() - begin


def threads_of(pid):
    return len(os.listdir(f"/proc/{pid}/task"))
