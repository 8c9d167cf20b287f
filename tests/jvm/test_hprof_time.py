"""libhprof.so's cpu= and monitor=, and the same tables by dump=x.hprof.txt, against the programs' own truth."""
import os
import re
import signal
import time

from cpu_shares import PARTS, shares_come_to, truth_of
from harness import test
from hprof_reader import HprofBinary, HprofText
from hprof_runs import Running, Tool, run, wait_for
from measured import best_of


def shares(rows):
    """{part: samples} of (count, stack)."""
    return {part: sum(count for count, stack in rows if f"CpuShares.{part}" in stack) for part in PARTS}


@test(timing=True)
def cpu_samples_shows_the_cpu_as_the_program_used_it_in_text_and_binary(t):
    def text():
        result = run(t, "cpu=samples,interval=2,depth=8,cutoff=0,file=x.txt", "CpuShares", "1500")
        file = HprofText(t.path("x.txt"))
        ((total, rows),) = file.samples
        assert total == sum(count for _, count, _, _ in rows) and not file.dumps and not file.heaps
        return shares([(count, stack) for _, count, stack, _ in rows]), truth_of(result.out)

    def binary():
        result = run(t, "cpu=samples,interval=2,depth=8,cutoff=0,format=b,file=x.hprof", "CpuShares", "1500")
        with open(t.path("x.hprof"), "rb") as f:
            file = HprofBinary(f.read())
        assert not file.buffer and file.settings == [(2, 8)] and not file.dumps
        ((total, rows),) = file.samples
        assert total == sum(count for count, _ in rows)
        return shares(rows), truth_of(result.out)

    shares_come_to(4, text)
    shares_come_to(4, binary)
    run(t, "cpu=samples,cutoff=0.3,file=x.txt", "CpuShares", "500")
    ((_, rows),) = HprofText(t.path("x.txt")).samples
    assert all(share >= 30 for share, *_ in rows), rows


def truth_of_calls(out):
    return {name: int(calls) for name, calls, _ in (line.split() for line in out.splitlines())}


def calls_in(rows, name):
    return sum(count for _, count, stack, _ in rows if stack[:1] == [name])


@test()
def cpu_times_counts_every_call_under_its_callers(t):
    out = run(t, "cpu=times,depth=6,cutoff=0,file=x.txt", "Calls", "counts").out
    text = HprofText(t.path("x.txt"))
    ((_, rows),) = text.times
    for name, calls in truth_of_calls(out).items():
        assert calls_in(rows, name) == calls, (name, calls_in(rows, name), calls)
    assert any(count == 100 and stack == ["Calls.thrower", "Calls.catcher", "Calls.counts", "Calls.main"]
               for _, count, stack, _ in rows), rows
    recursion = [stack for _, _, stack, name in rows if name == "Calls.fib" and len(stack) == 6]
    assert recursion and all(set(stack) <= {"Calls.fib", "Calls.counts", "Calls.main"} for stack in recursion)
    places = {(f[1], f[2]) for frames in text.frames.values() for f in frames}
    assert places == {("Calls.java", "Unknown line")}, places
    # The agent's own name for the same: no cutoff, whole stacks.
    out = t.java("Calls", "counts", agent="cpu=times,dump=r.hprof.txt,address=none").out
    text = HprofText(t.path("r.hprof.txt"))
    ((_, rows),) = text.times
    assert not text.dumps
    for name, calls in truth_of_calls(out).items():
        assert calls_in(rows, name) == calls, name
    assert sum(count for _, count, stack, _ in rows if stack[:2] == ["Calls.even", "Calls.counts"]) == 1


@test()
def cpu_times_measures_as_the_program_does_and_survives_virtual_threads(t):
    def attempt():
        out = run(t, "cpu=times,depth=4,cutoff=0,file=x.txt", "Calls", "clock").out
        ((total, rows),) = HprofText(t.path("x.txt")).times
        outer = sum(int(line.split()[1]) for line in out.splitlines() if line.startswith("outer ")) / 1e6
        inside = sum(share for share, _, stack, _ in rows if "Calls.outer" in stack) * total / 100
        assert abs(inside - outer) <= 0.05 * outer, (inside, outer)

    best_of(3, attempt)
    if t.jdk.major >= 21:  # here hprof crashed
        out = run(t, "cpu=times,cutoff=0,file=v.txt", "Calls", "virtual").out
        ((_, rows),) = HprofText(t.path("v.txt")).times
        for name, calls in truth_of_calls(out).items():
            assert calls_in(rows, name) == calls, (name, calls_in(rows, name), calls)


