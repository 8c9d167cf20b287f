"""DYPER's documents: the connection, commands, monitoring, and what a stranger may send."""
import base64
import contextlib
import json
import os
import signal
import socket
import struct
import time
import xml.etree.ElementTree as Xml

from ddm_client import Client, Reader, Target, chunk, text
from dyper_client import Dyper, document, errors, variables
from harness import Report, test
from process_stat import cpu_seconds
from served import Served, metrics_of
from tool import DDM, REFUSED, ddm, ddm_json
from watched import FREE, MODEL, Watched, code_of


def counters(report):
    found = report.find("COUNTERS")
    return found, {item.get("NAME"): item for item in found.findall("ITEM")}


def thread_of(parent, key, thread):
    return next((one for one in parent.findall("THREAD") if one.get(key) == str(thread)), None)


@test()
def a_connection_begins_with_connect_and_start_and_ends_with_end(t):
    with Watched(t) as program:
        client = program.client()
        who = f"{program.process.pid}@{socket.gethostname()}"
        assert client.connect_line == f"CONNECT {who}", client.connect_line
        assert client.id == who
        program.process.stdin.close()
        assert program.process.wait(20) == 0
        last = None
        while (message := client.next_message()) is not None:
            last = message
        assert Xml.fromstring(last).get("END") == who, last


@test()
def the_discovery_file_says_where_dyper_is_served(t):
    path = t.path("socket")
    with Watched(t, agent=f"dyper=unix:{path},address=unix:{t.path('ddm')}") as program:
        runtime = os.environ.get("XDG_RUNTIME_DIR")
        places = [f"{runtime}/ddm"] * bool(runtime) + [f"/tmp/ddm-{os.getuid()}"]
        file = next(f for f in (f"{p}/{program.process.pid}" for p in places) if os.path.exists(f))
        with open(file) as f:
            told = json.load(f)
        assert told["dyper"] == program.address == f"unix:{path}", told
        assert os.stat(path).st_mode & 0o777 == 0o600
        with program.client() as client:
            assert client.tell("PING").text.startswith("PONG")


@test()
def the_agent_connects_out_to_a_server(t):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with Watched(t, agent=f"dyper=connect:127.0.0.1:{port},address=none"):
            server.settimeout(20)
            with Dyper(server.accept()[0]) as client:
                assert client.tell("PING").text.startswith("PONG")
                client.socket.shutdown(socket.SHUT_RDWR)
            with Dyper(server.accept()[0]) as again:
                assert again.tell("PING").text.startswith("PONG")


@test()
def who_needs_no_pid_and_says_whether_monitoring_is_on(t):
    with Watched(t) as program, program.client() as client:
        who = Xml.fromstring(client.ask_text("<DYPER COMMAND='WHO' />"))
        assert who.attrib == {"ID": client.id, "ACTIVE": "false"} and len(who) == 0
        client.set(MONITOR="true")
        assert client.ask("WHO").get("ACTIVE") == "true"
        client.set(MONITOR="false")
        assert client.ask("WHO").get("ACTIVE") == "false"


@test()
def a_hundred_commands_at_once_are_answered_in_order(t):
    with Watched(t) as program, program.client() as client:
        for i in range(100):
            client.send(document("GET", f"<VAR NAME='{'MAXDEPTH' if i % 2 else 'CHECKTIME'}' />"))
        client.send("<DYPER XCOMMAND='PING' />")
        answers = [Xml.fromstring(client.next_reply()).text for _ in range(101)]
        assert answers == ["10", "128"] * 50 + ["PONG"]
        assert client.replies.empty()


@test()
def whoru_tells_the_command_line_the_environment_and_the_properties(t):
    odd = 'x & "y" <z>\tend'
    with Watched(t, flags=[f"-Dk={odd}"], arguments=["one", "two words", "&"]) as program:
        with program.client() as client:
            before = time.time() * 1000
            run = client.tell("WHORU")
            assert run.find("START").text == "Watched"
            assert [one.text for one in run.findall("ARG")] == ["one", "two words", "&"]
            options = [one.text for one in run.findall("JAVAARG")]
            assert f"-Dk={odd}" in options and f"-cp {t.classes()}" in options, options
            properties = {one.get("KEY"): one.text for one in run.findall("PROPERTY")}
            assert properties["k"] == odd and properties["line.separator"] == "\n"
            environment = {one.get("KEY"): one.text or "" for one in run.findall("ENV")}
            assert environment["PATH"] == os.environ["PATH"]
            assert abs(int(run.find("TIME").get("MILLIS")) - before) < 10_000


