#!/usr/bin/env python3
"""What switching tracking on and off costs a program with 5,000 loaded classes.

Usage: bench/toggle_cost.py [--classes N] [--runs N] [--engine bci|vm]   (after the release build)

Each run is a fresh JVM (bench/programs/ManyClasses.java). First on: the CPU time of the whole
process, every thread of the VM and its compilers too, from the request to the reply; the longest
gap of a thread that only sleeps, with what the same thread sees on this machine when nothing
happens in the same time; and the longest pause by the VM's own account (-Xlog:safepoint). Later
toggles: request to reply over the connection that is open anyway.
"""
import argparse
import os
import re
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from target import JDKS, Target, compile_program  # noqa: E402

LATER_ROUNDS = 10


def gap_ms(target):
    return int(target.ask("").split()[1]) / 1000


def longest_pause_ms(path):
    """Of the redefinitions, by the VM's log."""
    with open(path) as f:
        return max(int(total) / 1e6 for total in re.findall(
            r'Safepoint "RedefineClasses".* Total: +(\d+) ns', f.read()))


def timed_ms(action, *arguments):
    begin = time.monotonic()
    action(*arguments)
    return 1000 * (time.monotonic() - begin)


def run(jdk, classes, options):
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, "safepoints")
        with Target(jdk, classes, "ManyClasses", str(options.classes),
                    options=f"engine={options.engine},dump=none",
                    flags=[f"-Xlog:safepoint:file={log}"]) as target:
            track = target.client.track
            time.sleep(1)  # the compilers come to rest
            gap_ms(target)
            cpu = target.cpu_seconds()
            first = timed_ms(track, True)
            row = {"first on, CPU ms": 1000 * (target.cpu_seconds() - cpu),
                   "first on, wall ms": first, "longest gap, ms": gap_ms(target)}
            time.sleep(0.2)
            if options.engine == "bci":
                row["longest safepoint, ms"] = longest_pause_ms(log)
            gap_ms(target)
            time.sleep(first / 1000)
            row["gap of an idle time, ms"] = gap_ms(target)
            offs, ons = [], []
            for _ in range(LATER_ROUNDS):
                offs.append(timed_ms(track, False))
                time.sleep(0.05)
                ons.append(timed_ms(track, True))
                time.sleep(0.05)
            row["later off, ms"] = statistics.median(offs)
            row["later on, ms"] = statistics.median(ons)
            row["slowest later toggle, ms"] = max(offs + ons)
            row["longest gap of later toggles, ms"] = gap_ms(target)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="bci")
    parser.add_argument("--classes", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        compile_program("ManyClasses", classes)
        for jdk in JDKS:
            rows = [run(jdk, classes, options) for _ in range(options.runs)]
            print(f"JDK {jdk.major}, engine={options.engine}, {options.classes} loaded classes; "
                  f"median of {options.runs} runs (least to most)")
            for name in rows[0]:
                values = [row[name] for row in rows]
                print(f"  {name:34} {statistics.median(values):8.1f} "
                      f"({min(values):.1f} to {max(values):.1f})", flush=True)


if __name__ == "__main__":
    main()
