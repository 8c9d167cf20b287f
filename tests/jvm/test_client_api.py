"""ddm-client.jar: a program's own chunk types, with the agent, without it, and with one that comes
later."""
import glob
import os
import re
import subprocess
import time

from ddm_client import Client, DdmError, chunk
from debugger import JDWP, Jdb
from harness import AGENT, JDKS, PRESET, ROOT, test

JAR = os.path.join(ROOT, "build", PRESET, "lib", "ddm-client.jar")
DDM = os.path.join(ROOT, "build", PRESET, "bin", "ddm")
SOURCES = glob.glob(os.path.join(ROOT, "tests", "e2e", "client", "*.java"))

# With what the agent makes its threads.
CREATION = "java.lang.Thread.<init>(java.lang.ThreadGroup,java.lang.Runnable,java.lang.String,long,boolean)"


def client_classes(t):
    classes = t.path("client")
    javac = os.path.join(JDKS[0].home, "bin", "javac")
    built = t.command([javac, "-g", "--release", "17", "-cp", JAR, "-d", classes, *SOURCES])
    assert built.code == 0, built
    return classes


class Program:
    def __init__(self, t, agent, flags=(), arguments=()):
        self.t = t
        classes = client_classes(t)
        self.line = [t.jdk.java, *t.vm_flags(), *flags]
        if agent is not None:
            self.line.append(f"-agentpath:{AGENT}={agent}")
        self.line += ["-cp", f"{JAR}:{classes}", "ClientProgram", *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.line, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n", self.process.stderr.read()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().rstrip("\n")

    def ask(self, command):
        """The line that answers it."""
        self.say(command)
        return self.answer()

    def address(self):
        return re.search(r"listening on (\S+)", self.process.stderr.readline()).group(1)

    def end(self):
        out, err = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, err
        return out + err


def eventually(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def refused(client, kind, data=b""):
    try:
        client.request(kind, data)
    except DdmError as error:
        return error.code, error.message
    raise AssertionError(f"{kind} is not refused")


def outside(kind, offset, length, size):
    return f"the data of chunk {kind} is outside of its array: offset {offset}, length {length} of {size} bytes"


OUTSIDE = ((3, 3), (-1, 2), (0, -1), (6, 0), (2, 0x7fffffff), (0x7fffffff, 1), (0x7fffffff, 0x7fffffff))


# JNI is watched, and must have nothing to say.
@test(flags=((), ("-Xcheck:jni",)), every_days=4)
def a_program_answers_chunks_of_its_own(t):
    with Program(t, "") as p:
        with Client(p.address()) as client:
            assert client.request("BACK", b"\1\2\3") == b"\3\2\1"
            # The first DDM packet of a connection is what makes it one.
            eventually(lambda: p.ask("connections") == "1 0")
            big = bytes(range(256)) * 4096
            assert client.request("BACK", big) == big[::-1]
            assert client.request("BACK") == b""
            assert client.request("NONE") == b""
            assert refused(client, "OOPS") == (
                1, "java.lang.IllegalStateException: as it was meant to")
            assert refused(client, "NOPE") == (42, "n\u00f6 \U0001f600")
            assert refused(client, "DEEP") == (1, "java.lang.StackOverflowError")
            for length in (2, -1, -4, 0x7fffffff):  # of an array with one byte
                assert refused(client, "LIES", length.to_bytes(4, "big", signed=True)) == (
                    1, "java.lang.IllegalArgumentException: " + outside("LIES", 1, length, 2))
            assert client.request("BACK", b"\1\2") == b"\2\1"

            # A handler that takes its time holds up no other request.
            slow = client.send_raw(chunk("SLOW"))
            client.hello()
            client.stack(1)
            assert p.ask("release") == "done"
            assert client.wait_reply(slow) == (0, b"")

            assert p.ask("unregister BACK") == "true"
            assert p.ask("unregister BACK") == "false"
            assert client.request("BACK", b"\1\2") == b""
            assert p.ask("register BACK") == "done"
            assert client.request("BACK", b"\1\2") == b"\2\1"
            for taken in ("HELO", "REAL", "BACK"):
                assert p.ask(f"register {taken}").startswith(
                    f"IllegalStateException: chunk type {taken} has a handler"), taken
            assert client.hello().pid == p.process.pid
            assert p.ask("register TOOLONG").startswith("IllegalArgumentException")
        eventually(lambda: p.ask("connections") == "1 1")
        said = p.end()
        assert "WARNING" not in said and "FATAL" not in said, said


@test(every_days=4)
def a_debugger_that_stops_the_program_in_its_first_registration_stops_no_server(t):
    with Program(t, "", [JDWP], ["later"]) as p:
        address = p.address()
        with Client(address) as looking_on, Jdb(t, address) as jdb:
            assert looking_on.hello().pid == p.process.pid
            jdb.expect("Initializing jdb")
            jdb.say(f"stop in {CREATION}")
            jdb.expect("Set breakpoint")
            p.say("register BACK")  # the first one needs a thread of the agent's
            jdb.expect("Breakpoint hit")
            jdb.expect("main[1]")
            for _ in range(2):
                with Client(address) as late:
                    assert late.hello().pid == p.process.pid
            assert looking_on.hello().pid == p.process.pid
            jdb.say(f"clear {CREATION}")
            jdb.expect("Removed")
            jdb.say("cont")
            assert p.answer() == "done"
            assert looking_on.request("BACK", b"\1\2") == b"\2\1"
            jdb.quit()
        p.end()


@test()
def a_program_sends_chunks_unasked(t):
    with Program(t, "") as p:
        address = p.address()
        assert p.ask("send EVNT") == "done"  # to nobody
        with Client(address) as one, Client(address) as two:
            one.hello()
            two.hello()
            assert p.ask("send EVNT") == "done"
            for client in (one, two):
                assert client.next_event("EVNT") == ("EVNT", b"\1\2\3")
                assert client.take_events() == []
            for offset, length in OUTSIDE:
                assert p.ask(f"overrun {offset} {length}") == (
                    "IllegalArgumentException: " + outside("OVER", offset, length, 5))
            assert p.ask("send EVNT") == "done"
            for client in (one, two):
                assert client.next_event("EVNT", "OVER") == ("EVNT", b"\1\2\3")
            assert p.ask("notify on") == "false true"
            p.ask("new comet")
            for client in (one, two):
                assert any(client.next_event("THCR")[1].decode("utf-16-be", "replace")
                           .endswith("comet") for _ in range(100))
            eventually(lambda: p.ask("connections") == "1 0")  # one for all
        eventually(lambda: p.ask("connections") == "1 1")
        assert "OVER" not in p.end()


@test()
def a_handler_that_comes_after_its_server_is_told_of_it(t):
    with Program(t, "", arguments=["later"]) as p:
        with Client(p.address()) as client:
            client.hello()
            assert p.ask("connections") == "0 0"
            assert p.ask("register BACK") == "done"
            eventually(lambda: p.ask("connections") == "1 0")
            assert p.ask("register NONE") == "done"  # the same handler: it knows
            assert client.request("BACK", b"\1\2") == b"\2\1"
            assert p.ask("connections") == "1 0"
            assert p.ask("unregister NONE") == "true"  # one of its types: it is still registered
            assert p.ask("register NONE") == "done"
            for kind in ("BACK", "NONE"):
                assert p.ask(f"unregister {kind}") == "true"
            assert p.ask("connections") == "1 0"
            assert p.ask("register BACK") == "done"
            eventually(lambda: p.ask("connections") == "2 0")
        eventually(lambda: p.ask("connections") == "2 1")
        p.end()


@test(jdks="each")
def a_class_loader_that_is_dropped_is_unloaded_and_its_types_are_free(t):
    classes = client_classes(t)
    done = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}=address=none,dump=none", "-cp", classes,
                      "DroppedLoaders", JAR, classes])
    assert done.code == 0 and done.out == "dropped\n" * 2, done
    assert not done.err.strip(), done.err