@test()
def variables_have_their_defaults_and_take_what_fits_them(t):
    detail = {"MIN_TOTAL": "250.0", "MINIMUM": "10.0", "THRESHOLD": "0.025", "STOP_THRESHOLD": "0.005"}
    defaults = {"CHECKTIME": "10", "DISABLETIME": "5000", "REPORTTIME": "0", "MONITOR": "false",
                "SHOWSTACK": "false", "CONTENTION": "false", "CPUTIME": "true", "MAXDEPTH": "128",
                "THREAD_DEFAULT": "true", "FULLMONITORING": "false", "REPORTING": "false",
                "DETAIL_ALL": "1",
                **{f"{kind}_DETAIL_{name}": value for kind in ("CLASS", "METHOD")
                   for name, value in detail.items()}}
    with Watched(t) as program, program.client() as client:
        assert {name: client.get(name) for name in defaults} == defaults
        client.tell("SET", variables(NOBODY="1", CHECKTIME="25", CLASS_DETAIL_THRESHOLD="0.5"))
        client.tell("SET", "<VAR NAME='REPORTTIME'>7000</VAR>")
        assert (client.get("CHECKTIME"), client.get("REPORTTIME")) == ("25", "7000")
        assert client.get("CLASS_DETAIL_THRESHOLD") == "0.5"
        bad = client.ask("SET", variables(CHECKTIME="soon", MAXDEPTH="64", THREAD_DEFAULT="perhaps"))
        assert errors(bad) == ["BAD_VALUE"] * 2
        assert (client.get("CHECKTIME"), client.get("MAXDEPTH")) == ("25", "64")
        assert errors(client.ask("GET", "<VAR NAME='NOBODY' />")) == ["UNKNOWN_VAR"]


@test()
def class_types_follow_the_most_specific_entry(t):
    def listed(client, match=""):
        found = client.tell("GETCLASSES", match).find("CLASSES")
        return {one.get("NAME"): one.get("TYPE") for one in found}

    with Watched(t) as program, program.client() as client:
        builtin = listed(client)
        assert builtin["java."] == "SYSTEM" and builtin["java.io."] == "SYSTEM_IO"
        client.tell("CLASSES", "<CLASSES><PACKAGE NAME='shop.db' TYPE='IO' />"
                               "<CLASS NAME='shop.db.Cache' TYPE='NORMAL' /></CLASSES>")
        mine = "<MATCH NAME='shop.' />"
        assert listed(client, mine) == {"shop.db.": "IO", "shop.db.Cache": "NORMAL"}
        assert "shop.db." in listed(client, "<MATCH TYPE='IO' />")
        assert "java." not in listed(client, "<MATCH TYPE='IO' />")
        wrong = client.ask("CLASSES", "<CLASSES><PACKAGE NAME='a' TYPE='ODD' />"
                                      "<PACKAGE NAME='shop.x' TYPE='SYSTEM' /></CLASSES>")
        assert errors(wrong) == ["BAD_VALUE"] and "shop.x." in listed(client, mine)
        client.tell("CLASSES", "<CLASSES CLEARIO='true' />")
        assert listed(client)["java.io."] == "SYSTEM" and listed(client)["shop.db."] == "NORMAL"
        client.tell("CLASSES", "<CLASSES><PACKAGE NAME='shop.' TYPE='IO' /></CLASSES>")
        assert "shop.db.Cache" not in listed(client, mine)
        nothing = client.tell("GETCLASSES", "<MATCH NAME='nobody.' />").find("CLASSES")
        assert nothing is not None and len(nothing) == 0


@test(flags=((), ("-Xcheck:jni",)))
def showstack_has_every_thread_of_the_program_and_none_of_the_agent(t):
    with Watched(t) as program, program.client() as client:
        threads = client.stacks()
        names = [one.get("NAME") for one in threads]
        assert {"main", "burner", "holder", "waiter", "blocked & <waiter>"} <= set(names), names
        assert not [name for name in names if name.startswith("ddm")], names
        burner = thread_of(threads, "ID", program.burner)
        assert burner.get("STATE") == "RUNNABLE"
        assert {"busy", "burn"} & {f.get("METHOD") for f in burner}, Xml.tostring(burner)
        blocked = thread_of(threads, "ID", program.blocked)
        assert blocked.get("STATE") == "BLOCKED" and blocked.get("BLOCKCT") == "1"
        assert blocked.get("LOCK").startswith("java.lang.Object@"), blocked.attrib
        assert blocked.get("LOCKOWNER") == str(program.holder)
        top = blocked.find("STACK")
        assert (top.get("CLASS"), top.get("METHOD"), top.get("FILE")) == (
            "Watched", "wantLock", "Watched.java") and int(top.get("LINE")) > 0
        waiting = thread_of(threads, "ID", program.waiter)
        assert waiting.get("STATE") == "WAITING" and waiting.find("STACK").get("LINE") == "-2"
        assert waiting.get("WAITTIME") == "-1" and waiting.get("LOCK").startswith("java.lang.Object@")
        with_lock = {(one.get("STATE"), one.find("STACK").get("METHOD"))
                     for one in threads if one.get("LOCK")}
        assert not [one for one in with_lock if one[0] == "RUNNABLE" or one[1].startswith("sleep")], with_lock
        client.set(MAXDEPTH=1)
        assert max(len(one.findall("STACK")) for one in client.stacks()) == 1


