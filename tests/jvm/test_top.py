"""ddm top: what programs do just now."""
import os
import re
import signal
import threading
import time

from ddm_client import Target
from harness import test
from leaking import Leaking
from tool import REFUSED, USAGE, ddm, ddm_json, shown_on_terminal


@test(jdks="each")
def top_shows_rates_that_the_program_has(t):
    with Leaking(t, 60_000, "track=y,dump=none,log=error") as target:
        def made():
            return sum(row["count"] for row in ddm_json(t, "allocs", target.pid) if row["class"] == "Leaks$Session")

        before = made()
        found = ddm_json(t, "top", target.pid, "-d", "2")
        sessions, = [s for s in found["sites"] if s["class"] == "Leaks$Session"]
        # The two seconds lie between the two reports; how much time these take is the machine's.
        assert 500 < sessions["objects_per_second"] <= (made() - before) / 2 + 1, sessions
        size = 16 if t.jdk.compact_headers else 24
        assert abs(sessions["bytes_per_second"] / size - sessions["objects_per_second"]) <= 1, sessions
        assert sessions["site"].startswith("Leaks.login(Leaks.java:")
        by_bytes = [s["bytes_per_second"] for s in found["sites"]]
        assert by_bytes == sorted(by_bytes, reverse=True)
        assert {site["died_percent"] for site in found["sites"]} == {None}, "live= is off"
        by_objects = [s["objects_per_second"] for s in ddm_json(t, "top", target.pid, "--sort", "objects")["sites"]]
        assert by_objects == sorted(by_objects, reverse=True)
        assert "main" in [thread["name"] for thread in found["threads"]]
        assert "BYTES/S" in ddm(t, "top", target.pid, "--once")
        ddm(t, "track", target.pid, "off")  # what was counted stays; nothing is counted now
        assert "not tracked" in ddm(t, "top", target.pid, "--once")
        row, = [row for row in ddm_json(t, "top")["jvms"] if row["pid"] == target.pid]
        assert row["bytes_per_second"] is None, row


@test()
def top_lists_all_programs_and_which_are_not_tracked(t):
    with Leaking(t, 60_000, "track=y,dump=none,log=error") as busy, \
            Target(t, "dump=none,log=error") as idle:
        rows = {row["pid"]: row for row in ddm_json(t, "top")["jvms"]}
        assert set(rows[busy.pid]) == {"pid", "app", "bytes_per_second", "heap_used_bytes", "live_bytes",
                                       "cpu_percent"}
        # 1,000 sessions with an array of 1,016 bytes, and the cache.
        assert rows[busy.pid]["bytes_per_second"] > 500_000, rows[busy.pid]
        assert rows[busy.pid]["heap_used_bytes"] > 1_000_000 and rows[busy.pid]["live_bytes"] is None
        assert rows[idle.pid]["bytes_per_second"] is None
        listed = ddm(t, "top", "--once")
        assert re.search(rf"{idle.pid} +\(not tracked\)", listed), listed
        os.kill(idle.pid, signal.SIGSTOP)
        try:
            listed = ddm(t, "top", "--once")
        finally:
            os.kill(idle.pid, signal.SIGCONT)
        assert re.search(rf"{idle.pid} +\(no answer\)", listed), listed
        assert re.search(rf"{busy.pid} .*MiB/s", listed), listed
    assert "no process" in ddm(t, "top", busy.pid, "--once", code=REFUSED)


@test()
def top_on_a_terminal_follows_writes_the_page_and_ends(t):
    with Leaking(t, 60_000, "track=y,dump=none,log=error") as target:
        lines, raw = shown_on_terminal(t, "top", target.pid, "-d", "0.3", keys=((1.5, "e"), (1.5, "q")))
        assert "Leaks$Session" in raw and "report written to ddm-" in raw, raw[-2000:]
        pages = [name for name in os.listdir(t.dir) if name.startswith(f"ddm-{target.pid}-")]
        assert len(pages) == 1 and pages[0].endswith(".html"), pages
        assert raw.rstrip().endswith("\x1b[?1l\x1b>") or "\x1b[?1049l" in raw[-200:], raw[-200:]


@test()
def top_of_all_shows_as_many_as_are_wanted_and_says_what_is_of_one(t):
    with Target(t, "dump=none,log=error") as first, Target(t, "dump=none,log=error") as second:
        lines = ddm(t, "top", "--once", "--top", "1").splitlines()
        assert len(lines) == 3 and re.fullmatch(r"\.\.\. \d+ more \(--top N shows more\)", lines[2]), lines
        listed = ddm(t, "top", "--once", "--top", "500")
        assert str(first.pid) in listed and str(second.pid) in listed and "more" not in listed
        assert "ddm top PID --by class" in ddm(t, "top", "--once", "--by", "class", code=USAGE)
        assert "ddm top PID --sort at" in ddm(t, "top", "--once", "--sort", "at", code=USAGE)
        assert "CPU %" in ddm(t, "top", first.pid, "--once", "--by", "class")


