#!/usr/bin/env python3
"""What the native heap costs: sampling (native=512k) and a map of a million blocks.

Usage: bench/native_cost.py [PAIRS] [ROUNDS]      (after: cmake --build --preset release)

Sampling, in two JNI programs: one does nothing but malloc and free, 30 GB a second of it; one counts
words in a table of nodes and strings. Each takes the least CPU time of 7 rounds, in pairs of runs in
changing order: without native= and with it. The figure is the median ratio; on a busy machine that
of the two best runs says more. The map: CPU and wall time of NHSG when=2 with a million blocks, best and median of 9.
"""
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
from ddm_client import Client, address_of  # noqa: E402
from process_stat import cpu_seconds  # noqa: E402

LOAD = os.path.join(harness.ROOT, "build", harness.PRESET, "lib", "libnative_load.so")


class Program:
    def __init__(self, jdk, options):
        flags = ["--enable-native-access=ALL-UNNAMED"] if jdk.major >= 24 else []
        self.process = subprocess.Popen(
            [jdk.java, "-XX:+UseSerialGC", *flags, f"-agentpath:{harness.AGENT}={options}", "-cp",
             os.path.join(harness.WORK, "classes"), "NativeLoad"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"
        assert self.ask(f"load {LOAD}") == "done"

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def cpu_nanos(jdk, options, load, rounds):
    """Of one malloc and free, or of one text."""
    program = Program(jdk, options)
    nanos = int(program.ask(f"{load} {rounds}").removeprefix("ns "))
    program.end()
    return nanos / rounds


def sampling(jdk, pairs, load, rounds):
    rows = []
    for i in range(pairs):
        options = ["address=none", "address=none,native=512k"]
        times = {o: cpu_nanos(jdk, o, load, rounds) for o in (options if i % 2 else options[::-1])}
        rows.append([times[o] for o in options])
    ratios = sorted(b / a for a, b in rows)
    print(f"JDK {jdk.major}: {load} {statistics.median(a for a, _ in rows):.1f} ns, with "
          f"native=512k {statistics.median(b for _, b in rows):.1f} ns; ratio "
          f"{statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f}, {pairs} pairs), "
          f"of the best runs {min(b for _, b in rows) / min(a for a, _ in rows):.3f}", flush=True)


def native_map(jdk):
    program = Program(jdk, "")
    address = address_of(program.process)
    with Client(address) as ddm:
        program.ask("blocks 1000000")
        walls, cpus = [], []
        for _ in range(9):
            cpu, begin = program.cpu_seconds(), time.monotonic()
            ddm.request("NHSG", b"\2\0")
            walls.append(time.monotonic() - begin)
            cpus.append(program.cpu_seconds() - cpu)
            size = sum(len(data) for _, data in ddm.take_events())
    program.end()
    print(f"JDK {jdk.major}: NHSG of 1,000,000 blocks: CPU {min(cpus):.2f} s best, "
          f"{statistics.median(cpus):.2f} median; wall {min(walls):.2f} and "
          f"{statistics.median(walls):.2f}; {size / 1e6:.1f} MB", flush=True)


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000_000
    harness.build_programs()
    for jdk in harness.JDKS:
        native_map(jdk)
        sampling(jdk, pairs, "index", rounds // 4000)
        sampling(jdk, pairs, "work", rounds)


main()
