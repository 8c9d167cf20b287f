"""`ddm serve`, and what it answers."""
import re
import subprocess
import urllib.error
import urllib.request

from tool import DDM


class Served:
    """It serves at .url with .token until the block ends."""

    def __init__(self, t, *options, home=None):
        # Programs are found by where they say that they are: others of this machine are not ours.
        where = () if "--address" in options else ("--address", "127.0.0.1:0")
        self.process = subprocess.Popen([DDM, "serve", *where, *options], cwd=t.dir,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        match = re.fullmatch(r"ddm: serving on (http://(?:127\.0\.0\.1|\[::1\]):(\d+))/\?token=([\w.~-]+)\n", line)
        assert match, line
        self.url, self.port, self.token = match[1], int(match[2]), match[3]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.terminate()
        out, err = self.process.communicate(timeout=30)
        assert failure != (None, None, None) or (self.process.returncode, out, err) == (0, "", "")

    def ask(self, path, headers=None, token=True):
        """(status, headers, body)"""
        headers = dict(headers or {})
        if token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        request = urllib.request.Request(self.url + path, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=100) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def get(self, path):
        status, _, body = self.ask(path)
        assert status == 200, (status, body[:500])
        return body


def metrics_of(text):
    """{name: {pid: value}} of Prometheus' text; "" for the pid where there is none."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, pid, value = re.fullmatch(r'(\w+)(?:\{pid="(\d+)",app="(?:[^"\\]|\\.)*"\})? (\S+)', line).groups()
        found.setdefault(name, {})[int(pid) if pid else ""] = float(value)
    return found
