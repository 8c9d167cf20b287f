"""The program whose methods are probed."""
import os

from ddm_client import Target
from harness import AGENT

PROGRAM = ("Probed",)
CODES = os.path.join(os.path.dirname(AGENT), "libmethod_codes.so")


def native_access(t):
    return ["--enable-native-access=ALL-UNNAMED"] if t.jdk.major >= 24 else []


def tell(target, words):
    """Tells the program; {method: calls} as it says."""
    target.process.stdin.write(words + "\n")
    target.process.stdin.flush()
    truth = {}
    while (line := target.process.stdout.readline()) != "counted\n":
        assert line, "the program has ended"
        if len(line.split()) == 2:
            method, calls = line.split()
            truth[method] = int(calls)
    return truth


def codes_of_late(t, put_in=None):
    """{method: its code} when a class is loaded while something is in, and linked when it is out."""
    with Target(t, "dump=none", flags=native_access(t), program=PROGRAM) as target:
        take_out = put_in(target) if put_in else lambda: None
        tell(target, "load Probed$Late")
        take_out()
        codes = tell(target, f"codes {CODES} Probed$Late")
    assert any(name.startswith("Probed$Late.twice") for name in codes), codes
    return codes
