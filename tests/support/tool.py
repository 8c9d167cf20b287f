"""The `ddm` command."""
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
import threading
import time

from harness import PRESET, ROOT

DDM = os.path.join(ROOT, "build", PRESET, "bin", "ddm")
OK, REFUSED, USAGE = 0, 1, 2


def ddm(t, *words, code=OK):
    """stdout; of what fails, the one line on stderr."""
    done = t.command([DDM, *map(str, words)])
    assert done.code == code, f"ddm {words}: {done}"
    if code == OK:
        assert not done.err, done
        return done.out
    assert done.err.startswith("ddm: ") and done.err.count("\n") == 1 and not done.out, done
    return done.err


def ddm_json(t, *words):
    return json.loads(ddm(t, *words, "--json"))


def press(terminal, keys):
    for seconds, key in keys:
        time.sleep(seconds)
        os.write(terminal, key.encode())


def shown_on_terminal(t, *words, columns=80, code=OK, keys=(), env={"NO_COLOR": "1"}):
    """What stands on a terminal at the end of a command: lines without what was erased. `keys`: (seconds, key),
    pressed so much later than the one before."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")} \
        | {"TERM": "xterm"} | env
    process = subprocess.Popen([DDM, *map(str, words)], stdin=theirs, stdout=theirs, stderr=theirs,
                               cwd=t.dir, env=env)
    os.close(theirs)
    presses = threading.Thread(target=press, args=(ours, keys))
    presses.start()
    raw = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # EIO: all of the other side is closed
            break
        if not part:
            break
        raw += part
    presses.join()
    os.close(ours)
    assert process.wait(t.timeout) == code, raw
    lines = []
    for line in raw.decode().split("\n"):
        shown = ""
        for part in line.rstrip("\r").split("\r"):  # each from the left edge again
            clears = "\x1b[K" in part
            part = part.replace("\x1b[K", "")
            shown = part if clears else part + shown[len(part):]
        lines.append(shown)
    return lines, raw.decode()
