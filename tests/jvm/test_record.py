"""`ddm record`: what a program allocates in so many seconds, and the program is left as it was."""
import contextlib
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import threading
import time

from ddm_client import Target, address_of
from harness import AGENT, Report, test
from made_runtime import packed
from served import Served
from tool import DDM, REFUSED, USAGE, ddm, ddm_json


def recording(t, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=None):
    return subprocess.Popen([DDM, "record", *map(str, words)], stdout=stdout, stderr=stderr,
                            text=True, cwd=t.dir, env=env)


def own_temporary_directory(t):
    """(its path, the environment in which it is that)."""
    path = t.path("temporary")
    os.mkdir(path)
    return path, {**os.environ, "TMPDIR": path}


def recording_to_stdout(t, pid, env, stdout=subprocess.PIPE):
    return recording_on_terminal(t, pid, "-d", 60, "-o", "-", stdout=stdout, env=env)


def recording_on_terminal(t, *words, stdout=subprocess.PIPE, env=None):
    """Also the terminal that is its stderr. It has told the program where the report goes at the end."""
    ours, theirs = pty.openpty()
    record = recording(t, *words, stdout=stdout, stderr=theirs, env=env)
    os.close(theirs)
    told = ""
    while "recording for" not in told:
        told += os.read(ours, 4096).decode()
    return record, ours


def tracking(t, pid):
    return ddm_json(t, "track", pid)["tracking"]


def wait_until_on(t, pid):
    for _ in range(200):
        if tracking(t, pid):
            return
        time.sleep(0.05)
    raise AssertionError("tracking is not on")


def wait_until_listed(t, pid):
    for _ in range(200):
        if any(row["pid"] == pid for row in ddm_json(t, "ps")):
            return
        time.sleep(0.05)
    raise AssertionError("the agent is not loaded")


def rest_of_terminal(ours):
    """What is left to read of a terminal whose other side is closed, or will be."""
    rest = ""
    while True:
        try:
            rest += os.read(ours, 65536).decode()
        except OSError:  # EIO: the other side is closed
            os.close(ours)
            return rest


def relayed(one, other):
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)


def marks(report):
    return sum(s["count"] for s in report.sites if s["class"] == "DdmTarget$Mark")


@test()
def record_writes_what_was_allocated_meanwhile_and_switches_off_again(t):
    with Target(t, agent="dump=none") as p:
        p.tell("marks 1000")
        record = recording(t, p.pid, "-d", 60, "-o", "r.jsonl")
        wait_until_on(t, p.pid)
        p.tell("marks 2000")
        record.send_signal(signal.SIGINT)  # ends it early, and it still writes
        out, err = record.communicate(timeout=60)
        assert record.returncode == 0 and not err, err
        assert "report written to r.jsonl" in out and "allocations" in out, out
        p.tell("marks 4000")
        assert marks(Report(t.path("r.jsonl"))) == 2000
        assert not tracking(t, p.pid)
        assert "written" in ddm(t, "record", p.pid, "-d", "0.2", "-o", t.path("r.html"))
        assert marks(Report(save(t, p.pid))) == 0
        for name in (f"recorded-{p.pid}.html", f"recorded-{p.pid}-2.html"):  # one is made and told
            assert f"report written to {name}" in ddm(t, "record", p.pid, "-d", "0.2").replace("\n", " ")
            assert os.path.exists(t.path(name))
        assert "a report ends in" in ddm(t, "record", p.pid, "-o", "x.png", code=USAGE)
        assert "cannot write" in ddm(t, "record", p.pid, "-o", "/no/such/x.txt", code=REFUSED)
        told = ddm(t, "record", p.pid, "--interval", "3g", code=USAGE)
        assert '"3g" is not a number from 1 to 2147483647' in told, told
        assert not tracking(t, p.pid)


def ended(record):
    record.send_signal(signal.SIGINT)
    out, err = record.communicate(timeout=60)
    assert record.returncode == 0 and not err, err
    return out


