#!/usr/bin/env python3
"""What ddm-test.jar's listener does to a library's own tests: the same results, how much CPU, and whether what
each test allocates is the same in two runs.

Usage: bench/library_tests.py SOURCES [--jdk 17] [--pairs 2] [--tests REGEX]
       (after: cmake --build --preset release; another build of the agent has other costs)

SOURCES: the unpacked sources of commons-lang3 (`apt-get source libcommons-lang3-java`), or of any library with
src/main/java and src/test/java whose tests are JUnit's. Test classes that need what is not in /usr/share/java are
left out and named. A pair is a run without an agent and one with it, in turns; CPU is that of the whole process.
Of a test whose totals differ the site is named that differs most.
"""
import argparse
import glob
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
import known_matrix  # noqa: E402
from junit import COUNTING, JARS, KIT, amounts  # noqa: E402

MORE = [f"/usr/share/java/{name}.jar" for name in ("easymock", "objenesis", "cglib-nodep", "bcel")]


def files_below(folder):
    return sorted(glob.glob(os.path.join(folder, "**", "*.java"), recursive=True))


def compile_all(jdk, sources, work):
    """The class path of the library and of its tests, and the test files that do not compile."""
    javac = [os.path.join(jdk.home, "bin", "javac"), "-g", "-nowarn", "-proc:none", "-encoding", "UTF-8",
             "-Xmaxerrs", "9999"]
    main, tests = os.path.join(work, "main"), os.path.join(work, "tests")
    subprocess.run([*javac, "-d", main, *files_below(os.path.join(sources, "src/main/java"))], check=True,
                   capture_output=True)
    path = ":".join([main, *JARS, *filter(os.path.exists, MORE)])
    left, out = files_below(os.path.join(sources, "src/test/java")), []
    while True:
        done = subprocess.run([*javac, "-cp", path, "-d", tests, *left], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            break
        wrong = set(re.findall(r"^(\S+\.java):\d+: error", done.stderr, re.M))
        if not wrong:
            raise RuntimeError(done.stderr[-2000:])
        out += sorted(wrong)
        left = [one for one in left if one not in wrong]
    for resources in ("src/test/resources", "src/main/resources"):
        if os.path.isdir(os.path.join(sources, resources)):
            path = os.path.join(sources, resources) + ":" + path
    return tests + ":" + path, out


def run(jdk, path, work, name, listener, chosen):
    """CPU seconds, {test: how it ended} and {test: (objects, bytes)} of one run."""
    reports, figures = os.path.join(work, f"{name}.reports"), os.path.join(work, f"{name}.txt")
    line = [jdk.java, "-Xmx1g"]
    if jdk.major >= 17:
        line += [f"--add-opens=java.base/{name}=ALL-UNNAMED"
                 for name in ("java.lang", "java.util", "java.lang.reflect", "java.time")]
    if listener:
        line += [f"-agentpath:{harness.AGENT}={COUNTING}", f"-Dddm.allocations={figures}"]
    tests = os.path.join(work, "tests")
    line += ["-cp", (KIT + ":" if listener else "") + path, "org.junit.platform.console.ConsoleLauncher",
             "--disable-banner", "--details=none", f"--scan-classpath={tests}", f"--reports-dir={reports}",
             f"--include-classname={chosen}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(work, f"{name}.log"), "wb") as log:
        subprocess.run(line, cwd=work, stdout=log, stderr=log, check=False, timeout=1500)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    ends = {}
    for file in glob.glob(os.path.join(reports, "*.xml")):
        for case in xml.parse(file).getroot().iter("testcase"):
            key = f"{case.get('classname')}.{case.get('name')}"
            while key in ends:
                key += "+"
            ends[key] = next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
    counts = amounts(figures)[0] if listener else {}
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ends, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources")
    parser.add_argument("--jdk", type=int, default=17)
    parser.add_argument("--pairs", type=int, default=2)
    parser.add_argument("--tests", default=".*Test", help="names of test classes")
    options = parser.parse_args()
    jdk = next(jdk for jdk in harness.JDKS if jdk.major == options.jdk)
    with tempfile.TemporaryDirectory() as work:
        path, out = compile_all(jdk, os.path.abspath(options.sources), work)
        print(f"JDK {jdk.major}; left out, since they do not compile here: "
              + (", ".join(os.path.basename(one) for one in out) or "none"), flush=True)
        ratios, runs, ends = [], [], []
        for number in range(options.pairs):
            plain, without, _ = run(jdk, path, work, f"plain{number}", False, options.tests)
            dear, with_it, counts = run(jdk, path, work, f"listener{number}", True, options.tests)
            ratios.append(dear / plain)
            runs.append(counts)
            ends += [without, with_it]
            print(f"pair {number + 1}: {len(without)} tests, CPU {plain:.1f} s and {dear:.1f} s: {dear / plain:.2f} times",
                  flush=True)
        for number, other in enumerate(ends[1:], 1):
            changed = sorted(name for name in ends[0].keys() | other.keys() if ends[0].get(name) != other.get(name))
            print(f"results as in the first run: {len(other) - len(changed)} of {len(other)}"
                  + "".join(f"\n  {name}: {ends[0].get(name)}, {other.get(name)}" for name in changed[:20]))
        print(f"CPU {statistics.median(ratios):.2f} times")
        if options.pairs > 1:
            names = runs[0].keys() & runs[1].keys()
            differ = sorted(name for name in names if runs[0][name] != runs[1][name])
            print(f"totals equal in two runs for {len(names) - len(differ)} of {len(names)} tests "
                  f"({100 * (1 - len(differ) / max(len(names), 1)):.1f} %)")
            sites = [known_matrix.sites_of(os.path.join(work, f"listener{number}.txt")) for number in (0, 1)]
            for name in differ:
                one, other = sites[0][name], sites[1][name]
                most = max(one | other, key=lambda site: abs(one[site] - other[site]), default="no site")
                print(f"  {name}: {runs[0][name]}, {runs[1][name]}: {one[most]}, {other[most]} {most[:300]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
