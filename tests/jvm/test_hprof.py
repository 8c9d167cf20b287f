"""libhprof.so: hprof's command lines, its text and binary output, SIGQUIT, and the commands of net=."""
import os
import re
import signal
import socket
import struct
import time

from dumped_sites import (check_stacks_of_threads, rows_of as dumped_rows, seen as dumped,
                          tool_rows, truth as dumped_truth)
from harness import AGENT, test
from hprof_reader import HprofBinary, HprofHeap, HprofText, alive_at, made_at
from hprof_runs import HPROF, LIBRARIES, Running, Tool, check, run, truth_of, wait_for
from tool import ddm_json


@test(every_days=4)
def hprofs_text_report_has_every_site_with_the_programs_own_figures(t):
    for engine in ("vm", "bci"):
        for what, n in (("kinds", 2000), ("deep", 100)):
            out = t.java("Sites", what, str(n), agent=f"engine={engine},dump=r.hprof.txt,address=none").out
            text = HprofText(t.path("r.hprof.txt"))
            (sites,) = text.dumps
            check(sites, out)
            assert any(name == "main" for name, _ in text.threads.values()), text.threads


@test()
def old_command_lines_run_unchanged_and_count_what_the_program_made(t):
    for what, n, depth in (("kinds", 2000, 8), ("threads", 3000, 4), ("deep", 100, 110), ("constructors", 2000, 3)):
        result = run(t, f"heap=sites,depth={depth},cutoff=0,file=x.txt", "Sites", what, str(n))
        text = HprofText(t.path("x.txt"))
        (sites,) = text.dumps
        check(sites, result.out)
        deepest = max(len(s.stack) for s in sites)
        assert deepest <= depth and (depth > 100 or deepest == depth), (deepest, depth)
        main = next(id for id, (name, group) in text.threads.items() if (name, group) == ("main", "main"))
        if what == "threads":
            own = [id for id, (name, _) in text.threads.items() if name.startswith("Thread-")]
            assert len(own) == 4 and set(own) <= set(text.ended), (text.threads, text.ended)
        assert main in text.ended
        assert result.err.count("\n") == 1 and "dumped to x.txt (exit)" in result.err, result.err


@test(gc=("serial", "g1", "zgc"), every_days=4)
def live_columns_are_what_the_program_keeps_and_order_the_sites(t):
    result = run(t, "heap=sites,cutoff=0,file=x.txt", "Sites", "live", "6000")
    text = HprofText(t.path("x.txt"))
    assert text.orders == ["live"]
    live = [s.live_bytes for s in text.dumps[0]]
    assert live == sorted(live, reverse=True)
    for kind, method, count, size in truth_of(result.out):
        assert alive_at(text.dumps[0], kind, method)[0] == count, (kind, alive_at(text.dumps[0], kind, method))
    assert made_at(text.dumps[0], "Sites$Leaf", "live")[0] == 18000
    assert made_at(text.dumps[0], "Sites$Copied", "live")[0] == 6000
    result = run(t, "heap=sites,format=b,cutoff=0,file=x.hprof", "Sites", "live", "6000")
    with open(t.path("x.hprof"), "rb") as f:
        binary = HprofBinary(f.read())
    for kind, method, count, size in truth_of(result.out):
        assert alive_at(binary.dumps[0], kind, method)[0] == count
    assert binary.flags[0][0] == 0
    # Churn has no live share, and is not hidden by the default cutoff.
    run(t, "heap=sites,file=x.txt", "Sites", "live", "6000")
    assert made_at(HprofText(t.path("x.txt")).dumps[0], "Sites$Copied", "live")[0] == 6000


