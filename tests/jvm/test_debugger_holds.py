"""Nobody waits in silence while a debugger holds every thread: what comes after the breakpoint is
answered, or refused with the reason, whichever of the agent's threads it needs for the first time."""
import os
import re
import signal
import struct
import subprocess
import threading
import time

from ddm_client import DdmError, Target, address_of, probe_request, text
from debugger import Clock, JDWP, Jdb, RESUME, SUSPEND, VERSION, free_port, jdwp
from dyper_client import Dyper, variables
from harness import AGENT, ROOT, test
from thread_names import threads_of

DDM = os.path.join(ROOT, "build", os.environ.get("DDM_PRESET", "release"), "bin", "ddm")
HELD = "a debugger holds threads of this program"

# Each needs a thread that has done nothing yet, or does what it has never done.
REQUESTS = {
    "HPIF": b"\1", "THST": b"", "THEN": b"\1", "REAL": b"", "HPGC": b"", "HPSG": b"\2\0",
    "DYPR": text("<DYPER COMMAND='WHO' />"), "REPT": text("time"),
    "MPSS": struct.pack(">II", 0, 0) + text("DdmTarget$Kept.*"),
    "PRBS": probe_request("DdmTarget$Kept.*"), "PRBQ": b"", "REAE": b"\1",
}


class HeldTarget(Target):
    """A program under a debugger's agent, which comes after ours as they are loaded."""

    def __init__(self, t, options=""):
        self.port = free_port()
        ours = f"-agentpath:{AGENT}={options}"
        theirs = JDWP.replace("address=127.0.0.1:0", f"address=127.0.0.1:{self.port}")
        self.t = t
        self.process = t.popen("DdmTarget", flags=[ours, theirs])
        self.address = address_of(self.process)
        self.expect("ready")


def answer(ddm, kind, data):
    """None, or why it was refused."""
    with Clock():
        try:
            ddm.request(kind, data)
        except DdmError as refused:
            return refused.message
    return None


@test()
def what_is_asked_after_the_breakpoint_is_answered_or_refused(t):
    for direct in (True, False):
        with HeldTarget(t, "dump=none") as p:
            with Jdb(t, f"127.0.0.1:{p.port}" if direct else p.address) as jdb:
                jdb.stop_at_marks(p, 3)
                for kind, data in REQUESTS.items():
                    with p.client() as ddm:
                        said = answer(ddm, kind, data)
                        assert said is None or HELD in said, (kind, said)
                        # Threads that were there before the debugger are not held.
                        assert said is None or kind not in ("HPIF", "THST", "THEN", "HPGC"), kind
                        assert ddm.hello().pid == p.pid
                jdb.go_on_from_marks(p)
                jdb.quit()
            with p.client() as ddm:
                for kind, data in REQUESTS.items():
                    if kind not in ("PRBQ", "REAE"):
                        ddm.request(kind, data)
                ddm.request("PRBE")
                ddm.request("MPSE")


def hold_requests_up(debugger, ddm):
    """While the program stands in lockedmarks: who forwards a JDWP command needs that lock."""
    debugger.send_raw(b"", *VERSION)
    deadline = time.monotonic() + 30
    while HELD not in (answer(ddm, "THST", b"") or "answered"):
        assert time.monotonic() < deadline


@test()
def what_waits_for_a_lock_of_a_held_thread_is_refused(t):
    with HeldTarget(t, "dump=none") as p:
        with Jdb(t, f"127.0.0.1:{p.port}") as jdb:
            jdb.stop_at_marks(p, 1, "lockedmarks")
            with p.client() as debugger, p.client() as ddm:
                hold_requests_up(debugger, ddm)
            jdb.go_on_from_marks(p)
            jdb.quit()
        with p.client() as ddm:
            assert answer(ddm, "HPIF", b"\1") is None


@test()
def what_was_refused_does_not_happen_behind_the_back(t):
    with HeldTarget(t) as p:
        with p.client() as debugger, p.client() as ddm, Jdb(t, f"127.0.0.1:{p.port}") as jdb:
            jdb.stop_at_marks(p, 3, "lockedmarks")
            hold_requests_up(debugger, ddm)
            said = answer(ddm, "PRBS", REQUESTS["PRBS"])
            assert HELD in said or "a debugger holds the thread for it" in said, said  # behind others
            jdb.go_on_from_marks(p)
            jdb.quit()
            # The connection has no probes in, so it may have them now.
            deadline = time.monotonic() + 30
            while "PRBE takes them out" in (answer(ddm, "PRBS", REQUESTS["PRBS"]) or ""):
                assert time.monotonic() < deadline
                time.sleep(0.1)
            ddm.request("PRBE")


@test()
def a_program_stopped_over_and_over_while_ddm_asks_lives_on(t):
    # The jdwp agent ends the VM when a thread that it is about to suspend is gone a moment later.
    stopped = threading.Event()
    failures = []

    def ask(p):
        try:
            with p.client() as ddm:
                while not stopped.is_set():
                    for kind in ("THST", "HPIF", "REAQ", "DYPR"):
                        answer(ddm, kind, REQUESTS.get(kind, b""))
        except Exception as failure:  # told by the test's own thread
            failures.append(failure)

    with HeldTarget(t, "dump=none") as p, p.client() as debugger:
        asking = threading.Thread(target=ask, args=(p,))
        asking.start()
        try:
            for _ in range(1500):
                assert jdwp(debugger, SUSPEND) == (0, b"")
                assert jdwp(debugger, RESUME) == (0, b"")
        finally:
            stopped.set()
            asking.join()
        assert not failures, failures
        p.tell("marks 3")


