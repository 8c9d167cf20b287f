"""Runs Java programs under the agent on every JDK of the machine, and judges what they leave.

A test is a function `def sentence_like_this(t)` with the decorator @test(...). The decorator says
on which JDKs and with which VM flags it runs; each combination is one test. `t` gives the JDK, a
fresh directory and run(); a failed `assert`, an exception or a time-out fails the test.
"""
import collections
import glob
import itertools
import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import traceback
import zlib

from compiled import compiled_once
from turns import turn_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests", "jvm")  # what the tests have beside them
PRESET = os.environ.get("DDM_PRESET", "release")
AGENT = os.path.join(ROOT, "build", PRESET, "lib", "libddmagent.so")
WORK = os.path.join(ROOT, "build", "tests")

COLLECTORS = {
    "serial": ["-XX:+UseSerialGC"],
    "parallel": ["-XX:+UseParallelGC"],
    "g1": ["-XX:+UseG1GC"],
    "zgc": ["-XX:+UseZGC"],
    "shenandoah": ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseShenandoahGC"],
}
ENGINES = ("vm", "bci")


class Jdk:
    def __init__(self, home):
        self.home = home
        self.java = os.path.join(home, "bin", "java")
        with open(os.path.join(home, "release")) as f:
            text = f.read()
        self.major = int(re.search(r'JAVA_VERSION="(\d+)', text).group(1))
        # 25 verifies what is rewritten in any case.
        self.verify = ["-Xverify:all", "-XX:-PrintWarnings"] if self.major < 25 else []
        self.verified_classes = os.path.join(WORK, f"verified-{self.major}.jsa")
        self.compact_headers = self.major >= 27  # by default (JEP 534): objects are smaller
        self._collectors = None
        # One from tests/more_jdks.sh has a C library of its own.
        self.brought = not home.startswith("/usr/lib/jvm/")

    def collectors(self):
        if self._collectors is None:
            self._collectors = [
                name for name, flags in COLLECTORS.items()
                if subprocess.run([self.java, *flags, "-version"], capture_output=True).returncode == 0
            ]
        return self._collectors


def find_jdks():
    homes = set()
    # More of them: folders of JDKs, as PATH is written.
    more = os.environ.get("DDM_MORE_JDKS", "").split(os.pathsep)
    for release in sum((glob.glob(f"{folder}/*/release") for folder in ["/usr/lib/jvm", *more] if folder), []):
        home = os.path.realpath(os.path.dirname(release))
        if os.access(os.path.join(home, "bin", "javac"), os.X_OK):
            homes.add(home)
    jdks = [j for j in map(Jdk, sorted(homes)) if j.major >= 17]
    return sorted(jdks, key=lambda j: j.major)


JDKS = find_jdks()
# Those that the quick set takes turns on, if they are there: most cases on the machine's own, what hangs on
# the VM's insides on all of these. What is between and behind them is for the full set.
TURN_JDKS, EACH_JDKS = (17, 25), (17, 21, 25, 27)
TESTS = []
PHASES = collections.Counter()  # of each period of days, so many tests have one


