"""Real programs under native=64, piece by piece. See tests/soak_native.sh."""
import sys
import tempfile

import harness
from soak_programs import H2, Javac, Maps, Tomcat, soak

PROGRAMS = {"javac": Javac, "maps": Maps, "h2": H2, "tomcat": Tomcat}
# The heap ends at 4 GiB: a small negative int, taken for an address, lies on its last bytes.
FLAGS = ["-Xmx300m"]


def main():
    words = sys.argv[1:]
    seconds = int(words.pop(0)) if words and words[0].isdigit() else 600
    harness.build_programs()
    failed = 0
    for jdk in harness.JDKS:
        for name in words or PROGRAMS:
            with tempfile.TemporaryDirectory(prefix="ddm-soak-") as folder:
                program = PROGRAMS[name](jdk, folder, "native=64,address=none", FLAGS)
                failed += soak(program, f"JDK {jdk.major}: {name}", seconds)
    return 1 if failed else 0


sys.exit(main())
