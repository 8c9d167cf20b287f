"""Allocation tests under Maven and Ant, as the example project has them, with `ddm gate` behind them."""
import itertools
import os
import re
import shutil
import subprocess

import known_matrix
from harness import AGENT, ROOT, test
from junit import COUNTING, JARS, KIT
from tool import DDM

EXAMPLE = os.path.join(ROOT, "examples", "allocation-tests")
HELPER = "src/main/java/shop/Receipts.java"
TESTS = ("aCopyMayBePrinted[1]", "aCopyMayBePrinted[2]", "aHundredCopiesShareTheirLines", "linesAreAsWideAsThePrinter")
WAYS = {
    "maven": ["mvn", "-q", "-s", "debian-settings.xml"],
    # Debian's script allows a security manager, which no JVM from 24 on starts with. The parser is the JDK's
    # own: libraries on Ant's path may bring others.
    "ant": ["java", "-cp", "/usr/share/ant/lib/ant-launcher.jar", "-Dant.home=/usr/share/ant",
            "-Djavax.xml.parsers.SAXParserFactory=com.sun.org.apache.xerces.internal.jaxp.SAXParserFactoryImpl",
            "org.apache.tools.ant.launch.Launcher", "-q"],
}


def project(t, name):
    return shutil.copytree(EXAMPLE, t.path(name))


def build(t, way, folder):
    """Runs the tests as the build tool does; the list is in target/."""
    program, *words = WAYS[way]
    line = [t.jdk.java if program == "java" else program, *words, f"-Dddm.agent={AGENT}", f"-Dddm.jar={KIT}", "test"]
    done = subprocess.run(line, cwd=folder, check=False, capture_output=True, text=True,
                          env={**os.environ, "JAVA_HOME": t.jdk.home})
    assert done.returncode == 0, (way, done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout + done.stderr


def gate(folder, *words, code=0):
    done = subprocess.run([DDM, "gate", "target/allocations.txt", "--baseline", "allocations.txt", *words], cwd=folder,
                          check=False, capture_output=True, text=True)
    assert done.returncode == code, done
    return done.stdout


def change(folder, path, old, new):
    with open(os.path.join(folder, path), encoding="utf-8") as f:
        text = f.read()
    assert old in text, (path, old)
    with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
        f.write(text.replace(old, new))


# The sizes in the baseline are those of headers of 12 bytes.
@test(every_days=5, max_jdk=25, timeout=400)
def one_more_new_in_a_helper_fails_the_gate_of_a_maven_and_of_an_ant_build(t):
    for way in t.some(sorted(WAYS), 2):
        folder = project(t, way)
        told = build(t, way, folder)
        assert re.search(r"allocations: 4 tests, 6 objects, 15\.7 KiB; most: shop\.ReceiptsTest\.aCopyMayBePrinted\[1\]",
                         told), told
        assert "4 tests in allocations.txt" in gate(folder, "--update")
        with open(os.path.join(folder, "allocations.txt"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        # A list of a thousand: its object, the copy that toArray() makes, and the one of that.
        assert lines == [f"# jdk {t.jdk.major}", *(
            f"shop.ReceiptsTest.{name}\t{'3' if 'Copy' in name else '0'}\t{'8056' if 'Copy' in name else '0'}"
            for name in TESTS)], lines
        build(t, way, folder)
        assert gate(folder) == "0 grew, 0 new, 0 shrank, 0 gone, 4 as in allocations.txt\n"

        change(folder, HELPER, "for (int i = item.length", "char[] blanks = new char[20];\n        for (int i = item.length")
        # A limit of the test's own would fail the build before the gate does.
        change(folder, "src/test/java/shop/ReceiptsTest.java", "bytes = 5000", "bytes = 50_000_000")
        build(t, way, folder)
        told = gate(folder, "--annotations", code=1)
        grown = re.findall(r"grew: shop\.ReceiptsTest\.([^\s:]+)[^\n]*\n {4}[\d,]+ \(.*\n {4}(.*)\n {8}at (.*)\n", told)
        assert sorted(name for name, _, _ in grown) == sorted(TESTS), told
        # The place that grew comes first.
        line = next(n for n, text in enumerate(open(os.path.join(folder, HELPER), encoding="utf-8"), 1) if "blanks" in text)
        assert all(what.startswith("char[]: ") and at == f"shop.Receipts.pad(Receipts.java:{line})"
                   for _, what, at in grown), told
        assert told.count(f"::error file={HELPER},line={line}::allocates more: ") == 4, told
        gate(folder, "--update")
        assert gate(folder) == "0 grew, 0 new, 0 shrank, 0 gone, 4 as in allocations.txt\n"


@test(full_only=True, jdks="each", timeout=1800)
def thirty_runs_of_the_same_tests_have_nothing_to_tell(t):
    """However their code runs, by two collectors: ZGC's references have a size of their own."""
    ways = list(itertools.product(known_matrix.MODES, known_matrix.COLLECTORS[:2]))
    folder = project(t, "console")
    os.makedirs(os.path.join(folder, "target/classes"))
    path = ":".join([KIT, *JARS, "target/classes"])
    sources = [HELPER, "src/test/java/shop/ReceiptsTest.java"]
    subprocess.run([os.path.join(t.jdk.home, "bin", "javac"), "-g", "-cp", path, "-d", "target/classes", *sources],
                   cwd=folder, check=True)
    for number in range(31):
        mode, collector = ways[number % len(ways)]
        done = subprocess.run([t.jdk.java, *mode, collector, f"-agentpath:{AGENT}={COUNTING}",
                               "-Dddm.allocations=target/allocations.txt", "-cp", path,
                               "org.junit.platform.console.ConsoleLauncher", "--disable-banner",
                               "--select-package", "shop"], cwd=folder, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done
        told = gate(folder, *(["--update"] if number == 0 else []))
        assert number == 0 or told == "0 grew, 0 new, 0 shrank, 0 gone, 4 as in allocations.txt\n", (
            number, mode, collector, told)
