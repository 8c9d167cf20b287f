"""The program as a whole over DDM: HELO, FEAT, APNM, WAIT, DBGD, EXIT, and how answers are given."""
import json
import os
import re
import select
import struct
import time

from agent_jars import agent_jar
from ddm_client import (Client, DdmError, Hello, Reader, Target, address_of, chunk, packed,
                        read_heap_info, read_named, split)
from harness import AGENT, Report, test


def dynamic(t):
    return ["-XX:+EnableDynamicAgentLoading"] if t.jdk.major >= 21 else []


def vm_properties(t):
    out = t.command([t.jdk.java, "-XshowSettings:properties", "-version"]).err
    return dict(re.findall(r"^ +(\S+) = (.*)$", out, re.M))


@test()
def hello_says_who_the_program_is(t):
    wanted = vm_properties(t)
    with Target(t, flags=["-Xmx64m", "-Dsecret=x"]) as p, p.client() as ddm:
        hello = ddm.hello()
        assert hello.version == 1
        assert hello.pid == p.pid
        assert hello.vm == f"{wanted['java.vm.name']} v{wanted['java.vm.version']}"
        assert hello.app == hello.package == "DdmTarget"
        assert hello.user_id == 0 and hello.native_debuggable == 0
        assert hello.abi == f"64-bit ({os.uname().machine})"
        flags = hello.flags.split()
        assert flags[0] == "CheckJNI=false" and "-Xmx64m" in flags, flags
        assert not [f for f in flags if f.startswith("-D")], flags
        assert hello.stage == b"A_GO"


@test()
def hello_with_check_jni_says_so(t):
    with Target(t, flags=["-Xcheck:jni"]) as p, p.client() as ddm:
        assert ddm.hello().flags.split()[0] == "CheckJNI=true"
        p.process.said.lines().clear()  # the VM may have warnings of its own


@test()
def the_name_option_names_the_application(t):
    with Target(t, agent="name=Some Thing \u00e9") as p, p.client() as ddm:
        assert ddm.hello().app == "Some Thing \u00e9"


@test()
def features_are_those_that_work(t):
    with Target(t) as p, p.client() as ddm:
        assert set(ddm.features()) == {"allocation-report", "heap-dump-pieces", "heap-regions", "heap-usage",
                                       "hprof-heap-dump", "hprof-heap-dump-streaming", "java-thread-ids",
                                       "lent-options", "method-sample-profiling", "method-trace-profiling", "probes",
                                       "method-trace-profiling-streaming", "support_boot_stages",
                                       "thread-locks"}


@test()
def a_new_name_is_told_by_apnm_and_in_hello(t):
    with Target(t, flags=dynamic(t)) as p, p.client() as ddm:
        assert ddm.hello().app == "DdmTarget"
        p.attach(AGENT, "name=Other")
        _, data = ddm.next_event("APNM")
        reader = Reader(data)
        assert (reader.str(), reader.u4(), reader.str()) == ("Other", 0, "Other")
        reader.end()
        assert ddm.hello().app == "Other"
        where = os.environ.get("XDG_RUNTIME_DIR")
        where = os.path.join(where, "ddm") if where else f"/tmp/ddm-{os.getuid()}"
        with open(os.path.join(where, str(p.pid))) as f:
            assert json.load(f)["app"] == "Other"


@test()
def suspend_holds_main_until_a_server_says_hello_and_wait_tells_it(t):
    # Published where no DDM server of another test finds it: each says hello to all programs.
    os.mkdir(t.path("run"), 0o700)
    process = t.popen("DdmTarget", agent="suspend=y", env=dict(os.environ, XDG_RUNTIME_DIR=t.path("run")))
    try:
        address = address_of(process)
        with Client(address) as ddm:
            assert not ddm.tracking()  # any other request is answered, and does not let main go
            waits = not select.select([process.stdout], [], [], 0.5)[0]
            assert waits, f"main did not wait: {process.stdout.readline()!r} {ddm.take_events()}"
            number = ddm.send_raw(chunk("HELO", struct.pack(">I", 1)))
            error, answer = ddm.wait_reply(number)
            assert error == 0
            assert Hello(split(answer)[0][1]).app == "DdmTarget"
            # It came before the reply.
            assert ddm.take_events() == [("WAIT", b"\0")]
            assert process.stdout.readline() == "ready\n"
            ddm.hello()
            assert not ddm.take_events(), "nobody waits any more"
    finally:
        process.communicate(timeout=30)
    assert process.returncode == 0


@test()
def a_program_that_waits_for_a_server_can_be_ended(t):
    process = t.popen("DdmTarget", agent="suspend=y")
    address_of(process)
    process.terminate()
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 143
    assert "ready" not in said, "main ran on"


