#!/usr/bin/env python3
"""What recording costs, beside others: the same programs without an agent, with ours in each of its
modes, and under JFR, in turns.

Usage: bench/compare.py [--pairs N] [--cases small,javac-cold,...] [--ways vm,bci,...] [--jdk 17]
       [--allocations N] [--markdown] [--before LIBRARY] (after: cmake --build --preset release)

Hot cases: CPU nanoseconds of one allocation, 16 frames of a stack of 24 (deep: 500), above the same
program without an agent; the best of the later rounds of a process, median of the processes, and
their spread. Programs (javac, H2): CPU of the whole process or of the last rounds, as a ratio to no
agent, median of pairs. A warm program's record cost is its extra CPU by the objects that it makes,
as a run with engine=vm counted them. --before: another build of the agent, in the same turns.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
from paired import run_once  # noqa: E402
from target import chosen_jdks, compile_program, javac_sources  # noqa: E402

H2 = "/usr/share/java/h2.jar"

# name: threads, rounds, allocations a round and thread
HOT = {
    "small": ("small", 1, 7, 50_000),
    "arrays": ("arrays", 1, 7, 50_000),
    "deep": ("deep", 1, 7, 50_000),
    "mixed": ("mixed", 1, 7, 50_000),
    "small-2-threads": ("small", 2, 7, 50_000),
    "small-4-threads": ("small", 4, 7, 25_000),
}
PROGRAMS = ("javac-cold", "javac-warm", "h2-warm")
NO_FILE = "address=none,dump=none"


def agent(options):
    return [f"-agentpath:{harness.AGENT}={options},{NO_FILE}"]


def jfr(settings, scratch):
    return [f"-XX:StartFlightRecording=filename={scratch}/r.jfr,{settings}", "-Xlog:jfr*=off"]


# Every allocation: without TLABs each one is an event.
EXACT_JFC = """<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0">
  <event name="jdk.ObjectAllocationOutsideTLAB">
    <setting name="enabled">true</setting>
    <setting name="stackTrace">true</setting>
  </event>
