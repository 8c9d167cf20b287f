#!/usr/bin/env python3
"""What a hostile or broken DDM server costs the program, and the servers beside it.

bench/hostile_client.py [--seconds N] [--rounds N] [--jdk HOME] [--preset NAME] [--agent LIBRARY]
                        [WORD...]

The program has 2 million small objects, 30 threads and, with tracking on, 65,536 records of 16
frames. For each attack of tests/support/hostile.py (those whose names contain a WORD): the attack goes
on for some seconds while another server asks HELO, THST, HPIF, HPSG (a map at once) and REAL in
turn; then the program ends, the attack still on. Told are

  memory   the most anonymous memory of the process beyond what it had before (the same requests of
           the good server alone included: the line "none")
  answers  the longest time that the good server waited for an answer, of each type
  exit     from the program's last line to the end of the process, and how much more that is than
           in the line "none"; the median of the rounds

and, for 1,024 EXIT chunks in one packet, the threads they start.
"""
import argparse
import os
import statistics
import struct
import sys
import time

import target  # noqa: F401: finds tests/support

import harness  # noqa: E402
import hostile  # noqa: E402
from ddm_client import Client, chunk, published_address_of  # noqa: E402

FLAGS = ["-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]


class Program:
    def __init__(self, jdk, agent):
        import subprocess
        classes = target.test_programs()
        self.process = subprocess.Popen(
            [jdk.java, *FLAGS, f"-agentpath:{agent}=log=error,engine=bci,dump=none", "-cp", classes,
             "DdmTarget"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)
        self.address = published_address_of(self.process)
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"


QUESTIONS = {"HELO": b"\0\0\0\1", "THST": b"", "HPIF": b"\1", "HPSG": b"\2\0", "REAL": b""}


def ask_all(good, longest):
    for kind, data in QUESTIONS.items():
        begin = time.monotonic()
        try:
            good.exchange(chunk(kind, data))
        except TimeoutError:
            pass  # so long, at least
        longest[kind] = max(longest.get(kind, 0), time.monotonic() - begin)
        good.take_events()


def one_round(jdk, agent, attack, seconds):
    """(MiB, {type: seconds}, seconds of exit)"""
    with Program(jdk, agent) as p:
        p.tell("keep 2000000")
        p.tell("many 30")
        with Client(p.address, timeout=60) as good:
            good.track(True)
            p.tell("deepmarks 70000")
            longest = {}
            ask_all(good, {})
            with hostile.Crowd(p.address) as crowd:
                with hostile.MostMemory(p.process.pid) as memory:
                    if attack:
                        attack(crowd)
                    end = time.monotonic() + seconds
                    while time.monotonic() < end:
                        ask_all(good, longest)
                exit_time = hostile.exit_seconds(p.process)
        return memory.grown, longest, exit_time


def many_exits(jdk, agent):
    with Program(jdk, agent) as p:
        before = hostile.threads_of(p.process.pid)
        p.tell("badhook")  # 5 s until it is halted
        with hostile.Crowd(p.address) as crowd:
            crowd.ask_without_reading(1, hostile.packet(
                chunk("EXIT", struct.pack(">I", 0)) * 1024))
            time.sleep(1)
            return hostile.threads_of(p.process.pid) - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jdk", action="append", help="its home; default: all that are found")
    parser.add_argument("--preset", default="release")
    parser.add_argument("--agent")
    options = parser.parse_args()
    agent = options.agent or os.path.join(harness.ROOT, "build", options.preset, "lib",
                                          "libddmagent.so")
    chosen = options.jdk and {os.path.realpath(home) for home in options.jdk}
    for jdk in harness.JDKS:
        if chosen and jdk.home not in chosen:
            continue
        print(f"JDK {jdk.major}: memory, longest wait of another server, exit", flush=True)
        usual_exit = None
        for attack in [None] + [a for a in hostile.ATTACKS
                                if not options.words or any(w in a.__name__ for w in options.words)]:
            rounds = [one_round(jdk, agent, attack, options.seconds)
                      for _ in range(options.rounds)]
            longest = {kind: max(r[1].get(kind, 0) for r in rounds) for kind in QUESTIONS}
            end = statistics.median(r[2] for r in rounds)
            usual_exit = end if usual_exit is None else usual_exit
            print(f"  {attack.__name__ if attack else 'none'}: "
                  f"{max(r[0] for r in rounds):.0f} MiB; "
                  + ", ".join(f"{kind} {1000 * t:.0f}" for kind, t in longest.items())
                  + f" ms; exit {1000 * end:.0f} ms ({1000 * (end - usual_exit):+.0f})", flush=True)
        print(f"  1,024 EXIT chunks: {many_exits(jdk, agent)} threads more", flush=True)


if __name__ == "__main__":
    main()