@test(jdks="each")
def a_program_that_waits_for_a_server_can_be_halted(t):
    halting = f"-javaagent:{agent_jar(t, 'HaltingAgent', t.classes())}=2000"
    process = t.popen("DdmTarget", agent="suspend=y", flags=[halting])
    said, _ = process.communicate(timeout=30)  # on 26 the VM waits a minute for a callback
    assert process.returncode == 7
    assert "ready" not in said, "main ran on"


@test()
def suspend_without_a_port_does_not_wait(t):
    run = t.java("DdmTarget", agent="suspend=y,address=none", stdin="")
    assert run.out == "ready\n" and "suspend=y" in run.err, run


@test()
def debugger_gone_is_acknowledged(t):
    with Target(t) as p, p.client() as ddm:
        assert ddm.request("DBGD") == b""


@test(every_days=4)
def exit_ends_the_program_with_the_status_and_the_report_is_written(t):
    for status in (0, 3, 255):
        with Target(t, agent="track=y,engine=vm,dump=r.jsonl") as p:
            p.tell("hook")
            p.tell("marks 10")
            with p.client() as ddm:
                assert ddm.request("EXIT", struct.pack(">i", status)) == b""
                code, out = p.ended()
                ddm.wait_closed()
            assert code == status, code
            assert out == "hook\n", "System.exit() runs the shutdown hooks, Runtime.halt() none"
            report = Report(t.path("r.jsonl"))
            assert report.count_by_class()["DdmTarget$Mark"] == 10
            assert report.summary["reason"] == "exit"
            os.remove(t.path("r.jsonl"))


@test()
def exit_ends_a_program_whose_shutdown_hook_never_ends(t):
    with Target(t, agent="track=y,engine=vm,dump=r.jsonl") as p:
        p.tell("badhook")
        p.tell("marks 10")
        with p.client() as ddm:
            ddm.request("EXIT", struct.pack(">i", 7))
            assert p.ended()[0] == 7
        assert Report(t.path("r.jsonl")).count_by_class()["DdmTarget$Mark"] == 10


@test()
def exit_works_while_a_heap_dump_is_being_written(t):
    with Target(t, flags=["-Xmx600m"]) as p:
        p.tell("keepbytes 300")
        with p.client() as ddm:
            ddm.send_raw(chunk("HPDS"))
            # Soon: who does not read a dump that is ready is not listened to either.
            time.sleep(0.02)
            ddm.send_raw(chunk("EXIT", struct.pack(">i", 5)))
            assert p.ended()[0] == 5


@test()
def an_agent_attached_later_serves_everything(t):
    with Target(t, agent=None, flags=dynamic(t)) as p:
        p.tell("start before")
        p.attach(AGENT, "name=Late,dump=none")
        with p.client() as ddm:
            assert ddm.hello().app == "Late"
            ddm.enable_threads()
            ids = {read_named(d)[1]: read_named(d)[0] for k, d in ddm.take_events() if k == "THCR"}
            assert ids["before"] in ddm.thread_table()
            assert ddm.stack(ids["before"])
            p.tell("end before")
            assert ddm.next_event("THDE")[1] == struct.pack(">I", ids["before"])
            ddm.heap_info(3)
            assert ddm.request("HPGC") == b""
            assert ddm.next_event("HPIF") and ddm.heap_info()[1].used > 0
            assert ddm.request("HPDS").startswith(b"JAVA PROFILE")
            ddm.request("EXIT", struct.pack(">i", 4))
            assert p.ended()[0] == 4


@test()
def a_vm_without_the_management_module_is_served_as_well(t):
    with Target(t, program=("Exits", "wait"), flags=["--limit-modules", "java.base"]) as p, \
            p.client() as ddm:
        heaps = ddm.heap_info()
        assert set(heaps) == {1} and 0 < heaps[1].used <= heaps[1].committed <= heaps[1].max
        ddm.heap_info(2)
        assert ddm.request("HPGC") == b""
        assert set(read_heap_info(ddm.next_event("HPIF")[1])) == {1}
        assert ddm.request("HPDS").startswith(b"JAVA PROFILE")


@test(timeout=300, every_days=4)
def the_program_ends_promptly_with_servers_in_full_swing(t):
    for round_ in range(8):
        with Target(t, agent="engine=vm,dump=none", flags=["-Xmx128m"]) as p:
            p.tell("states")
            p.tell("garbage")
            clients = [p.client() for _ in range(3)]
            for ddm in clients:
                ddm.enable_threads()
                ddm.heap_info(3)
                ddm.request("THST", struct.pack(">I", 10))
            time.sleep(0.05 * round_)
            for kind in ("HPDS", "REAL", "HPGC", "REAE", "HPIF", "THST"):
                clients[round_ % 3].send_raw(chunk(kind, b"\1" if kind in ("REAE", "HPIF") else b""))
            time.sleep(0.006 * round_)  # what has begun is refused in the midst of it
            if round_ % 2:
                p.process.terminate()
                wanted = 143
            else:
                clients[0].send_raw(chunk("EXIT", struct.pack(">i", 9)))
                wanted = 9
            code, _ = p.ended()
            assert code == wanted, (round_, code, p.stderr())
            for ddm in clients:
                ddm.wait_closed()
                ddm.close()
    assert not [name for name in os.listdir(t.dir) if name.startswith("hs_err")]


