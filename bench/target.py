"""A program that runs with or without the agent and is asked by lines."""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
from ddm_client import Client, address_of  # noqa: E402
from process_stat import cpu_seconds  # noqa: E402

JDKS = harness.JDKS


def chosen_jdks(major=None):
    """All, or that of one release."""
    return [jdk for jdk in JDKS if major in (None, jdk.major)]


def test_programs():
    """The directory of tests/jvm/programs, compiled."""
    harness.build_programs()
    return os.path.join(harness.WORK, "classes")


def compile_program(name, directory):
    """Class files of bench/programs for 17, which every JDK runs."""
    subprocess.run([os.path.join(JDKS[0].home, "bin", "javac"), "-nowarn", "--release",
                    "17", "-d", directory, os.path.join(HERE, "programs", name + ".java")],
                   check=True)


# The quickstart's: 235 files of 17's java.base, about all that javac does.
JAVAC_PARTS = ["java.base/java/util/function", "java.base/java/nio/file",
               "java.base/java/security/spec", "java.base/java/security/interfaces"]


JAVAC_LARGE_PARTS = ["java.base/java", "java.base/javax"]


def javac_sources(jdk, folder, parts=None):
    """What the quickstart's javac compiles, or other parts of the JDK, unpacked into
    `folder`/java.base: its files. From the sources of `jdk`, or of 17 where it has none."""
    zipped = os.path.join(jdk.home, "lib", "src.zip")
    if not os.path.exists(zipped):
        zipped = "/usr/lib/jvm/openjdk-17/lib/src.zip"
    subprocess.run([os.path.join(jdk.home, "bin", "jar"), "xf", zipped, *(parts or JAVAC_PARTS)],
                   cwd=folder, check=True)
    return sorted(os.path.join(top, name)
                  for top, _, names in os.walk(os.path.join(folder, "java.base"))
                  for name in names
                  if name.endswith(".java") and name not in ("package-info.java", "module-info.java"))


class Target:
    """`options` are the agent's; None is without it. Without a server (address=none) it has no client. Ends when its
    stdin is closed."""

    def __init__(self, jdk, classes, *command, options=None, flags=()):
        agent = [] if options is None else [f"-agentpath:{harness.AGENT}={options}"]
        self.process = subprocess.Popen(
            [jdk.java, *flags, *agent, "-cp", classes, *command], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE if agent else None, text=True)
        served = agent and "address=none" not in options
        self.client = Client(address_of(self.process), timeout=120) if served else None
        self.read("ready")

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if failure != (None, None, None):
            self.process.kill()
        if self.client:
            self.client.close()
        self.process.stdin.close()
        code = self.process.wait(60)
        if failure == (None, None, None):
            assert code == 0, f"the program ended with {code}"

    def read(self, expected=None):
        line = self.process.stdout.readline().rstrip("\n")
        assert line and expected in (None, line), f"{line!r} instead of {expected!r}"
        return line

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)
