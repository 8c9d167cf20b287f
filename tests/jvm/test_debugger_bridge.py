"""A debugger that reaches the program through `ddm bridge`: DDM is answered meanwhile, and what the
debugger holds goes on when it is lost."""
import os
import sys
import time

from ddm_client import Client, Target
from harness import ROOT, test
from test_ddm_debugger import (JDWP, SUSPEND, VERSION, Jdb, check_answers_while_all_stand_still,
                               jdwp)

sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))

from adb_bridge import Adb, Bridge  # noqa: E402


@test(alone=True, timeout=300)
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
                jdb.say("clear DdmTarget.marks")
                jdb.expect("Removed")
                jdb.say("cont")
                p.expect("done")
                jdb.quit()
            assert len(ddm.thread_table()) > 3


@test(alone=True)
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