@test(every_days=4)
def monitoring_finds_the_hot_method_and_the_blocked_thread(t):
    with Watched(t) as program, program.client() as client:
        for agent in ("Cpu", "Threads", "Timing", "Memory", "IO"):
            named = f"<AGENT CLASS='edu.brown.cs.dyvise.dyper.DyperAgent{agent}' />"
            assert client.tell("AGENT", named).text == "OK"
        assert errors(client.ask("AGENT", "<AGENT CLASS='shop.Mine' />")) == ["NO_AGENT"]
        assert errors(client.ask("AGENT", "<AGENT CLASS='DyperAgentStates' />")) == ["UNSUPPORTED"]
        client.set(MONITOR="true", CONTENTION="true")
        # How many samples a second has, the budget and the load of the machine decide.
        samples, items, end = 0, {}, time.monotonic() + 60
        while samples < 20 and time.monotonic() < end:
            time.sleep(0.5)
            report = client.report()
            found, changed = counters(report)
            items |= changed
            samples, active = int(found.get("SAMPLES")), int(found.get("ACTIVE"))
        assert samples >= 20 and active >= 0.9 * samples, found.attrib
        totals = found.find("TOTALS")
        base = int(items["Watched@busy"].get("BASE"))
        assert base >= 0.8 * int(totals.get("CBASE")), (items.keys(), totals.attrib)
        assert any(name.startswith("Watched@busy@") for name in items)
        threads = report.find("THREADS")
        blocked = thread_of(threads, "ID", program.blocked)
        assert blocked.get("BLOCKS") == blocked.get("TOTAL") != "0", blocked.attrib
        for one in threads.findall("THREAD"):
            times = [int(one.get(name)) for name in ("BTIME", "WTIME", "CTIME")]
            assert 0 <= times[0] + times[1] <= times[2] + 2, one.attrib
        assert int(blocked.get("CTIME")) > 0, blocked.attrib
        lock = blocked.find("LOCKON")
        assert lock.get("ID") == str(program.holder) and lock.get("COUNT") == blocked.get("BLOCKS")
        timing = report.find("TIMING")
        burner = thread_of(timing, "ID", program.burner)
        assert 0 < float(burner.get("CPU")) <= float(burner.get("CLOCK")) + 1, burner.attrib
        usage = {one.get("NAME"): one for one in report.find("MEMORY").findall("USAGE")}
        assert int(usage["HEAP"].get("LUSED")) > 0 and int(usage["HEAP"].get("INIT")) > 0
        assert report.find("MEMORY").findall("GC")
        assert float(report.get("USED")) < 3 * float(report.get("BUDGET")), report.attrib


@test()
def a_thread_that_is_left_out_goes_on_where_it_was_when_it_is_wanted_again(t):
    def choose(client, flag):
        client.tell("USETHREAD", f"<THREADS><THREAD ID='{program.burner}' IGNORE='{flag}' /></THREADS>")

    def told(client):
        report = client.report()
        return (thread_of(report.find("THREADS"), "ID", program.burner),
                thread_of(report.find("TIMING"), "ID", program.burner), report.find("TIMING"))

    def sampled(client, before_that=0):
        end = time.monotonic() + 60
        while None in (found := told(client)[:2]) or int(found[0].get("TOTAL")) <= before_that:
            assert time.monotonic() < end, found
            time.sleep(0.1)
        return found

    with Watched(t) as program, program.client() as client:
        client.set(MONITOR="true")
        before = sampled(client)
        died = told(client)[2].get("DIED")
        choose(client, "true")
        for _ in range(5):
            time.sleep(0.1)
            thread, timed, timing = told(client)
            assert thread is None and timed is None and timing.get("DIED") == died, Xml.tostring(timing)
        choose(client, "false")
        after = sampled(client, int(before[0].get("TOTAL")))
        assert [one.get("START") for one in after] == [one.get("START") for one in before]
        client.tell("CLEAR")
        cleared = sampled(client)[1]
        assert int(cleared.get("START")) > int(after[1].get("START"))
        assert float(cleared.get("CPU")) <= float(cleared.get("CLOCK")) + 1, cleared.attrib


def threads_named(pid, name):
    """Their CPU in seconds. The system keeps 15 letters: the first, or from JDK 26 on both ends of a name."""
    kept = (name[:15], f"{name[:7]}..{name[-6:]}")
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm") as f:
            if f.read().strip() in kept:
                found.append(cpu_seconds(pid, task))
    return found


@test(every_days=4)
def all_who_sample_have_one_thread_and_one_budget(t):
    agent = "dyper=listen:127.0.0.1:0,cpu=samples,interval_ms=1,budget=5,dump=r.jsonl"
    with Watched(t, agent=agent) as program, program.client() as client:
        line = program.said.wait_for(lambda l: l if " listening on " in l else None)
        with Client(line.split()[-1]) as ddm:
            client.set(CHECKTIME=1, MONITOR="true")
            ddm.request("SPSS", struct.pack(">III", 0, 0, 1000))
            time.sleep(2)
            pid = program.process.pid
            [before] = threads_named(pid, "ddmagent-sampler")
            begun = time.monotonic()
            time.sleep(5)
            [after] = threads_named(pid, "ddmagent-sampler")
            assert threads_named(pid, "ddmagent-look") == []
            # What it costs others is reckoned and not in this; a tick of the clock is 10 ms.
            assert after - before < 0.06 * (time.monotonic() - begun) + 0.05, (before, after)
            assert ddm.wait_reply(ddm.send_raw(chunk("SPSE")))[1][:4] == b"MPSE"
        report = client.report()
        assert int(counters(report)[0].get("SAMPLES")) > 0
        assert float(report.get("USED")) < 10, report.attrib
        client.set(MONITOR="false")
    sampler = Report(t.path("r.jsonl")).summary["sampler"]
    assert sampler["looks"] > 0 and sampler["budget"] == 5, sampler


