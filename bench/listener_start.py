#!/usr/bin/env python3
"""What ddm-test.jar on the class path adds to a run of tests without the agent: CPU and time of a suite of one test,
in pairs.

Usage: bench/listener_start.py [--pairs 20] [--jdk 17]       (after: cmake --build --preset release)
"""
import argparse
import statistics
import subprocess
import sys
import tempfile
import time

from paired import cpu_of_children
from target import chosen_jdks

from junit import JARS, KIT, suite_classes  # target has found the tests


def run(jdk, classes, with_kit, folder):
    """CPU seconds and seconds; the listener's line must be there with the jar, and only then."""
    path = ":".join([classes, *([KIT] if with_kit else []), *JARS])
    before, begin = cpu_of_children(), time.monotonic()
    done = subprocess.run([jdk.java, "-cp", path, "org.junit.platform.console.ConsoleLauncher", "--disable-banner",
                           "--details=none", "--select-method=known.KnownCounts#nothing"], cwd=folder, check=True,
                          capture_output=True, text=True)
    cpu, seconds = cpu_of_children() - before, time.monotonic() - begin
    assert ("allocations are not counted" in done.stderr) == with_kit, done.stderr
    return cpu, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--jdk", type=int)
    options = parser.parse_args()
    for jdk in chosen_jdks(options.jdk):
        classes = suite_classes("known")
        with tempfile.TemporaryDirectory() as folder:
            pairs = []
            for number in range(options.pairs):
                order = (False, True) if number % 2 == 0 else (True, False)
                by_kit = {with_kit: run(jdk, classes, with_kit, folder) for with_kit in order}
                pairs.append((by_kit[False], by_kit[True]))
        cpu = sorted(kit[0] - plain[0] for plain, kit in pairs)
        wall = sorted(kit[1] - plain[1] for plain, kit in pairs)
        print(f"JDK {jdk.major}: {statistics.median(plain[0] for plain, _ in pairs):.2f} s of CPU without the jar; with it "
              f"{statistics.median(cpu) * 1000:+.0f} ms ({cpu[0] * 1000:+.0f}..{cpu[-1] * 1000:+.0f}), "
              f"time {statistics.median(wall) * 1000:+.0f} ms ({wall[0] * 1000:+.0f}..{wall[-1] * 1000:+.0f})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
