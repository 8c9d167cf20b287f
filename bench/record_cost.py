#!/usr/bin/env python3
"""What one recorded allocation costs the program: CPU nanoseconds, best round of a hot loop.

Usage: bench/record_cost.py      (after: cmake --build --preset release)
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402

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


def main():
    harness.build_programs()
    print(f"{'':28}" + "".join(f"{'JDK ' + str(j.major):>10}" for j in harness.JDKS))
    for name, options, objects in CASES:
        row = f"{name:28}"
        for jdk in harness.JDKS:
            agent = [] if options is None else [f"-agentpath:{harness.AGENT}={options}"]
            out = subprocess.run([jdk.java, "-XX:+UseSerialGC", *agent, "-cp",
                                  os.path.join(harness.WORK, "classes"), "Cost", objects, "15"],
                                 check=True, capture_output=True, text=True).stdout
            row += f"{float(out):10.1f}"
        print(row, flush=True)


main()
