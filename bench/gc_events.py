#!/usr/bin/env python3
"""What HPIF at every collection costs the collection: CPU of the VM's own thread, which collects
and runs the agent's callback. Rounds with and without are paired, in one process.

Usage: bench/gc_events.py [ROUNDS]       (7; after: cmake --build --preset release)
"""
import os
import statistics
import sys

from target import JDKS, Target, compile_program

import harness  # target has found the tests


def vm_thread(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm") as f:
            if f.read().strip() == "VM Thread":
                return task
    raise AssertionError("no VM Thread")


def cpu_ns(pid, task):
    with open(f"/proc/{pid}/task/{task}/schedstat") as f:
        return int(f.read().split()[0])


def measure(jdk, classes, rounds):
    with Target(jdk, classes, "GcLoop", options="", flags=["-XX:+UseSerialGC", "-Xmn2m", "-Xmx64m"]) as target:
        ddm, pid = target.client, target.process.pid
        task = vm_thread(pid)

        def a_round(when):
            ddm.heap_info(when)
            before = cpu_ns(pid, task)
            collections = int(target.ask(""))
            spent = cpu_ns(pid, task) - before
            ddm.take_events()
            return spent / collections / 1000, collections

        a_round(3)
        pairs = [(a_round(3)[0], a_round(0)[0]) for _ in range(rounds)]
        _, collections = a_round(0)
        print(f"JDK {jdk.major}: a collection {statistics.median(p[0] for p in pairs):.1f} us with "
              f"HPIF, {statistics.median(p[1] for p in pairs):.1f} without; median difference "
              f"{statistics.median(p[0] - p[1] for p in pairs):+.1f} us ({collections} collections "
              "a round)", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    classes = os.path.join(harness.WORK, "bench-classes")
    compile_program("GcLoop", classes)
    for jdk in JDKS:
        measure(jdk, classes, rounds)


main()