@test()
def documents_on_dypers_own_socket_are_answered_or_refused(t):
    path = t.path("dyper")
    with HeldTarget(t, f"dump=none,dyper=unix:{path}") as p:
        with Jdb(t, f"127.0.0.1:{p.port}") as jdb:
            jdb.stop_at_marks(p, 3)
            with Dyper(f"unix:{path}") as client:
                for command, inner in (("WHO", ""), ("PING", ""), ("GET", "<VAR NAME='MONITOR' />"),
                                       ("SET", variables(MONITOR="true")), ("SHOWSTACK", "")):
                    with Clock():
                        assert client.ask(command, inner) is not None, command
            jdb.go_on_from_marks(p)
            jdb.quit()
        with Dyper(f"unix:{path}") as client:
            assert client.tell("PING").text.startswith("PONG")


VERBS = {
    "heap": [], "gc": [], "locks": [], "allocs": [], "dyper": ["<DYPER COMMAND='WHO' />"],
    "trace": ["-d", "0.1", "--methods", "DdmTarget$Kept.*"],
    "probe": ["DdmTarget$Kept.*", "--for", "100ms"],
}


@test()
def no_verb_waits_for_the_debugger(t):
    with HeldTarget(t, "monitor=y,dump=none") as p:
        with Jdb(t, f"127.0.0.1:{p.port}") as jdb:
            jdb.stop_at_marks(p, 3)
            # Without attach: the VM starts its Attach Listener thread then, and jdwp may leave the
            # program suspended for that thread's event, for jcmd too and without an agent of ours.
            for verb, words in VERBS.items():
                begin = time.monotonic()
                done = t.command([DDM, verb, str(p.pid), *words])
                took = time.monotonic() - begin
                assert took < 20, (verb, took)  # what waits for the debugger never ends
                nothing_ran = "no call of such a method" in done.err or "no hit" in done.err
                refused = done.code == 1 and ("debugger" in done.err or nothing_ran)
                assert done.code == 0 or refused, (verb, str(done))
            jdb.go_on_from_marks(p)
            jdb.quit()


@test()
def attaching_again_does_not_wait_for_the_debugger(t):
    with HeldTarget(t, "dump=none") as p:
        with Jdb(t, f"127.0.0.1:{p.port}") as jdb:
            jdb.stop_at_marks(p, 3)
            done = t.command([DDM, "attach", str(p.pid), "track=y,dump=none"])
            assert done.code == 0 or (done.code == 1 and "debugger" in done.err), done
            p.process.kill()  # held to its end, as above
            p.process.wait()


@test()
def no_thread_of_the_agent_starts_or_ends_beside_a_jdwp_agent(t):
    """Both are events, for which jdwp suspends all threads, also when the debugger has just left."""
    def of_the_agent(p):
        return sorted(name for name in threads_of(p.process.pid) if name.startswith("ddmagent"))

    with HeldTarget(t, "dump=none") as p:
        first = None
        while first != of_the_agent(p):  # each has its name as soon as it runs
            first = of_the_agent(p)
            time.sleep(0.5)
        for kind, data in REQUESTS.items():
            with p.client() as ddm:
                answer(ddm, kind, data)
        assert of_the_agent(p) == first
        p.attach(AGENT, f"track=y,live=y,every=60,dump={t.path('late.jsonl')}")
        assert of_the_agent(p) == first
        p.attach(AGENT, "track=n,live=n")
        time.sleep(2.5)  # without a jdwp agent some end after 1.5
        assert of_the_agent(p) == first


@test()
def trace_and_probe_end_on_a_signal_while_they_wait_for_an_answer(t):
    with HeldTarget(t) as p:
        with Jdb(t, f"127.0.0.1:{p.port}") as jdb:
            jdb.stop_at_marks(p, 3)
            for verb in ("trace", "probe"):
                process = subprocess.Popen([DDM, verb, str(p.pid), *VERBS[verb]], env={**os.environ, "TMPDIR": t.dir},
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                with process:
                    with open(f"/proc/{process.pid}/status") as status:
                        caught = re.search(r"SigCgt:\s*(\w+)", status.read())
                    deadline = time.monotonic() + 10
                    while not int(caught.group(1), 16) >> (signal.SIGTERM - 1) & 1:
                        assert time.monotonic() < deadline and process.poll() is None
                        with open(f"/proc/{process.pid}/status") as status:
                            caught = re.search(r"SigCgt:\s*(\w+)", status.read())
                    begin = time.monotonic()
                    process.send_signal(signal.SIGTERM)
                    process.wait(20)
                    assert time.monotonic() - begin < 2.5, verb  # without the signal: three and more
            jdb.process.kill()
            p.expect("done")
    assert not [name for name in os.listdir(t.dir) if name.startswith(".ddm")], "nobody reads that trace"