@test()
def recordings_that_overlap_have_all_of_their_time(t):
    with Target(t, agent="dump=none") as p:
        first = recording(t, p.pid, "-d", 60, "-o", "first.jsonl")
        wait_until_on(t, p.pid)
        second = recording(t, p.pid, "-d", 60, "-o", "second.jsonl")
        time.sleep(1)  # it has begun, which nobody else can see
        p.tell("marks 1000")
        ended(first)
        p.tell("marks 300")
        assert "stays on" not in ended(second)
        assert marks(Report(t.path("second.jsonl"))) == 1300
        assert not tracking(t, p.pid)
        third = recording(t, p.pid, "-d", 60, "-o", "third.jsonl")
        wait_until_on(t, p.pid)
        ddm(t, "track", p.pid, "on")
        ended(third)
        assert tracking(t, p.pid)


@test()
def record_has_a_report_of_a_program_that_ends_early(t):
    for agent in ("dump=none", "track=y,dump=own.jsonl", None):
        with Target(t, agent=agent, flags=["-XX:+EnableDynamicAgentLoading"]) as p:
            record = recording(t, p.pid, "-d", 60, "-o", "early.jsonl")
            wait_until_listed(t, p.pid)
            wait_until_on(t, p.pid)
            if agent is None:
                p.address = address_of(p.process)
            time.sleep(1)  # it has told the program where, which nobody else can see
            p.tell("marks 700")
        out, err = record.communicate(timeout=90)
        assert record.returncode == 0 and not err, err
        assert "the program ended" in out and "report written to early.jsonl" in out, out
        assert "stays" not in out, out
        assert marks(Report(t.path("early.jsonl"))) == 700
        os.remove(t.path("early.jsonl"))
        assert not [name for name in os.listdir(t.dir) if name.startswith(".ddm")]
    assert marks(Report(t.path("own.jsonl"))) == 700


@test()
def a_program_that_is_not_known_by_its_address_leaves_no_report_which_is_told_before(t):
    with Target(t, agent="dump=none") as p, socket.create_server(("127.0.0.1", 0)) as relay:
        port = relay.getsockname()[1]
        record = recording(t, f"127.0.0.1:{port}", "-d", 60, "-o", "r.jsonl")
        near, _ = relay.accept()
        host, _, number = p.address.rpartition(":")
        with near, socket.create_connection((host, int(number))) as far:
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=relayed, args=(one, other), daemon=True).start()
            told = record.stderr.readline()
            assert told == "ddm: if the program ends first, no report is kept: its process is not known here\n", told
            wait_until_on(t, p.pid)
            p.process.stdin.close()
            out, err = record.communicate(timeout=60)
    assert record.returncode == REFUSED and not out, out
    assert re.fullmatch(r"ddm: the connection was closed after [0-9.]+ s; no report was written\n", err), err


@test()
def a_recording_that_the_program_ends_early_says_so_in_json(t):
    with Target(t, "dump=none") as p:
        record = recording(t, p.pid, "-d", 60, "-o", "early.jsonl", "--json")
        wait_until_on(t, p.pid)
        time.sleep(1)
        p.tell("marks 700")
    out, err = record.communicate(timeout=90)
    told = json.loads(out)
    assert record.returncode == 0 and "the program ended" in err, (out, err)
    assert 0 < told.pop("seconds") < 60, told
    assert told == {"file": "early.jsonl", "seen": None, "seen_bytes": None, "ended": True}, told
    assert marks(Report(t.path("early.jsonl"))) == 700


@test()
def a_recording_that_ends_early_does_not_know_for_how_long_tracking_was_on_before(t):
    with Target(t, "track=y,dump=none") as p:
        record, ours = recording_on_terminal(t, p.pid, "-d", 60, "-o", "early.jsonl", "--json")
        p.tell("marks 700")
    out, _ = record.communicate(timeout=90)
    words = " ".join(rest_of_terminal(ours).split())
    assert record.returncode == 0 and "of all tracking, which was on before" in words, (out, words)
    told = json.loads(out)
    assert told["seconds"] is None and told["ended"], told


