"""Google's ddmlib, as Debian has it, on Debian's adb, through `ddm bridge`, on a live JVM."""
import glob
import os
import sys

from harness import AGENT, JDKS, ROOT, test

E2E = os.path.join(ROOT, "tests", "e2e")
sys.path.insert(0, E2E)

from adb_bridge import Adb, Bridge  # noqa: E402

JARS = ":".join(f"/usr/share/java/{name}.jar" for name in (
    "com.android.tools.ddms.ddmlib", "com.android.tools.common", "com.android.tools.annotations",
    "guava", "kxml2"))


def built_classes(t):
    classes = t.path("classes")
    sources = glob.glob(os.path.join(E2E, "*.java"))
    javac = os.path.join(JDKS[0].home, "bin", "javac")
    built = t.command([javac, "-g", "-nowarn", "--release", "17", "-cp", JARS, "-d", classes,
                       *sources])
    assert built.code == 0, built
    return classes


def check(t, agent_options):
    classes = built_classes(t)
    with Bridge() as bridge, Adb(t.path("home")) as adb:
        adb.connect(bridge)
        done = t.command([JDKS[0].java, "-cp", f"{JARS}:{classes}", "DdmlibCheck", bridge.address,
                          t.jdk.home, f"-agentpath:{AGENT}={agent_options}", "-Xmx256m",
                          *t.vm_flags(), "-cp", classes], env=adb.env)
    assert done.code == 0 and done.out.rstrip().endswith("\n0 failed"), done
    assert "ok   a map of the heap follows" in done.out, done
    assert "ok   a heap dump can be read to its end" in done.out, done


@test(queue=True, timeout=180)
def ddmlib_sees_what_the_program_says_of_itself(t):
    check(t, "engine=bci")


@test(queue=True, timeout=180)
def ddmlib_sees_what_the_program_says_of_itself_with_engine_vm(t):
    check(t, "engine=vm")
