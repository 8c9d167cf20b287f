#!/usr/bin/env python3
"""How soon a DDM server is answered: with 2,000 threads, and beside servers that are broken.

bench/ddm_answers.py [--rounds N] [--jdk HOME] [--preset NAME]

Threads: a program with 2,000 parked threads; the time from a request to the last byte of its answer
(THEN counts its THCR events in), for the first time and then again.

Beside others: HELO and THST of one server in turn, while 50 others at once come and go, 2,000 in
all, with 2 GB lengths, half packets, noise, floods of requests, and never read; and one more stays,
asks as fast as it is let, and never reads. Memory and descriptors are those of the JVM.
"""
import argparse
import os
import socket
import statistics
import struct
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))


def timed(work):
    begin = time.monotonic()
    work()
    return 1000 * (time.monotonic() - begin)


def of(values):
    values = sorted(values)
    return (f"median {statistics.median(values):.1f}, p99 {values[int(len(values) * 0.99)]:.1f}, "
            f"most {values[-1]:.1f} ms of {len(values)}")


def many_threads(case, rounds):
    from ddm_client import Target, read_named
    with Target(case, flags=["-Xss256k"]) as p:
        p.tell("many 2000")
        with p.client() as ddm:
            first = timed(ddm.enable_threads), timed(ddm.thread_table)
            ids = [read_named(data)[0] for kind, data in ddm.take_events() if kind == "THCR"]
            assert len(ids) > 2000
            figures = {"THEN": [], "THST": [], "STKL": []}
            for i in range(rounds):
                figures["THEN"].append(timed(ddm.enable_threads))
                figures["THST"].append(timed(ddm.thread_table))
                figures["STKL"].append(timed(lambda: ddm.stack(ids[i * 37 % len(ids)])))
        print(f"JDK {case.jdk.major}, {len(ids)} threads: first THEN {first[0]:.0f} ms, first THST "
              f"{first[1]:.0f} ms")
        for name, values in figures.items():
            print(f"  {name}: {of(values)}", flush=True)


def never_reading(p, stop):
    import broken_servers as broken
    with socket.create_connection(broken.place(p), 60) as link:
        link.settimeout(0.1)
        try:
            link.sendall(broken.HANDSHAKE)
            flood = b"".join(broken.packet(broken.chunk(kind, data)) for kind, data in (
                ("THEN", b"\1"), ("THST", struct.pack(">I", 10)), ("HPIF", b"\3"), ("THST", b"")))
            while not stop.is_set():
                try:
                    link.sendall(flood * 50)
                except TimeoutError:
                    pass  # it does not read us any more either
        except ConnectionError:
            pass  # dropped


def beside_broken_servers(case):
    import broken_servers as broken
    from ddm_client import Target
    flags = ["-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
    with Target(case, agent="log=error", flags=flags) as p, p.client(timeout=120) as ddm:
        p.tell("many 100")
        for _ in range(4):
            broken.crowd(p, 50)
        time.sleep(1)
        before = broken.memory(p.pid), broken.descriptors(p.pid)
        stop = threading.Event()

        def attack():
            for _ in range(40):
                broken.crowd(p, 50)
            stop.set()

        others = [threading.Thread(target=attack),
                  threading.Thread(target=never_reading, args=(p, stop))]
        for other in others:
            other.start()
        times = []
        while not stop.is_set():
            times.append(timed(ddm.hello))
            times.append(timed(ddm.thread_table))
        for other in others:
            other.join()
        time.sleep(1)
        grown = (broken.memory(p.pid) - before[0], broken.descriptors(p.pid) - before[1])
        print(f"JDK {case.jdk.major}, beside 2,000 broken servers: {of(times)}; RSS "
              f"{grown[0]:+d} MiB, descriptors {grown[1]:+d}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--jdk", action="append", help="its home; default: all that are found")
    parser.add_argument("--preset", default="release")
    options = parser.parse_args()
    os.environ["DDM_PRESET"] = options.preset
    import harness
    harness.build_programs()
    chosen = options.jdk and {os.path.realpath(home) for home in options.jdk}
    for jdk in harness.JDKS:
        if chosen and jdk.home not in chosen:
            continue
        case = harness.Case(main, jdk, timeout=600)
        with tempfile.TemporaryDirectory() as case.dir:
            many_threads(case, options.rounds)
            beside_broken_servers(case)


if __name__ == "__main__":
    main()
