"""What the build leaves: libraries without their debug information, and that beside them."""
import os
import re
import subprocess

from harness import AGENT, PRESET, ROOT, test

DDM = os.path.join(ROOT, "build", PRESET, "bin", "ddm")


def read_elf(*words):
    return subprocess.run(["readelf", "-W", *words], capture_output=True, text=True, errors="replace",
                          check=True).stdout


@test(min_jdk=25)
def what_was_built_is_small_and_names_its_debug_information(t):
    if PRESET != "release":
        return
    for path, most in ((AGENT, 6 << 20), (DDM, 4 << 20)):
        assert os.path.getsize(path) < most, (path, os.path.getsize(path))
        assert ".debug_info" not in read_elf("-S", path), path
        link = read_elf("--string-dump=.gnu_debuglink", path)
        assert re.search(r"\] +" + re.escape(os.path.basename(path)) + r"\.debug", link), link
        debug = path + ".debug"
        ids = [re.search(r"Build ID: (\w+)", read_elf("-n", file))[1] for file in (path, debug)]
        assert ids[0] == ids[1], f"{debug} is of another build: {ids}"
        # A function's address in the one is its name and line in the other.
        symbols = read_elf("-s", debug)
        at = re.search(r"^ *\d+: (\w+) +\d+ FUNC +\w+ +\w+ +\d+ (?:Agent_OnLoad|main)\b", symbols, re.M)
        where = subprocess.run(["addr2line", "-fe", debug, at[1]], capture_output=True, text=True,
                               check=True).stdout
        assert re.search(r"\n/.*:\d+", where), where
    hprof = os.path.join(os.path.dirname(AGENT), "libhprof.so")
    assert os.readlink(hprof) == os.path.basename(AGENT)
    defined = [line.split() for line in read_elf("--dyn-syms", AGENT).splitlines()
               if re.search(r" (GLOBAL|WEAK) +DEFAULT +\d+ ", line)]
    exported = {words[7].partition("@")[0] for words in defined}
    assert exported and all(re.match(r"Agent_On|Java_", name) for name in exported), exported