@test(every_days=4)
def the_sampling_interval_is_as_reported_and_varies(t):
    with Watched(t, agent=FREE + ",budget=50") as program, program.client() as client:
        client.set(CHECKTIME=20, MONITOR="true", REPORTTIME=100)
        time.sleep(4)
        report = client.report()
        found, _ = counters(report)
        period = float(report.get("DELAYAVG")) + float(report.get("CHECKTIME")) - 1
        monitored = int(found.get("MONTIME"))
        assert abs(int(found.get("SAMPLES")) * period - monitored) <= 0.2 * monitored, (
            found.attrib, report.attrib)
        client.set(MONITOR="false")
        counts = [int(one.find("MONITOR/COUNTERS").get("SAMPLES"))
                  for one in client.take_messages(0.1) if one.get("REPORT")]
        steps = {b - a for a, b in zip(counts, counts[1:])}
        assert len(steps) > 1, counts


@test(timeout=240, every_days=5)
def methods_and_lines_are_counted_once_their_class_is_worth_it(t):
    with Watched(t, agent=FREE + ",budget=100") as program, program.client() as client:
        client.set(DETAIL_ALL=0, MAXDEPTH=1, CHECKTIME=1, MONITOR="true")
        client.tell("CLEAR")
        methods = {}  # reports tell of what has changed
        for _ in range(150):
            time.sleep(0.5)
            found, items = counters(client.report())
            methods |= {name: item for name, item in items.items() if name.count("@") == 1}
            totals = {key: int(value) for key, value in found.find("TOTALS").attrib.items()}
            if totals["CLASS"] > 600:
                break
        assert totals["CLASS"] > 600, totals
        assert totals["METHOD"] == totals["CLASS"] - 249, totals
        # Each method has to be worth it by itself; there is another one that is hit now and then.
        others = sum(int(one.get("TOTAL")) for name, one in methods.items() if name != "Watched@busy")
        lines = totals["METHOD"] - 249
        assert lines - others <= totals["LINE"] <= lines and others < 60, (totals, others)

        def detailed():
            time.sleep(1)
            _, items = counters(client.report())
            return items["Watched"].get("DETAILED")

        assert detailed() == "true"
        off = "<DETAIL ITEM='Watched' VALUE='0' AGENT='CPU' />"
        client.tell("SETDETAIL", f"<SETTINGS>{off}</SETTINGS>")
        assert detailed() == "false"
        client.tell("SETDETAIL", "<DETAIL ITEM='Watched' VALUE='T' />")
        assert detailed() == "true"


@test()
def reports_tell_what_is_new_and_clear_begins_anew(t):
    with Watched(t) as program, program.client() as client:
        client.set(MONITOR="true")
        time.sleep(1.5)
        client.set(MONITOR="false")
        assert counters(client.report())[1]
        again, items = counters(client.report())
        assert not items and int(again.get("SAMPLES")) > 0
        before = time.time() * 1000 - 10_000
        assert int(client.tell("CLEAR", "<CLEAR AGENT='THREADS' />").text) > before
        report = client.report()
        assert int(report.find("COUNTERS").get("SAMPLES")) > 0
        assert report.find("THREADS").find("THREAD") is None
        assert int(client.tell("CLEAR").text) > before
        assert client.report().find("COUNTERS").get("SAMPLES") == "0"
        assert errors(client.ask("CLEAR", "<CLEAR AGENT='X' />")) == ["NO_AGENT"]
        client.tell("ACTIVATE", "<DEACTIVATE AGENT='CPU' />")
        assert client.report().find("COUNTERS") is None
        client.tell("ACTIVATE", "<ACTIVATE AGENT='CPU' />")
        assert client.report().find("COUNTERS") is not None


def three_messages(client, wanted):
    """How soon they come depends on what they cost: they are paid out of the budget."""
    found, limit = [], time.monotonic() + 30
    while len(found) < 3 and time.monotonic() < limit:
        found += [one for one in client.take_messages(0.5) if one.get(wanted)]
    assert len(found) >= 3, found
    return found


@test(every_days=4)
def reports_and_dumps_come_by_themselves_as_long_as_they_are_wanted(t):
    with Watched(t) as program, program.client() as client:
        client.set(MONITOR="true", REPORTTIME=300)
        assert all(one.find("MONITOR") is not None for one in three_messages(client, "REPORT"))
        client.set(REPORTTIME=0)
        client.take_messages(0.5)
        assert not client.take_messages(1)
        client.set(MONITOR="false", SHOWSTACK="true", DISABLETIME=100)
        dumps = three_messages(client, "DUMP")
        assert all(one.get("DUMP") == client.id for one in dumps)
        times = [int(one.get("TIME")) for one in dumps]
        assert times == sorted(times) and len(set(times)) == len(times)
        assert all(len(one.find("THREADS")) >= 5 for one in dumps)
        client.set(SHOWSTACK="false")
        client.take_messages(0.5)
        assert not client.take_messages(0.5)