@test()
def record_can_write_its_report_to_stdout_and_then_says_the_rest_on_stderr(t):
    temporary, env = own_temporary_directory(t)
    for early in (False, True):
        with Target(t, agent="dump=none") as p:
            record, ours = recording_to_stdout(t, p.pid, env)
            p.tell("marks 700")
            if not early:
                record.send_signal(signal.SIGINT)
                out, _ = record.communicate(timeout=60)
        if early:
            out, _ = record.communicate(timeout=90)
        told = " ".join(rest_of_terminal(ours).split())
        assert record.returncode == 0, told
        assert out.startswith(f"Allocations of DdmTarget, pid {p.pid}\n"), out
        assert "DdmTarget$Mark" in out and "report written" not in out and "ddm: " not in out, out
        assert "report written to stdout" in told and ("the program ended" in told) == early, told
        assert not os.path.exists(t.path("-")) and os.listdir(temporary) == []


@test()
def a_report_at_the_end_that_stdout_does_not_take_is_left_in_its_file(t):
    temporary, env = own_temporary_directory(t)
    with Target(t, agent="dump=none") as p, open("/dev/full", "w") as full:
        record, ours = recording_to_stdout(t, p.pid, env, stdout=full)
        p.tell("marks 700")
    assert record.wait(timeout=90) == REFUSED
    told = " ".join(rest_of_terminal(ours).split())
    left = os.listdir(temporary)
    assert len(left) == 1 and f"its report is left in {temporary}/{left[0]}; take it within a day" in told, (left, told)
    assert "cannot write to stdout" in told, told
    with open(os.path.join(temporary, left[0])) as f:
        assert "DdmTarget$Mark" in f.read()


@test()
def what_is_printed_to_a_closed_stdout_is_lost_with_an_error_and_reaches_no_program(t):
    with Target(t, agent="dump=none") as p:
        tracking(t, p.pid)
        for words in (["allocs", str(p.pid), "-o", "-"], ["allocs", str(p.pid)], ["record", str(p.pid), "-d", "0.2", "-o", "-"]):
            done = subprocess.run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", DDM, *words], stderr=subprocess.PIPE, text=True,
                                  check=False, timeout=60)
            assert done.returncode == REFUSED and "cannot write to stdout: Bad file descriptor" in done.stderr, (words, done)
            assert "report written" not in done.stderr, done
            done = subprocess.run(["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", DDM, *words], check=False, timeout=60)
            assert done.returncode == REFUSED, (words, done)
        p.tell("marks 10")


@test()
def a_program_that_ends_while_its_report_is_printed_leaves_no_second_one(t):
    temporary, env = own_temporary_directory(t)
    with Target(t, agent="dump=none") as p:
        record, ours = recording_to_stdout(t, p.pid, env)
        p.tell("marks 5000")
        record.send_signal(signal.SIGINT)
        # The report has been fetched, and waits: it is longer than what a pipe holds.
        assert select.select([record.stdout], [], [], 60)[0]
    assert len(os.listdir(temporary)) == 1, "the program has written its own, too"
    out, _ = record.communicate(timeout=90)
    told = rest_of_terminal(ours)
    assert record.returncode == 0 and "DdmTarget$Mark" in out, (told, out)
    assert os.listdir(temporary) == [], told


@test()
def record_says_that_a_program_which_is_killed_leaves_no_report(t):
    with Target(t, agent="dump=none") as p:
        record = recording(t, p.pid, "-d", 60, "-o", "gone.jsonl")
        wait_until_on(t, p.pid)
        p.process.kill()
        out, err = record.communicate(timeout=90)
        assert record.returncode == 1 and "the program ended" in err and not out, (out, err)
    assert not [name for name in os.listdir(t.dir) if "gone" in name]


