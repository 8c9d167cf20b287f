"""What one call of CallCost.work costs with this or that beside it, in turns: for method_cost.py and
probe_cost.py."""
import argparse
import dataclasses
import statistics
import subprocess
import tempfile
from typing import Callable

from target import chosen_jdks, compile_program

import harness
from ddm_client import Client, address_of

WORK = "CallCost.work"


@dataclasses.dataclass
class Way:
    name: str
    calls: int  # a round
    flags: list = dataclasses.field(default_factory=list)
    ask: Callable = None  # what the agent is told before main; None: no agent but what flags load
    first: int = 17  # JDK
    thread: str = "platform"  # or virtual


def jfr(event, *settings):
    """The flag that has the VM's own tracer look at the method."""
    words = [f"jdk.{event}#enabled=true", f"jdk.{event}#filter=CallCost::work", *settings]
    return "-XX:StartFlightRecording:filename=/dev/null," + ",".join(words)


def figures(jdk, classes, way):
    """(nanoseconds, bytes) of the best of a process's later rounds."""
    agent = [f"-agentpath:{harness.AGENT}=suspend=y,dump=none"] if way.ask else []
    process = subprocess.Popen([jdk.java, "-Xlog:disable", *way.flags, *agent, "-cp", classes,
                                "CallCost", str(way.calls), way.thread],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    client = None
    if way.ask:
        client = Client(address_of(process))
        way.ask(client)
        client.hello()  # main has waited for it
    out = process.communicate()[0]
    if client:
        client.close()
    assert process.returncode == 0, f"{way.name}: exit code {process.returncode}"
    rows = [tuple(map(float, line.split())) for line in out.splitlines() if line[:1].isdigit()]
    return min(rows[4:])


def main(description, ways):
    """`ways`: one without an agent first for each kind of thread, from which the others are told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jdk", type=int)
    parser.add_argument("--markdown", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        compile_program("CallCost", classes)
        for jdk in chosen_jdks(args.jdk):
            here = [way for way in ways if jdk.major >= way.first]
            found = {way.name: [] for way in here}
            for _ in range(args.rounds):
                for way in here:
                    found[way.name].append(figures(jdk, classes, way))
            bare = {}
            for way in here:
                known = found[way.name]
                less = bare.get(way.thread, 0)
                bare.setdefault(way.thread, statistics.median(ns for ns, _ in known))
                ns = sorted(ns - less for ns, _ in known)
                cells = (f"JDK {jdk.major}", way.name, f"{statistics.median(ns):.2f} ns",
                         f"{ns[0]:.2f} to {ns[-1]:.2f}",
                         f"{max(size for _, size in known):.0f} bytes")
                print(("| " + " | ".join(cells) + " |") if args.markdown else "  ".join(cells),
                      flush=True)
