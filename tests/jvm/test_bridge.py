"""`ddm bridge`, packet by packet, and with Debian's adb."""
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

from adb_bridge import Adb, AdbClient, Bridge, CHECKSUMS, DDM, wait_for
from ddm_client import Target
from debugger import JDWP, Jdb
from harness import test
from process_stat import cpu_seconds, state_of

HANDSHAKE = b"JDWP-Handshake"


class Sleeper:
    """A JVM that does nothing, with the agent."""

    def __init__(self, t):
        self.process = t.popen("DdmTarget", agent="")
        self.pid = self.process.pid
        line = self.process.stderr.readline()
        match = re.search(rf"pid {self.pid} listening on (\S+)", line)
        assert match, line
        self.address = match.group(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


def hello(number):
    data = struct.pack(">4sII", b"HELO", 4, 1)
    return struct.pack(">IIBBB", 11 + len(data), number, 0, 0xc7, 1) + data


def read_reply(stream, number):
    """The payload of the reply; packets of others are passed over."""
    while True:
        header = stream.read(11)
        length, packet_id, flags = struct.unpack(">IIB", header[:9])
        payload = stream.read(length - 11)
        if flags == 0x80 and packet_id == number:
            assert header[9:] == b"\0\0"
            return payload


@test()
def adb_hears_of_every_program_that_comes_and_goes(t):
    with Bridge() as bridge, bridge.client() as client:
        track = client.open("track-jdwp")
        before = track.pids()
        with Sleeper(t) as first, Sleeper(t) as second:
            assert first.pid not in before
            seen = []
            while not {first.pid, second.pid} <= set(seen):
                seen = track.pids()
            first.process.kill()  # without a word, and its discovery file stays
            first.process.wait()
            killed = time.monotonic()
            while first.pid in seen:
                seen = track.pids()
            assert time.monotonic() - killed < 15
            second.process.stdin.close()  # ends as programs do
            while second.pid in seen:
                seen = track.pids()


@test()
def jdwp_is_the_ddm_port_byte_for_byte(t):
    for version in (None, CHECKSUMS):
        options = {"version": version} if version else {}
        with Bridge() as bridge, Sleeper(t) as jvm, bridge.client(**options) as client:
            wait_for(lambda: str(jvm.pid) in
                     client.open("jdwp").read_to_end().decode().split(), "the program")
            vm = client.open(f"jdwp:{jvm.pid}")
            # As ddmlib does: the first request does not wait for the echo.
            vm.write(HANDSHAKE + hello(0x40000001))
            assert vm.read(14) == HANDSHAKE
            reply = read_reply(vm, 0x40000001)
            assert reply[:4] == b"HELO"
            assert struct.unpack(">I", reply[12:16])[0] == jvm.pid
            # In pieces.
            for byte in hello(7):
                vm.write(bytes([byte]))
            assert read_reply(vm, 7) == reply


@test()
def a_program_that_ends_closes_its_stream(t):
    with Bridge() as bridge, Sleeper(t) as jvm, bridge.client() as client:
        vm = wait_for(lambda: client.open(f"jdwp:{jvm.pid}"), "the program")
        vm.write(HANDSHAKE)
        assert vm.read(14) == HANDSHAKE
        jvm.process.kill()
        assert vm.read_to_end() == b""
        wait_for(lambda: client.open(f"jdwp:{jvm.pid}") is None, "the refusal")


def stop(process):
    """SIGSTOP, until it holds every thread."""
    process.send_signal(signal.SIGSTOP)
    tasks = f"/proc/{process.pid}/task"
    wait_for(lambda: all(state_of(process.pid, task) == "T" for task in os.listdir(tasks)), "the stop")


def is_idle(bridge):
    """It takes next to no processor time while nothing happens."""
    before = cpu_seconds(bridge.process.pid)
    time.sleep(1)
    return cpu_seconds(bridge.process.pid) - before < 0.1


@test()
def a_program_that_resets_while_adb_owes_an_answer_keeps_the_bridge_idle(t):
    with Bridge() as bridge, Sleeper(t) as jvm, bridge.client() as client:
        vm = wait_for(lambda: client.open(f"jdwp:{jvm.pid}"), "the program")
        client.send(b"WRTE", vm.local, vm.remote, HANDSHAKE)
        answers = sorted(client.read()[0] for _ in range(2))
        assert answers == [b"OKAY", b"WRTE"]  # the echo, which is not acknowledged
        stop(jvm.process)
        client.send(b"WRTE", vm.local, vm.remote, hello(9))
        assert client.read()[0] == b"OKAY"
        jvm.process.kill()  # with bytes unread: that resets the connection
        jvm.process.wait()
        assert is_idle(bridge)
        client.send(b"OKAY", vm.local, vm.remote)
        assert vm.read_to_end() == b""


@test()
def a_bridge_without_descriptors_is_idle_and_accepts_later(t):
    with Bridge() as bridge, bridge.client() as client:
        used = len(os.listdir(f"/proc/{bridge.process.pid}/fd"))
        limits = resource.prlimit(bridge.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(bridge.process.pid, resource.RLIMIT_NOFILE, (used, limits[1]))
        with AdbClient(bridge.port, connect=False) as late:
            assert is_idle(bridge)
            resource.prlimit(bridge.process.pid, resource.RLIMIT_NOFILE, limits)
            late.send(b"CNXN", CHECKSUMS, 1 << 20, b"host::")
            assert late.read()[0] == b"CNXN"
        assert client.open("jdwp") is not None


@test()
def nothing_is_sent_before_the_last_is_acknowledged(t):
    with Bridge() as bridge, Sleeper(t) as jvm, bridge.client() as client:
        vm = wait_for(lambda: client.open(f"jdwp:{jvm.pid}"), "the program")
        vm.write(HANDSHAKE)
        vm.read(14)
        # A heap dump is megabytes, so many packets.
        client.send(b"WRTE", vm.local, vm.remote,
                    struct.pack(">IIBBB4sI", 19, 9, 0, 0xc7, 1, b"HPDS", 0))
        size = 0
        last = 0
        while True:
            name, remote, local, payload = client.read()
            if name == b"OKAY":
                continue
            assert name == b"WRTE" and len(payload) <= client.max_payload
            if size == 0:
                assert client.nothing_comes(0.3)
                total = struct.unpack(">I", payload[:4])[0]
                assert total > 2 * client.max_payload, "too small a dump to tell"
            size += len(payload)
            last = payload[-9:]
            client.send(b"OKAY", local, remote)
            if size == total:
                break
        assert last[0] == 0x2c, "the dump does not end with its end record"


@test()
def what_the_device_has_not_is_refused(t):
    with Bridge() as bridge, bridge.client() as client:
        for service in ("sync:", "jdwp:1", "jdwp:", "jdwp:x", "jdwp:-1", "jdwp:99999999999",
                        "tcp:22", "localabstract:x", "reboot:", "root:", "", "track-jdwpx",
                        "framebuffer:", "log:main"):
            assert client.open(service) is None, service
        # A window for delayed acknowledgements, which was not offered.
        client.send(b"OPEN", 4711, 65536, b"track-jdwp\0")
        assert client.read() == (b"CLSE", 0, 4711, b"")
        # Data for a stream that never was.
        client.send(b"WRTE", 5, 6, b"x")
        assert client.read() == (b"CLSE", 0, 5, b"")
        client.send(b"CLSE", 5, 6)
        assert client.nothing_comes(0.2)


@test()
def the_shell_knows_properties_and_runs_nothing(t):
    touched = t.path("touched")
    with Bridge() as bridge, bridge.client() as client:
        assert client.banner.startswith(b"device::") and b"ro.product.name=ddm;" in client.banner
        text = client.open("shell:getprop").read_to_end().decode()
        properties = dict(re.findall(r"^\[(.+?)\]: \[(.*)\]$", text, re.MULTILINE))
        assert len(properties) == len(text.splitlines())
        assert 19 <= int(properties["ro.build.version.sdk"]) <= 30  # else no track-jdwp
        for name, value in properties.items():
            assert client.open(f"shell:getprop {name}").read_to_end().decode() == value + "\n"
        assert client.open("shell:getprop no.such").read_to_end() == b"\n"
        v2 = client.open("shell,v2,TERM=xterm,raw:getprop ro.debuggable").read_to_end()
        assert v2 == b"\x01\x02\0\0\0" + b"1\n" + b"\x03\x01\0\0\0" + b"\0"
        for command in (f"touch {touched}", f"getprop; touch {touched}", f"$(touch {touched})"):
            client.open(f"shell:{command}").read_to_end()
            client.open(f"exec:{command}").read_to_end()
            v2 = client.open(f"shell,v2,raw:{command}").read_to_end()
        assert v2[-6:] == b"\x03\x01\0\0\0\x7f"
    assert not os.path.exists(touched)


@test()
def a_broken_peer_is_cut_off_and_nobody_else(t):
    def header(name, length, checksum=0, magic=None):
        command = struct.unpack("<I", name)[0]
        return struct.pack("<6I", command, 1, 0, length, checksum,
                           command ^ 0xffffffff if magic is None else magic)

    with Bridge() as bridge, bridge.client() as bystander:
        track = bystander.open("track-jdwp")
        track.pids()
        for bytes_ in (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
                       header(b"OPEN", 0),                   # before CNXN
                       header(b"CNXN", 0, magic=1),
                       header(b"CNXN", 0xffffffff),
                       header(b"CNXN", 4, checksum=1) + b"host",
                       struct.pack("<6I", 0x4e584e43, 1, 4096, 0, 0, 0xb1a7b1bc)):  # version 1
            with AdbClient(bridge.port, connect=False) as broken:
                broken.socket.sendall(bytes_)
                assert broken.is_cut_off(), bytes_
        with bridge.client(version=CHECKSUMS) as broken:
            broken.send(b"OPEN", 1, 0, b"jdwp\0", checksum=0)
            assert broken.is_cut_off()
        with bridge.client() as again:
            assert again.open("jdwp") is not None
        with Sleeper(t) as jvm:
            while jvm.pid not in track.pids():
                pass


@test()
def other_users_are_refused(t):
    if os.geteuid() != 0:
        return  # only root can be somebody else
    ask = ("import socket,sys; s=socket.create_connection(('127.0.0.1',int(sys.argv[1])));"
           "s.settimeout(5); s.sendall(bytes.fromhex(sys.argv[2]));\n"
           "try: print(len(s.recv(100)))\n"
           "except ConnectionResetError: print(0)")
    payload = b"host::"
    cnxn = struct.pack("<6I", 0x4e584e43, 0x01000001, 1 << 20, len(payload), sum(payload),
                       0x4e584e43 ^ 0xffffffff) + payload
    with Bridge() as bridge:
        # Not sys.executable, which may be where only root gets to.
        line = ["/usr/bin/python3", "-c", ask, str(bridge.port), cnxn.hex()]
        mine = subprocess.run(line, capture_output=True, text=True, timeout=20)
        assert int(mine.stdout) > 0, mine
        theirs = subprocess.run(line, capture_output=True, text=True, timeout=20, user=65534,
                                cwd="/")
        assert theirs.stdout == "0\n", theirs


@test(queue=True)
def jdb_debugs_a_program_through_adb_and_the_bridge(t):
    with Bridge() as bridge, Adb(t.path("home")) as adb, Target(t, flags=[JDWP]) as p:
        with Jdb(t, adb.forward(bridge, p.pid)) as jdb:
            jdb.stop_at_marks(p, 1)
            jdb.say("where")
            jdb.expect("DdmTarget.main (DdmTarget.java:")
            jdb.quit()  # and so lets the program go on
        p.expect("done")


@test(queue=True)
def adb_itself_works_with_it(t):
    assert shutil.which("adb"), "adb is not installed"
    with Bridge() as bridge, Adb(t.path("home")) as adb, Sleeper(t) as jvm:
        adb.connect(bridge)
        device = ["-s", bridge.address]
        assert adb.run(*device, "get-state")[1] == "device\n"
        assert adb.run(*device, "shell", "getprop", "ro.product.name")[:2] == (0, "ddm\n")
        assert adb.run(*device, "shell", "ls")[0] == 127
        assert adb.run(*device, "pull", "/etc/passwd", t.path("x"))[0] != 0
        code, port, _ = adb.run(*device, "forward", "tcp:0", f"jdwp:{jvm.pid}")
        assert code == 0
        line = [DDM, "info", f"127.0.0.1:{port.strip()}", "--json"]
        info = wait_for(lambda: subprocess.run(line, capture_output=True, text=True,
                                               timeout=30).stdout, "the program through adb")
        assert json.loads(info)["pid"] == jvm.pid
        adb.run("disconnect", bridge.address)
        adb.connect(bridge)
        assert adb.run(*device, "shell", "getprop", "ro.product.name")[:2] == (0, "ddm\n")