def save(t, pid):
    ddm(t, "allocs", pid, "-o", t.path("now.jsonl"))
    return t.path("now.jsonl")


@test()
def record_leaves_tracking_on_where_it_was_and_tells_of_the_time_asked_for(t):
    with Target(t, agent="track=y,dump=none") as p:
        p.tell("marks 1000")
        record = recording(t, p.pid, "-d", 2, "-o", "r.jsonl")
        time.sleep(1)
        p.tell("marks 3000")
        out, err = record.communicate(timeout=60)
        assert record.returncode == 0 and not err, err
        assert "stays on, so it covers" in out and "DdmTarget$Mark" in out, out
        assert marks(Report(t.path("r.jsonl"))) == 4000
        assert tracking(t, p.pid)


@test()
def record_loads_the_agent_where_it_is_not(t):
    with Target(t, agent=None, flags=["-XX:+EnableDynamicAgentLoading"]) as p:
        record = recording(t, p.pid, "-d", 60, "-o", "r.jsonl")
        wait_until_listed(t, p.pid)
        wait_until_on(t, p.pid)
        p.tell("marks 500")
        record.send_signal(signal.SIGINT)
        out, err = record.communicate(timeout=60)
        assert record.returncode == 0 and not err, err
        assert "the agent stays loaded; tracking is off" in out, out
        assert marks(Report(t.path("r.jsonl"))) == 500
        assert not tracking(t, p.pid)
        assert address_of(p.process), "the agent says where it listens"
    assert "there is no process" in ddm(t, "record", p.pid, "-o", "x.txt", code=REFUSED)


@test(min_jdk=25)
def tracking_ends_with_a_record_that_is_killed_or_loses_its_terminal(t):
    with Target(t, agent="dump=none") as p:
        for sent in (signal.SIGHUP, signal.SIGKILL):
            record = recording(t, p.pid, "-d", 60, "-o", "r.jsonl")
            wait_until_on(t, p.pid)
            record.send_signal(sent)
            record.communicate(timeout=60)
            for _ in range(200):
                if not tracking(t, p.pid):
                    break
                time.sleep(0.05)
            assert not tracking(t, p.pid), sent
            if sent == signal.SIGHUP:
                assert record.returncode == 0 and os.path.exists(t.path("r.jsonl")), record.returncode
        # Who switches it on for good meanwhile has it for good.
        record = recording(t, p.pid, "-d", 60, "-o", "r.jsonl")
        wait_until_on(t, p.pid)
        ddm(t, "track", p.pid, "on")
        record.kill()
        record.communicate(timeout=60)
        time.sleep(0.3)
        assert tracking(t, p.pid)


@test(min_jdk=25, every_days=4)
def a_report_that_the_end_of_the_program_cuts_short_is_written_by_the_program(t):
    with Target(t, agent="dump=none,engine=bci", program=("ManyNew",)) as p:
        record = recording(t, p.pid, "-d", 1, "-o", "r.jsonl")
        wait_until_on(t, p.pid)
        while tracking(t, p.pid):
            time.sleep(0.02)
        p.process.terminate()
        _, err = record.communicate(timeout=60)
        assert record.returncode == 0, err
        assert Report(t.path("r.jsonl")).summary["seen"] > 1000


