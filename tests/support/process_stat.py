"""What the system tells of a process, or of one of its threads: /proc/PID/stat and status."""
import os
import re


def fields_of(pid, task=None):
    """Those behind its name, which may have blanks and brackets."""
    path = f"/proc/{pid}/stat" if task is None else f"/proc/{pid}/task/{task}/stat"
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read().rpartition(")")[2].split()


def state_of(pid, task=None):
    """R, S, T, Z and so on."""
    return fields_of(pid, task)[0]


def cpu_ticks(pid, task=None):
    """(of the user, of the system)"""
    return tuple(map(int, fields_of(pid, task)[11:13]))


def cpu_ns(pid):
    return sum(cpu_ticks(pid)) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid, task=None):
    return sum(cpu_ticks(pid, task)) / os.sysconf("SC_CLK_TCK")


def status_kb(pid, field):
    """VmRSS, VmHWM and so on."""
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
        return int(re.search(rf"^{field}:\s+(\d+) kB", f.read(), re.M)[1])
