#!/usr/bin/env python3
"""tests/support/known_matrix.py [JDK HOME]... [--runs N] [--rounds N]: the tests of known counts, N times (30) on each
JDK, in turns over every way to run code, collectors, one at a time and in parallel. Prints what differs from the first
run of its collector in any figure, or in objects from any other run; the exit code is 1 if something does. With fewer
rounds than 20,000 the VM compiles so much sooner that the same code is compiled.

Not a test of its own: tests/jvm/test_test_kit.py runs a part of this each day, and all of it in the full set.
"""
import argparse
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]

from harness import AGENT, Jdk, JDKS  # noqa: E402
from junit import COUNTING, JARS, KIT, amounts, suite_classes  # noqa: E402

MODES = ((), ("-Xint",), ("-XX:TieredStopAtLevel=1",), ("-XX:-TieredCompilation", "-Xbatch"))
COLLECTORS = ("-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseZGC")
PARALLEL = ("--config=junit.jupiter.execution.parallel.enabled=true",
            "--config=junit.jupiter.execution.parallel.mode.default=concurrent")
WAYS = list(itertools.product(MODES, COLLECTORS, (False, True)))
ROUNDS = 20_000  # of KnownCounts


def suites(jdk):
    if jdk.major >= 21:
        return ("known", "known21"), ("known.KnownCounts", "known.VirtualCounts")
    return ("known",), ("known.KnownCounts",)


def run(jdk, flags, in_parallel, path, rounds=ROUNDS):
    """{test: (objects, bytes)} of one run."""
    if rounds < ROUNDS:
        flags = [*flags, f"-Dknown.rounds={rounds}", f"-XX:CompileThresholdScaling={rounds / ROUNDS}"]
    folders, selected = suites(jdk)
    classes = ":".join([suite_classes(*folders), KIT, *JARS])
    done = subprocess.run(
        [jdk.java, *flags, f"-agentpath:{AGENT}={COUNTING}", f"-Dddm.allocations={path}", "-cp", classes,
         "org.junit.platform.console.ConsoleLauncher", "--disable-banner", "--details=none",
         *(PARALLEL if in_parallel else ()), *(f"--select-class={one}" for one in selected)],
        capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{flags}: exit code {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return amounts(path)[0]


def sites_of(path):
    """{test: {its sites as words, by their innermost frames: objects}} of what lies beside the list of a run."""
    sites, frames = collections.defaultdict(collections.Counter), {}
    with open(f"{path}.sites.jsonl", encoding="utf-8") as f:
        for line in f:
            one = json.loads(line)
            if "frame" in one:
                frames[one["frame"]] = f"{one['class']}.{one['method']}"
                continue
            stack = " < ".join(frames[number] for number in one["stack"][:8])
            sites[one["test"]][f"{one['class']} at {stack}"] += one["count"]
    return sites


def differences(jdk, runs, rounds=ROUNDS, tell=lambda line: None):
    """Lines that say what was not the same and at which sites, and {collector: figures of its first run}."""
    first, first_sites, lines = {}, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(runs):
            mode, collector, in_parallel = WAYS[number % len(WAYS)]
            begin = time.time()
            path = os.path.join(folder, "a.txt")
            now, sites = run(jdk, [*mode, collector], in_parallel, path, rounds), sites_of(path)
            way = " ".join([str(jdk.major), *mode, collector, "in parallel" if in_parallel else "one at a time"])
            known = first.setdefault(collector, now)
            places = first_sites.setdefault(collector, sites)
            objects = next(iter(first.values()))
            wrong = [f"{way}: {name}: {now.get(name)}, before {known.get(name)}" for name in sorted(known | now)
                     if now.get(name) != known.get(name)]
            wrong += [f"{way}: {name}: {now[name][0]} objects, with another collector {objects[name][0]}"
                      for name in now if name in objects and now[name][0] != objects[name][0]]
            tell(f"{way}: {len(now)} tests, {len(wrong)} differ, {time.time() - begin:.0f} s")
            for name in (known | now) if wrong else ():
                if now.get(name) != known.get(name):
                    wrong += [f"  {name}: {sites[name][site]}, before {places[name][site]} {site}"
                              for site in sorted(places[name] | sites[name]) if places[name][site] != sites[name][site]]
            for line in wrong:
                tell("  " + line)
            lines += wrong
    return lines, first


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("homes", nargs="*")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    jdks = [Jdk(home) for home in options.homes] or JDKS
    worst = 0
    for jdk in jdks:
        wrong, _ = differences(jdk, options.runs, options.rounds, lambda line: print(line, flush=True))
        print(f"JDK {jdk.major}: {options.runs} runs, {sum(line[0] != ' ' for line in wrong)} figures differ", flush=True)
        worst |= bool(wrong)
    return worst


if __name__ == "__main__":
    sys.exit(main())
