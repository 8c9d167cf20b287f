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
import sys
import time

from target import JDKS, Target

import harness  # target has found the tests

LOAD = os.path.join(harness.ROOT, "build", harness.PRESET, "lib", "libnative_load.so")


def program(jdk, options):
    flags = ["--enable-native-access=ALL-UNNAMED"] if jdk.major >= 24 else []
    return Target(jdk, os.path.join(harness.WORK, "classes"), "NativeLoad", options=options,
                  flags=["-XX:+UseSerialGC", *flags])


def cpu_nanos(jdk, options, load, rounds):
    """Of one malloc and free, or of one text."""
    with program(jdk, options) as target:
        assert target.ask(f"load {LOAD}") == "done"
        nanos = int(target.ask(f"{load} {rounds}").removeprefix("ns "))
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
    with program(jdk, "") as target:
        assert target.ask(f"load {LOAD}") == "done"
        target.ask("blocks 1000000")
        walls, cpus = [], []
        for _ in range(9):
            cpu, begin = target.cpu_seconds(), time.monotonic()
            target.client.request("NHSG", b"\2\0")
            walls.append(time.monotonic() - begin)
            cpus.append(target.cpu_seconds() - cpu)
            size = sum(len(data) for _, data in target.client.take_events())
    print(f"JDK {jdk.major}: NHSG of 1,000,000 blocks: CPU {min(cpus):.2f} s best, "
          f"{statistics.median(cpus):.2f} median; wall {min(walls):.2f} and "
          f"{statistics.median(walls):.2f}; {size / 1e6:.1f} MB", flush=True)


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2_000_000
    harness.build_programs()
    for jdk in JDKS:
        native_map(jdk)
        sampling(jdk, pairs, "index", rounds // 4000)
        sampling(jdk, pairs, "work", rounds)


main()