@test()
def record_switches_on_what_else_is_wanted_and_off_again(t):
    with Target(t, agent="dump=none") as p:
        p.tell("marks 10")
        record = recording(t, p.pid, "-d", 60, "--live", "--locks", "--cpu", "-o", "r.jsonl")
        wait_until_on(t, p.pid)
        p.tell("keepbytes 5")
        record.send_signal(signal.SIGINT)
        out, err = record.communicate(timeout=60)
        assert record.returncode == 0 and not err, (out, err)
        summary = Report(t.path("r.jsonl")).summary
        assert summary["monitor"] == "on" and summary["sampler"]["looks"] > 0 and "gc" in summary, summary
        assert not tracking(t, p.pid)
        summary = Report(save(t, p.pid)).summary
        # Nor has a later report what was measured then.
        assert "monitor" not in summary and "sampler" not in summary and "gc" not in summary, summary
        told = ddm(t, "record", p.pid, "-d", "0.2", "--interval", "64k", "-o", t.path("i.jsonl"))
        assert "written" in told and "estimated" in told and "one sample every 64.0 KiB" in told, told
        assert Report(t.path("i.jsonl")).summary["interval"] == 65536
        told = ddm(t, "record", p.pid, "-d", "0.2", "-o", t.path("a.jsonl"))
        assert "written" in told and "estimated" not in told, told
        assert Report(t.path("a.jsonl")).summary["interval"] == 0
        for line in ("the options given hold from the next start on",):
            p.process.said.lines()[:] = [x for x in p.process.said.lines() if line not in x]


def time_and_life(t, pid):
    """Whether locks are timed, the CPU is sampled, objects are followed just now."""
    summaries = []
    for _ in range(2):
        summaries.append(Report(save(t, pid)).summary)
        time.sleep(0.1)
    looks = [s.get("sampler", {}).get("looks", 0) for s in summaries]
    return summaries[1].get("monitor") == "on", looks[1] > looks[0], "gc" in summaries[1]


def wait_until_all_are(t, pid, expected):
    for _ in range(200):
        now = time_and_life(t, pid)
        if now == expected:
            return
        time.sleep(0.05)
    raise AssertionError(f"{now} is not {expected}")


@test(min_jdk=25)
def what_a_record_switched_on_ends_with_it_even_if_it_is_killed(t):
    every = ("--live", "--locks", "--cpu", "--interval", "64k")
    with Target(t, agent="dump=none") as p:
        for sent in (signal.SIGTERM, signal.SIGKILL):
            record = recording(t, p.pid, "-d", 60, *every, "-o", f"r{sent}.jsonl")
            wait_until_on(t, p.pid)
            wait_until_all_are(t, p.pid, (True, True, True))
            record.send_signal(sent)
            record.communicate(timeout=60)
            wait_until_all_are(t, p.pid, (False, False, False))
            assert not tracking(t, p.pid)
        assert Report(t.path(f"r{signal.SIGTERM}.jsonl")).summary["interval"] == 65536
        # Of two, the one that lasts keeps what both want; what is given for good meanwhile stays.
        first = recording(t, p.pid, "-d", 60, "--cpu", "--locks", "-o", "first.jsonl")
        wait_until_all_are(t, p.pid, (True, True, False))
        second = recording(t, p.pid, "-d", 60, "--cpu", "-o", "second.jsonl")
        time.sleep(1)
        first.kill()
        first.communicate(timeout=60)
        wait_until_all_are(t, p.pid, (False, True, False))
        p.attach(AGENT, "monitor=y,cpu=samples")
        second.kill()
        second.communicate(timeout=60)
        time.sleep(0.5)
        assert time_and_life(t, p.pid) == (True, True, False)
        p.process.said.lines().clear()


@test()
def record_samples_all_threads_or_what_runs_and_one_of_them_at_a_time(t):
    with Target(t, agent="dump=none") as p:
        assert "written" in ddm(t, "record", p.pid, "-d", "0.5", "--wall", "-o", t.path("w.jsonl"))
        report = Report(t.path("w.jsonl"))
        assert report.summary["sampler"]["clock"] == "wall", report.summary
        assert any(s["thread"] == "main" for s in report.samples), "main waits for its next line"
        assert time_and_life(t, p.pid) == (False, False, False)
        ddm(t, "record", p.pid, "--wall", "--cpu", code=USAGE)
        page = t.path("w.html")
        assert f"its samples: {page}#of=samples\n" in ddm(t, "record", p.pid, "-d", "0.3", "--cpu", "-o", page)
        p.attach(AGENT, "cpu=samples")
        assert "one at a time" in ddm(t, "record", p.pid, "-d", "0.5", "--wall", code=REFUSED)
        p.attach(AGENT, "monitor=y")
        told = " ".join(ddm(t, "record", p.pid, "-d", "0.2", "--cpu", "--locks", "-o", page).split())
        assert "samples and waits for locks were on before, so the report covers them from then on" in told, told
        p.attach(AGENT, "cpu=off")


