#!/usr/bin/env python3
"""How large the ring file and the process grow: javac over and over in one VM with the default
options and ring=, beside the same without an agent.

Usage: bench/ring_size.py [SECONDS] [--jdk 17]      (after: cmake --build --preset release)

Prints the file's size, how much of its names is in use, and the resident set of both processes at
intervals. The file has its full size from the start: what grows in it is the names. The process
without the agent waits whenever it has done more rounds than the other: both have then compiled the
same, and the CPU is the other's.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
from process_stat import status_kb  # noqa: E402
from soak_programs import Javac  # noqa: E402
from target import JDKS, test_programs  # noqa: E402

FILES = 40
ROWS = 12


def resident_mb(pid):
    return status_kb(pid, "VmRSS") / 1024


def names_in_use_mb(ring):
    """Bytes of the valid half of the names (docs/ring-format.md)."""
    with open(ring, "rb") as f:
        f.seek(4096)
        section = f.read(24)
    generation, *used = (int.from_bytes(section[i:i + 8], "little") for i in (0, 8, 16))
    return used[generation % 2] / (1 << 20)


def grow(jdk, seconds):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        ring = os.path.join(folder, "a.ring")
        root, _ = Javac(jdk, folder, "", []).unpack_sources()
        agent = f"-agentpath:{harness.AGENT}=track=y,address=none,dump=none,ring={ring}"

        def start(*flags):
            return subprocess.Popen(
                [jdk.java, "-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", *flags, "-cp",
                 test_programs(), "Javac", root, str(FILES), "1000000"],
                stdout=open(os.path.join(folder, f"out{len(flags)}"), "w"))

        def rounds(number):
            with open(os.path.join(folder, f"out{number}")) as f:
                return sum(line.startswith("ROUND") for line in f)

        traced, plain = start(agent), start()
        print(f"JDK {jdk.major}:    s   rounds   file MB   names MB   RSS MB   RSS MB without (rounds)")
        begin = time.monotonic()
        try:
            for row in range(1, ROWS + 1):
                while time.monotonic() < begin + seconds * row / ROWS:
                    time.sleep(1)
                    plain.send_signal(
                        signal.SIGSTOP if rounds(0) > rounds(1) else signal.SIGCONT)
                print(f"{time.monotonic() - begin:13.0f} {rounds(1):8} "
                      f"{os.path.getsize(ring) / (1 << 20):9.1f} {names_in_use_mb(ring):10.2f} "
                      f"{resident_mb(traced.pid):8.0f} {resident_mb(plain.pid):8.0f} ({rounds(0)})",
                      flush=True)
        finally:
            for process in (traced, plain):
                process.kill()
                process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", nargs="?", type=int, default=360)
    parser.add_argument("--jdk", type=int)
    options = parser.parse_args()
    for jdk in JDKS:
        if options.jdk in (None, jdk.major):
            grow(jdk, options.seconds)


main()
