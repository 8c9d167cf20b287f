"""Everything at once while tracking goes on and off, on every collector. See tests/soak.sh."""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import harness
from ddm_client import Client
from soak_programs import H2, Javac, soak

OPTIONS = "address=unix:s,dump=r.jsonl,records=4096"  # the default engine
FILES = 12  # of the sources: a piece ends when javac's last round does


class Everything(Javac):
    """Soak.java; every stack that the walker walks is compared (docs/testing.md)."""

    def __init__(self, jdk, folder, collector):
        super().__init__(jdk, folder, OPTIONS, ["-Xmx600m", *harness.COLLECTORS[collector]])
        self.pause = random.Random(collector)
        self.compared = self.times = 0
        self.differed = {}

    def run(self, seconds):
        root, _ = self.sources
        classes = os.path.join(harness.WORK, "classes")
        process = self.start("-cp", f"{classes}:{H2.JAR}", "Soak", str(int(seconds * 1000)), root,
                             str(FILES), env={**os.environ, "DDMAGENT_CHECK_STACKS": "1"})
        wrong = self.switch(process, seconds)
        wrong = self.end(process, seconds + 300) or wrong
        return wrong or self.look_at_report()

    def switch(self, process, seconds):
        """On and off until its time is over; what went wrong, or ""."""
        end = time.monotonic() + seconds
        address = os.path.join(self.folder, "s")
        while not os.path.exists(address) and process.poll() is None:
            time.sleep(0.05)
        try:
            with Client(f"unix:{address}", timeout=120) as client:
                while time.monotonic() < end and process.poll() is None:
                    client.track(True)
                    time.sleep(self.pause.uniform(0.1, 3))
                    client.track(False)
                    time.sleep(self.pause.uniform(0, 0.3))
                    self.times += 1
                client.track(True)  # there is a report at the end
        except (OSError, EOFError) as error:
            try:
                process.wait(60)  # at its end the agent goes first
            except subprocess.TimeoutExpired:
                return f"its connection: {error!r}"
        return ""

    def look_at_report(self):
        with open(os.path.join(self.folder, "r.jsonl"), encoding="utf-8") as f:
            summary = json.loads(f.readline())
        self.compared += summary["walker_compared"]
        for what, count in summary["walker_differed"].items():
            self.differed[what] = self.differed.get(what, 0) + count
        return "" if not summary["walker_differed"] else f"stacks differ: {self.differed}"


def soak_on(jdk, collector, seconds):
    """(pieces that were wrong, stacks compared)."""
    with tempfile.TemporaryDirectory(prefix="ddm-soak-") as folder:
        program = Everything(jdk, folder, collector)
        what = f"JDK {jdk.major}, {collector}"
        wrong = soak(program, what, seconds)
        print(f"{what}: on and off {program.times} times, {program.compared} stacks compared, "
              f"different {program.differed}", flush=True)
        return wrong, program.compared


def main():
    words = sys.argv[1:]
    seconds = int(words.pop(0)) if words and words[0].isdigit() else 180
    harness.build_programs()
    failed = sum(soak_on(jdk, collector, seconds)[0] for jdk in harness.JDKS
                 for collector in jdk.collectors() if not words or collector in words)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
