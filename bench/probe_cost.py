#!/usr/bin/env python3
"""What a probe costs a hit: counted, timed, with a condition that is false; beside JFR's MethodTiming
(JDK 25), in turns.

Usage: bench/probe_cost.py [--rounds N] [--jdk 25] [--markdown]   (after: cmake --build --preset release)

CPU nanoseconds of a call (in virtual threads: wall time) above the same program without an agent: the
best of the later rounds of a process; median of the processes, smallest and largest. Bytes: allocated
in such a round.
"""
import call_cost
from call_cost import WORK, Way, jfr

from ddm_client import probe_request

TIME, ARGUMENTS = 1, 2


def probe(**wishes):
    return lambda client: client.request("PRBS", probe_request(WORK, budget=10_000, **wishes))


WAYS = [
    Way("no agent", 50_000_000),
    Way("count", 50_000_000, ask=probe()),
    Way("a false condition", 50_000_000, ask=probe(condition="arg1 < 0")),
    Way("time", 5_000_000, ask=probe(what=TIME)),
    Way("arguments, 100 hits recorded", 50_000_000, ask=probe(what=ARGUMENTS, records=100)),
    Way("jdk.MethodTiming", 5_000_000, [jfr("MethodTiming")], first=25),
    Way("no agent, a virtual thread", 50_000_000, first=21, thread="virtual"),
    Way("count in a virtual thread", 50_000_000, ask=probe(), first=21, thread="virtual"),
]

if __name__ == "__main__":
    call_cost.main(__doc__.splitlines()[0], WAYS)
