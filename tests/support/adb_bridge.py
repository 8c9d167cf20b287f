"""`ddm bridge`, an adb server of our own, and adb's transport protocol as a client speaks it."""
import os
import re
import socket
import struct
import subprocess
import time

from harness import PRESET, ROOT

DDM = os.path.join(ROOT, "build", PRESET, "bin", "ddm")

MAX_PAYLOAD = 1 << 20
NO_CHECKSUMS = 0x01000001
CHECKSUMS = 0x01000000


def wait_for(condition, what, seconds=20):
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.02)


def first_line(process, pattern):
    line = process.stdout.readline()
    match = re.search(pattern, line)
    assert match, f"{line!r} instead of {pattern}"
    return match.group(1)


class Process:
    """Ended when the `with` is left."""

    def __init__(self, line, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, **kwargs):
        self.process = subprocess.Popen(line, stdin=stdin, stdout=subprocess.PIPE, stderr=stderr,
                                        text=True, **kwargs)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        self.process.stdout.close()


class Bridge(Process):
    def __init__(self):
        super().__init__([DDM, "bridge", "--port", "0"])
        self.address = first_line(self.process, r"adb connect (127\.0\.0\.1:\d+)")
        self.port = int(self.address.split(":")[1])

    def client(self, **kwargs):
        return AdbClient(self.port, **kwargs)


class Adb(Process):
    """A server on a port of its own, with keys of its own."""

    def __init__(self, home):
        os.makedirs(home, exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.env = dict(os.environ, HOME=home, ANDROID_ADB_SERVER_PORT=str(self.port))
        super().__init__(["adb", "-P", str(self.port), "nodaemon", "server"], env=self.env)
        try:
            wait_for(self.is_up, "the adb server")
        except AssertionError:
            self.__exit__()
            raise

    def is_up(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def run(self, *words):
        done = subprocess.run(["adb", "-P", str(self.port), *words], env=self.env, text=True,
                              capture_output=True, timeout=30)
        return done.returncode, done.stdout, done.stderr

    def connect(self, bridge):
        code, out, err = self.run("connect", bridge.address)
        assert code == 0 and "connected to" in out, out + err
        wait_for(lambda: f"{bridge.address}\tdevice" in self.run("devices")[1], "the device")

    def forward(self, bridge, pid):
        """The address of a port of ours that leads to program `pid` through adb and the bridge."""
        self.connect(bridge)
        with bridge.client() as client:
            wait_for(lambda: str(pid) in client.open("jdwp").read_to_end().decode().split(),
                     "the program")
        code, port, error = self.run("-s", bridge.address, "forward", "tcp:0", f"jdwp:{pid}")
        assert code == 0, error
        return f"127.0.0.1:{port.strip()}"


class AdbClient:
    """One connection to the device, as an adb server makes it; all packets in the open."""

    def __init__(self, port, version=NO_CHECKSUMS, connect=True):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.version = CHECKSUMS
        self.ids = 0
        if connect:
            self.send(b"CNXN", version, MAX_PAYLOAD, b"host::features=shell_v2\0")
            name, answered, self.max_payload, self.banner = self.read()
            assert name == b"CNXN", name
            self.version = min(version, answered)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, name, arg0, arg1, payload=b"", checksum=None):
        command = struct.unpack("<I", name)[0]
        if checksum is None:
            checksum = sum(payload) if self.version == CHECKSUMS else 0
        self.socket.sendall(struct.pack("<6I", command, arg0, arg1, len(payload), checksum,
                                        command ^ 0xffffffff) + payload)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError(f"{len(data)} of {size} bytes")
            data += more
        return data

    def read(self):
        header = self.exactly(24)
        command, arg0, arg1, length, checksum, magic = struct.unpack("<6I", header)
        assert magic == command ^ 0xffffffff
        payload = self.exactly(length)
        if self.version == CHECKSUMS:
            assert checksum == sum(payload), "a wrong checksum"
        return header[:4], arg0, arg1, payload

    def nothing_comes(self, seconds):
        self.socket.settimeout(seconds)
        try:
            return self.socket.recv(1, socket.MSG_PEEK) and False
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(10)

    def is_cut_off(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def open(self, service):
        """The stream, or None when the device refuses."""
        self.ids += 1
        self.send(b"OPEN", self.ids, 0, service.encode() + b"\0")
        name, remote, local, _ = self.read()
        assert local == self.ids
        if name == b"CLSE":
            assert remote == 0
            return None
        assert name == b"OKAY" and remote != 0, name
        return AdbStream(self, local, remote)


class AdbStream:
    """One at a time on a client: other streams' packets are not expected."""

    def __init__(self, client, local, remote):
        self.client, self.local, self.remote, self.data = client, local, remote, b""

    def write(self, data):
        self.client.send(b"WRTE", self.local, self.remote, data)
        while True:
            name, remote, local, payload = self.client.read()
            assert (remote, local) == (self.remote, self.local)
            if name == b"OKAY":
                return
            self.take(name, payload)

    def take(self, name, payload):
        assert name == b"WRTE", name
        self.data += payload
        self.client.send(b"OKAY", self.local, self.remote)

    def read(self, size):
        while len(self.data) < size:
            name, remote, local, payload = self.client.read()
            assert (remote, local) == (self.remote, self.local)
            self.take(name, payload)
        data, self.data = self.data[:size], self.data[size:]
        return data

    def read_to_end(self):
        while True:
            name, remote, local, payload = self.client.read()
            assert (remote, local) == (self.remote, self.local)
            if name == b"CLSE":
                self.client.send(b"CLSE", self.local, self.remote)
                return self.data
            self.take(name, payload)

    def pids(self):
        """The next message of track-jdwp."""
        return [int(pid) for pid in self.read(int(self.read(4), 16)).split()]