@test()
def sites_of_each_thread_stand_apart_when_asked_for(t):
    run(t, "heap=sites,thread=y,depth=3,cutoff=0,file=x.txt", "Sites", "threads", "2000")
    text = HprofText(t.path("x.txt"))
    own = {id for id, (name, _) in text.threads.items() if name.startswith("Thread-")}
    found = [s for s in text.dumps[0] if s.kind == "Sites$Leaf" and s.stack[:1] == ["Sites.leaves"]]
    assert {text.thread_of[s.trace] for s in found} == own and len(own) == 4, (own, text.thread_of)
    assert all((s.count, len(s.stack)) == (2000, 3) for s in found)
    run(t, "heap=sites,thread=y,format=b,cutoff=0,file=x.hprof", "Sites", "threads", "2000")
    with open(t.path("x.hprof"), "rb") as f:
        binary = HprofBinary(f.read())
    found = [s for s in binary.dumps[0] if s.kind == "Sites$Leaf" and s.stack[:1] == ["Sites.leaves"]]
    assert len({binary.thread_of[s.trace] for s in found}) == 4 and all(s.count == 2000 for s in found)


@test()
def names_and_files_are_chosen_as_hprof_chose_them(t):
    result = run(t, "", "Sites", "kinds", "100")
    text = HprofText(t.path("java.hprof.txt"))
    assert text.dumps and text.heaps and result.err.count("\n") == 1, result.err
    result = run(t, "heap=sites,force=n,verbose=n", "Sites", "kinds", "100")
    beside = [f for f in os.listdir(t.dir) if re.fullmatch(r"java\.hprof\.txt\.\d+", f)]
    assert len(beside) == 1 and HprofText(t.path(beside[0])).dumps and not result.err, result.err
    assert run(t, "heap=sites,doe=n", "Sites", "kinds", "100").err == ""
    assert HprofText(t.path("java.hprof.txt")).dumps == []
    env = {"_JAVA_HPROF_OPTIONS": "file=y.txt,lineno=n,depth=2"}
    run(t, "heap=sites,cutoff=0", "Sites", "kinds", "100", env=env)
    text = HprofText(t.path("y.txt"))
    assert {line for frames in text.frames.values() for _, _, line in frames} <= {"Unknown line", "Native method"}
    assert max(map(len, text.frames.values())) == 2
    result = t.command([t.jdk.java, *t.vm_flags(), f"-agentpath:{HPROF}=heap=sites,file=z.txt", "-cp",
                        t.classes(), "Sites", "kinds", "100"])
    assert result.code == 0 and HprofText(t.path("z.txt")).dumps


# Those of hprof's own help, and each of its options once; what stands in the file then.
COMMAND_LINES = {
    "cpu=samples,interval=20,depth=3": ("samples",),
    "heap=sites": ("dumps",),
    "heap=dump": ("heaps",),
    "heap=all": ("heaps", "dumps"),
    "cpu=y": ("samples",),
    "cpu=times": ("times",),
    "cpu=old": ("callers",),
    "monitor=y": ("monitors", "monitor_dumps"),
    "heap=sites,cpu=samples,monitor=y,format=a,interval=10": ("dumps", "samples", "monitors", "monitor_dumps"),
    "heap=all,cpu=times,lineno=n,thread=y,cutoff=0.0001,depth=4": ("heaps", "dumps", "times"),
    "heap=sites,doe=n": (),
    "doe=y,msa=y,gc_okay=y,verbose=y,force=y": ("heaps", "dumps"),
}
SECTIONS = ("heaps", "dumps", "samples", "times", "callers", "monitors", "monitor_dumps")
BINARY_COMMAND_LINES = {
    "format=b": (1, 1, 0),
    "heap=sites,format=b": (0, 1, 0),
    "heap=dump,format=b": (1, 0, 0),
    "cpu=samples,format=b": (0, 0, 1),
    "heap=all,cpu=samples,format=b,thread=y,lineno=n": (1, 1, 1),
}


