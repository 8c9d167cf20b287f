#!/usr/bin/env python3
"""What the agent adds to the start and the end of a program that does nothing.

Usage: bench/startup_and_exit.py [ROUNDS]      (after: cmake --build --preset release)
Prints, for every JDK, medians over paired runs, agent against no agent, in milliseconds: of whole
runs, and from main's last words until the process is gone.
"""
import os
import statistics
import subprocess
import sys
import time

from paired import pairs
from target import JDKS

import harness  # target has found the tests

CASES = {
    "idle": "",
    "idle, no server": "address=none",
    "track=y, dump=none": "track=y,dump=none",
    "track=y, engine=vm, dump=none": "track=y,engine=vm,dump=none",
}


def exit_seconds(command):
    """From main's last words until the process is gone."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    assert process.stdout.readline() == "ready\n"
    begin = time.monotonic()
    assert process.wait() == 0
    return time.monotonic() - begin


def exits(jdk, rounds):
    program = ["-cp", os.path.join(harness.WORK, "classes"), "Exits", "return"]
    for name, options in CASES.items():
        agent = f"-agentpath:{harness.AGENT}" + (f"={options}" if options else "")
        with_agent, without = [], []
        for i in range(rounds):
            for target, line in sorted(((with_agent, [agent]), (without, [])),
                                       key=lambda row: bool(row[1]), reverse=i % 2 == 1):
                target.append(exit_seconds([jdk.java, *line, *program]))
        added = statistics.median(a - b for a, b in zip(with_agent, without))
        print(f"{jdk.major} exit, {name:25}{1000 * statistics.median(with_agent):9.1f}"
              f"{1000 * statistics.median(without):9.1f}{1000 * added:8.1f}", flush=True)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    harness.build_programs()
    print(f"{'':34}{'wall ms':>9}{'without':>9}{'added':>8}{'CPU added':>11}")
    for jdk in JDKS:
        plain = [jdk.java, "-cp", os.path.join(harness.WORK, "classes"), "Empty"]
        for name, options in CASES.items():
            agent = f"-agentpath:{harness.AGENT}" + (f"={options}" if options else "")
            row = pairs([plain[0], agent, *plain[1:]], plain, rounds)
            print(f"{jdk.major} {name:31}{row['with_wall_ms']:9.1f}{row['without_wall_ms']:9.1f}"
                  f"{row['wall_difference_ms']:8.1f}{row['cpu_difference_ms']:11.1f}", flush=True)
        exits(jdk, rounds)


main()
