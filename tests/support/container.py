"""A JVM in namespaces of its own, as a container has them, made with unshare(1)."""
import os
import shlex
import subprocess
import time

from harness import PRESET, ROOT

LIBRARIES = os.path.join(ROOT, "build", PRESET, "lib")
# In a network of its own not even the loopback is up.
LOOPBACK_UP = ("python3 -c 'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, "
               'struct.pack("16sH14s", b"lo", 0x41, b""))\'')


class Container:
    """`kinds`: of "pid mnt net user". Its files are those of here, but for a /tmp of its own, mounted with
    `options`, and without the directory of the agent's library unless `agent`."""

    def __init__(self, t, kinds, *program, options="", elsewhere="", agent=None, shell=""):
        self.t = t
        words = ["unshare", "--fork", "--kill-child"]
        words += [f"--{ {'mnt': 'mount'}.get(kind, kind) }" for kind in kinds if kind != "user"]
        script = ["set -e"]
        if "pid" in kinds:
            script.append("mount -t proc proc /proc")
        script += [f"mount -t tmpfs -o mode=1777{options and ',' + options} none /tmp"]
        script += [f"mount -t tmpfs -o {options} none {place}" for place in elsewhere.split()]
        if agent is None:
            script.append(f"mount -t tmpfs none {shlex.quote(LIBRARIES)}")
        if "net" in kinds:
            script.append(LOOPBACK_UP)
        script += shell and [shell]
        line = [t.jdk.java, *t.vm_flags()]
        if agent is not None:
            line.append(f"-agentpath:{os.path.join(LIBRARIES, 'libddmagent.so')}={agent}")
        line += ["-cp", t.classes(), *program]
        script.append("exec " + shlex.join(line))
        self.holder = self.own_users() if "user" in kinds else None
        if self.holder:
            words = ["nsenter", "--target", str(self.holder.pid), "--user", "--setuid", "0", "--setgid", "0", *words]
        self.process = subprocess.Popen([*words, "sh", "-c", "\n".join(script)], cwd=t.dir, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.expect("ready")
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as f:
            self.pid = int(f.read().split()[0])

    @staticmethod
    def own_users():
        """A process in a user namespace whose root is user 100000 out here."""
        holder = subprocess.Popen(["unshare", "--user", "sleep", "1000"])
        ours = os.readlink("/proc/self/ns/user")
        while os.readlink(f"/proc/{holder.pid}/ns/user") == ours:
            time.sleep(0.01)
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{holder.pid}/{name}", "w", encoding="ascii") as f:
                f.write("0 100000 65536")
        return holder

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()  # and with it what it has forked
        self.process.communicate()
        if self.holder:
            self.holder.kill()
            self.holder.wait()
        end = time.monotonic() + 10
        while os.path.exists(f"/proc/{self.pid}") and time.monotonic() < end:
            time.sleep(0.02)

    def expect(self, line):
        got = self.process.stdout.readline().rstrip("\n")
        while "][warning][" in got:  # of the VM: that it cannot write to /tmp
            got = self.process.stdout.readline().rstrip("\n")
        assert got == line, (got, line, self.process.stderr.read() if not got else "")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.expect("done")

    def files(self, directory):
        return os.listdir(f"/proc/{self.pid}/root{directory}")

    def libraries(self):
        """The agent's, as often as it is loaded."""
        with open(f"/proc/{self.pid}/maps") as f:
            return {tuple(line.split()[3:5]) for line in f if "libddmagent.so" in line}