@test()
def threads_are_left_out_or_looked_at_alone(t):
    def dumped(client):
        client.set(SHOWSTACK="true", DISABLETIME=50)
        Xml.fromstring(client.next_message())
        dump = Xml.fromstring(client.next_message())
        client.set(SHOWSTACK="false")
        client.take_messages(0.3)
        return {int(one.get("ID")) for one in dump.find("THREADS")}

    with Watched(t) as program, program.client() as client:
        chosen = f"<THREADS><THREAD ID='{program.burner}' IGNORE='true' USE='true' /></THREADS>"
        client.tell("USETHREAD", chosen)
        client.set(MONITOR="true")
        time.sleep(1)
        client.set(MONITOR="false")
        assert not [name for name in counters(client.report())[1] if "busy" in name]
        assert program.burner not in dumped(client)
        assert thread_of(client.stacks(), "ID", program.burner) is not None
        client.tell("USETHREAD", chosen.replace("IGNORE='true'", "IGNORE='no'"))
        client.set(THREAD_DEFAULT="false")
        assert dumped(client) == {program.burner}
        # What cannot be meant is told of: a thread that is not there, a type, an element.
        for command, inside in (("USETHREAD", "<THREADS><THREAD ID='0' USE='1' /></THREADS>"),
                                ("USETHREAD", "<THREADS><THREAD ID='99999' USE='1' /></THREADS>"),
                                ("USETHREAD", "<THREADS><THRAED ID='1' USE='1' /></THREADS>"),
                                ("GETCLASSES", "<MATCH TYPE='ODD' />"),
                                ("REPORT", "<REPORT TYPE='ODD' />"),
                                ("CLEAR", "<CLAER AGENT='CPU' />")):
            assert errors(client.ask(command, inside)) == ["BAD_VALUE"], (command, inside)
        assert dumped(client) == {program.burner}


@test(timeout=240)
def the_class_model_has_classes_and_their_code(t):
    with Watched(t) as program, program.client() as client:
        model = client.tell("CLASSMODEL").find("CLASSMODEL")
        names = [one.get("NAME") for one in model.findall("CLASS")]
        assert {"Watched", "java.lang.Object"} <= set(names) and len(names) == len(set(names))
        assert model.get("CANREDEFINE") == "true" and model.find("CLASS/BINARY") is None
        assert model.find("CWD").text == t.dir and model.find("CLASSPATH").text == t.classes()
        wanted = "<OPTIONS BINARY='TRUE' />"
        model = client.tell("CLASSMODEL", wanted + "<CLASS>Watched</CLASS>").find("CLASSMODEL")
        with_code = {one.get("NAME"): one.find("BINARY").text for one in model.findall("CLASS")
                     if one.find("BINARY") is not None}
        assert set(with_code) == {"Watched"}
        data = base64.b64decode(with_code["Watched"])
        assert data[:4] == b"\xca\xfe\xba\xbe"
        with open(t.path("Watched.class"), "wb") as f:
            f.write(data)
        assert code_of(t, t.path("Watched.class")) == code_of(
            t, os.path.join(t.classes(), "Watched.class"))
        unknown = client.ask("CLASSMODEL", wanted + "<CLASS>no.Such</CLASS>")
        assert errors(unknown) == ["NO_CLASS"]
        everything = client.tell("CLASSMODEL", wanted).find("CLASSMODEL")
        with_code = [one for one in everything if one.tag == "CLASS" and one.find("BINARY") is not None]
        assert len(with_code) > 300, len(with_code)
        unlinked = next(one.get("NAME") for one in everything.findall("CLASS")
                        if one.find("BINARY") is None)
        told = client.ask("CLASSMODEL", wanted + f"<CLASS>{unlinked}</CLASS>")
        assert errors(told) == ["NOT_MODIFIABLE"] and "not linked" in told.find("ERROR").text, unlinked
        assert program.process.poll() is None


