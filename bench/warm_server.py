#!/usr/bin/env python3
"""What recording every allocation costs a server that is warm: CPU time of Tomcat for 6,000 requests
of `ab`, four at a time, after 12,000 of them, as a ratio to a server without an agent.

Usage: bench/warm_server.py [--rounds N] [--ways vm,bci,...] [--jdk 17]
       (after: cmake --build --preset release)

One server for each way, all running at once and asked in turns; medians of the rounds, with smallest
and largest. The ways are those of bench/real_programs.py; vm-event needs the target empty_event.
"""
import argparse
import contextlib
import statistics
import tempfile

from agent_ways import WAYS
from debian_programs import Programs, request
from target import JDKS
from process_stat import cpu_seconds  # its folder is on the path by now


def measure(programs, ways, rounds):
    """{way: [seconds of each round]}; None: Tomcat is not installed."""
    with contextlib.ExitStack() as running:
        servers = {}
        for way in ways:
            servers[way] = running.enter_context(programs.tomcat_server(WAYS[way]))
            if servers[way] is None:
                return None
            request(servers[way].url, 12_000)
        series = {way: [] for way in ways}
        for turn in range(rounds):
            for way in ways if turn % 2 else reversed(ways):
                before = cpu_seconds(servers[way].pid)
                request(servers[way].url, 6000)
                series[way].append(cpu_seconds(servers[way].pid) - before)
        return series


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ways", default="vm,bci,vm-512k")
    parser.add_argument("--jdk", type=int, default=0)
    options = parser.parse_args()
    for jdk in JDKS:
        if options.jdk not in (0, jdk.major):
            continue
        with tempfile.TemporaryDirectory() as folder:
            series = measure(Programs(jdk, folder), ["none", *options.ways.split(",")],
                             options.rounds)
        if series is None:
            raise SystemExit("tomcat10 or apache2-utils is not installed")
        bare = statistics.median(series.pop("none"))
        print(f"JDK {jdk.major} none {bare:.2f} s  " + "  ".join(
            f"{way} {statistics.median(s) / bare:.1f} ({min(s) / bare:.1f}..{max(s) / bare:.1f})"
            for way, s in series.items()), flush=True)


main()