TRUTH = ("true {ClientProgram$Marker 16 make allocations=100, "
         "java.lang.String[][] 32 make allocations=1} "
         "true {ClientProgram$Marker 16 make allocations=200, "
         "java.lang.String[][] 32 make allocations=1}")


@test(flags=((), ("-Xcheck:jni",)), every_days=5)
def a_program_reads_its_own_allocations(t):
    for options in ("", "address=none"):
        with Program(t, options, ["-Xmx256m"]) as p:
            assert p.ask("status") == "false"
            assert p.ask("allocations") == TRUTH, options
            assert p.ask("status") == "false"
            assert "ClientProgram.main(ClientProgram.java:" in p.ask("stack 1")
            assert p.ask("stack 60000") == "none"
            assert p.ask("threads") == "true"
            p.end()


@test()
def without_the_agent_nothing_happens(t):
    with Program(t, None) as p:
        assert p.ask("send EVNT") == "done"
        for offset, length in OUTSIDE:
            for command in ("overrun", "chunk"):
                assert p.ask(f"{command} {offset} {length} array") == (
                    "IllegalArgumentException: " + outside("OVER", offset, length, 5))
        assert p.ask("chunk 0 1 null").startswith("IllegalArgumentException: the data of chunk OVER")
        assert p.ask("chunk 0 0 null") == p.ask("chunk 5 0 array") == p.ask("chunk 0 5 array") == "done"
        assert p.ask("direct").startswith("IllegalArgumentException: a chunk's buffer must have an array")
        assert p.ask("register HELO") == "done"
        assert p.ask("unregister HELO") == "true"
        assert p.ask("allocations") == "false {} false {}"
        assert p.ask("status") == "false"
        assert p.ask("stack 1") == "none"
        assert p.ask("threads") == "none"
        assert p.ask("notify on") == "false true"
        assert p.end() == ""


@test(flags=(("-XX:+EnableDynamicAgentLoading",),), every_days=4)
def an_agent_that_comes_later_finds_the_handlers(t):
    with Program(t, None) as p:
        assert p.ask("register HELO") == "done"
        assert p.ask("status") == "false"  # has looked for the agent in vain
        attached = t.command([DDM, "attach", str(p.process.pid), "--agent", AGENT])
        assert attached.code == 0, attached
        address = re.search(r"listens on (\S+)", attached.out).group(1)
        with Client(address) as client:
            assert client.request("BACK", b"\1\2\3") == b"\3\2\1"
            assert client.hello().pid == p.process.pid  # the agent's, not the program's
        assert p.ask("allocations") == TRUTH
        assert "the program's handler for HELO is left out: the agent itself answers such chunks" in p.end()


@test()
def the_agent_is_used_though_it_comes_while_a_call_misses_it(t):
    done = t.command([t.jdk.java, *t.vm_flags(), "-cp", f"{JAR}:{client_classes(t)}", "AgentComes"])
    assert done.code == 0 and done.out == "none there\nnone none\nthere\n", done
