"""Turns of what the quick set runs a part of each day."""


def turn_of(index, count, a_day, days):
    """Whether the one with this index has its turn, of `count` that have it one after the other, so many a day, after
    so many days; and how many it has had."""
    a_day = min(a_day, count)
    next_one = days * a_day + (index - days * a_day) % count
    return next_one < (days + 1) * a_day, next_one // count
