"""A program that keeps so many objects a minute."""
from ddm_client import Target


class Leaking(Target):
    """Sessions a minute behind a static map."""

    def __init__(self, t, per_minute, agent="dump=none,log=error", flags=()):
        super().__init__(t, agent, flags, program=("Leaks", str(per_minute)))