@test()
def record_and_profiles_leave_what_the_program_itself_times(t):
    deep = 21  # calls of deepMarks by a command
    with Target(t, agent="dump=none,cpu=times,methods=DdmTarget.deepMarks") as p, Served(t) as served:
        p.tell("deepmarks 1")
        for option in ("--cpu", "--wall"):
            record = recording(t, p.pid, "-d", 60, option, "-o", "r.jsonl")
            wait_until_all_are(t, p.pid, (False, True, False))
            p.tell("deepmarks 1")
            ended(record)
            report = Report(t.path("r.jsonl"))
            assert report.summary["sampler"]["looks"] > 0 and report.methods, report.summary
        served.get(f"/debug/pprof/profile?pid={p.pid}&seconds=0.2")
        p.tell("deepmarks 1")
        report = Report(save(t, p.pid))
        assert "sampler" not in report.summary, report.summary
        assert [m["calls"] for m in report.methods] == [4 * deep], report.methods


@test()
def record_keeps_the_share_of_objects_that_the_program_follows(t):
    for agent, on in (("track=y,live=1/16", True), ("track=n,live=1/16", False)):
        with Target(t, agent="dump=none," + agent) as p:
            ddm(t, "record", p.pid, "-d", "0.2", "--live", "-o", t.path("r.jsonl"))
            assert Report(t.path("r.jsonl")).summary["live_one_in"] == 16
            assert tracking(t, p.pid) == on
            ddm(t, "track", p.pid, "on")
            assert Report(save(t, p.pid)).summary["live_one_in"] == 16


@test()
def record_at_an_interval_leaves_the_engine_and_the_interval_that_the_program_has(t):
    # Neither was in use yet when the recording began.
    for options, expected in (("track=n,interval=32k", ("vm", 32768)), ("track=n,engine=bci", ("bci", 0))):
        with Target(t, agent="dump=none," + options) as p:
            ddm(t, "record", p.pid, "-d", "0.1", "--interval", "64k", "-o", t.path("r.jsonl"))
            assert Report(t.path("r.jsonl")).summary["interval"] == 65536
            ddm(t, "track", p.pid, "on")
            summary = Report(save(t, p.pid)).summary
            assert (summary["engine"], summary["interval"]) == expected, summary


@test()
def record_measures_no_time_for_a_report_that_has_none(t):
    for ending in ("pb.gz", "collapsed", "sites.jsonl", "dhat.json", "firefox.json"):
        for option in ("--cpu", "--wall", "--locks"):
            # 1 is no JVM: this is told before any is asked.
            told = ddm(t, "record", 1, "-d", "0.1", option, "-o", t.path(f"r.{ending}"), code=USAGE)
            assert "has allocations only; .html, .txt, .jsonl and .hprof.txt have samples" in told, told
    with Target(t, agent="dump=none") as p:
        for ending, shown in (("html", "samples"), ("txt", "sampl"), ("jsonl", '"type":"sample"'),
                              ("hprof.txt", "CPU SAMPLES BEGIN")):
            ddm(t, "record", p.pid, "-d", "0.5", "--wall", "-o", t.path(f"r.{ending}"))
            with open(t.path(f"r.{ending}"), encoding="utf-8") as f:
                assert shown in f.read(), ending