@test(timeout=240, every_days=5)
def every_command_line_of_hprofs_help_runs_and_writes_what_it_asks_for(t):
    plain = t.java("Sites", "kinds", "500").out
    for options, sections in COMMAND_LINES.items():
        result = run(t, options, "Sites", "kinds", "500")
        assert result.out == plain, (options, result)
        text = HprofText(t.path("java.hprof.txt"))
        found = {name: len(getattr(text, name)) for name in SECTIONS}
        assert found == {name: int(name in sections) for name in SECTIONS}, (options, found)
        assert result.err.count("\n") == (1 if sections else 0), (options, result.err)
    for options, wanted in BINARY_COMMAND_LINES.items():
        result = run(t, options, "Sites", "kinds", "500")
        assert result.out == plain and result.err.count("\n") == 1, (options, result)
        with open(t.path("java.hprof"), "rb") as f:
            binary = HprofBinary(f.read())
        assert not binary.buffer and len(binary.settings) == 1
        assert (binary.count(0x2C), len(binary.dumps), len(binary.samples)) == wanted, (options, binary.records[-5:])


@test()
def xrunhprof_is_the_same(t):
    result = t.command([t.jdk.java, *t.vm_flags(), "-Xrunhprof:heap=sites,depth=32,cutoff=0,file=x.txt", "-cp",
                        t.classes(), "Sites", "kinds", "1000"], env=LIBRARIES)
    assert result.code == 0, result
    check(HprofText(t.path("x.txt")).dumps[0], result.out)


@test()
def help_and_wrong_options_end_the_vm_as_hprof_did(t):
    result = run(t, "help", "Sites", "kinds", "1")
    assert result.code == 0 and "heap=dump|sites|all" in result.out and not result.err, result
    assert "Sites$Leaf" not in result.out
    for options, word in (("heap=some", '"some"'), ("nonsense=1", '"nonsense"'), ("net=x,file=y", "net"),
                          ("format=b,monitor=y", "format=b")):
        result = run(t, options, "Sites", "kinds", "1", check=False)
        assert result.code != 0 and word in result.err and "ddmagent: hprof: " in result.err, result


@test()
def a_file_that_cannot_be_written_is_one_line_and_the_program_runs_on(t):
    result = run(t, "heap=sites,file=no/such/x.txt", "Sites", "kinds", "100")
    assert truth_of(result.out) and result.err.count("\n") == 1 and "no/such/x.txt" in result.err, result


@test(timeout=240)
def seventy_arrays_of_sixty_four_mebibytes_do_not_wrap_round(t):
    result = run(t, "heap=sites,file=x.txt", "Sites", "big", "70", flags=["-Xmx320m"])
    assert made_at(HprofText(t.path("x.txt")).dumps[0], "long[]", "big") == (70, 4697620480)
    result = run(t, "heap=sites,format=b,file=x.hprof", "Sites", "big", "70", flags=["-Xmx320m"])
    with open(t.path("x.hprof"), "rb") as f:
        binary = HprofBinary(f.read())
    assert made_at(binary.dumps[0], "long[]", "big") == (70, 0xFFFFFFFF)
    assert binary.totals[0][1] > 4697620480


@test()
def binary_sites_count_what_the_program_made(t):
    for what, n in (("kinds", 2000), ("threads", 3000), ("deep", 100)):
        result = run(t, "heap=sites,format=b,depth=64,cutoff=0,file=x.hprof", "Sites", what, str(n))
        with open(t.path("x.hprof"), "rb") as f:
            binary = HprofBinary(f.read())
        assert not binary.buffer and len(binary.dumps) == 1 and binary.settings == [(1, 64)]
        check(binary.dumps[0], result.out)
        assert sum(s.count for s in binary.dumps[0]) == binary.totals[0][0]
        assert binary.count(0x0A) >= 5  # threads


@test()
def a_binary_heap_dump_stands_before_its_sites(t):
    run(t, "format=b", "Sites", "kinds", "1000")
    with open(t.path("java.hprof"), "rb") as f:
        binary = HprofBinary(f.read())
    tags = [tag for tag, _ in binary.records]
    assert not binary.buffer and 0x1C in tags and tags.index(0x2C) < tags.index(0x06)
    run(t, "heap=dump,format=b,file=d.hprof", "Sites", "kinds", "1000")
    with open(t.path("d.hprof"), "rb") as f:
        dump = HprofBinary(f.read())
    assert dump.count(0x1C) > 0 and dump.count(0x2C) == 1 and not dump.dumps
    assert sorted(f for f in os.listdir(t.dir) if "hprof" in f) == ["d.hprof", "java.hprof"]


