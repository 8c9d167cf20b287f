"""Tests of JUnit and TestNG under ddm-test.jar, run as build tools run them."""
import glob
import os
import re

from compiled import compiled_once
from harness import AGENT, JDKS, PRESET, ROOT, WORK

KIT = os.path.join(ROOT, "build", PRESET, "lib", "ddm-test.jar")
SUITES = os.path.join(ROOT, "tests", "jvm", "test_kit")
JARS = [f"/usr/share/java/{name}.jar" for name in (
    "junit-platform-console", "junit-platform-launcher", "junit-platform-engine", "junit-platform-commons",
    "junit-platform-reporting", "junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params",
    "junit-vintage-engine", "opentest4j", "opentest4j-reporting-events", "opentest4j-reporting-schema",
    "apiguardian-api", "univocity-parsers", "junit4", "hamcrest", "testng", "jcommander", "bsh")]
COUNTING = "address=none,dump=none,engine=bci,sites=512k,track=y"


def suite_classes(*names):
    """The folder of these suites' classes, compiled once."""
    sources = sorted(sum((glob.glob(os.path.join(SUITES, name, "*.java")) for name in names), []))
    release = "21" if any(name.endswith("21") for name in names) else "17"
    return compiled_once(os.path.join(WORK, "suites", "-".join(names)), JDKS[-1], release, sources,
                         "-cp", ":".join([KIT, *JARS]))


def platform_run(t, classes, *selected, agent=COUNTING, flags=(), kit=True, arguments=()):
    """JUnit's console over what is selected ("known.KnownCounts")."""
    line = [t.jdk.java, *t.vm_flags(), *flags]
    if agent is not None:
        line.append(f"-agentpath:{AGENT}={agent}")
    line += ["-cp", ":".join([classes, *([KIT] if kit else []), *JARS]), "org.junit.platform.console.ConsoleLauncher",
             "--disable-banner", "--disable-ansi-colors", "--details=tree", *arguments]
    for one in selected:
        line += ["--select-class", one]
    return t.command(line)


def amounts(path):
    """{test: (objects, bytes)} of what the listener has written, and the JDK."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert [row[0] for row in rows] == sorted(row[0] for row in rows), lines
    return {name: (int(objects), int(size)) for name, objects, size in rows}, int(re.search(r"# jdk (\d+)", lines[0])[1])
