"""The programs that DYPATCH instruments, and their counters."""
import base64
import glob
import os
import time

from ddm_client import Stderr
from dyper_client import Dyper
from harness import HERE, PRESET, ROOT
from watched import FREE, code_of

CODE_AGENT = os.path.join(ROOT, "build", PRESET, "lib", "libpatch_test_agent.so")


class Instrumented:
    """The program of that name."""

    def __init__(self, t, flags=(), options=""):
        self.process = t.popen("Instrumented", agent=FREE + options,
                               flags=[f"-agentpath:{CODE_AGENT}", *flags])
        assert self.process.stdout.readline() == "ready\n", self.process.stderr.read()
        said = Stderr(self.process)
        line = said.wait_for(lambda l: l if "serves DYPER on" in l else None)
        self.address = line.split()[-1]
        self.client = Dyper(self.address)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()
        self.client.__exit__()
        assert failure != (None, None, None) or self.process.returncode == 0

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def run(self):
        return self.say("run").split()

    def code(self, name="Instrumented"):
        code = self.say("code " + name)
        assert "work" in code or name != "Instrumented", code
        return code


def guests(t, name, version=52):
    """A directory with the classes of tests/jvm/guests, of that class file version."""
    out = t.path(name)
    newest = version == t.jdk.major + 44
    done = t.command([os.path.join(t.jdk.home, "bin", "javac"), "-Xlint:-options", "-g", "-d", out,
                      *([] if newest else ["--release", "8"]),
                      *sorted(glob.glob(os.path.join(HERE, "guests", "*.java")))])
    assert done.code == 0, done
    for path in glob.glob(os.path.join(out, "*.class")):
        with open(path, "r+b") as f:
            f.seek(6)
            if not newest:
                f.write(version.to_bytes(2, "big"))
            else:
                assert int.from_bytes(f.read(2), "big") == version
    return out


def numbers_of(reply):
    """{method and signature: its number} as MODEL's reply has it."""
    return {one.get("NAME") + one.get("SIGNATURE"): int(one.get("INDEX"))
            for one in reply.findall("COUNTERS/COUNTERDATA/METHOD")}


def model(client, *targets, name="M1"):
    """Of (class, method, what stands in FOR)."""
    inner = "".join(f"<FOR CLASS='{of}' METHOD='{method}' UPDATE='NEW'>{patches}</FOR>"
                    for of, method, patches in targets)
    return client.ask("MODEL", f"<MODEL NAME='{name}'>{inner}</MODEL>", root="DYPATCH")


def calls(what, method, signature, arguments, of="Instrumented$Seen", when="", condition=""):
    """A patch with a mode of its own."""
    mode = (f"<DYPATCH_MODE><CODE TYPE='CALL' CLASS='{of}' METHOD='{method}' SIGNATURE='{signature}'>"
            f"{condition}{arguments}</CODE><INSTRUCTION /></DYPATCH_MODE>")
    return f"<PATCH WHAT='{what}'>{when}{mode}</PATCH>"


def counts(what, number, when="", condition=""):
    return calls(what, "monCountItem", "(int)", f"<ARG TYPE='INTEGER' VALUE='{number}' />",
                 "ddm.Tracker", when, condition)


def instrument(client, on, *classes, name="M1"):
    flag = "TRUE" if on else "FALSE"
    patches = "".join(f"<PATCH CLASS='{of}' CHANGE='{flag}' />" for of in classes)
    before = int(time.time() * 1000)
    reply = client.ask("INSTRUMENT", f"<MODEL NAME='{name}' INSERT='{flag}'>{patches}</MODEL>")
    if reply.find("PATCH") is not None:
        assert before <= int(reply.find("PATCH").get("TIME")) <= time.time() * 1000 + 1
    return reply


def counted(client):
    return {int(item.get("COUNTER")): int(item.get("COUNT"))
            for item in client.report().findall("COUNTERS/RTITEM")}


def code_in_model(t, client, name):
    found = client.tell("CLASSMODEL", f"<OPTIONS BINARY='TRUE' /><CLASS>{name}</CLASS>")
    with open(t.path("model.class"), "wb") as f:
        f.write(base64.b64decode(found.find(f"CLASSMODEL/CLASS[@NAME='{name}']/BINARY").text))
    return code_of(t, t.path("model.class"))
