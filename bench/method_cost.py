#!/usr/bin/env python3
"""What timing and tracing one method costs a call, beside the VM's own tracer (JFR's MethodTiming and
MethodTrace, JDK 25), in turns.

Usage: bench/method_cost.py [--rounds N] [--jdk 25] [--markdown]   (after: cmake --build --preset release)

CPU nanoseconds of a call above the same program without an agent: the best of the later rounds of a
process; median of the processes, smallest and largest. Bytes: allocated in such a round.
"""
import struct

import call_cost
from call_cost import WORK, Way, jfr

import harness

TIMES = f"-agentpath:{harness.AGENT}=cpu=times,address=none,dump=none,methods="


def trace(least=b""):
    methods = struct.pack(">III", 256 << 20, 0, len(WORK)) + WORK.encode("utf-16-be")
    return lambda client: client.request("MPSS", methods + least)


WAYS = [
    Way("no agent", 20_000_000),
    Way("cpu=times", 3_000_000, [TIMES + WORK]),
    Way("cpu=times, another method", 20_000_000, [TIMES + "CallCost.main"]),
    Way("a trace (MPSS)", 1_000_000, ask=trace()),
    Way("a trace of calls of a second", 1_000_000, ask=trace(struct.pack(">II", 1_000_000, 0))),
    Way("jdk.MethodTiming", 3_000_000, [jfr("MethodTiming")], first=25),
    Way("jdk.MethodTrace, no stack", 1_000_000, [jfr("MethodTrace", "jdk.MethodTrace#stackTrace=false")],
        first=25),
]

if __name__ == "__main__":
    call_cost.main(__doc__.splitlines()[0], WAYS)