@test()
def record_tells_before_it_records_what_its_report_would_lack(t):
    for agent, ending, told in (("dump=none", "dhat.json", "--live"), ("dump=none", "firefox.json", "--live"),
                                ("dump=none,track=y", "dhat.json", "--live"),
                                ("dump=none,sites=0", "sites.jsonl", "sites=0")):
        with Target(t, agent=agent) as p:
            begin = time.monotonic()
            was_tracking = tracking(t, p.pid)
            assert told in ddm(t, "record", p.pid, "-d", "60", "-o", t.path(f"r.{ending}"), code=REFUSED)
            assert time.monotonic() - begin < 30 and tracking(t, p.pid) == was_tracking
            assert not [name for name in os.listdir(t.dir) if ending in name]
    # Followed by the program itself, or for this recording.
    for agent, words in (("dump=none", ("--live",)), ("dump=none,live=y", ())):
        with Target(t, agent=agent) as p:
            ddm(t, "record", p.pid, "-d", "0.2", *words, "-o", t.path("r.dhat.json"))
            os.remove(t.path("r.dhat.json"))


@test()
def record_below_a_method_has_what_that_method_caused(t):
    with Target(t, agent="dump=none") as p:
        for method, name, end in (("deepMarks", "r.jsonl", True), ("DdmTarget.deepMarks", "end.jsonl", False)):
            record = recording(t, p.pid, "-d", 60, "--below", method, "-o", name)
            wait_until_on(t, p.pid)
            p.tell("marks 300")
            p.tell("deepmarks 200")
            if end:
                record.send_signal(signal.SIGINT)
            else:  # the program writes it
                time.sleep(1)
                p.process.stdin.close()
            out, err = record.communicate(timeout=90)
            assert record.returncode == 0 and not err, (out, err)
            report = Report(t.path(name))
            assert marks(report) == 200, marks(report)
            assert report.summary["below"] == method and report.summary["seen"] == sum(
                s["count"] for s in report.sites), report.summary
            for one in [*report.sites, *report.records]:
                assert any(f["method"] == "deepMarks" for f in one["stack"]), one
            assert not end or f"below {method} in" in out.replace("\n", " "), out
            if end:
                kept = t.path("kept.jsonl")
                done = t.command([DDM, "allocs", str(p.pid), "--below", method, "-o", kept])
                assert done.code == 0 and f"report written to {kept}" in done.out, done
                assert marks(Report(kept)) == 200
                done = t.command([DDM, "allocs", str(p.pid), "--below", "deepMraks", "-o", kept])
                assert done.code == REFUSED and "is below deepMraks: " in done.err.replace("\n", " "), done
                # What is misspelled is no empty result.
                for words in (("record", p.pid, "-d", 0.1, "-o", "none.jsonl"), ("allocs", t.path(name))):
                    done = t.command([DDM, *map(str, words), "--below", "deepMraks"])
                    assert done.code == REFUSED and "is below deepMraks: " in done.err.replace("\n", " "), done
                words = ("record", p.pid, "-d", 0.3, "--wall", "-o", "none.jsonl", "--below")
                done = t.command([DDM, *map(str, words), "deepMraks"])
                assert done.code == REFUSED and "is below deepMraks: " in done.err.replace("\n", " "), done
                done = t.command([DDM, *map(str, words), "DdmTarget.main"])  # which waits, and allocates nothing
                assert done.code == 0 and Report(t.path("none.jsonl")).samples, done


@test(jdks="each", every_days=5, machines_libc=True, daily=1)
def a_packed_program_is_recorded_like_any_other(t):
    # The end of its input, which leaving the block is too, ends the program.
    with subprocess.Popen([packed(t, "Packed", "Leaks"), "60000"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=t.dir) as program:
        assert program.stdout.readline() == "ready\n"
        ddm(t, "record", program.pid, "-d", "2", "-o", "r.jsonl")
        sessions = [site for site in Report(t.path("r.jsonl")).sites if site["class"] == "Leaks$Session"]
        assert sum(site["count"] for site in sessions) > 1000, sessions
        grows = ddm_json(t, "leaks", program.pid, "--for", "2")["rows"]
        assert "Leaks$Session" in {row["class"] for row in grows}, grows
        program.communicate(timeout=20)
        assert program.returncode == 0