@test(gc=("serial", "g1", "zgc"), timeout=240, every_days=5)
def the_objects_of_a_heap_dump_have_the_stacks_of_their_allocations(t):
    n = 300
    some = any(name in " ".join(t.vm_flags()) for name in ("ZGC", "Shenandoah"))  # no collection at the exit

    def check_truth(rows):
        found, wanted = dumped(rows), dumped_truth(n)
        assert found == wanted or some and all(found.get(site, 0) >= count for site, count in wanted.items()), found

    for what in ("dump", "all"):
        run(t, f"heap={what},format=b,depth=16,cutoff=0,file=x.hprof", "Dumped", "end", str(n))
        heap = HprofHeap(t.path("x.hprof"), stream=True)
        check_truth(dumped_rows(heap))
        check_stacks_of_threads(heap)
        assert max(len(stack) for _, stack in heap.sites()) <= 16
        shown = ddm_json(t, "sites", t.path("x.hprof"))  # which reads these, too
        assert shown["count"] == heap.count
        check_truth(tool_rows(shown))
    with open(t.path("x.hprof"), "rb") as f:
        (sites,) = HprofBinary(f.read()).dumps
    # The table of sites names the same stacks.
    of_trace = {}
    for kind, trace, _ in heap.objects.values():
        of_trace[kind, trace] = of_trace.get((kind, trace), 0) + 1
    own = [s for s in sites if s.kind == "Dumped$Box" and "Dumped.keep" in s.stack]
    assert len(own) == 4 and (some or all(s.live_count == of_trace.get((s.kind, s.trace), 0) for s in own)), of_trace
    run(t, "heap=dump,depth=16,file=x.txt", "Dumped", "end", str(n))
    text = HprofText(t.path("x.txt"))
    rows = {}
    for id, (kind, _, _) in text.heaps[0].items():
        stack = tuple(frame[0] for frame in text.frames[text.heap_traces[0][id]])
        rows[kind, stack] = rows.get((kind, stack), 0) + 1
    check_truth([(kind, stack, count) for (kind, stack), count in rows.items() if stack])
    # Cut to the depth, and apart by threads, as the sites are.
    run(t, "heap=dump,format=b,depth=2,thread=y,file=y.hprof", "Dumped", "end", str(n))
    heap = HprofHeap(t.path("y.hprof"), stream=True)
    traces = {trace for kind, trace, _ in heap.objects.values() if kind == "Dumped$Box"}
    assert {tuple(frame[0] for frame in heap.stacks[trace]) for trace in traces} == {
        ("Dumped.north", "Dumped.keep"), ("Dumped.north", "Dumped.west"), ("Dumped.south", "Dumped.keep")}
    assert len({heap.thread_of[trace] for trace in traces} - {0}) == 1


@test()
def each_of_several_heap_dumps_in_a_file_finds_its_stacks(t):
    with Running(t, "heap=dump,depth=8,file=x.txt", "Sites", "heap", "500") as program:
        os.kill(program.process.pid, signal.SIGQUIT)
        wait_for(program, t.path("x.txt"), "\nHEAP DUMP END\n", 1)
        code, _, err = program.end()
        assert code == 0 and err.count("dumped to x.txt") == 2, err
    text = HprofText(t.path("x.txt"))
    assert len(text.heaps) == 2
    for heap, traces in zip(text.heaps, text.heap_traces):
        leaves = [text.frames[traces[id]][0][0] for id, (kind, _, _) in heap.items() if kind == "Sites$Leaf"]
        assert leaves == ["Sites.heap"] * 500


