"""What is measured by time."""


def best_of(tries, attempt):
    """A busy machine stops a program between its own look at the clock and the lock."""
    for left in reversed(range(tries)):
        try:
            return attempt()
        except AssertionError:
            if left == 0:
                raise