@test()
def a_call_that_lasts_over_dumps_is_in_each_with_its_time_since_the_one_before(t):
    with Running(t, "cpu=times,cutoff=0,file=x.txt", "Naps") as program:
        for dumps in (1, 2):
            time.sleep(0.5)
            os.kill(program.process.pid, signal.SIGQUIT)
            wait_for(program, t.path("x.txt"), "\nCPU TIME (ms) END\n", dumps)
        time.sleep(0.5)
        code, out, err = program.end()
    assert code == 0, err
    napped = int(re.search(r"^napped (\d+)$", out, re.M)[1])
    naps = [[(share * total / 100, count) for share, count, _, name in rows if name == "Naps.nap"]
            for total, rows in HprofText(t.path("x.txt")).times]
    assert [[count for _, count in dump] for dump in naps] == [[1], [0], [0]], naps
    times = [dump[0][0] for dump in naps]
    # What passes while a dump is written is in none.
    assert min(times) > 450 and napped * 0.7 < sum(times) < napped + 5, (times, napped)


@test()
def cpu_old_lists_callees_with_their_callers(t):
    run(t, "cpu=old,cutoff=0,file=x.txt", "Calls", "counts")
    (pairs,) = HprofText(t.path("x.txt")).callers
    calls = {(callee, caller): count for count, callee, caller, _ in pairs}
    assert calls["Calls.thrower(I)V", "Calls.catcher()V"] == 100, calls
    assert calls["Calls.thrower(I)V", "Calls.thrower(I)V"] == 900
    assert calls["Calls.even(I)V", "Calls.counts()V"] == 1
    assert calls["Calls.main([Ljava/lang/String;)V", "<unknown caller>"] == 1


@test(timing=True)
def monitor_time_is_what_threads_waited_to_enter(t):
    def attempt():
        out = run(t, "monitor=y,depth=4,cutoff=0,file=x.txt", "Contended", "3", "30", "3").out
        truth = int(out.split()[1]) / 1e6
        text = HprofText(t.path("x.txt"))
        ((total, rows),) = text.monitors
        tills = [(share, count) for share, count, stack, name in rows
                 if name == "Contended$Till (Java)" and "Contended.pay" in stack]
        waited = sum(share for share, _ in tills) * total / 100
        assert abs(waited - truth) <= 0.05 * truth, (waited, truth)
        assert 3 <= sum(count for _, count in tills) <= 90, tills
        assert not [row for row in rows if "Object[]" in row[3]], "waiting on a monitor is not entering it"
        out = t.java("Contended", "3", "30", "3", agent="monitor=y,dump=r.hprof.txt,address=none").out
        ((total, rows),) = HprofText(t.path("r.hprof.txt")).monitors
        truth = int(out.split()[1]) / 1e6
        assert abs(total - truth) <= 0.05 * truth + 1, (total, truth)

    best_of(3, attempt)


@test()
def a_monitor_dump_names_who_holds_and_who_waits(t):
    with Running(t, "monitor=y,depth=4,file=x.txt", "Held") as program:
        os.kill(program.process.pid, signal.SIGQUIT)
        wait_for(program, t.path("x.txt"), "\nMONITOR DUMP END\n", 1)
        code, _, err = program.end()
        assert code == 0 and "(SIGQUIT)" in err, (code, err)
    text = HprofText(t.path("x.txt"))
    number = {name: id for id, (name, _) in text.threads.items()}
    threads, monitors = text.monitor_dumps[0]
    assert threads[number["holder"]][1] == "SL" and threads[number["enters"]][1] == "MW"
    assert threads[number["waits"]][1] == "CW" and "Held.hold" in threads[number["holder"]][0]
    gate = next(m for m in monitors if m[0] == "Held$Gate")
    assert gate == ("Held$Gate", number["holder"], 2, [number["enters"]], []), (gate, number)
    if t.jdk.major < 23:  # later VMs do not say on what a thread waits
        bell = next(m for m in monitors if m[0] == "Held$Bell")
        assert bell == ("Held$Bell", None, 0, [], [number["waits"]]), bell
    # The gong is held, so that all VMs tell who waits for it.
    gong = next(m for m in monitors if m[0] == "Held$Gong")
    assert gong == ("Held$Gong", number["holder"], 1, [number["hears"]], [number["listens"]]), (gong, number)
    assert len(text.monitor_dumps) == 2
    # The agent's own threads have ended, and never began.
    assert text.ended and set(text.ended) <= set(text.threads), (text.ended, text.threads)


@test()
def sampling_over_net_is_switched_and_read_by_command(t):
    tool = Tool()
    with Running(t, f"cpu=samples,interval=1,format=b,depth=4,net=127.0.0.1:{tool.port}", "Held", "spin") as program:
        tool.accept()
        end = time.monotonic() + 60
        # What the program does until it spins is sampled, too.
        while not (tool.stream.samples and tool.stream.samples[-1][0] > 50
                   and any("Held.spin" in stack for _, stack in tool.stream.samples[-1][1])):
            assert time.monotonic() < end, tool.stream.samples
            tool.ask(7, 0x0D)
            time.sleep(0.1)
        tool.command(5)
        tool.read_to_end()
        assert program.end()[0] == 0