@test(flags=[(), ("-XX:-UseCompressedOops", "-XX:ObjectAlignmentInBytes=16")], daily=1, every_days=5)
def a_heap_dump_in_text_has_each_object_with_its_size_and_references(t):
    run(t, "heap=dump,file=d.txt", "Sites", "heap", "1000")
    text = HprofText(t.path("d.txt"))
    (heap,) = text.heaps
    assert not text.dumps
    (holder,) = [id for id, (kind, _, _) in heap.items() if kind == "Sites$Holder"]
    kept, todo = {}, [holder]
    while todo:
        id = todo.pop()
        kind, size, refers = heap[id]
        kept.setdefault(kind, []).append(size)
        todo += refers
    assert {kind: len(sizes) for kind, sizes in kept.items()} == {
        "Sites$Holder": 1, "Sites$Leaf[]": 1, "Sites$Leaf": 1000, "byte[][]": 1, "byte[]": 7, "long[][]": 1,
        "long[]": 5}
    t.java("Sites", "heap", "1000", agent="dump=r.hprof.txt,address=none")
    for kind, sizes in kept.items():  # as they were when they were made
        made = [s for s in HprofText(t.path("r.hprof.txt")).dumps[0] if s.kind == kind and s.stack[:1] == ["Sites.heap"]]
        # One of its sites; string constants are made there too.
        assert (len(sizes), sum(sizes)) in [(s.count, s.bytes) for s in made], kind


@test()
def kill_quit_writes_a_dump_and_the_program_goes_on(t):
    with Running(t, "heap=sites,cutoff=0,depth=8,file=x.txt", "Sites", "kinds", "1000") as program:
        for dumps in (1, 2):
            os.kill(program.process.pid, signal.SIGQUIT)
            wait_for(program, t.path("x.txt"), "\nSITES END\n", dumps)
            check(HprofText(t.path("x.txt")).dumps[-1], program.out)
        code, out, err = program.end()
        assert code == 0 and "Full thread dump" in out, (code, out, err)
        assert err.count("dumped to x.txt (SIGQUIT)") == 2 and err.count("(exit)") == 1, err
    text = HprofText(t.path("x.txt"))
    assert len(text.dumps) == 3
    for sites in text.dumps:
        check(sites, program.out)


@test()
def every_command_of_net_is_answered_and_an_unknown_one_is_skipped(t):
    tool = Tool()
    options = f"heap=sites,format=b,depth=8,cutoff=0,net=127.0.0.1:{tool.port}"
    with Running(t, options, "Sites", "kinds", "1000") as program:
        tool.accept()
        stream = tool.stream
        tool.ask(1, 0x07)                                         # a GC, then the totals
        tool.ask(4, 0x07)
        assert stream.summaries[-1][3] > 1000 and stream.summaries[-1][2] > stream.summaries[-1][3]
        tool.ask(3, 0x06, struct.pack(">Hf", 2, 0))
        check(stream.dumps[-1], program.out)
        assert max(len(s.stack) for s in stream.dumps[-1]) == 8
        tool.command(200, b"x" * 100_000)                         # unknown
        tool.ask(3, 0x06, struct.pack(">Hf", 4, 0.01))            # after a GC; only large sites
        assert stream.flags[-1][0] & 4 and abs(stream.flags[-1][1] - 0.01) < 1e-6
        assert 0 < len(stream.dumps[-1]) < len(stream.dumps[0])
        tool.ask(2, 0x2C)                                         # the heap
        assert stream.count(0x1C) > 0
        with open(t.path("net.hprof"), "wb") as f:
            f.write(tool.raw)
        heap = HprofHeap(t.path("net.hprof"), stream=True, told_before=True)
        assert any("Sites.main" in stack for _, stack in heap.sites())
        tool.ask(7, 0x0D)
        tool.ask(8, 0x0E, struct.pack(">HH", 7, 2))               # depth
        assert stream.settings[-1] == (1, 2)
        tool.command(6)                                           # traces, of the new depth
        tool.ask(3, 0x06, struct.pack(">Hf", 0, 0))
        assert max(len(s.stack) for s in stream.dumps[-1]) == 2
        tool.ask(8, 0x0E, struct.pack(">H", 2))                   # allocation traces off, and on
        assert stream.settings[-1] == (0, 2)
        tool.ask(8, 0x0E, struct.pack(">H", 1))
        assert stream.settings[-1] == (1, 2)
        tool.ask(8, 0x0E, struct.pack(">H", 6))
        tool.ask(8, 0x0E, struct.pack(">HI", 3, 0))               # CPU sampling on, and off
        assert stream.settings[-1] == (3, 2)
        tool.ask(7, 0x0D)
        tool.ask(8, 0x0E, struct.pack(">HI", 4, 0))
        assert stream.settings[-1] == (1, 2)
        tool.ask(8, 0x0E, struct.pack(">H", 5))
        assert program.process.poll() is None
        dumps = len(stream.dumps)
        tool.command(5)                                           # exit, with the data of the exit
        tool.read_to_end()
        assert len(stream.dumps) == dumps + 1 and not stream.buffer
        code, _, err = program.end()
        assert code == 0, (code, err)
        assert err.count("command 200") == 1 and err.count("CPU samples are not taken") == 1, err


