#!/usr/bin/env python3
"""What sites= and live= cost an allocation that is recorded: CPU nanoseconds of the allocating thread
and of the whole process, with and without in turn; and the native memory of a live object.

Usage: bench/live_cost.py [--pairs N] [--jdk 17|25] [--only sites|live|memory]
                                                        (after: cmake --build --preset release)

The thread's figure is the best round of a hot loop of small objects that die at once; the process's
has the collector's part and the agent's own thread in it, which looks through the handles. Memory
is what a process has more of its own when three million objects live that are followed, and what is
left of that when live= is off again.
"""
import argparse
import os
import re
import statistics
import subprocess
import time

from paired import cpu_of_children
from target import Target, chosen_jdks

import harness  # target has found the tests

OBJECTS, ROUNDS = 100_000, 40
# Of sites=: frames of the stack, beside those of the program's start. Up to 16 are walked anyhow.
DEPTHS = (10, 20, 64)


def run(jdk, options, depth=20):
    """(ns of the thread, ns of the process) for each object."""
    before = cpu_of_children()
    out = subprocess.run([jdk.java, "-XX:+UseSerialGC", "-Xmx512m", "-Xmn32m",
                          f"-agentpath:{harness.AGENT}={options}", "-cp",
                          os.path.join(harness.WORK, "classes"), "Cost", str(OBJECTS), str(ROUNDS),
                          str(depth)],
                         check=True, capture_output=True, text=True).stdout
    return float(out), (cpu_of_children() - before) * 1e9 / (OBJECTS * ROUNDS)


def spread(values):
    return f"{statistics.median(values):+.0f} ns ({min(values):.0f}..{max(values):.0f})"


def compare(jdk, what, pairs, dearer, base, depth=20):
    rows = []
    for i in range(pairs):
        order = [dearer, base]
        both = [run(jdk, options, depth) for options in (order if i % 2 == 0 else order[::-1])]
        rows.append(both if i % 2 == 0 else both[::-1])
    print(f"JDK {jdk.major} {what}: thread {spread([a[0] - b[0] for a, b in rows])} on "
          f"{statistics.median(b[0] for _, b in rows):.0f} ns, process "
          f"{spread([a[1] - b[1] for a, b in rows])}", flush=True)


def private_bytes(pid):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return int(re.search(r"^Private_Dirty: +(\d+) kB", f.read(), re.M).group(1)) * 1024


def memory(jdk, objects=3_000_000):
    """Bytes of an object, and what is left of them when live= is off again."""
    options = "track=y,live=y,sites_depth=8,dump=none"
    flags = ["-Xms300m", "-Xmx300m", "-XX:+UseSerialGC", "-XX:+AlwaysPreTouch"]
    with Target(jdk, os.path.join(harness.WORK, "classes"), "Live", options=options,
                flags=flags) as target:
        pid = target.process.pid

        def settled():
            target.client.request("REPT", b"\0\0\0\7" + "summary".encode("utf-16-be"))
            return private_bytes(pid)

        for line in ("nodes 200000", "gc", "forget", "gc"):
            assert target.ask(line) == "done"
        before = settled()
        target.ask(f"nodes {objects}")
        target.ask("gc")
        alive = settled()
        ddm = os.path.join(os.path.dirname(harness.AGENT), "..", "bin", "ddm")
        subprocess.run([ddm, "attach", str(pid), "live=n"], check=True, capture_output=True)
        for _ in range(20):  # the VM frees its part after a collection, and the agent gives it back
            target.ask("gc")
            time.sleep(1)
        return (alive - before) / objects, (settled() - before) / objects


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--only", choices=("sites", "live", "memory"))
    args = parser.parse_args()
    harness.build_programs()
    for jdk in chosen_jdks(args.jdk):
        for engine in ("vm", "bci"):
            base = f"track=y,engine={engine},dump=none,address=none"
            if args.only in (None, "sites"):
                for depth in DEPTHS:
                    compare(jdk, f"engine={engine} sites=, {depth} frames", args.pairs, base,
                            f"{base},sites=0", depth)
            if args.only in (None, "live"):
                for live in ("y", "1/16"):
                    compare(jdk, f"engine={engine} live={live}", args.pairs, f"{base},live={live}",
                            base)
        if args.only in (None, "memory"):
            each, left = memory(jdk)
            print(f"JDK {jdk.major}: a live object takes {each:.1f} bytes, and {left:.1f} are left of "
                  f"them with live=n", flush=True)


main()