@test(flags=((), ("-Xcheck:jni",)))
def whatever_is_sent_gets_one_answer_and_the_next_ping_works(t):
    bad = {
        "": "BAD_XML", "junk": "BAD_XML", "<DYPER": "BAD_XML", "<DYPER COMMAND='PING'>": "BAD_XML",
        "<DYPER COMMAND='PING' /><DYPER COMMAND='PING' />": "BAD_XML", "<OTHER />": "BAD_XML",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><DYPER COMMAND='PING'>&b;</DYPER>": "BAD_XML",
        "<DYPER COMMAND='PING'>" + "<a>" * 1000 + "</a>" * 1000 + "</DYPER>": "BAD_XML",
        "x" * (1 << 20): "BAD_XML", "<a b='" + "x\n" * (1 << 20): "BAD_XML", "<a>" * 300_000: "BAD_XML",
        "<DYPER COMMAND='FROB' />": "UNKNOWN_COMMAND", "<DYPER />": "UNKNOWN_COMMAND",
        "<DYPATCH COMMAND='FROB' />": "UNKNOWN_COMMAND",
        "<DYPER COMMAND='PING' PID='1@elsewhere' />": "BAD_PID",
        "<DYPER COMMAND='DUMPMEMORY' FILE='x' />": "UNSUPPORTED",
        "<DYPER COMMAND='DUMPHEAP' />": "BAD_VALUE",
        "<DYPER COMMAND='SETDETAIL'><DETAIL ITEM='Watched' VALUE='maybe' /></DYPER>": "BAD_VALUE",
        "<DYPER COMMAND='SETDETAIL'><DETAIL ITEM='Watched' VALUE='' /></DYPER>": "BAD_VALUE",
        "<DYPER COMMAND='SETDETAIL'><DETAIL VALUE='1' /></DYPER>": "BAD_VALUE",
        "<DYPER COMMAND='SET' />": "BAD_VALUE", "<DYPER COMMAND='SET'>MONITOR</DYPER>": "BAD_VALUE",
        "<DYPER COMMAND='SET'><VAR VALUE='1' /></DYPER>": "BAD_VALUE",
        "<DYPER COMMAND='USETHREAD' />": "BAD_VALUE",
        "<DYPER COMMAND='GET'><VAR NAME='&nope;' /></DYPER>": "BAD_XML",
        "<DYPATCH COMMAND='MODEL'><MODEL NAME='M'><FOR CLASS='Watched' METHOD='busy' UPDATE='REPLACE' />"
        "</MODEL></DYPATCH>": "BAD_VALUE",
    }
    with Watched(t) as program, program.client() as client:
        for text_sent, code in bad.items():
            reply = Xml.fromstring(client.ask_text(text_sent))
            assert reply.tag.endswith("_REPLY"), reply.tag
            assert errors(reply) == [code], (text_sent[:60], errors(reply))
            assert client.tell("PING").text.startswith("PONG") and client.replies.empty()
        pid = str(program.process.pid)
        assert Xml.fromstring(client.ask_text(document("PING", pid=pid))).text == "PONG"
        assert Xml.fromstring(client.ask_text("<DYPATCH COMMAND='PING' />")).tag == "DYPATCH_REPLY"
        client.socket.sendall(b"\xff\xfe\x00garbage\xc3\n" * 1000 + b"ENDDYPERMSG\n")
        assert errors(Xml.fromstring(client.next_reply())) == ["BAD_XML"]
        with program.client() as other:
            other.socket.sendall(b"half a document")
        client.tell("PING")


@test()
def a_collection_and_a_heap_dump_can_be_asked_for(t):
    with Watched(t) as program, program.client() as client:
        client.tell("GC")
        path = t.path("x.hprof")
        assert client.tell("DUMPHEAP", f"<DUMPHEAP FILE='{path}' />").text == "OK"
        with open(path, "rb") as f:
            assert f.read(12) == b"JAVA PROFILE"
        assert errors(client.ask("DUMPHEAP", f"<DUMPHEAP FILE='{path}' />")) == ["BAD_VALUE"]


@test()
def allocations_are_reported_from_the_agents_own_sites(t):
    with Watched(t, agent=FREE + ",track=y,dump=none") as program, program.client() as client:
        client.tell("AGENT", "<AGENT CLASS='MEMORY' />")
        client.set(ALLOC_MONITOR="SOURCE")
        for _ in range(50):
            program.process.stdin.write("sum\n")
            program.process.stdin.flush()
            program.process.stdout.readline()
        allocations = {one.get("CLASS"): one for one in client.report().find("MEMORY").findall("ALLOC")}
        made = allocations["java.lang.String"]
        assert int(made.get("COUNT")) >= 50 and made.get("COUNT") == made.get("NCOUNT")
        assert "Watched" in {source.get("CLASS") for source in made.findall("SOURCE")}


@test()
def the_same_documents_travel_as_ddm_chunks(t):
    def ask(client, command, inner=""):
        reply = Reader(client.request("DYPR", text(document(command, inner))))
        answer = Xml.fromstring(reply.str())
        reply.end()
        return answer

    with Target(t) as target, target.client() as client:
        assert ask(client, "PING").text == "PONG"
        assert errors(ask(client, "FROB")) == ["UNKNOWN_COMMAND"]
        ask(client, "SET", variables(SHOWSTACK="true", DISABLETIME=50))
        _, data = client.next_event("DYPR")
        dump = Xml.fromstring(Reader(data).str())
        assert dump.get("DUMP") and len(dump.find("THREADS")) > 3
        ask(client, "SET", variables(SHOWSTACK="false"))


@test()
def ddm_sends_documents_and_shows_the_replies(t):
    with open(t.path("set.xml"), "w") as f:
        f.write(document("SET", variables(SHOWSTACK="true", DISABLETIME=50)))
    with Target(t) as target:
        def run(*words):
            return t.command([DDM, "dyper", str(target.pid), *words])
        done = run("<DYPER COMMAND='PING' />", "<DYPER COMMAND='GET'><VAR NAME='MAXDEPTH'/></DYPER>")
        assert done.code == 0 and [Xml.fromstring(line).text for line in done.out.splitlines()] == [
            "PONG", "128"], done
        done = run("@" + t.path("set.xml"), "--listen", "1")
        assert done.code == 0 and "DUMP=" in done.out, done
        assert run("<DYPER COMMAND='SET'><VAR NAME='SHOWSTACK' VALUE='false'/></DYPER>").code == 0
        failed = run("<DYPER COMMAND='FROB' />")
        assert failed.code == 1 and "UNKNOWN_COMMAND" in failed.out, failed
        assert run("@" + t.path("nothing.xml")).code == 2