# Which JDK has a test in the quick set changes from day to day, so that each meets all of them.
DAY = int(os.environ.get("DDM_TEST_DAY", time.time() // 86400))
FULL = "--full" in sys.argv


def test(jdks="turn", gc=("default",), flags=((),), full_only=False, timeout=120, min_jdk=17, max_jdk=999,
         queue=False, alone=False, timing=False, daily=None, every_days=1, machines_libc=False):
    """jdks: in the quick set each variant runs on one of its JDKs, by "turn", or on two, by turns too:
    "each", where the answer hangs on the VM's insides. The full set has all on all.
    gc: names (those that the JDK has), or "all" for all of them, each on one of the JDKs;
    daily: of the quick set's variants so many a day, by turns: what takes long;
    every_days: in the quick set of one day in so many, the tests one after the other: what takes longest;
    machines_libc: not on a JDK that has a C library of its own;
    flags: tuples of VM flags, each one a variant; queue: no other of these runs meanwhile (they have
    a port that is one for the machine); alone: no other test does (it takes most of the memory); timing: it judges times, so it runs alone, in the full set."""

    assert not callable(jdks), f"@test() has brackets: {jdks.__name__} would never run"

    def register(function):
        able = [jdk for jdk in JDKS if min_jdk <= jdk.major <= max_jdk and not (machines_libc and jdk.brought)]
        first = DAY + zlib.crc32(function.__name__.encode())
        if every_days > 1:  # as many of them on one day as on another
            first = DAY + PHASES[every_days]
            PHASES[every_days] += 1
        days = first // every_days
        names = list(COLLECTORS) if gc == "all" else gc
        variants = []
        for turn, (name, variant) in enumerate(itertools.product(names, flags)):
            having = [jdk for jdk in able if name == "default" or name in jdk.collectors()]
            wanted = TURN_JDKS if jdks == "turn" else EACH_JDKS
            quick = [jdk for jdk in having if jdk.major in wanted] or having[:1]
            a_day = 1 if jdks == "turn" or gc == "all" else 2
            for jdk in having:
                case = Case(function, jdk, name, variant, full_only or timing, timeout, queue, alone or timing)
                TESTS.append(case)
                if jdk in quick:
                    variants.append(case)
                    case.in_turn, case.turns = turn_of(quick.index(jdk), len(quick), a_day, days + turn)
        for index, case in enumerate(variants):
            if daily is not None:  # instead of the JDKs' turns: with both some variants would never have one
                case.in_turn, case.turns = turn_of(index, len(variants), daily, days)
            case.in_turn &= first % every_days == 0
        return function

    return register


class Result:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def __str__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out[-3000:]}\n--- stderr\n{self.err[-3000:]}"


class Case:
    def __init__(self, function, jdk, gc="default", flags=(), full_only=False, timeout=120, queue=False, alone=False):
        self.function, self.jdk, self.gc, self.flags = function, jdk, gc, list(flags)
        self.full_only = full_only
        self.in_turn, self.turns = False, 0  # of the quick set: today's, and how many it has had
        self.timeout, self.queue, self.alone = timeout, queue, alone
        words = function.__name__.replace("_", " ")
        where = [str(jdk.major)] + ([gc] if gc != "default" else []) + self.flags
        self.name = f"{words} [{' '.join(where)}]"
        self.dir = None

    def turn(self):
        """Another number each time that the case runs in the quick set, and for each JDK."""
        return self.turns + zlib.crc32(self.function.__name__.encode()) + JDKS.index(self.jdk)

    def engines(self):
        """In the quick set one of them, another one the next time."""
        return ENGINES if FULL else (ENGINES[self.turn() % 2],)

    def some(self, items, parts):
        """In the quick set each so-manieth of them, others the next time."""
        return list(items) if FULL else list(items)[self.turn() % parts::parts]

    def vm_flags(self):
        archive = [f"-XX:SharedArchiveFile={self.jdk.verified_classes}"] if self.jdk.verify else []
        return COLLECTORS.get(self.gc, []) + self.jdk.verify + archive + self.flags

    def java(self, *command, agent=None, flags=(), check=True, stdin=None, env=None):
        """Runs `java` with the case's flags; agent=None: without the agent, else its options."""
        line = [self.jdk.java, *self.vm_flags(), *flags]
        if agent is not None:
            line.append(f"-agentpath:{AGENT}={agent}" if agent else f"-agentpath:{AGENT}")
        line += ["-cp", self.classes(), *command]
        result = self.command(line, stdin=stdin, env=env)
        if check:
            assert result.code == 0, f"{' '.join(line)}\n{result}"
        return result

    def popen(self, *command, agent=None, flags=(), **kwargs):
        line = [self.jdk.java, *self.vm_flags(), *flags]
        if agent is not None:
            line.append(f"-agentpath:{AGENT}={agent}" if agent else f"-agentpath:{AGENT}")
        line += ["-cp", self.classes(), *command]
        return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, cwd=self.dir, **kwargs)

    def command(self, line, stdin=None, env=None):
        begin = time.monotonic()
        full_env = dict(os.environ)
        full_env.pop("JAVA_TOOL_OPTIONS", None)
        full_env.update(env or {})
        done = subprocess.run(line, capture_output=True, text=True, errors="replace", cwd=self.dir,
                              input=stdin, timeout=self.timeout, env=full_env)
        return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)

    def jcmd(self, pid, *words):
        """The VM's answer."""
        done = self.command([os.path.join(self.jdk.home, "bin", "jcmd"), str(pid), *words])
        assert done.code == 0, done
        return done.out

    def classes(self):
        return os.path.join(WORK, "classes21" if self.jdk.major >= 21 else "classes")

    def path(self, name):
        return os.path.join(self.dir, name)

    def dir_of_run(self):
        return os.path.join(WORK, "run", re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-"))

    @staticmethod
    def fresh(path):
        shutil.rmtree(path, ignore_errors=True)
        return path

    def run(self):
        self.dir = self.fresh(self.dir_of_run())
        os.makedirs(self.dir)
        self.function(self)
        shutil.rmtree(self.dir, ignore_errors=True)


class Report:
    """A jsonl report, read strictly. With `take`, each record goes there and none is kept: a million
    of them are gigabytes. Sites add up to what was seen, whatever was tested."""

    def __init__(self, path, take=None):
        self.records, self.sites = [], []
        self.methods, self.samples, self.monitors = [], [], []
        of_time = {"method": self.methods, "sample": self.samples, "monitor": self.monitors}
        take = take or self.records.append
        last_seq = None
        with open(path, encoding="utf-8", errors="strict") as f:
            self.summary = json.loads(f.readline())
            assert self.summary["type"] == "summary", f"{path}: no summary line"
            for line in f:
                record = json.loads(line)
                if record["type"] == "site":
                    assert last_seq is None, f"{path}: a site among the records"
                    self.sites.append(record)
                    continue
                if record["type"] in of_time:
                    assert last_seq is None, f"{path}: a figure of time among the records"
                    of_time[record["type"]].append(record)
                    continue
                assert record["type"] == "record"
                assert last_seq is None or record["seq"] < last_seq, \
                    f"{path}: records are not newest first, or a seq twice"
                last_seq = record["seq"]
                take(record)
        if "sites" in self.summary:
            self.check_sites(path)
        for thread in self.summary["threads"]:
            assert (thread["unattributed_bytes"] or 0) >= 0, f"a negative remainder: {thread}"

    def check_sites(self, path):
        assert len(self.sites) <= self.summary["sites"], path
        sizes = [site["bytes"] for site in self.sites]
        assert sizes == sorted(sizes, reverse=True), f"{path}: not most bytes first"
        for name, seen in (("count", "seen"), ("bytes", "seen_bytes")):
            total = sum(site[name] for site in self.sites)
            assert total == self.summary[seen], \
                f"{path}: the sites have {total} {name}, seen are {self.summary[seen]}"
        stackless = [site["class"] for site in self.sites if not site["stack"]]
        assert len(stackless) == len(set(stackless)), f"{path}: a class without a stack twice"

    def count_by_class(self, where=lambda r: True):
        counts = {}
        for r in self.records:
            if where(r):
                counts[r["class"]] = counts.get(r["class"], 0) + 1
        return counts


def archive_verified_classes():
    """The JDK's own archive is not used with -Xverify:all: each start would verify 400 classes anew."""
    for jdk in JDKS:
        if jdk.verify and not os.path.exists(jdk.verified_classes):
            new = f"{jdk.verified_classes}.{os.getpid()}"
            dump = [jdk.java, "-Xshare:dump", *jdk.verify, f"-XX:SharedArchiveFile={new}"]
            if subprocess.run(dump, capture_output=True).returncode == 0:
                os.replace(new, jdk.verified_classes)


def build_programs():
    """Compiles tests/jvm/programs for 17; programs/jdk21 with the newest JDK on top."""
    sources = sorted(glob.glob(os.path.join(HERE, "programs", "*.java")))
    newer = sorted(glob.glob(os.path.join(HERE, "programs", "jdk21", "*.java")))
    for target, files, release, jdk in (("classes", sources, "17", JDKS[0]),
                                        ("classes21", sources + newer, "21", JDKS[-1])):
        if int(release) <= jdk.major:
            compiled_once(os.path.join(WORK, target), jdk, release, files)


def run_all(patterns, full):
    build_programs()
    archive_verified_classes()
    # Who names a test wants it on every JDK.
    chosen = [c for c in TESTS
              if (any(p in c.name for p in patterns) if patterns else full or c.in_turn)
              and (full or not c.full_only)]
    failed, dearest = [], []

    def tell(case, took, cpu, outcome):
        dearest.append((cpu, case.name))
        print(f"{'FAIL' if outcome else 'ok  '} {case.name} ({took:.1f} s, CPU {cpu:.1f} s)",
              flush=True)
        if outcome:
            failed.append(case)
            print("     " + outcome.replace("\n", "\n     "), flush=True)

    # What may take long comes first, so that no processor is left alone with it in the end; before
    # all, those of the queue, which one process runs.
    pieces = [[c for c in chosen if c.queue]]
    pieces += sorted(([c] for c in chosen if not c.alone and not c.queue), key=lambda p: -p[0].timeout)
    # Processes, not threads: reading a report keeps Python's one lock for seconds. Twice as many as
    # processors: most tests wait for the most part.
    with multiprocessing.get_context("fork").Pool((os.cpu_count() or 2) * 2) as pool:
        for results in pool.imap_unordered(run_cases, [list(map(TESTS.index, p)) for p in pieces]):
            for index, *result in results:
                tell(TESTS[index], *result)
    for case in chosen:
        if case.alone:
            tell(case, *run_case(TESTS.index(case))[1:])
    dearest.sort(reverse=True)
    print(f"CPU {sum(cpu for cpu, _ in dearest):.0f} s in all; the dearest cases:")
    for cpu, name in dearest[:20]:
        print(f"  {cpu:6.1f} s  {name}")
    print(f"jvm: {len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def run_cases(indexes):
    return [run_case(index) for index in indexes]


def run_case(index):
    begin, cpu = time.monotonic(), sum(os.times()[:4])  # with the children that were waited for
    try:
        TESTS[index].run()
        outcome = None
    except Exception:  # any failure of a test is reported as that test's
        outcome = traceback.format_exc()
    return index, time.monotonic() - begin, sum(os.times()[:4]) - cpu, outcome


def main():
    # Whoever runs this in the background may have them ignored, and so would every program below.
    for ignored in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(ignored) == signal.SIG_IGN:
            signal.signal(ignored, signal.SIG_DFL)
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    unknown = [a for a in sys.argv[1:] if a.startswith("--") and a not in ("--full", "--list")]
    if unknown:
        print("usage: tests/jvm/run.py [--full] [--list] [PART OF A NAME ...]; not understood: "
              + " ".join(unknown), file=sys.stderr)
        return 2
    for path in sorted(glob.glob(os.path.join(HERE, "test_*.py"))):
        __import__(os.path.splitext(os.path.basename(path))[0])
    if "--list" in sys.argv:
        print("\n".join(c.name for c in TESTS))
        return 0
    return run_all(args, "--full" in sys.argv)
