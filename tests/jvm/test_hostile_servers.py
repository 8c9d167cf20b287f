"""DDM servers of our own user that mean harm: the program pays little, and the others are served."""
import contextlib
import os
import struct
import subprocess
import time

import hostile
from ddm_client import Client, Target, chunk, text
from harness import AGENT, test

FLAGS = ["-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC"]
MOST_MIB = 64


def attacked(t, attacks, seconds):
    """The attacks all at once: memory is bounded, another server is served, the program ends."""
    with Target(t, agent="engine=bci,dump=none,log=error", flags=FLAGS) as p:
        p.tell("keep 500000")
        p.tell("many 20")
        with p.client(timeout=60) as good:
            good.track(True)
            p.tell("deepmarks 70000")
            for _ in range(2):  # what the good server's own requests take
                assert len(good.allocations()) > 60_000
                assert good.request("HPSG", b"\2\0") == b""
            with hostile.Crowd(p.address) as crowd:
                with hostile.MostMemory(p.pid) as memory:
                    for attack in attacks:
                        attack(crowd)
                    end = time.monotonic() + seconds
                    rounds = 0
                    while rounds < 2 or time.monotonic() < end:
                        assert good.hello().pid == p.pid
                        assert len(good.thread_table()) > 20
                        assert good.heap_info()[1].used > 0
                        assert good.request("HPSG", b"\2\0") == b""
                        good.take_events()
                        rounds += 1
                assert memory.grown <= MOST_MIB, f"{memory.grown:.0f} MiB more"
                hostile.exit_seconds(p.process)


@test(every_days=4)
def bombs_half_packets_and_unread_answers_at_once_cost_little_and_hold_up_nobody(t):
    attacked(t, [hostile.zlib_bombs_in_full_packets, hostile.unread_maps, hostile.unread_dumps,
                 hostile.many_dumps_in_a_packet, hostile.half_packets], 1)


@test(full_only=True, timeout=600)
def each_way_to_misuse_a_connection_costs_little_and_holds_up_nobody(t):
    for attack in hostile.ATTACKS:
        attacked(t, [attack], 5)


@test(every_days=4)
def a_crowd_that_asks_for_the_same_gets_one_answer_and_holds_up_nobody(t):
    with contextlib.ExitStack() as stack:
        p = stack.enter_context(Target(t, agent="track=y,dump=none,log=error", flags=FLAGS))
        crowd = [stack.enter_context(p.client(timeout=60)) for _ in range(12)]
        p.tell("keep 500000")
        p.tell("deepmarks 70000")

        def answered_while_a_report_is_written():
            report = crowd[0].send_raw(chunk("REPT", text("jsonl")))
            time.sleep(0.1)  # it has begun, mostly
            assert len(crowd[1].request("REAL")) > 60_000 * 9
            with crowd[0]._changed:
                early = report not in crowd[0]._replies
            assert crowd[0].wait_reply(report)[1].startswith(b"REPT")
            return early

        assert any(answered_while_a_report_is_written() for _ in range(3)), "REAL waits for REPT"

        before = int(p.ask("collections"))
        dump = crowd[0].send_raw(chunk("HPDS"))
        asked = [(client, client.send_raw(chunk("HPGC"))) for client in crowd]
        assert all(client.wait_reply(number) == (0, b"") for client, number in asked)
        assert crowd[0].wait_reply(dump)[1].startswith(b"HPDS")
        assert int(p.ask("collections")) - before <= 5, "a collection each"

        p.tell("garbage")  # from now on no two lists are the same
        for request in (chunk("REAL"), chunk("REPT", text("jsonl"))):
            dump = crowd[0].send_raw(chunk("HPDS"))  # while it is made the others come together
            asked = [(client, client.send_raw(request)) for client in crowd]
            answers = [client.wait_reply(number)[1] for client, number in asked]
            assert all(answer.startswith(request[:4]) for answer in answers)
            assert len(set(answers)) <= 4, "each has made the agent work anew"
            assert crowd[0].wait_reply(dump)[1].startswith(b"HPDS")


@test()
def a_packet_of_many_heap_dumps_brings_some_and_fail_for_the_rest(t):
    with Target(t, flags=["-Xmx64m"]) as p, p.client() as ddm:
        p.tell("keepbytes 8")
        answers = ddm.exchange(chunk("HPDS") * 24)
        kinds = [kind for kind, _ in answers]
        assert len(kinds) == 24
        dumps = kinds.count("HPDS")
        assert 1 <= dumps <= 3 and kinds == ["HPDS"] * dumps + ["FAIL"] * (24 - dumps), kinds
        assert all(data.startswith(b"JAVA PROFILE") for kind, data in answers if kind == "HPDS")
        assert ddm.hello().pid == p.pid


@test()
def a_thousand_exits_in_a_packet_are_one(t):
    with Target(t) as p:
        p.tell("badhook")  # the program lives on for some seconds
        before = hostile.threads_of(p.pid)
        with p.client() as ddm:
            assert ddm.exchange(chunk("EXIT", struct.pack(">I", 0)) * 1024) == []
            assert hostile.threads_of(p.pid) - before <= 5
            assert p.ended()[0] == 0


@test()
def a_full_stderr_holds_up_neither_servers_nor_the_exit_and_the_loss_is_told(t):
    read_end, write_end = os.pipe()
    line = [t.jdk.java, *t.vm_flags(), f"-agentpath:{AGENT}=log=debug,dump=none", "-cp",
            t.classes(), "DdmTarget"]
    process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=write_end, text=True, cwd=t.dir)
    try:
        assert process.stdout.readline() == "ready\n"
        said = os.read(read_end, 1 << 16).decode()
        address = next(one.split()[-1] for one in said.splitlines() if "listening on" in one)
        os.set_blocking(write_end, False)
        try:
            while True:
                os.write(write_end, b"x" * 1000 + b"\n")
        except BlockingIOError:
            os.set_blocking(write_end, True)  # the program's end is the same one
        for _ in range(20):  # each says that it has come and gone
            with Client(address) as ddm:
                assert ddm.hello().pid == process.pid
        os.read(read_end, 1 << 20)  # all of it
        with Client(address) as ddm:
            assert ddm.hello().pid == process.pid
            told = ""
            while "lines were lost" not in told:
                told += os.read(read_end, 1 << 16).decode()
            os.set_blocking(write_end, False)
            try:
                while True:
                    os.write(write_end, b"x" * 4096)
            except BlockingIOError:
                os.set_blocking(write_end, True)
        process.stdin.close()
        assert process.wait(30) == 0
    finally:
        process.kill()
        os.close(read_end)
        os.close(write_end)


@test()
def reaq_is_answered_while_another_server_switches_tracking_on_and_off(t):
    with Target(t, agent="dump=none") as p, p.client() as busy, p.client() as ddm:
        switches = [busy.send_raw(chunk("REAE", bytes([i % 2]))) for i in range(200)]
        behind = busy.send_raw(chunk("REAQ"))
        for _ in range(3):
            ddm.tracking()
        with busy._changed:
            waiting = [number for number in switches if number not in busy._replies]
        assert waiting, "REAQ has waited for all of them"
        assert busy.wait_reply(behind)[1] == chunk("REAQ", b"\1"), "it waits for its own server's"
        for number in switches:
            assert busy.wait_reply(number) == (0, b"")
