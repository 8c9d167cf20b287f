"""How many threads of ours run in a program: three when idle, eight with everything on."""
import json
import os
import re
import time
from contextlib import ExitStack

from ddm_client import Target, probe_request, text
from dyper_client import Dyper
from harness import AGENT, ROOT, test
from thread_names import threads_of
from tool import ddm, ddm_json

EVERYTHING = ("track=y,live=y,cpu=times,cpu=samples,methods=DdmTarget,monitor=y,native=64k,ring=n.ring,"
              "dyper=listen:127.0.0.1:0,dump=r.jsonl,every=5,engine=bci")


def table_of_threads():
    with open(os.path.join(ROOT, "docs", "architecture.md"), encoding="utf-8") as f:
        part = f.read().partition("## Threads")[2].partition("\n## ")[0]
    return {name for row in re.findall(r"^\|[^|]*\|", part, re.M) for name in re.findall(r"`(ddm[a-z-]*)`", row)}


def own_threads(pid):
    return sorted(name for name in threads_of(pid) if name.startswith("ddm"))


def is_sampling(pid):
    """The name of its thread is cut, at the end by the system or in the middle by the VM (from 26 on)."""
    return {"ddmagent-sample", "ddmagen..ampler"} & set(own_threads(pid))


def settles(pid, wanted, seconds=10):
    """Threads that have nothing to do end after a second or two."""
    limit = time.monotonic() + seconds
    while len(own_threads(pid)) > wanted and time.monotonic() < limit:
        time.sleep(0.1)
    names = own_threads(pid)
    assert len(names) <= wanted, names


@test(jdks="each")
def an_idle_agent_has_three_threads_however_it_came(t):
    with Target(t, "dump=none,track=n") as target:
        assert len(own_threads(target.pid)) <= 3, own_threads(target.pid)
    with Target(t, None) as target:
        target.attach(AGENT, "track=n")
        assert len(own_threads(target.pid)) <= 3, own_threads(target.pid)


@test(jdks="each")
def after_sampling_and_probes_an_agent_is_idle_again_with_three_threads(t):
    with Target(t, "dump=none,track=n") as target:
        for _ in range(2):
            target.attach(AGENT, "cpu=samples")
            with target.client() as server:
                server.request("PRBS", probe_request("DdmTarget.marks"))
                assert is_sampling(target.pid) and "ddmagent-probes" in own_threads(target.pid)
                server.request("PRBE")
                target.attach(AGENT, "cpu=off")
                settles(target.pid, 3)
            with target.client() as server:  # that goes with probes in
                server.request("PRBS", probe_request("DdmTarget.marks"))
            settles(target.pid, 3)
        target.tell("marks 5")


@test(jdks="each", every_days=4)
def everything_at_once_takes_eight_threads(t):
    ring = t.path("n.ring")
    with Target(t, EVERYTHING.replace("n.ring", ring)) as target, ExitStack() as left:
        servers = [left.enter_context(target.client()) for _ in range(3)]
        where = target.stderr_line("serves DYPER on").split()[-1]
        dyper = left.enter_context(Dyper(where))
        for server in servers:
            server.enable_threads()
            server.heap_info(3)
            server.request("REPT", text("jsonl"))
        servers[0].request("PRBS", probe_request("DdmTarget.*"))
        dyper.ask("PING")
        target.tell("marks 5")
        settles(target.pid, 8)
        told = [row["name"] for row in ddm_json(t, "threads", target.pid, "--agent")]
        assert len(told) == len(own_threads(target.pid)), told
        assert set(told) <= table_of_threads(), set(told) - table_of_threads()
        assert told[0] in ddm(t, "threads", target.pid, "--agent")
        servers[0].request("PRBE")
        assert servers[1].request("REPT", text("summary")), "threads that have ended come back"
        target.process.said.lines().clear()
    assert not [name for name in os.listdir(t.dir) if name.endswith(".ring")]


@test()
def what_is_measured_has_a_thread_that_drops_names_without_a_server_too(t):
    for options in ("cpu=samples", "cpu=times,methods=DdmTarget", "monitor=y"):
        process = t.popen("DdmTarget", agent=f"{options},track=n,dump=none,address=none")
        assert process.stdout.readline() == "ready\n"
        names = own_threads(process.pid)
        process.communicate(timeout=30)
        assert "ddmagent-slow" in names, (options, names)


@test(every_days=3)
def starts_of_threads_that_fail_do_not_make_later_ones_the_programs(t):
    nothing, path = t.path("no.threads"), t.path("r.jsonl")
    env = {"LD_PRELOAD": os.path.join(os.path.dirname(AGENT), "libfail_threads.so"),
           "FAIL_THREADS": nothing}
    with Target(t, "dump=none", env=env, flags=["-XX:+UseSerialGC"]) as target:
        target.attach(AGENT, "cpu=off")  # the VM's own thread for that starts, too
        with open(nothing, "w", encoding="ascii"):
            pass
        for _ in range(16):
            target.attach(AGENT, "cpu=wall")
        os.remove(nothing)
        target.attach(AGENT, f"cpu=wall,dump={path}")
        assert is_sampling(target.pid)
        time.sleep(0.5)
        assert any("RunAgentThread" in line for line in target.process.said.lines())
        target.process.said.lines().clear()
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    names = {line["thread"] for line in lines if line["type"] == "sample"}
    assert "main" in names and not [name for name in names if name.startswith("ddmagent")], names
