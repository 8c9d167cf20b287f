#!/usr/bin/env python3
"""What a map of the Java heap costs, beside JVMTI's own iteration over the same heap.

Usage: bench/heap_walk.py [OBJECTS]      (10,000,000; after: cmake --build --preset release)

The walk is the part with the program stopped that reads the heap; JVMTI's iteration is measured
with a callback that does nothing but count, and with one that gets the kinds a map needs (classes
tagged). CPU time all of it, the best of three, since walls differ with whoever shares the machine;
JVMTI's iteration has one thread, so that its CPU time is its time by the clock. Once in a heap of
every kind and size, once in one of nodes, boxes and short arrays.
"""
import os
import re
import sys

from target import JDKS

import harness  # target has found the tests
import heap_map

LINE = re.compile(r"heap map: (\d+) objects, \d+ bytes, walked in ([\d.]+) ms of CPU, "
                  r"([\d.]+) ms by (\d+) threads")


def measure(jdk, objects, small):
    case = harness.Case(measure, jdk, "g1", timeout=600)
    case.dir = os.path.join(harness.WORK, "run", "heap-walk")
    os.makedirs(case.dir, exist_ok=True)
    with heap_map.Shape(case, objects, ["-Xms2500m", "-Xmx2500m"], "log=debug",
                        small) as p, p.client(timeout=300) as ddm:
        p.collect()
        wire = []
        for what in (heap_map.OBJECTS, heap_map.MERGED) * 3:
            wire.append(heap_map.draw(ddm, what, strict=False).wire_bytes)
        bare, tagged = map(float, p.ask("time").split())
        lines = [LINE.search(line) for line in p.process.said.lines()]
        found = [(int(m[1]), float(m[2]), float(m[3]), int(m[4])) for m in lines if m]
    cpu, wall = min(row[1] for row in found), min(row[2] for row in found)
    return found[-1][0], cpu, wall, found[-1][3], wire[0], wire[1], bare, tagged


def main():
    objects = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    harness.build_programs()
    for jdk in JDKS:
        for small in (False, True):
            count, walk, wall, threads, by_object, merged, bare, tagged = measure(jdk, objects, small)
            print(f"JDK {jdk.major}, G1, {count} objects {'of few bytes' if small else 'of every kind'}\n"
                  f"  walk                         {walk:9.1f} ms  {walk * 1e6 / count:6.1f} ns an object\n"
                  f"  the same by the clock        {wall:9.1f} ms, {threads} threads\n"
                  f"  IterateThroughHeap, counting {bare:9.1f} ms  {bare / walk:6.1f} times the walk's CPU, "
                  f"{bare / wall:.1f} its time\n"
                  f"  IterateThroughHeap, by kinds {tagged:9.1f} ms  {tagged / walk:6.1f} times the walk's CPU, "
                  f"{tagged / wall:.1f} its time\n"
                  f"  HPSO {by_object / count:.2f} bytes an object, HPSG {merged / count:.2f}", flush=True)

main()
