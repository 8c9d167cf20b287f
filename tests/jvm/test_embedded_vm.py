"""A VM inside another program, which has opened libjvm for itself alone (RTLD_LOCAL)."""
import copy
import glob
import os
import stat

import time

from ddm_client import Target, address_of
from harness import PRESET, ROOT, Report, test
from heap_map import Shape, draw
from tool import ddm, ddm_json

LAUNCHER = os.path.join(ROOT, "build", PRESET, "bin", "embedding_launcher")


def embed(t, program=LAUNCHER):
    """From now on `java` is the launcher."""
    library, = glob.glob(os.path.join(t.jdk.home, "lib", "server", "libjvm.so"))
    t.jdk = copy.copy(t.jdk)
    t.jdk.java = t.path("java")
    with open(t.jdk.java, "w", encoding="utf-8") as f:
        f.write(f'#!/bin/sh\nLIBJVM="{library}" exec "{program}" "$@"\n')
    os.chmod(t.jdk.java, stat.S_IRWXU)


@test(gc=("serial", "parallel", "g1"), machines_libc=True)
def an_embedded_vm_has_heap_maps_with_true_addresses(t):
    embed(t)
    with Shape(t, 10_000, ["-Xmx256m"]) as p, p.client() as ddm:
        m = draw(ddm, strict=False)
        assert "made up" not in p.stderr(), p.stderr()
        assert m.objects["object"] > 10_000 and m.objects["class"] > 300, m.objects


@test(machines_libc=True)
def an_embedded_vm_tells_its_heap_and_native_stacks(t):
    embed(t)
    with Target(t, agent="native=2k", flags=["-Xmx256m"]) as p, p.client() as ddm:
        assert ddm.heap_info()[1].max > 200 << 20
        p.tell("gc")
        assert b"[java]" in ddm.request("NHGT")


@test(machines_libc=True)
def an_embedded_vm_is_named_as_the_program_that_it_is_in(t):
    os.symlink(LAUNCHER, t.path("office"))
    embed(t, t.path("office"))
    with t.popen("DdmTarget", flags=["-Xmx256m"]) as process:
        assert process.stdout.readline() == "ready\n"
        for words in (["--all"], []):  # without the agent, and as the agent tells it
            row, = [row for row in ddm_json(t, "ps", *words) if row["pid"] == process.pid]
            assert row["app"] == "office", row
            ddm(t, "attach", process.pid, "dump=r.jsonl")
        process.communicate("exit\n")
    assert Report(t.path("r.jsonl")).summary["app"] == "office"


def left_after_the_vm(process):
    """What is open and what runs, as the launcher tells it."""
    left = []
    for line in process.stdout:
        if line == "end\n":
            return left
        left.append(line.rstrip("\n"))
    raise AssertionError("the launcher has ended")


@test(machines_libc=True)
def nothing_of_the_agent_is_left_when_the_vm_is_destroyed(t):
    embed(t)
    process = t.popen("DdmTarget", agent=f"native=2k,ring={t.path('ring')},monitor=y,cpu=samples,"
                      f"dyper=unix:{t.path('dyper')},dump=none",
                      env=dict(os.environ, AFTER_VM="y"))
    with process:
        said = Target.__new__(Target)
        said.t, said.process, said.address = t, process, address_of(process)
        said.expect("ready")
        with said.client() as ddm:
            ddm.heap_info(3)
            said.tell("gc")
            assert ddm.request("HPSG", b"\2\0") == b""
        said.say("exit")
        deadline = time.monotonic() + 10
        while True:  # a thread that has nothing more to do may still be on its way out
            left = left_after_the_vm(process)
            ours = [line for line in left if line.startswith("thread ddm-") or "eventfd" in line or
                    "/ring" in line or line.startswith("fd socket:") or "dyper" in line]
            if not ours:
                break
            assert time.monotonic() < deadline, ours
            time.sleep(0.05)
            said.say("")
        process.stdin.close()
