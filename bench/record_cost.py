#!/usr/bin/env python3
"""What one recorded allocation costs the program: CPU nanoseconds, best round of a hot loop.

Usage: bench/record_cost.py [--rounds N] [--cases WORD,...]   (after: cmake --build --preset release)

DDM_MORE_JDKS=build/jdks has it measure those of tests/more_jdks.sh too.
"""
import argparse
import os
import statistics
import subprocess

from target import JDKS

import harness  # target has found the tests

CASES = [
    ("no agent", None, "5000000"),
    ("idle agent", "address=none", "5000000"),
    ("engine=vm,interval=512k", "track=y,engine=vm,interval=512k,dump=none,address=none", "5000000"),
    ("engine=bci, 16 frames", "track=y,engine=bci,dump=none,address=none", "100000"),
    ("  walker=jvmti", "track=y,engine=bci,walker=jvmti,dump=none,address=none", "50000"),
    ("engine=bci, ring=", "track=y,engine=bci,dump=none,address=none,ring=", "100000"),
    ("engine=bci, 1 frame", "track=y,engine=bci,depth=1,dump=none,address=none", "100000"),
    ("engine=vm, 16 frames", "track=y,engine=vm,dump=none,address=none", "100000"),
    ("  walker=jvmti", "track=y,engine=vm,walker=jvmti,dump=none,address=none", "50000"),
    ("engine=vm, ring=", "track=y,engine=vm,dump=none,address=none,ring=", "100000"),
]


def measured(jdk, options, objects):
    agent = [] if options is None else [f"-agentpath:{harness.AGENT}={options}"]
    return float(subprocess.run([jdk.java, "-XX:+UseSerialGC", *agent, "-cp",
                                 os.path.join(harness.WORK, "classes"), "Cost", objects, "15"],
                                check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1,
                        help="each case so often, the JDKs in turns; with more than one a second table has the "
                             "medians of the ratios to JDK 25 in the same round")
    parser.add_argument("--cases", default="", help="those whose names contain one of these words")
    options = parser.parse_args()
    harness.build_programs()
    print(f"{'':28}" + "".join(f"{'JDK ' + str(j.major):>10}" for j in JDKS))
    ratios = []
    for name, agent, objects in CASES:
        if not any(word in name for word in options.cases.split(",")):
            continue
        rounds = [{jdk.major: measured(jdk, agent, objects) for jdk in JDKS} for _ in range(options.rounds)]
        print(f"{name:28}" + "".join(f"{min(r[j.major] for r in rounds):10.1f}" for j in JDKS), flush=True)
        ratios.append((name, [statistics.median(r[j.major] / r[25] for r in rounds) for j in JDKS
                              if 25 in rounds[0]]))
    for name, row in ratios if options.rounds > 1 else ():
        print(f"{name:28}" + "".join(f"{ratio:10.2f}" for ratio in row))


main()