@test()
def text_goes_over_net_too_and_what_does_not_is_told(t):
    for options in ("heap=sites", "heap=dump"):
        tool = Tool()
        with Running(t, f"{options},depth=16,cutoff=0,net=127.0.0.1:{tool.port}", "Sites", "kinds", "1000") as program:
            tool.accept()
            tool.command(4)                                       # nothing that text has a place for
            tool.command(3, struct.pack(">Hf", 2, 0))
            data = tool.read_all(until=b"SITES END\n")
            code, _, err = program.end()
            data += tool.read_all()
        assert code == 0 and err.count("command 4 has an answer with format=b only") == 1, (code, err)
        assert err.count("net= carries a heap dump with format=b only") == (options == "heap=dump"), err
        with open(t.path("net.txt"), "wb") as f:
            f.write(data)
        text = HprofText(t.path("net.txt"))
        assert text.orders == ["allocated", "live"] and not text.heaps
        for sites in text.dumps:
            check(sites, program.out)


@test()
def the_program_runs_on_without_its_tool(t):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = run(t, f"heap=sites,format=b,net=127.0.0.1:{port}", "Sites", "kinds", "100")
    assert truth_of(result.out) and result.err.count("the program goes on") <= 1, result
    tool = Tool()
    with Running(t, f"heap=sites,net=127.0.0.1:{tool.port}", "Sites", "kinds", "100") as program:
        tool.accept()
        assert tool.socket.recv(12) == b"JAVA PROFILE"
        tool.socket.close()
        time.sleep(0.3)
        code, _, err = program.end()
        assert code == 0 and err.count("the program goes on") == 1, (code, err)
    tool = Tool()  # that does not read
    with Running(t, f"heap=dump,format=b,net=127.0.0.1:{tool.port}", "Sites", "big", "1") as program:
        tool.accept()
        code, _, err = program.end(timeout=60)
        assert code == 0 and "is cut off" in err, (code, err)
        tool.socket.close()


@test()
def a_running_program_can_be_given_it_late(t):
    process = t.popen("Sites", "kinds", "10", "wait", flags=["-XX:+EnableDynamicAgentLoading"])
    try:
        while process.stdout.readline() != "made\n":
            pass
        path = t.path("late.txt")
        for options, answer in (("heap=nothing", "return code: -1"), (f"heap=sites,file={path}", "return code: 0")):
            assert answer in (told := t.jcmd(process.pid, "JVMTI.agent_load", HPROF, f'"{options}"')), told
        told = t.jcmd(process.pid, "JVMTI.agent_load", AGENT, '"track=n"')  # the same agent
        assert "return code: 0" in told, told
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0 and '"nothing" is not one of' in err, err
    assert len(HprofText(path).dumps) == 1
    with open(path, encoding="utf-8") as f:
        assert "everything\nsince the library was loaded, \"live\" what" in f.read()
