#!/usr/bin/env python3
"""What HPIF at every collection costs the collection: CPU of the VM's own thread, which collects
and runs the agent's callback. Rounds with and without are paired, in one process.

Usage: bench/gc_events.py [ROUNDS]       (7; after: cmake --build --preset release)
"""
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
from ddm_client import Client, address_of  # noqa: E402


def vm_thread(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm") as f:
            if f.read().strip() == "VM Thread":
                return task
    raise AssertionError("no VM Thread")


def cpu_ns(pid, task):
    with open(f"/proc/{pid}/task/{task}/schedstat") as f:
        return int(f.read().split()[0])


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    classes = os.path.join(harness.WORK, "bench-classes")
    subprocess.run([os.path.join(harness.JDKS[0].home, "bin", "javac"), "--release", "17", "-d",
                    classes, os.path.join(HERE, "programs", "GcLoop.java")], check=True)
    for jdk in harness.JDKS:
        process = subprocess.Popen(
            [jdk.java, "-XX:+UseSerialGC", "-Xmn2m", "-Xmx64m", f"-agentpath:{harness.AGENT}",
             "-cp", classes, "GcLoop"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ddm = Client(address_of(process))
        process.stdout.readline()
        task = vm_thread(process.pid)

        def a_round(when):
            ddm.heap_info(when)
            before = cpu_ns(process.pid, task)
            process.stdin.write("\n")
            process.stdin.flush()
            collections = int(process.stdout.readline())
            spent = cpu_ns(process.pid, task) - before
            ddm.take_events()
            return spent / collections / 1000, collections

        a_round(3)
        pairs = []
        for _ in range(rounds):
            pairs.append((a_round(3)[0], a_round(0)[0]))
        _, collections = a_round(0)
        ddm.close()
        process.communicate()
        print(f"JDK {jdk.major}: a collection {statistics.median(p[0] for p in pairs):.1f} us with "
              f"HPIF, {statistics.median(p[1] for p in pairs):.1f} without; median difference "
              f"{statistics.median(p[0] - p[1] for p in pairs):+.1f} us ({collections} collections "
              "a round)", flush=True)


main()
