#!/usr/bin/env python3
"""What a DDM server that looks on costs the program, as paired runs.

bench/ddm_load.py [--pairs N] [--mb N] [--rounds N] [--jdk HOME] [--preset NAME]

The program (GcLoad) does a fixed amount of work with some 50 collections a second. Each pair runs
it under the agent twice, in changing order: alone, and with a server that has asked for HPIF at
every collection and THST every 100 ms, and reads all of it. Compared is the CPU time of the whole
process. The median ratio is the figure; the spread says what it is worth.

Events come by the clock on the wall. On a machine that is busy with other things the program gets
through less work between two of them and the ratio is too high; so the cost of one event is told
too, and what 50 HPIF and 10 THST of that cost would be of a second. Most exact is what the agent's
own threads used, of all the CPU time of the watched runs.
"""
import argparse
import glob
import os
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

from ddm_client import Client, address_of  # noqa: E402


def find_jdks():
    homes = {os.path.realpath(os.path.dirname(r)) for r in glob.glob("/usr/lib/jvm/*/release")}
    return sorted(h for h in homes if os.access(os.path.join(h, "bin", "javac"), os.X_OK))


def agent_seconds(process):
    """CPU time so far of the threads whose names begin with ddm."""
    total = 0
    for task in glob.glob(f"/proc/{process.pid}/task/*"):
        try:
            with open(os.path.join(task, "comm")) as name, \
                    open(os.path.join(task, "schedstat")) as times:
                total += int(times.read().split()[0]) if name.read().startswith("ddm") else 0
        except FileNotFoundError:  # a thread that has ended
            pass
    return total / 1e9


def run(jdk, classes, options, watched):
    """(CPU seconds, wall ms, collections, events by type, CPU seconds of the agent's threads)"""
    agent = os.path.join(ROOT, "build", options.preset, "lib", "libddmagent.so")
    process = subprocess.Popen(
        [os.path.join(jdk, "bin", "java"), "-XX:+UseSerialGC", "-Xmx64m", "-Xmn24m",
         f"-agentpath:{agent}", "-cp", classes, "GcLoad", str(options.mb), str(options.rounds)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = address_of(process)
    process.stdout.readline()
    client = None
    if watched:
        client = Client(address)
        client.heap_info(3)
        client.request("THST", struct.pack(">I", 100))
    process.stdin.write("\n")
    process.stdin.flush()
    wall, collections = map(int, process.stdout.readline().split())
    agent_used = agent_seconds(process)
    events = {}
    if client:
        for kind, _ in client.take_events():
            events[kind] = events.get(kind, 0) + 1
        client.close()
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0, status
    return usage.ru_utime + usage.ru_stime, wall, collections, events, agent_used


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--mb", type=int, default=8000)
    parser.add_argument("--rounds", type=int, default=3500)
    parser.add_argument("--jdk", action="append")
    parser.add_argument("--preset", default="release")
    options = parser.parse_args()
    jdks = options.jdk or find_jdks()
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run([os.path.join(jdks[0], "bin", "javac"), "--release", "17", "-d", classes,
                        os.path.join(ROOT, "bench", "programs", "GcLoad.java")], check=True)
        for jdk in jdks:
            ratios, per_event, shares = [], [], []
            for pair in range(options.pairs):
                order = (False, True) if pair % 2 else (True, False)
                done = {watched: run(jdk, classes, options, watched) for watched in order}
                ratios.append(done[True][0] / done[False][0])
                used, wall, collections, events, agent_used = done[True]
                shares.append(100 * agent_used / used)
                per_event.append((done[True][0] - done[False][0]) / sum(events.values()))
                print(f"  {done[False][0]:.2f} s alone, {done[True][0]:.2f} s watched; "
                      f"{1000 * collections / wall:.0f} collections a second, {events}", flush=True)
            ratios.sort()
            print(f"{jdk}: CPU watched / alone {statistics.median(ratios):.3f} "
                  f"(from {ratios[0]:.3f} to {ratios[-1]:.3f}, {len(ratios)} pairs)")
            cost = statistics.median(per_event)
            print(f"  {1e6 * cost:.0f} us an event: 60 in a second are {100 * 60 * cost:.2f} %")
            print(f"  the agent's threads: {statistics.median(shares):.2f} % "
                  f"(from {min(shares):.2f} to {max(shares):.2f})", flush=True)


if __name__ == "__main__":
    main()
