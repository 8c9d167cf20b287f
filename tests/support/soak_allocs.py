"""`ddm allocs` once a second while programs allocate as fast as they can. See tests/soak_allocs.sh."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import harness
from soak_programs import Program, Tomcat, soak

DDM = os.path.join(harness.ROOT, "build", harness.PRESET, "bin", "ddm")
ENGINES = ("bci", "vm")
FULL = 70_000  # so many seen, and every slot of the ring has been written
LEAST = 60_000  # records in a report from then on


class Asked(Program):
    """A program that is asked for its allocations every second, with the engines in turn."""

    def __init__(self, jdk, folder, options, flags):
        super().__init__(jdk, folder, options, flags)
        self.pieces = 0
        self.reports = 0
        self.least = {}  # by engine
        self.wrong = []

    def start(self, *words, env=None):
        self.engine = ENGINES[self.pieces % len(ENGINES)]
        self.pieces += 1
        self.options = f"address=unix:s,track=y,dump=none,engine={self.engine}"
        process = super().start(*words, env=env)
        self.over = threading.Event()
        self.asker = threading.Thread(target=self.ask)
        self.asker.start()
        return process

    def end(self, process, seconds):
        try:
            process.wait(max(0, seconds - 5))
        except subprocess.TimeoutExpired:
            pass
        self.over.set()
        self.asker.join()
        wrong, self.wrong = "; ".join(self.wrong[:5]), []
        return super().end(process, 5) or wrong

    def ask(self):
        address, path = os.path.join(self.folder, "s"), os.path.join(self.folder, "r.jsonl")
        while not self.over.wait(1):
            if not os.path.exists(address):
                continue
            answer = subprocess.run([DDM, "allocs", f"unix:{address}", "-o", path],
                                    capture_output=True, text=True, check=False)
            if answer.returncode != 0:
                if self.over.wait(10):
                    return  # it was ending
                self.wrong.append(f"ddm allocs: {answer.stderr or answer.stdout}")
                continue
            with open(path, encoding="utf-8") as f:
                self.look_at(json.loads(f.readline()))

    def look_at(self, summary):
        if summary["seen"] - summary["dropped"] < FULL:
            return
        self.reports += 1
        recorded = summary["recorded"]
        self.least[self.engine] = min(recorded, self.least.get(self.engine, recorded))
        if recorded < LEAST:
            self.wrong.append(f"engine={self.engine}: {recorded} records of {summary['seen']} seen, "
                              f"overtaken {summary.get('overtaken', 0)}")


class Threads(Asked):
    def run(self, seconds):
        words = ("-cp", os.path.join(harness.WORK, "classes"), "ManyNew", str(int(seconds * 1000)))
        return self.end(self.start(*words), seconds + 60)


class AskedTomcat(Asked, Tomcat):
    def end(self, process, seconds):
        return super().end(process, max(seconds, 5))


PROGRAMS = {"threads": Threads, "tomcat": AskedTomcat}


def main():
    words = sys.argv[1:]
    seconds = int(words.pop(0)) if words and words[0].isdigit() and int(words[0]) > 99 else 1800
    jdks = [jdk for jdk in harness.JDKS if str(jdk.major) in words] or harness.JDKS
    harness.build_programs()
    failed = 0
    for jdk in jdks:
        for name in [name for name in PROGRAMS if name in words] or PROGRAMS:
            begin = time.monotonic()
            with tempfile.TemporaryDirectory(prefix="ddm-soak-") as folder:
                program = PROGRAMS[name](jdk, folder, "", ["-Xmx300m"])
                failed += soak(program, f"JDK {jdk.major}: {name}", seconds)
            print(f"JDK {jdk.major}: {name}: {program.reports} reports in "
                  f"{time.monotonic() - begin:.0f} s, least records {program.least}", flush=True)
            failed += program.reports == 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
