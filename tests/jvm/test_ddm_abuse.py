"""Broken, silent and greedy DDM servers against a live JVM: the program and all others go on."""
import os
import random
import re
import socket
import struct
import threading
import time

from broken_servers import place
from ddm_client import HANDSHAKE, Target, chunk, read_named, text
from harness import test
from hostile import packet
from thread_names import threads_of

REQUESTS = ("HELO", "FEAT", "DBGD", "THEN", "THST", "STKL", "HPIF", "HPSG", "NHSG", "HPGC", "HPDU",
            "NHGT", "REAE", "REAQ", "REAL", "MPRQ", "MPSS", "MPSE", "SPSS", "SPSE", "ZLIB")


def raw(p):
    return socket.create_connection(place(p), 30)


@test()
def a_server_that_never_reads_holds_up_nobody(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("many 300")
        silent = raw(p)
        silent.sendall(HANDSHAKE + packet(chunk("THEN", b"\1")) +
                       packet(chunk("THST", struct.pack(">I", 10))) +
                       packet(chunk("HPIF", b"\3")))
        more = b"".join(packet(chunk(kind, b"\1")) for kind in ("THST", "THEN")) * 100
        silent.settimeout(0.2)
        try:
            for _ in range(100):  # until our side of the wire is full, or we are cut off
                silent.sendall(more)
        except OSError:
            pass
        for i in range(20):
            assert ddm.hello().pid == p.pid
            assert len(ddm.thread_table()) > 300
            p.tell(f"start t{i}")
        silent.close()
        assert ddm.hello().pid == p.pid


@test()
def half_packets_and_sudden_ends_harm_nobody(t):
    whole = HANDSHAKE + packet(chunk("THEN", b"\1")) + packet(chunk("REAL"))
    # log=error: a peer that has closed already cannot be checked, which is worth a warning.
    with Target(t, agent="log=error") as p, p.client() as ddm:
        held = []
        for size in range(0, len(whole) + 1, 3):
            half = raw(p)
            half.sendall(whole[:size])
            (held.append if size % 2 else lambda s: s.close())(half)
        assert ddm.hello().pid == p.pid
        for half in held:
            half.close()
        # Modes end with their sessions, however they end.
        p.tell("start one")
        assert ddm.hello().pid == p.pid and "main" in str(ddm.stack(main_id(ddm)))


def main_id(ddm):
    ddm.enable_threads()
    return next(read_named(d)[0] for k, d in ddm.take_events()
                if k == "THCR" and read_named(d)[1] == "main")


@test(timeout=300)
def random_chunks_and_bytes_are_answered_or_dropped_and_the_program_lives(t):
    chance = random.Random(20070306)
    with Target(t, agent="engine=vm,dump=none,log=error", flags=["-Xmx64m"]) as p:
        def noise(size):
            return bytes(chance.getrandbits(8) for _ in range(size))

        for round_ in range(12):
            with p.client() as ddm:
                for _ in range(60):
                    kind = chance.choice(REQUESTS)
                    data = noise(chance.choice((0, 1, 2, 4, 5, 9, 40)))
                    if kind == "HPDU":  # a path of noise would be a file somewhere
                        data = text(t.path("no/such/" + data.hex())) + data
                    number = ddm.send_raw(chunk(kind, data) + noise(chance.choice((0, 0, 3, 20))))
                    assert ddm.wait_reply(number)[0] == 0
            wild = raw(p)
            wild.settimeout(30)
            wild.sendall(HANDSHAKE)
            assert wild.recv(14) == HANDSHAKE
            try:
                wild.sendall(noise(2000))
                while wild.recv(1 << 16):
                    pass
            except OSError:
                pass
            wild.close()
        with p.client() as ddm:
            assert ddm.hello().pid == p.pid
            ddm.track(False)
        p.tell("marks 10")


@test(timeout=300)
def many_servers_at_once_all_get_their_answers(t):
    with Target(t, agent="engine=vm,dump=none", flags=["-Xmx128m"]) as p:
        failures = []

        def work(number):
            try:
                with p.client(timeout=60) as ddm:
                    ddm.enable_threads()
                    ddm.request("THST", struct.pack(">I", 20))
                    ddm.heap_info(3)
                    for i in range(15):
                        ddm.hello()
                        ddm.thread_table()
                        ddm.heap_info()
                        ddm.stack(main_id(ddm))
                        if number == 0:
                            ddm.request("HPGC")
                            ddm.track(i % 2 == 0)
                            ddm.allocations()
            except Exception as failure:
                failures.append(failure)

        workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for w in workers:
            w.start()
        for i in range(10):
            p.tell("churn 50")
        for w in workers:
            w.join()
        assert not failures, failures


def jni_warnings(out):
    """What -Xcheck:jni has to say, without the stack traces."""
    return {re.sub(r"\d+", "N", line) for line in out.splitlines()
            if re.search(r"WARNING|FATAL|JNI|Warning", line)}


@test(flags=[("-Xcheck:jni",)], every_days=4)
def the_checked_jni_finds_nothing_in_the_agent(t):
    commands = ["states", "many 150", "churn 20", "usage", "marks 1000", "exit"]
    plain = t.java("DdmTarget", stdin="\n".join(commands) + "\n")
    process = Target(t, agent="engine=vm,dump=none")
    output = []
    with process as p:
        with p.client() as ddm:
            ddm.hello()
            number = main_id(ddm)
            ddm.track(True)
            for command in commands[:-1]:
                p.say(command)
                while True:
                    line = p.process.stdout.readline()
                    assert line, p.stderr()
                    output.append(line)
                    if line.startswith(("done", "usage")):
                        break
            ddm.request("THST", struct.pack(">I", 20))
            ddm.heap_info(3)
            for _ in range(3):
                assert len(ddm.thread_table()) > 150
                ddm.heap_info()
                ddm.request("HPGC")
                ddm.next_event("HPIF")
                ddm.next_event("THST")
                ddm.stack(number)
                ddm.allocations()
                assert ddm.request("HPSG", b"\2\1") == b""
            assert ddm.request("HPDU", text(t.path("x.hprof"))) == b"\0"
            ddm.enable_threads(False)
            ddm.track(False)
            ddm.request("EXIT", struct.pack(">i", 0))
            output += [p.ended()[1]]
        p.process.wait()
        found = jni_warnings("".join(output) + p.stderr()) - jni_warnings(plain.out + plain.err)
        assert not found, found
        p.process.said.lines().clear()


@test()
def nothing_is_left_switched_on_when_the_servers_have_gone(t):
    with Target(t) as p:
        def switches():
            total = 0
            for task in os.listdir(f"/proc/{p.pid}/task"):
                with open(f"/proc/{p.pid}/task/{task}/status") as f:
                    status = f.read()
                if re.match(r"Name:\s+ddm", status):
                    total += int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", status).group(1))
            return total

        assert "ddm-chores" not in threads_of(p.pid), "a clock, and no server"
        with p.client() as ddm:
            ddm.enable_threads()
            ddm.heap_info(3)
            ddm.request("THST", struct.pack(">I", 10))
            ddm.next_event("THST")
        deadline = time.monotonic() + 20  # on a busy machine it takes them a while to find out
        while True:
            before = switches()
            p.tell("gc")
            p.tell("churn 50")
            time.sleep(1)
            if switches() - before <= 4:
                break
            assert time.monotonic() < deadline, "the agent's threads are still awake"
