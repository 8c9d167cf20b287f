"""ddmlib's jars, and our Java programs that use it."""
import glob
import os

from harness import JDKS, ROOT

E2E = os.path.join(ROOT, "tests", "e2e")
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