</configuration>
"""


def ways(scratch):
    exact = os.path.join(scratch, "exact.jfc")
    with open(exact, "w", encoding="utf-8") as f:
        f.write(EXACT_JFC)
    return {
        "none": [],
        "idle": [f"-agentpath:{harness.AGENT}=address=none"],
        "vm": agent("track=y,engine=vm"),
        "bci": agent("track=y,engine=bci"),
        # The record alone, its 16 frames: no sites, whose stacks have 64.
        "vm-record": agent("track=y,engine=vm,sites=0"),
        "bci-record": agent("track=y,engine=bci,sites=0"),
        "vm-ring": agent("track=y,engine=vm,ring=compare-%p.ring"),
        "bci-ring": agent("track=y,engine=bci,ring=compare-%p.ring"),
        "vm-512k": agent("track=y,engine=vm,interval=512k"),
        "vm-jvmti": agent("track=y,engine=vm,walker=jvmti"),
        "bci-jvmti": agent("track=y,engine=bci,walker=jvmti"),
        # Serial's compiled code would allocate in eden without TLABs too, and without an event.
        "jfr-exact": ["-XX:+UseG1GC", "-XX:-UseTLAB", "-XX:FlightRecorderOptions=stackdepth=16",
                      *jfr(f"settings={exact}", scratch)],
        "jfr-default": jfr("settings=default", scratch),
    }


def java(jdk, flags, classes, *command):
    collector = [] if "-XX:+UseG1GC" in flags else ["-XX:+UseSerialGC"]
    return [jdk.java, *collector, "-Xmx2g", *flags, "-cp", classes, *map(str, command)]


def rounds_of(command):
    """CPU and wall nanoseconds of each round, and the objects of a round."""
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.search(r"cpu([ \d]+) wall([ \d]+) objects (\d+)", out)
    return ([int(n) for n in found[1].split()], [int(n) for n in found[2].split()], int(found[3]))


class Bench:
    def __init__(self, jdk, options, scratch):
        self.jdk, self.options, self.scratch = jdk, options, scratch
        self.classes = os.path.join(scratch, "classes")
        os.makedirs(self.classes, exist_ok=True)
        compile_program("Compare", self.classes)
        self.ways = {}
        for name, flags in ways(scratch).items():
            if name != "none" and options.ways is not None and name not in options.ways:
                continue
            self.ways[name] = flags
            if options.before and any(harness.AGENT in flag for flag in flags):
                self.ways[f"{name} before"] = [flag.replace(harness.AGENT, options.before)
                                               for flag in flags]
        self.sources = None

    def in_turns(self, measure):
        """{way: [value of each pair]}; `measure` takes a way's flags."""
        values = {way: [] for way in self.ways}
        names = list(self.ways)
        for pair in range(self.options.pairs):
            for way in names if pair % 2 == 0 else reversed(names):
                values[way].append(measure(self.ways[way]))
        return values

    def hot(self, case):
        load, threads, rounds, n = HOT[case]
        n = self.options.allocations or n

        def nanoseconds(flags):
            cpu, _, objects = rounds_of(java(self.jdk, flags, self.classes, "Compare", load,
                                             threads, rounds, n))
            return min(cpu[rounds // 2:]) / objects

        return self.in_turns(nanoseconds)

    def unpacked(self):
        if self.sources is None:
            root = os.path.join(self.scratch, "src")
            os.makedirs(root, exist_ok=True)
            files = javac_sources(self.jdk, root)
            out = os.path.join(self.scratch, "out")
            os.makedirs(out, exist_ok=True)
            self.sources = [os.path.join(root, "java.base"), out, *files]
        return self.sources

    def objects_of(self, command, rounds):
        """Objects of one of the later rounds: a run of more rounds made so many more."""
        counts = []
        for n in rounds:
            report = os.path.join(self.scratch, "count.jsonl")
            flags = [f"-agentpath:{harness.AGENT}=address=none,engine=vm,records=1,dump={report}"]
            subprocess.run(command(flags, n), check=True, capture_output=True)
            with open(report, encoding="utf-8") as f:
                counts.append(json.loads(f.readline())["seen"])
        return (counts[1] - counts[0]) / (rounds[1] - rounds[0])

    def program(self, case):
        """({way: [CPU seconds]}, objects made in that time or None)."""
        if case == "javac-cold":
            sources = self.unpacked()

            def command(flags, rounds):
                return java(self.jdk, flags, self.classes, "Compare", "javac", 1, rounds, 0, *sources)

            return self.in_turns(lambda flags: run_once(command(flags, 1))[1]), None
        if case == "javac-warm":
            sources, rounds = self.unpacked(), 20  # it is warm when C2 has nothing more to do

            def command(flags, n):
                return java(self.jdk, flags, self.classes, "Compare", "javac", 1, n, 0, *sources)
        else:
            rounds = 10

            def command(flags, n):
                return java(self.jdk, flags, f"{self.classes}:{H2}", "Compare", "h2", 1, n, 20_000)

        def seconds(flags):
            cpu, _, _ = rounds_of(command(flags, rounds))
            return statistics.median(cpu[-3:]) / 1e9

        return self.in_turns(seconds), self.objects_of(command, (rounds - 2, rounds))


def row(case, values, objects=None, hot=False):
    none = values["none"]
    cells = []
    for way, series in values.items():
        if way == "none":
            text = f"{statistics.median(series):.1f} ns" if hot else f"{statistics.median(series):.2f} s"
        elif hot:
            extra = [v - n for v, n in zip(series, none)]
            text = f"+{statistics.median(extra):.0f} ns ({min(extra):.0f}..{max(extra):.0f})"
        else:
            ratios = [v / n for v, n in zip(series, none)]
            text = f"{statistics.median(ratios):.2f}x ({min(ratios):.2f}..{max(ratios):.2f})"
            if objects:
                each = statistics.median([(v - n) / objects * 1e9 for v, n in zip(series, none)])
                text += f" {each:.0f} ns"
        cells.append((way, text))
    return case, cells


def show(jdk, rows, markdown):
    ways_shown = [way for way, _ in rows[0][1]]
    if markdown:
        print(f"\n| JDK {jdk.major} | " + " | ".join(ways_shown) + " |")
        print("|---" * (len(ways_shown) + 1) + "|")
        for case, cells in rows:
            print(f"| {case} | " + " | ".join(text for _, text in cells) + " |", flush=True)
        return
    for case, cells in rows:
        print(f"JDK {jdk.major} {case}")
        for way, text in cells:
            print(f"    {way:14} {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cases", default=",".join([*HOT, *PROGRAMS]))
    parser.add_argument("--allocations", type=int, default=0, help="of a hot round, instead of ours")
    parser.add_argument("--ways", type=lambda text: text.split(","), default=None)
    parser.add_argument("--before", metavar="LIBRARY", type=os.path.abspath)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    for jdk in chosen_jdks(options.jdk):
        with tempfile.TemporaryDirectory() as scratch:
            bench = Bench(jdk, options, scratch)
            rows = []
            for case in options.cases.split(","):
                if case in HOT:
                    rows.append(row(case, bench.hot(case), hot=True))
                else:
                    values, objects = bench.program(case)
                    rows.append(row(case, values, objects))
                if not options.markdown:
                    show(jdk, rows[-1:], False)
            if options.markdown:
                show(jdk, rows, True)


main()
