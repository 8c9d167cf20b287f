#!/usr/bin/env python3
"""How much of what a program allocates stands at stacks that begin with their thread's first frame,
how much of it with all its frames, and how much memory the process had at most.

Usage: bench/whole_stacks.py [--programs javac_large,...] [--engine vm] [--jdk 17] [--agent LIBRARY]
                             (after: cmake --build --preset release)

One run each, with the defaults. A report adds up small sites where there are more than it lists, so
more is counted whole than is listed whole. A program of bench/debian_programs.py that is not
installed, or does not run on a JDK, is left out and said so.
"""
import argparse
import json
import os
import sys
import tempfile

from debian_programs import PROGRAMS, Programs
from target import HERE, JDKS

sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402

LEFT_OUT = "[frames left out]"


class Shares:
    """Of the bytes of a report's sites."""

    def __init__(self, path):
        self.bytes = self.rooted = self.listed = self.deepest = self.sites = 0
        self.counted_whole = 0.0
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                site = json.loads(line)
                if site["type"] == "summary":
                    lacking = site["sites_shortened"] + site["sites_unplaced"]
                    self.counted_whole = 1 - lacking / max(site["seen"], 1)
                if site["type"] != "site":
                    continue
                self.sites += 1
                self.bytes += site["bytes"]
                stack = site["stack"]
                self.deepest = max(self.deepest, len(stack))
                # What the VM makes outside of Java has no frame that could be missing.
                if site.get("truncated"):
                    continue
                self.rooted += site["bytes"]
                if all(frame["method"] != LEFT_OUT for frame in stack):
                    self.listed += site["bytes"]

    def __str__(self):
        return (f"{self.rooted / self.bytes:8.3%} of the bytes from the first frame on, "
                f"{self.counted_whole:8.3%} of the allocations whole, {self.listed / self.bytes:8.3%} listed so, "
                f"deepest {self.deepest:5}, {self.sites:6} sites, {self.bytes / 2**20:8,.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--programs", default="javac_large," + ",".join(PROGRAMS))
    parser.add_argument("--engine", default="vm")
    parser.add_argument("--jdk", type=int, default=0)
    parser.add_argument("--agent", default=harness.AGENT)
    options = parser.parse_args()
    for jdk in JDKS:
        if options.jdk not in (0, jdk.major):
            continue
        with tempfile.TemporaryDirectory() as folder:
            programs = Programs(jdk, folder)
            for name in options.programs.split(","):
                run = getattr(programs, name)
                programs.memory = 0
                if run(None) is None:
                    print(f"{name} does not run here on JDK {jdk.major}", file=sys.stderr)
                    continue
                bare = programs.memory
                written = os.path.join(folder, f"{name}-%p.sites.jsonl")
                run(f"-agentpath:{options.agent}=track=y,engine={options.engine},address=none,dump={written}")
                # A script may have started more than one JVM.
                found = [Shares(os.path.join(folder, file)) for file in os.listdir(folder)
                         if file.startswith(name + "-")]
                memory = f", {bare // 1024} -> {programs.memory // 1024} MB" if bare else ""
                print(f"JDK {jdk.major} {name:16} {max(found, key=lambda s: s.bytes)}{memory}", flush=True)


main()
