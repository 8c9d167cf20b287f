#!/usr/bin/env python3
"""What a probe costs a hit: counted, timed, with a condition that is false; beside JFR's MethodTiming
(JDK 25), in turns.

Usage: bench/probe_cost.py [--rounds N] [--jdk 25] [--markdown]   (after: cmake --build --preset release)

CPU nanoseconds of a call above the same program without an agent: the best of the later rounds of a
process; median of the processes, smallest and largest. Bytes: allocated in such a round.
"""
import argparse
import statistics
import subprocess
import tempfile

from target import JDKS, compile_program

import harness
from ddm_client import Client, address_of, probe_request

WORK = "ProbeCost.work"
JFR = ("-XX:StartFlightRecording:filename=/dev/null,jdk.MethodTiming#enabled=true,"
       "jdk.MethodTiming#filter=ProbeCost::work")
TIME, ARGUMENTS = 1, 2
# name: VM flags, the probe, calls a round, from which JDK on
WAYS = {
    "no agent": ([], None, 50_000_000, 17),
    "count": ([], {}, 50_000_000, 17),
    "a false condition": ([], {"condition": "arg1 < 0"}, 50_000_000, 17),
    "time": ([], {"what": TIME}, 5_000_000, 17),
    "arguments, 100 hits recorded": ([], {"what": ARGUMENTS, "records": 100}, 50_000_000, 17),
    "jdk.MethodTiming": ([JFR], None, 5_000_000, 25),
}


def figures(jdk, classes, way):
    """(nanoseconds, bytes) of the best round."""
    flags, probe, calls, _ = WAYS[way]
    agent = [f"-agentpath:{harness.AGENT}=suspend=y,dump=none"] if probe is not None else []
    process = subprocess.Popen([jdk.java, "-Xlog:disable", *flags, *agent, "-cp", classes,
                                "ProbeCost", str(calls)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    client = None
    if probe is not None:
        client = Client(address_of(process))
        client.request("PRBS", probe_request(WORK, budget=10_000, **probe))
        client.hello()  # main has waited for it
    out = process.communicate()[0]
    if client:
        client.close()
    assert process.returncode == 0, f"{way}: exit code {process.returncode}"
    rows = [tuple(map(float, line.split())) for line in out.splitlines() if line[:1].isdigit()]
    return min(rows[4:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        compile_program("ProbeCost", classes)
        for jdk in JDKS:
            if args.jdk not in (None, jdk.major):
                continue
            ways = [way for way in WAYS if jdk.major >= WAYS[way][3]]
            found = {way: [] for way in ways}
            for _ in range(args.rounds):
                for way in ways:
                    found[way].append(figures(jdk, classes, way))
            bare = statistics.median(ns for ns, _ in found["no agent"])
            for way in ways:
                ns = sorted(ns - (bare if way != "no agent" else 0) for ns, _ in found[way])
                bytes_ = max(b for _, b in found[way])
                cells = (f"JDK {jdk.major}", way, f"{statistics.median(ns):.2f} ns",
                         f"{ns[0]:.2f} to {ns[-1]:.2f}", f"{bytes_:.0f} bytes")
                print(("| " + " | ".join(cells) + " |") if args.markdown else "  ".join(cells),
                      flush=True)


if __name__ == "__main__":
    main()
