#!/usr/bin/env python3
"""Whether probes stay within their budget: a fixed amount of work that is nearly all String.hashCode
and HashMap.get, with time probes on both and without, in turns in one process.

Usage: bench/probe_budget.py [--pairs N] [--seconds S] [--jdk 25] [--budgets 1,5,10]
(after: cmake --build --preset release)

CPU of the whole process, the retransformations and compilations that a probe causes with it. "no
limit": the same probes while they are never taken out, for a part of the work.
"""
import argparse
import statistics
import tempfile

from target import JDKS, Target, compile_program

from ddm_client import probe_request

METHODS = "java.lang.String.hashCode,java.util.HashMap.get"
TIME = 1


def work(target, rounds):
    return int(target.ask(str(rounds)))


def probed(target, rounds, budget):
    target.client.request("PRBS", probe_request(METHODS, what=TIME, budget=budget))
    used = work(target, rounds)
    target.client.request("PRBE")
    return used


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--budgets", default="1,5,10")
    args = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as classes:
        compile_program("ProbeLoad", classes)
        for jdk in JDKS:
            if args.jdk not in (None, jdk.major):
                continue
            with Target(jdk, classes, "ProbeLoad", options="dump=none") as target:
                work(target, 10_000)
                a_second = round(10_000 * 1e9 / work(target, 10_000) / 100) * 100
                part = max(a_second // 4, 100)
                free = probed(target, part, 10_000) / work(target, part)
                print(f"JDK {jdk.major}: no limit: {100 * (free - 1):.0f} % more CPU", flush=True)
                rounds = int(a_second * args.seconds)
                work(target, rounds)
                for budget in map(int, args.budgets.split(",")):
                    ratios = []
                    for pair in range(args.pairs):
                        turns = [probed(target, rounds, budget) if (turn + pair) % 2
                                 else work(target, rounds) for turn in range(2)]
                        ratios.append(turns[1 - pair % 2] / turns[pair % 2])
                    median = statistics.median(ratios)
                    bad += median > 1 + (budget + 2) / 100
                    print(f"JDK {jdk.major}: budget {budget} %: CPU x {median:.4f} "
                          f"({min(ratios):.4f} to {max(ratios):.4f})", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
