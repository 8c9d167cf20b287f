"""A debugger that reaches the program through `ddm bridge`: by adb alone, and by the port that ddmlib
opens for it. DDM is answered meanwhile, and what the debugger holds goes on when it is lost."""
import subprocess
import time

from adb_bridge import Adb, Bridge, Process
from ddm_client import Client, Target
from ddmlib import JARS, built_classes
from debugger import (JDWP, Jdb, SUSPEND, VERSION, check_answers_while_all_stand_still, free_port,
                      jdwp)
from harness import JDKS, test


@test(queue=True, timeout=300)
def ddm_is_answered_through_the_bridge_while_a_breakpoint_holds_every_thread(t):
    with Bridge() as bridge, Adb(t.path("home")) as adb, \
            Target(t, agent="track=y,dump=none", flags=[JDWP]) as p:
        address = adb.forward(bridge, p.pid)
        with Client(address) as ddm:
            with Jdb(t, address) as jdb:
                jdb.stop_at_marks(p, 3)
                check_answers_while_all_stand_still(p, ddm)
                jdb.say("step")
                jdb.expect("Step completed")
                jdb.expect("main[1]")
                check_answers_while_all_stand_still(p, ddm)
                jdb.go_on_from_marks(p)
                jdb.quit()
            assert len(ddm.thread_table()) > 3


@test(queue=True)
def a_debugger_that_is_lost_behind_the_bridge_lets_the_program_run(t):
    with Adb(t.path("home")) as adb, Target(t, flags=[JDWP]) as p, p.client() as ddm:
        for lost in ("socket", "adb", "bridge"):
            with Bridge() as bridge:
                address = adb.forward(bridge, p.pid)
                debugger = Client(address)
                deadline = time.monotonic() + 30
                while jdwp(debugger, VERSION)[0] != 0:  # the back end sees off the last one first
                    assert time.monotonic() < deadline
                assert jdwp(debugger, SUSPEND) == (0, b"")
                p.say("collections")
                assert ddm.hello().pid == p.pid
                if lost == "socket":
                    debugger.close()
                elif lost == "adb":
                    adb.run("disconnect", bridge.address)
                else:
                    bridge.process.kill()
                assert p.process.stdout.readline().strip().isdigit(), lost
                debugger.close()
                adb.run("disconnect", bridge.address)
        assert len(ddm.thread_table()) > 3


class Ddmlib(Process):
    """ddmlib in a JVM of its own, as DDMS has it."""

    WHAT = ["threads", "stack", "heap", "allocations"]

    def __init__(self, t, p, bridge, adb):
        adb.connect(bridge)
        super().__init__([JDKS[0].java, "-cp", f"{JARS}:{built_classes(t)}", "DdmlibDebugger",
                          bridge.address, str(p.pid), str(free_port())],
                         stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, env=adb.env)

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def said(self):
        """The next line of its own, in words; ddmlib's are passed over."""
        for line in self.process.stdout:
            if line.startswith("= "):
                return line.split()[1:]
        raise AssertionError("ddmlib's JVM has ended")

    def next_port(self):
        """Where a debugger may connect."""
        line = self.said()
        assert line[:1] == ["port"], line
        return f"127.0.0.1:{line[1]}"

    def check_answers(self):
        self.say("look")
        for what in self.WHAT:
            said = self.said()
            assert said[0] == what and said[1].isdigit() and int(said[1]) < 3000, said
        assert self.said() == ["looked"]


@test(queue=True, timeout=240, every_days=4)
def ddmlib_is_answered_while_a_debugger_on_its_port_holds_every_thread(t):
    with Bridge() as bridge, Adb(t.path("home")) as adb, \
            Target(t, agent="track=y,dump=none", flags=[JDWP]) as p, \
            Ddmlib(t, p, bridge, adb) as ddmlib:
        port = ddmlib.next_port()
        ddmlib.check_answers()
        with Jdb(t, port) as jdb:
            jdb.stop_at_marks(p, 3)
            ddmlib.check_answers()
            jdb.say("print count")
            jdb.expect("count = 3")
            jdb.say("step")
            jdb.expect("Step completed")
            jdb.expect("main[1]")
            ddmlib.check_answers()
            # Lost in the middle: ddmlib drops the program's connection, and opens another one.
            jdb.process.kill()
            p.expect("done")
        ddmlib.say("again")
        port = ddmlib.next_port()
        ddmlib.check_answers()
        with Jdb(t, port) as jdb:
            jdb.stop_at_marks(p, 3)
            jdb.go_on_from_marks(p)
            jdb.quit()
