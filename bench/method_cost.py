#!/usr/bin/env python3
"""What timing and tracing one method costs a call, beside the VM's own tracer (JFR's MethodTiming and
MethodTrace, JDK 25), in turns.

Usage: bench/method_cost.py [--rounds N] [--jdk 25] [--markdown]   (after: cmake --build --preset release)

CPU nanoseconds of a call above the same program without an agent: the best of the later rounds of a
process; median of the processes, smallest and largest.
"""
import argparse
import os
import statistics
import struct
import subprocess
import tempfile

from target import JDKS, compile_program

import harness
from ddm_client import Client, address_of

WORK = "MethodCost.work"
TIMES = f"-agentpath:{harness.AGENT}=cpu=times,address=none,dump=none,methods="
JFR = "-XX:StartFlightRecording:filename=/dev/null,jdk.{0}#enabled=true,jdk.{0}#filter=MethodCost::work"
# name: flags, calls a round, from which JDK on
WAYS = {
    "no agent": ([], 20_000_000, 17),
    "cpu=times": ([TIMES + WORK], 3_000_000, 17),
    "cpu=times, another method": ([TIMES + "MethodCost.main"], 20_000_000, 17),
    "a trace (MPSS)": ([f"-agentpath:{harness.AGENT}=suspend=y"], 1_000_000, 17),
    "a trace of calls of a second": ([f"-agentpath:{harness.AGENT}=suspend=y"], 1_000_000, 17),
    "jdk.MethodTiming": ([JFR.format("MethodTiming")], 3_000_000, 25),
    "jdk.MethodTrace, no stack": ([JFR.format("MethodTrace") + ",jdk.MethodTrace#stackTrace=false"],
                                  1_000_000, 25),
}


def nanoseconds(jdk, classes, way):
    flags, calls, _ = WAYS[way]
    process = subprocess.Popen([jdk.java, "-Xlog:disable", *flags, "-cp", classes, "MethodCost",
                                str(calls)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "suspend=y" in "".join(flags):
        client = Client(address_of(process))
        methods = WORK.encode("utf-16-be")
        least = struct.pack(">II", 1_000_000, 0) if "of a second" in way else b""
        client.request("MPSS", struct.pack(">III", 256 << 20, 0, len(WORK)) + methods + least)
        client.hello()  # main has waited for it
    out = process.communicate()[0]
    assert process.returncode == 0, f"{way}: exit code {process.returncode}"
    lines = []
    for line in out.splitlines():
        try:
            lines.append(float(line))
        except ValueError:
            pass
    return min(lines[3:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        compile_program("MethodCost", classes)
        for jdk in JDKS:
            if options.jdk not in (None, jdk.major):
                continue
            ways = [way for way, (_, _, first) in WAYS.items() if jdk.major >= first]
            found = {way: [] for way in ways}
            for _ in range(options.rounds):
                for way in ways:
                    found[way].append(nanoseconds(jdk, classes, way))
            bare = statistics.median(found["no agent"])
            for way in ways:
                values = [value - bare for value in found[way]]
                figures = [f"{f(values):.1f}" for f in (statistics.median, min, max)]
                print("| {} | {} | {} | {} to {} |".format(jdk.major, way, *figures) if options.markdown
                      else "{:>3} {:28} {:>7} ns  [{}..{}]".format(jdk.major, way, *figures), flush=True)


if __name__ == "__main__":
    main()
