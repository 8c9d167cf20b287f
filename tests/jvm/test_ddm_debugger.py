"""A debugger on the DDM port: jdb and plain JDWP reach the VM's own jdwp agent through it."""
import os
import socket
import struct
import time

from ddm_client import HANDSHAKE, Client, Target, address_of, chunk
from debugger import (Clock, DISPOSE, JDWP, Jdb, SUSPEND, VERSION,
                      check_answers_while_all_stand_still, free_port, jdwp)
from harness import test
from tool import DDM


@test()
def jdb_debugs_the_program_through_the_ddm_port(t):
    with Target(t, flags=[JDWP]) as p, p.client() as ddm:
        for round_ in range(2):  # one that has quit leaves the way free for the next
            with Jdb(t, p.address) as jdb:
                jdb.stop_at_marks(p, round_ + 1)
                jdb.say("where")
                jdb.expect("DdmTarget.marks (DdmTarget.java:")
                jdb.expect("DdmTarget.main (DdmTarget.java:")
                jdb.say("print count")
                jdb.expect(f"count = {round_ + 1}")
                # The program stands still; who looks on is served as far as that goes.
                assert ddm.hello().pid == p.pid and not ddm.tracking()
                jdb.go_on_from_marks(p)
                jdb.quit()
        p.tell("marks 10")
        assert len(ddm.thread_table()) > 3


@test(every_days=4)
def ddm_is_answered_while_a_breakpoint_holds_every_thread(t):
    port = free_port()
    jdwp = JDWP.replace("address=127.0.0.1:0", f"address=127.0.0.1:{port}")
    with Target(t, agent="track=y,dump=none", flags=[jdwp]) as p, p.client() as ddm:
        for address in (p.address, f"127.0.0.1:{port}", p.address):  # through DDM, directly
            with Jdb(t, address) as jdb:
                jdb.stop_at_marks(p, 3)
                check_answers_while_all_stand_still(p, ddm)
                jdb.say("print count")
                jdb.expect("count = 3")
                jdb.say("step")
                jdb.expect("Step completed")
                jdb.expect("main[1]")
                check_answers_while_all_stand_still(p, ddm)
                jdb.go_on_from_marks(p)
                assert len(ddm.thread_table()) > 3
                jdb.quit()