# How answers are given

@test()
def an_unknown_type_gets_an_empty_reply(t):
    with Target(t) as p, p.client() as ddm:
        for kind in ("XYZW", "DTRC", "HPEN", "    "):
            assert ddm.exchange(chunk(kind, b"some data")) == []


@test()
def bad_data_gets_a_fail_that_names_the_right_data(t):
    bad = {"THEN": (b"",), "THST": (b"\0", b"\0\0\0"), "STKL": (b"",),
           "HPDU": (b"", b"\0\0\0\5\0a"), "REAE": (b"",),
           "SPSS": (b"", b"\0\0\0\0"), "EXIT": (b"", b"\0\0\0")}
    with Target(t) as p, p.client() as ddm:
        for kind, datas in bad.items():
            for data in datas:
                try:
                    answer = ddm.request(kind, data)
                    raise AssertionError(f"{kind} {data!r}: {answer!r}")
                except DdmError as failure:
                    assert failure.code == 1 and kind in failure.message, failure
                    assert re.search(r"\b(u1|u4|str)\b", failure.message), failure


@test()
def what_cannot_be_had_gets_a_fail_with_a_sentence(t):
    with Target(t) as p, p.client() as ddm:
        for kind, word in (("NHGT", "NHGT"), ("SPSS", "100 us"), ("SPSE", "SPSS")):
            try:
                raise AssertionError(f"{kind}: {ddm.request(kind, bytes(16))!r}")
            except DdmError as failure:
                assert word in failure.message, failure
        assert ddm.request("MPRQ") == b"\0"


@test()
def the_five_types_that_android_studio_matches_get_data_of_their_type(t):
    with Target(t) as p, p.client() as ddm:
        for kind, data in (("REAQ", b""), ("HELO", struct.pack(">I", 1)), ("FEAT", b""),
                           ("MPRQ", b""), ("HPIF", b"\0"), ("HPIF", b"\1"), ("HPIF", b"\2"),
                           ("HPIF", b"\3")):
            assert ddm.request(kind, data), kind
        # Whatever else they carry; such an HPIF changes nothing.
        for data in (b"", b"\0\0\1", b"\xff" * 100):
            assert ddm.request("HELO", data) == ddm.request("HELO", struct.pack(">I", 1)), data
            for kind in ("FEAT", "REAQ", "MPRQ"):
                assert ddm.request(kind, data), (kind, data)
        for data in (b"", b"\4", b"\xff" * 100):
            assert ddm.request("HPIF", data) == bytes(4), data


@test()
def a_command_that_is_not_ddm_gets_error_99(t):
    with Target(t) as p, p.client() as ddm:
        number = ddm.send_raw(b"", command_set=1, command=1)  # VirtualMachine.Version
        assert ddm.wait_reply(number) == (99, b"")
        assert ddm.hello().pid == p.pid


@test()
def compressed_requests_are_understood_and_answered_compressed(t):
    with Target(t) as p, p.client() as ddm:
        p.tell("many 40")
        kind, data = ddm.exchange(packed("THST"))[0]
        assert kind == "THST" and data[:2] == b"\4\x12"
        error, raw = ddm.wait_reply(ddm.send_raw(chunk("THST")))
        assert error == 0 and raw[:4] == b"ZLIB" and len(raw) < 12 + 41 * 18, raw[:20]
        assert len(ddm.thread_table()) > 40


@test()
def several_chunks_in_a_packet_are_answered_in_one(t):
    with Target(t) as p, p.client() as ddm:
        answers = ddm.exchange(chunk("REAE", b"\1") + chunk("REAQ") + chunk("HPGC") +
                               chunk("HPIF", b"\1") + chunk("REAE", b"\0") + chunk("REAQ"))
        kinds = [kind for kind, _ in answers]
        assert kinds == ["REAE", "REAQ", "HPGC", "HPIF", "REAE", "REAQ"], kinds
        # One that fails, or that nobody knows, does not keep the others from their answers.
        mixed = ddm.exchange(chunk("STKL", b"\0") + chunk("XYZW", b"data") + packed("REAQ") +
                             chunk("HPSG") + chunk("MPRQ"))
        assert [kind for kind, _ in mixed] == ["FAIL", "XYZW", "REAQ", "FAIL", "MPRQ"], mixed
        assert mixed[1][1] == b""
        assert answers[1][1] == b"\1" and answers[5][1] == b"\0"
