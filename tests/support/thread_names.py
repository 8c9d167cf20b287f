"""What the system calls a process's threads: the first 15 letters of a name."""
import contextlib
import os


def threads_of(pid):
    names = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            with open(f"/proc/{pid}/task/{task}/comm", encoding="utf-8") as f:
                names.append(f.read().strip())
    return names
