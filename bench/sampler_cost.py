#!/usr/bin/env python3
"""Whether cpu=samples keeps its budget: the CPU time of the same work with and without it.

Usage: bench/sampler_cost.py [--pairs N] [--rounds N] [--jdk 25] [--busy 8]   (after the release build)

Each row is a number of pairs of runs of bench/programs/FixedWork.java, one with the sampler and one
with the agent alone, in turn. `cost` is the median difference of a pair's CPU time as a share of
the sampled run's wall time (of one CPU, as the budget is); `said` is what the sampler says itself.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from paired import run_once  # noqa: E402
from target import JDKS, compile_program, harness  # noqa: E402

# busy threads, waiting threads, interval_ms, budget
CASES = [(1, 0, 1, 1), (1, 0, 1, 5), (1, 0, 1, 10), (1, 0, 10, 5), (8, 0, 1, 1), (8, 0, 1, 5),
         (8, 0, 1, 10), (1, 2000, 1, 1), (1, 2000, 1, 5),
         (1, 2000, 1, 10)]


def said(path):
    with open(path, encoding="utf-8") as report:
        sampler = json.loads(report.readline())["sampler"]
    share = 100 * (sampler["own_ns"] + sampler["others_ns"]) / sampler["on_ns"]
    return share, sampler["mean_ns"] / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=60_000)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--busy", type=int, help="only rows with so many busy threads")
    options = parser.parse_args()
    print(f"{'JDK':>3} {'busy':>5} {'idle':>5} {'interval':>8} {'budget':>6} "
          f"{'cost %':>14} {'said %':>7} {'every ms':>8}")
    with tempfile.TemporaryDirectory() as directory:
        compile_program("FixedWork", directory)
        report = os.path.join(directory, "r.jsonl")
        for jdk in JDKS:
            if options.jdk not in (None, jdk.major):
                continue
            for busy, idle, interval, budget in CASES:
                if options.busy not in (None, busy):
                    continue
                def command(agent):
                    return [jdk.java, "-XX:+UseSerialGC",
                            f"-agentpath:{harness.AGENT}=address=none,{agent}", "-cp", directory,
                            "FixedWork", str(busy), str(options.rounds), str(idle)]
                sampled = command(f"cpu=samples,interval_ms={interval},budget={budget},dump={report}")
                plain = command("dump=none")
                costs, sayings = [], []
                for i in range(options.pairs):
                    if i % 2:
                        without = run_once(plain)
                    wall, cpu = run_once(sampled)
                    if not i % 2:
                        without = run_once(plain)
                    costs.append(100 * (cpu - without[1]) / wall)
                    sayings.append(said(report))
                costs.sort()
                share, every = (statistics.median(column) for column in zip(*sayings))
                print(f"{jdk.major:>3} {busy:>5} {idle:>5} {interval:>8} {budget:>6} "
                      f"{statistics.median(costs):>5.1f} [{costs[0]:.1f}..{costs[-1]:.1f}]"
                      f" {share:>7.1f} {every:>8.1f}", flush=True)


if __name__ == "__main__":
    main()
