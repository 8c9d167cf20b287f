"""How benchmarks of whole programs start a JVM: {way: the agent's argument, or None without one}."""
import os
import sys

from target import HERE

sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

from harness import AGENT as LIBRARY  # noqa: E402


def agent(options):
    return f"-agentpath:{LIBRARY}={options},address=none,dump=none"


# vm-event: the VM tells of every allocation, and nobody listens (bench/empty_event.cpp).
WAYS = {"none": None, "idle": agent("log=warn"), "vm": agent("track=y"),
        "bci": agent("track=y,engine=bci"), "vm-512k": agent("track=y,interval=512k"),
        "vm-event": "-agentpath:" + os.path.join(os.path.dirname(LIBRARY), "libempty_event.so")}