@test()
def a_method_trace_goes_on_while_a_debugger_stops_the_program(t):
    with Target(t, flags=[JDWP]) as p, p.client() as ddm:
        text = "DdmTarget.marks".encode("utf-16-be")
        assert ddm.request("MPSS", struct.pack(">III", 0, 0, len(text) // 2) + text) == b""
        with Jdb(t, p.address) as jdb:
            jdb.expect("Initializing jdb")
            jdb.say("stop in DdmTarget.marks")
            jdb.expect("Set breakpoint DdmTarget.marks")
            for _ in range(2):
                p.say("marks 1")
                jdb.expect("Breakpoint hit")
                jdb.expect("main[1]")
                with Clock():
                    assert ddm.request("MPRQ") == b"\1"
                assert len(ddm.thread_table()) > 3
                jdb.say("cont")
                p.expect("done")
            jdb.quit()
        assert b"DdmTarget\tmarks" in ddm.request("MPSE")


@test()
def a_probe_tells_that_a_debuggers_breakpoints_go(t):
    for flags in ([JDWP], []):
        with Target(t, flags=flags) as p:
            done = t.command([DDM, "probe", str(p.pid), "DdmTarget.marks", "--for", "100ms"])
            assert ("a debugger's breakpoints in these classes" in done.err) == bool(flags), done


def rounds_of_attaching(t, rounds):
    """Half of them are cut off while the program stands still."""
    with Target(t, flags=[JDWP]) as p, p.client() as ddm:
        fds = f"/proc/{p.pid}/fd"

        def settled():
            end = time.monotonic() + 30
            while jdwp(ddm, VERSION)[0] != 0:
                assert time.monotonic() < end
            ddm.request("DBGD")
            return len(os.listdir(fds))

        for _ in range(3):
            before = settled()
        for n in range(rounds):
            with p.client() as debugger:
                deadline = time.monotonic() + 30
                while jdwp(debugger, VERSION)[0] != 0:
                    assert time.monotonic() < deadline
                if n % 2:
                    assert jdwp(debugger, SUSPEND) == (0, b"")
                    if n % 10 == 1:
                        with Clock():
                            assert len(ddm.thread_table()) > 3
        p.tell("marks 3")
        time.sleep(0.5)
        assert settled() <= before + 2, (settled(), before, os.listdir(fds))
        if rounds > 100:
            # JDK 25's jdwp agent, without ours too, waits for ever at the VM's death after so many
            # debuggers that were cut off.
            p.process.kill()
            p.process.wait()


@test()
def debuggers_come_and_go_and_leave_no_descriptor(t):
    rounds_of_attaching(t, 40)


@test(full_only=True, timeout=900)
def five_hundred_debuggers_come_and_go_and_leave_no_descriptor(t):
    rounds_of_attaching(t, 500)


@test()
def a_debugger_that_has_gone_lets_the_program_run_and_ddm_go_on(t):
    with Target(t, flags=[JDWP]) as p, p.client() as ddm, p.client() as other:
        for goodbye in ("DBGD", "dispose", "DBGD"):
            error, data = jdwp(ddm, VERSION)
            assert error == 0 and b"Java" in data, (error, data)
            assert jdwp(other, VERSION) == (99, b""), "one debugger at a time"
            assert jdwp(ddm, SUSPEND) == (0, b"")
            p.say("collections")
            waiting = other.send_raw(chunk("THST"))  # needs threads that may stand still now
            assert ddm.hello().pid == p.pid and other.hello().pid == p.pid
            assert ddm.request("REAQ") == b"\0" and ddm.features()
            if goodbye == "DBGD":
                assert ddm.request("DBGD") == b""
            else:
                assert jdwp(ddm, DISPOSE) == (0, b"")
            assert p.process.stdout.readline().strip().isdigit()
            error, data = other.wait_reply(waiting)
            assert error == 0 and data.startswith(b"THST"), data
            # The back end takes the next one when it has seen the last one off.
            deadline = time.monotonic() + 30
            while jdwp(ddm, VERSION)[0] != 0:
                assert time.monotonic() < deadline
            ddm.request("DBGD")
            while jdwp(other, VERSION)[0] != 0:
                assert time.monotonic() < deadline
            other.request("DBGD")


@test()
def a_debugger_whose_connection_is_lost_lets_the_program_run(t):
    with Target(t, flags=[JDWP]) as p:
        with p.client() as ddm:
            assert jdwp(ddm, SUSPEND) == (0, b"")
            p.say("collections")
        assert p.process.stdout.readline().strip().isdigit()


@test()
def without_a_jdwp_agent_or_with_debugger_none_commands_get_error_99(t):
    for options, flags in (("", []), ("debugger=none", [JDWP])):
        with Target(t, agent=options, flags=flags) as p, p.client() as ddm:
            for command in (VERSION, SUSPEND, (0xC7, 2)):
                assert jdwp(ddm, command) == (99, b""), options
            assert ddm.request("DBGD") == b""
            assert ddm.hello().pid == p.pid


@test()
def a_debugger_that_comes_before_the_jdwp_agent_listens_waits_for_it(t):
    for _ in range(6):
        process = t.popen("DdmTarget", agent="", flags=[JDWP])
        try:
            with Client(address_of(process)) as ddm:  # not when the program is ready
                assert jdwp(ddm, VERSION)[0] == 0
        finally:
            process.kill()
            process.communicate()


@test()
def the_debugger_option_names_another_back_end(t):
    with socket.create_server(("127.0.0.1", 0)) as backend:
        backend.settimeout(60)
        place = "127.0.0.1:%d" % backend.getsockname()[1]
        with Target(t, agent=f"debugger={place}") as p, p.client() as ddm:
            number = ddm.send_raw(b"question", 1, 13)
            link, _ = backend.accept()
            link.settimeout(60)
            with link, link.makefile("rb") as incoming:
                assert incoming.read(14) == HANDSHAKE
                link.sendall(HANDSHAKE)
                header = struct.pack(">IIBBB", 19, number, 0, 1, 13)
                assert incoming.read(19) == header + b"question"
                link.sendall(struct.pack(">IIBH", 17, number, 0x80, 0) + b"answer")
                assert ddm.wait_reply(number) == (0, b"answer")
                assert ddm.request("DBGD") == b""
                assert incoming.read() == b"", "the link is closed"
    bad = t.java("DdmTarget", agent="debugger=nonsense", check=False)
    assert bad.code != 0 and "debugger" in bad.err and "HOST:PORT" in bad.err, bad
