#!/usr/bin/env python3
"""What one allocation and the start cost a whole process: five kinds of allocations in two sizes.

Usage: bench/five_cases.py [--pairs N] [--ways vm,bci,...] [--jdk 17]
                                                     (after: cmake --build --preset release)

The program makes as many small objects, arrays, objects under 16 to 40 frames more, objects of four
threads, and mixed ones, in all half a million or 10 million, cold, and ends. CPU of the process above that of
the same run without an agent: the slope between the two sizes is what an allocation costs, the
collector and the compilers with it; what the line leaves at none is the fixed start and exit.
Medians of pairs, with least and most.
"""
import argparse
import statistics
import tempfile

from paired import run_once
from target import chosen_jdks, compile_program

import harness  # target has found the tests

KINDS = 5
SIZES = (100_000, 2_000_000)  # of each kind
BOUNDS = {"bci": 400, "vm": 1000}
FIXED_MS = 200


def flags(way):
    return [] if way == "none" else [f"-agentpath:{harness.AGENT}=track=y,engine={way},"
                                     "address=none,dump=none"]


def shown(values, unit):
    return f"{statistics.median(values):.0f} {unit} ({min(values):.0f}..{max(values):.0f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--ways", default=",".join(BOUNDS))
    parser.add_argument("--jdk", type=int)
    args = parser.parse_args()
    ways = args.ways.split(",")
    bad = 0
    with tempfile.TemporaryDirectory() as classes:
        compile_program("Compare", classes)
        for jdk in chosen_jdks(args.jdk):

            def seconds(way, size):
                return run_once([jdk.java, "-XX:+UseSerialGC", "-Xmx1g", *flags(way), "-cp", classes,
                                 "Compare", "five", "1", "1", str(size)])[1]

            slopes, fixed = ({way: [] for way in ways} for _ in range(2))
            for _ in range(args.pairs):
                none = [seconds("none", size) for size in SIZES]
                for way in ways:
                    extra = [seconds(way, size) - bare for size, bare in zip(SIZES, none)]
                    slope = (extra[1] - extra[0]) / (KINDS * (SIZES[1] - SIZES[0]))
                    slopes[way].append(slope * 1e9)
                    fixed[way].append((extra[0] - slope * KINDS * SIZES[0]) * 1e3)
            for way in ways:
                bad += statistics.median(slopes[way]) > BOUNDS[way]
                bad += statistics.median(fixed[way]) > FIXED_MS
                print(f"JDK {jdk.major} {way}: an allocation {shown(slopes[way], 'ns')}, "
                      f"the start {shown(fixed[way], 'ms')}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
