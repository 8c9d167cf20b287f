"""Loops whose objects the compiler removes."""

ESCAPE_LOOPS = ("objects", "arrays", "calls", "iterators", "copies")


def bytes_of(target, loop, rounds):
    """What an Escape program allocates; 0 rounds = in one that allocates nothing, if there is any."""
    made, _ = target.ask(f"{loop} {rounds} {2000 if rounds else 100_000}").split()
    return int(made)