@test()
def a_program_that_serves_dyper_alone_is_listed_nowhere_and_gets_documents(t):
    name = f"shop.Alone{t.jdk.major}x"
    with Watched(t, agent=FREE + f",name={name}") as program:
        pid = program.process.pid
        assert pid not in [row["pid"] for row in ddm_json(t, "ps")]
        line = next(one for one in ddm(t, "ps", "--all").splitlines() if one.split()[0] == str(pid))
        assert "(does not listen)" in line, line
        for words in (["info", name], ["allocs", pid], ["record", name, "-o", t.path("x.txt")]):
            said = ddm(t, *words, code=REFUSED)
            assert "does not listen (address=none, it could not, or it is ending)" in said, said
        with Served(t) as served:
            assert pid not in metrics_of(served.get("/metrics").decode()).get("ddm_up", {})
        replies = ddm(t, "dyper", name, "<DYPER COMMAND='PING' />", document("GET", "<VAR NAME='MAXDEPTH'/>"),
                      document("SET", variables(SHOWSTACK="true", DISABLETIME=50)), "--listen", 5).splitlines()
        assert [Xml.fromstring(line).text for line in replies[:2]] == ["PONG", "128"], replies
        assert any("DUMP=" in line for line in replies), replies
        failed = t.command([DDM, "dyper", str(pid), "<DYPER COMMAND='FROB' />"])
        assert failed.code == REFUSED and "UNKNOWN_COMMAND" in failed.out, failed
        with contextlib.ExitStack() as clients:
            for _ in range(16):
                clients.enter_context(program.client())
            crowded = ddm(t, "dyper", name, "<DYPER COMMAND='PING' />", code=REFUSED)
        assert "has closed the connection; it may have its 16 clients already" in crowded, crowded
        os.kill(pid, signal.SIGSTOP)
        silent = ddm(t, "dyper", name, "<DYPER COMMAND='PING' />", code=REFUSED)
        os.kill(pid, signal.SIGCONT)
        assert silent.endswith(" does not answer\n"), silent


@test()
def a_model_numbers_the_methods_and_blocks_that_it_patches(t):
    with Watched(t) as program, program.client() as client:
        table = client.tell("MODEL", MODEL.format(""), root="DYPATCH").find("COUNTERS")
        method = table.find("COUNTERDATA/METHOD")
        assert method.get("NAME") == "Watched.busy" and method.get("SIGNAGURE") == "(int)"
        blocks = method.findall("BLOCK")
        code = code_of(t, os.path.join(t.classes(), "Watched.class"))["static int busy(int);"]
        instructions = [line.split(":") for line in code if line[:1].isdigit()]
        place = {int(bci): ordinal for ordinal, (bci, _) in enumerate(instructions)}
        leaders, behind = {0}, False
        for ordinal, (_, text_of) in enumerate(instructions):
            words = text_of.split()
            leaders |= {ordinal} if behind else set()
            behind = words[0].startswith(("if", "goto")) or words[0].endswith("return")
            if words[0].startswith(("if", "goto")):
                leaders.add(place[int(words[1])])
        assert {int(one.get("STARTINS")) for one in blocks} == leaders, (leaders, instructions)
        used = {one.get("ID"): one.get("TYPE") for one in table.findall("COUNTERS/USE")}
        assert used == {method.get("INDEX"): "METHOD", **{b.get("INDEX"): "BLOCK" for b in blocks}}
        again = client.tell("MODEL", MODEL.format("").replace("NEW", "ADD"), root="DYPATCH")
        assert again.find("COUNTERS/COUNTERDATA/METHOD").get("INDEX") == method.get("INDEX")
        nothing = "<MODEL NAME='M1'><FOR CLASS='*' METHOD='*' UPDATE='NEW' /></MODEL>"
        assert client.tell("MODEL", nothing, root="DYPATCH").find("COUNTERS") is None


@test()
def patched_class_files_are_left_for_javap_and_what_cannot_be_is_said(t):
    more = ("<FOR CLASS='java.lang.Thread' METHOD='currentThread' UPDATE='NEW'>"
            "<PATCH WHAT='ENTER' MODE='COUNT_METHOD' /></FOR>"
            "<FOR CLASS='no.Such' METHOD='m' UPDATE='NEW'><PATCH WHAT='ENTER' MODE='COUNT_METHOD' />"
            "</FOR><FOR CLASS='Watched' METHOD='burn' UPDATE='NEW'>"
            "<PATCH WHAT='ENTER' MODE='NOBODY' /></FOR>")
    with Watched(t) as program, program.client() as client:
        reply = client.ask("MODEL", MODEL.format(more), root="DYPATCH")
        assert sorted(errors(reply)) == ["NOT_MODIFIABLE", "NO_CLASS", "NO_MODE"], Xml.tostring(reply)
        wish = "<PATCH MODEL='M1'><CLASS NAME='Watched' /></PATCH>"
        made = client.tell("PATCH", wish, root="DYPATCH").find("PATCH/CLASS")
        assert made.get("PATCH").startswith("mem:") and made.get("ORIG").startswith("mem:")
        client.tell("DIRECTORY", t.dir, root="DYPATCH")
        made = client.tell("PATCH", wish, root="DYPATCH").find("PATCH/CLASS")
        original, patched = code_of(t, made.get("ORIG")), code_of(t, made.get("PATCH"))
        busy = "static int busy(int);"
        calls = [line for line in patched[busy] if "invokestatic" in line]
        assert len(calls) == 5 and not [line for line in original[busy] if "invokestatic" in line]
        del original[busy], patched[busy]
        assert original == patched
        assert errors(client.ask("PATCH", "<PATCH MODEL='X' />", root="DYPATCH")) == ["NO_MODEL"]
        assert errors(client.ask("DIRECTORY", "/no/such", root="DYPATCH")) == ["BAD_VALUE"]


