"""The program that DYPER watches."""
import os
import subprocess

from ddm_client import Stderr
from dyper_client import Dyper

FREE = "dyper=listen:127.0.0.1:0,address=none"


class Watched:
    """The program, and where it serves DYPER."""

    def __init__(self, t, agent=FREE, flags=(), arguments=()):
        self.process = t.popen("Watched", *arguments, agent=agent, flags=list(flags))
        ids = self.process.stdout.readline().split()
        assert ids[:1] == ["ids"], self.process.stderr.read()
        self.burner, self.holder, self.blocked, self.waiter = map(int, ids[1:])
        assert self.process.stdout.readline() == "ready\n"
        self.said = Stderr(self.process)
        self.address = None
        if "connect:" not in agent:
            line = self.said.wait_for(lambda l: l if "serves DYPER on" in l else None)
            assert line and line.startswith(f"ddmagent: pid {self.process.pid} serves DYPER on "), line
            self.address = line.split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise
        self.process.stdout.close()
        assert failure != (None, None, None) or self.process.returncode == 0

    def client(self):
        return Dyper(self.address)


def code_of(t, class_file):
    """{name and descriptor: what javap says of the code}"""
    javap = os.path.join(t.jdk.home, "bin", "javap")
    done = t.command([javap, "-c", "-p", "-s", class_file])
    assert done.code == 0, done
    methods, name, code = {}, None, []
    for line in done.out.splitlines():
        if line.startswith("  ") and not line.startswith("   ") and line.endswith(";"):
            name = line.strip()
            methods[name] = code = []
        elif name:
            code.append(line.split("//")[0].split("#")[0].strip())
    return {name: [line for line in code if line not in ("", "}")] for name, code in methods.items()}


MODEL = ("<MODEL NAME='M1'><FOR CLASS='Watched' METHOD='busy' UPDATE='NEW'>"
         "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' /><PATCH WHAT='BLOCK_START' MODE='COUNT_BLOCK' />"
         "</FOR>{}</MODEL>")