@test()
def a_key_shows_again_what_was_measured_and_does_not_measure(t):
    with Target(t, "dump=none,log=error") as target:
        # A program that is stopped answers no measurement, and none is due for a minute.
        stop = threading.Timer(4, os.kill, (target.pid, signal.SIGSTOP))
        stop.start()
        try:
            begin = time.monotonic()
            shown_on_terminal(t, "top", target.pid, "-d", "60", keys=((5, "x"), (1, "q")))
            assert time.monotonic() - begin < 40
        finally:
            stop.join()
            os.kill(target.pid, signal.SIGCONT)


@test()
def top_tells_what_has_died_of_a_sites_bytes(t):
    with Leaking(t, 60_000, "track=y,live=y,dump=none,log=error") as target:
        ddm(t, "gc", target.pid)
        ddm(t, "gc", target.pid)
        sites = ddm_json(t, "top", target.pid, "-d", "1")["sites"]
        # Sessions are kept, and of their cache the last 5,000.
        session, = [s for s in sites if s["class"] == "Leaks$Session"]
        assert session["died_percent"] == 0, session
        ends = time.monotonic() + 60
        while True:
            found = [s["died_percent"] for s in sites if s["class"] == "Leaks$Cached"]
            if found and found[0] is not None and 0 < found[0] < 100 or time.monotonic() > ends:
                break
            ddm(t, "gc", target.pid)
            sites = ddm_json(t, "top", target.pid, "-d", "1")["sites"]
        assert 0 < found[0] < 100, sites
        lines = ddm(t, "top", target.pid, "--once").splitlines()
        assert re.match(r" *BYTES/S\*  OBJECTS/S  DIED %  CLASS +AT$", lines[0]), lines
        assert [line for line in lines if re.match(r".*  0  Leaks\$Session +Leaks\.login\(", line)], lines
    with Leaking(t, 60_000, "track=y,dump=none,log=error") as target:
        time.sleep(1.5)
        ddm(t, "attach", target.pid, "live=y")  # of what came before nobody knows
        ddm(t, "gc", target.pid)
        assert {site["died_percent"] for site in ddm_json(t, "top", target.pid)["sites"]} == {None}


@test()
def top_on_a_terminal_has_threads_below_its_sites_and_sorts_by_keys(t):
    with Leaking(t, 60_000, "track=y,dump=none,log=error") as target:
        _, raw = shown_on_terminal(t, "top", target.pid, "-d", "1",
                                   keys=((3, "o"), (1, "d"), (1, "c"), (1, "a"), (1, "p"), (1, "q")))
        assert "sort by title: b o d c a" in raw and "paused" in raw, raw
        assert "CPU %" in raw and "main" in raw, raw
        assert raw.count("*") >= 5, "each of four keys marks another column"
        _, raw = shown_on_terminal(t, "top", target.pid, "-d", "1", columns=40, keys=((3, "q"),))
        assert re.search(r"at Leaks\$Session\.<init>\(Leaks\.java:\d+\)", raw) and "Integer.valueOf(:" in raw, raw


@test()
def top_where_nothing_can_be_drawn_prints_once_and_says_why(t):
    with Target(t, "dump=none,log=error") as target:
        for term, why in (("", "TERM is not set"), ("no-such-one", "the terminal 'no-such-one' is not known"),
                          ("dumb", "the terminal 'dumb' cannot move its cursor")):
            for words in (("top", target.pid), ("top",)):
                lines, raw = shown_on_terminal(t, *words, "-d", "0.1", env={"TERM": term})
                assert f"{why}: printed once," in " ".join(raw.split()), raw
                assert "CPU %" in raw and "Error opening" not in raw, raw
        lines, raw = shown_on_terminal(t, "top", target.pid, "--once", "-d", "0.1", env={"TERM": "dumb"})
        assert "printed once" not in raw and "CPU %" in raw, raw


@test()
def an_address_is_whole_in_a_list_of_programs_at_any_width(t):
    with Target(t, f"dump=none,log=error,name=com.example.shop.front.{'x' * 60}") as target:
        row, = [row for row in ddm_json(t, "ps") if row["pid"] == target.pid]
        for columns in (80, 40):
            lines, _ = shown_on_terminal(t, "ps", columns=columns)
            assert [line for line in lines if f" {row['address']} " in line], lines
