#!/usr/bin/env python3
"""What the agent adds to the start and the end of a program that does nothing.

Usage: bench/startup_and_exit.py [ROUNDS]      (after: cmake --build --preset release)
Prints, for every JDK, medians over paired runs, agent against no agent, in milliseconds.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tests", "jvm")]

import harness  # noqa: E402
from paired import pairs  # noqa: E402

CASES = {
    "idle": "",
    "idle, no server": "address=none",
    "track=y, dump=none": "track=y,dump=none",
    "track=y, engine=vm, dump=none": "track=y,engine=vm,dump=none",
}


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    harness.build_programs()
    print(f"{'':34}{'wall ms':>9}{'without':>9}{'added':>8}{'CPU added':>11}")
    for jdk in harness.JDKS:
        plain = [jdk.java, "-cp", os.path.join(harness.WORK, "classes"), "Empty"]
        for name, options in CASES.items():
            agent = f"-agentpath:{harness.AGENT}" + (f"={options}" if options else "")
            row = pairs([plain[0], agent, *plain[1:]], plain, rounds)
            print(f"{jdk.major} {name:31}{row['with_wall_ms']:9.1f}{row['without_wall_ms']:9.1f}"
                  f"{row['wall_difference_ms']:8.1f}{row['cpu_difference_ms']:11.1f}", flush=True)


main()