@test()
def a_method_that_lacks_the_boolean_of_a_condition_is_refused_and_told_of_it(t):
    mode = ("<DYPATCH_MODE NAME='FENCE'><CODE TYPE='CALL' CLASS='java.lang.invoke.VarHandle' "
            "METHOD='fullFence' SIGNATURE='()'>{}</CODE><INSTRUCTION /></DYPATCH_MODE>"
            "<FOR CLASS='Watched' METHOD='busy'><PATCH WHAT='ENTER' MODE='FENCE' /></FOR>")
    with Watched(t) as program, program.client() as client:
        for condition, told in (("", []), ("<CONDITION TYPE='ARG' LVALUE='1' RVALUE='7' />", ["VERIFY"])):
            client.tell("MODEL", f"<MODEL NAME='M1'>{mode.format(condition)}</MODEL>", root="DYPATCH")
            reply = client.ask("PATCH", "<PATCH MODEL='M1' />", root="DYPATCH")
            assert errors(reply) == told, Xml.tostring(reply)
        assert "(the last boolean is the CONDITION's result)" in reply.find("ERROR").text, Xml.tostring(reply)


MODES = ("<MODES><DYPATCH_MODE NAME='COUNT_METHOD'><CODE TYPE='CALL' CLASS='java.lang.invoke.VarHandle' "
         "METHOD='fullFence' SIGNATURE='()' /><INSTRUCTION /></DYPATCH_MODE></MODES>")


def patched_code(client):
    made = client.tell("PATCH", "<PATCH MODEL='M1' />", root="DYPATCH").find("PATCH/CLASS")
    with open(made.get("PATCH"), "rb") as f:
        return f.read()


@test()
def modes_of_a_file_take_the_place_of_those_built_in(t):
    with open(t.path("modes.xml"), "w") as f:
        f.write(MODES)
    with Watched(t, agent=FREE + f",dypatch_modes={t.path('modes.xml')}") as program:
        with program.client() as client:
            os.remove(t.path("modes.xml"))  # it has been read at the start
            client.tell("DIRECTORY", t.dir, root="DYPATCH")
            client.tell("MODEL", MODEL.format(""), root="DYPATCH")
            assert b"fullFence" in patched_code(client)


@test()
def a_file_of_modes_that_cannot_be_read_is_told_at_the_start_and_to_each_model(t):
    path = t.path("later.xml")
    with Watched(t, agent=FREE + f",dypatch_modes={path}") as program, program.client() as client:
        said = [line for line in program.said.lines() if "dypatch_modes" in line]
        assert len(said) == 1 and f"dypatch_modes={path}: No such file" in said[0], program.said.lines()
        client.tell("DIRECTORY", t.dir, root="DYPATCH")
        for _ in range(2):
            assert errors(client.ask("MODEL", MODEL.format(""), root="DYPATCH")) == ["NO_MODE"]
        with open(path, "w") as f:
            f.write(MODES)
        client.tell("MODEL", MODEL.format(""), root="DYPATCH")
        assert b"fullFence" in patched_code(client)
    os.mkdir(t.path("directory"))
    with Watched(t, agent=FREE + f",dypatch_modes={t.path('directory')}") as program:
        assert program.said.wait_for(lambda line: "directory: Is a directory" in line), program.said.lines()


@test()
def a_model_is_activated_or_taken_out_and_nothing_else(t):
    with Watched(t) as program, program.client() as client:
        client.tell("MODEL", MODEL.format(""), root="DYPATCH")
        for action, original in (("", "FALSE"), ("ACTION='ADD'", "FALSE"), ("ACTION='REMOVE'", "TRUE")):
            reply = client.tell("ACTIVATE", f"<PATCHMODEL NAME='M1' {action} />", root="DYPATCH")
            assert reply.find("PATCH/CLASS").get("ORIGINAL") == original, Xml.tostring(reply)
        reply = client.ask("ACTIVATE", "<PATCHMODEL NAME='M1' ACTION='remove' />", root="DYPATCH")
        assert errors(reply) == ["BAD_VALUE"] and reply.find("PATCH") is None, Xml.tostring(reply)


@test()
def a_model_that_is_not_there_is_told_when_it_is_activated(t):
    with Watched(t) as program, program.client() as client:
        for action in ("", "ACTION='ADD'", "ACTION='REMOVE'"):
            reply = client.ask("ACTIVATE", f"<PATCHMODEL NAME='X' {action} />", root="DYPATCH")
            assert errors(reply) == ["NO_MODEL"] and reply.find("ERROR").get("NAME") == "X", Xml.tostring(reply)
            assert len(reply.find("PATCH")) == 0, Xml.tostring(reply)  # as the original answers
