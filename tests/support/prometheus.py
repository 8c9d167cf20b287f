"""Debian's Prometheus, unpacked only: once installed it would run as a service of the machine."""
import glob
import http.client
import json
import os
import shutil
import socket
import subprocess
import urllib.parse
import urllib.request

from adb_bridge import wait_for
from harness import ROOT


def programs(t):
    """The folder with `prometheus` and `promtool`; kept between runs."""
    unpacked = os.path.join(ROOT, "build", "prometheus")
    if not os.path.exists(unpacked):
        subprocess.run(["apt-get", "-q", "-q", "-o", "APT::Sandbox::User=root", "download", "prometheus"], check=True,
                       cwd=t.dir, timeout=60)
        subprocess.run(["dpkg", "-x", *glob.glob(t.path("prometheus_*.deb")), t.path("unpacked")], check=True)
        os.makedirs(os.path.dirname(unpacked), exist_ok=True)
        # Whole or not at all, also if another case does the same.
        arrived = f"{unpacked}.{os.getpid()}"
        shutil.move(t.path("unpacked/usr/bin"), arrived)
        try:
            os.rename(arrived, unpacked)
        except OSError:
            shutil.rmtree(arrived)
    return unpacked


def promtool(t, *words, text=None):
    """Its exit code, and what it says against a file or `text`."""
    done = subprocess.run([os.path.join(programs(t), "promtool"), "check", *words], input=text, text=True,
                          capture_output=True)
    return f"{done.returncode}: {done.stdout}{done.stderr}"


class Prometheus:
    """It scrapes as `configuration` says until the block ends."""

    def __init__(self, t, configuration):
        with open(t.path("prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(configuration)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.log_path = t.path("prometheus.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(programs(t), "prometheus"), f"--config.file={t.path('prometheus.yml')}",
                 f"--storage.tsdb.path={t.path('series')}", f"--web.listen-address={self.address}"],
                cwd=t.dir, stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.terminate()
        self.process.wait(timeout=30)

    def values(self, query, least):
        """[(labels, value)] of an instant query, once it has so many."""
        url = f"http://{self.address}/api/v1/query?" + urllib.parse.urlencode({"query": query})

        def rows():
            try:
                with urllib.request.urlopen(url, timeout=10) as answer:
                    found = json.load(answer)["data"]["result"]
                    return found if len(found) >= least else None
            except (OSError, http.client.HTTPException):  # it has only begun
                assert self.process.poll() is None, self.log()
                return None

        found = wait_for(rows, f"{least} of {query}", seconds=60)
        return [(row["metric"], float(row["value"][1])) for row in found]

    def log(self):
        with open(self.log_path, encoding="utf-8") as log:
            return log.read()[-3000:]
