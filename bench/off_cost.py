#!/usr/bin/env python3
"""What tracking that is off costs code that allocates nothing thanks to escape analysis.

Usage: bench/off_cost.py [--engine bci|vm] [--forks N] [--turns N]   (after the release build)

Three JVMs run the same loops (tests/jvm/programs/Escape.java) side by side, in turns of a few
rounds: one without the agent, one with it where tracking was never on, one where it was on while
the loops ran and is off again. The figure is the CPU time of the fastest round of all turns and
forks, against that without the agent; bytes are all that the measured rounds allocated.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from target import JDKS, Target, test_programs  # noqa: E402

LOOPS = ["objects", "arrays", "calls", "iterators", "copies"]
STATES = ["without", "never on", "off again"]
ROUNDS = 6  # a turn
ITERATIONS = 3_000_000  # a round


def settle(target, loop):
    """Runs the loop until it is compiled for good and allocates nothing."""
    target.ask(f"{loop} 0 {ITERATIONS}")
    target.ask(f"{loop} 20 {ITERATIONS}")


def measure_fork(jdk, classes, engine, turns, best, bytes_made):
    options = f"engine={engine},dump=none"
    with Target(jdk, classes, "Escape") as without, \
            Target(jdk, classes, "Escape", options=options) as never, \
            Target(jdk, classes, "Escape", options=options) as again:
        targets = dict(zip(STATES, (without, never, again)))
        again.ask(f"objects 5 {ITERATIONS}")
        again.client.track(True)
        for loop in LOOPS:  # compiled while tracking is on: with hooks that keep objects alive
            made, _ = map(int, again.ask(f"{loop} 20 10000").split())
            assert made > 0 or engine == "vm", f"{loop} allocates nothing though it is tracked"
        again.client.track(False)
        for loop in LOOPS:
            for target in targets.values():
                settle(target, loop)
            for turn in range(turns):
                for state in STATES[turn % 3:] + STATES[:turn % 3]:
                    made, nanos = map(int, targets[state].ask(f"{loop} {ROUNDS} {ITERATIONS}").split())
                    key = loop, state
                    best[key] = min(best.get(key, nanos), nanos)
                    bytes_made[key] = bytes_made.get(key, 0) + made


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--engine", default="bci")
    parser.add_argument("--forks", type=int, default=3)
    parser.add_argument("--turns", type=int, default=15)
    options = parser.parse_args()
    classes = test_programs()
    for jdk in JDKS:
        best, bytes_made = {}, {}
        for _ in range(options.forks):
            measure_fork(jdk, classes, options.engine, options.turns, best, bytes_made)
        print(f"JDK {jdk.major}, engine={options.engine}: CPU time of the best of "
              f"{options.forks * options.turns * ROUNDS} rounds; bytes of all of them")
        for loop in LOOPS:
            base = best[loop, "without"]
            print(f"  {loop:10} without {base / 1e6:7.3f} ms" + "".join(
                f"   {state}: x {best[loop, state] / base:.3f}, {bytes_made[loop, state]} bytes"
                for state in STATES[1:]), flush=True)


if __name__ == "__main__":
    main()
