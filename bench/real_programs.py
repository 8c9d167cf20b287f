#!/usr/bin/env python3
"""What recording every allocation costs real programs: CPU time of the whole process, start and exit
included, as a ratio to the same run without an agent.

Usage: bench/real_programs.py [--pairs N] [--programs javac,h2,...] [--ways vm,bci,...] [--jdk 17]
       [--before LIBRARY] [--markdown]         (after: cmake --build --preset release)

Medians of paired runs, with smallest and largest. A program of bench/debian_programs.py that is not
installed, or does not run on a JDK, is left out and said so. The way vm-event needs the target
empty_event. A way ending in -before is that way with the agent `--before`, in the same turns.
"""
import argparse
import statistics
import sys
import tempfile

from agent_ways import LIBRARY, WAYS
from debian_programs import PROGRAMS, Programs
from target import JDKS


def ratios(program, ways, pairs):
    """{way: [ratio of each pair]} and the seconds without an agent; None: it does not run."""
    if program(WAYS["none"]) is None:
        return None
    series = {way: [] for way in ways}
    bare = []
    for _ in range(pairs):
        none = program(WAYS["none"])
        bare.append(none)
        for way in ways:
            used = program(WAYS[way])
            if used is None:
                raise SystemExit(f"{program.__name__} fails under {way}")
            series[way].append(used / none)
    return series, statistics.median(bare)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--ways", default="vm,bci,vm-512k")
    parser.add_argument("--jdk", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--before", help="libddmagent.so that the ways ending in -before take")
    options = parser.parse_args()
    for way in [w for w in WAYS if options.before and WAYS[w]]:
        WAYS[way + "-before"] = WAYS[way].replace(LIBRARY, options.before)
    ways = options.ways.split(",")
    for jdk in JDKS:
        if options.jdk not in (0, jdk.major):
            continue
        if options.markdown:
            print(f"| JDK {jdk.major} | none | " + " | ".join(ways) + " |")
            print("|---" * (len(ways) + 2) + "|")
        with tempfile.TemporaryDirectory() as folder:
            programs = Programs(jdk, folder)
            for name in options.programs.split(","):
                found = ratios(getattr(programs, name), ways, options.pairs)
                if found is None:
                    print(f"{name} does not run here on JDK {jdk.major}", file=sys.stderr)
                    continue
                series, bare = found
                cells = [f"{statistics.median(s):.2f} ({min(s):.2f}..{max(s):.2f})"
                         for s in series.values()]
                if options.markdown:
                    print(f"| {name} | {bare:.2f} s | " + " | ".join(cells) + " |", flush=True)
                else:
                    print(f"JDK {jdk.major} {name:16} none {bare:6.2f} s  " +
                          "  ".join(f"{w} {c}" for w, c in zip(ways, cells)), flush=True)


main()
