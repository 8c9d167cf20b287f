"""Paired runs: two commands in turn, many times; figures are medians of pairs, never single runs."""
import resource
import statistics
import subprocess
import time


def cpu_of_children():
    """CPU seconds of all that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_once(command, env=None):
    """(wall seconds, CPU seconds) of one run; its output is thrown away."""
    before, begin = cpu_of_children(), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=env)
    return time.monotonic() - begin, cpu_of_children() - before


def pairs(with_agent, without, rounds):
    """Alternates the two and gives their medians and the median difference of a pair, in ms."""
    rows = []
    for i in range(rounds):
        first, second = (with_agent, without) if i % 2 else (without, with_agent)
        a, b = run_once(first), run_once(second)
        rows.append((a, b) if i % 2 else (b, a))
    ms = lambda values: 1000 * statistics.median(values)  # noqa: E731
    return {
        "with_wall_ms": ms(a[0] for a, _ in rows), "without_wall_ms": ms(b[0] for _, b in rows),
        "wall_difference_ms": ms(a[0] - b[0] for a, b in rows),
        "cpu_difference_ms": ms(a[1] - b[1] for a, b in rows),
        "wall_ratio": statistics.median(a[0] / b[0] for a, b in rows),
    }
