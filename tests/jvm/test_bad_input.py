"""Bad input gets a clear line and loses nothing."""
import json
import os
import shutil
import socket
import stat
import subprocess

from harness import AGENT, Report, test


@test()
def a_bad_option_names_itself_and_the_vm_does_not_start(t):
    for agent, words in (("trakc=y", ["trakc", "track", "dump"]),
                         ("records=lots", ["records", "lots", "1048576"]),
                         ("engine=jit", ["engine", "jit", "bci", "vm"]),
                         ("dump=r.pdf", ["dump", "r.pdf", ".html"])):
        run = t.java("Exits", "return", agent=agent, check=False)
        assert run.code != 0 and "ready" not in run.out, run
        ours = [line for line in run.err.splitlines() if line.startswith("ddmagent:")]
        assert len(ours) == 1, run
        assert all(word in ours[0] for word in words), ours


@test(min_jdk=25)
def quiet_and_log_error_say_nothing_where_nothing_fails(t):
    for options in ("quiet=y", "log=error"):
        dyper = f"dyper=unix:{t.path('dyper')}"
        run = t.java("Exits", "return", agent=f"{options},track=y,dump=none,{dyper}")
        assert run.err == "", run
    run = t.java("Exits", "return", agent="quiet=y,address=192.0.2.1:1", check=False)
    assert "192.0.2.1:1" in run.err, run  # what fails is said
    os.mkdir(t.path("tmp"))
    for asked, told in (("ring=/nonexistent/x.ring,track=y,dump=none", ["the records stay in memory"]),
                        ("suspend=y,address=none", ["suspend=y has no effect without a port"]),
                        ("server=n,address=none", ["server=n has no effect with address=none"]),
                        ("every=1", ["every=1 has no effect without dump=PATH"]),
                        ("dump=/nonexistent/x.jsonl", ["cannot write there"]),  # and where it will be
                        ("dump=/nonexistent/x.hprof", ["cannot write there", "cannot write /nonexistent/"])):
        run = t.java("Exits", "return", agent=f"quiet=y,{asked}", env={"TMPDIR": t.path("tmp")})
        lines = run.err.splitlines()
        assert len(lines) == len(told) and all(map(str.__contains__, lines, told)), run


@test(jdks="each")
def the_agent_given_twice_has_the_options_of_both(t):
    here = {"LD_LIBRARY_PATH": os.path.dirname(AGENT)}
    for first in (f"-agentpath:{AGENT}", "-agentlib:ddmagent"):
        run = t.java("Exits", "return", agent="records=7,dump=b.jsonl,cpu=times,methods=Exits.main", env={
            **here, "JAVA_TOOL_OPTIONS": f"{first}=track=y,records=5,address=none,dump=a.jsonl"})
        ours = [line for line in run.err.splitlines() if not line.startswith("Picked up ")]
        assert run.out == "ready\n" and not ours, run
        for name in ("a.jsonl", "b.jsonl"):
            report = Report(t.path(name))
            assert report.summary["recorded"] == 7 and report.methods, report.summary
            os.remove(t.path(name))
    # The later one decides what to write, and what is wrong with one of them is told.
    run = t.java("Exits", "return", agent="dump=none", env={
        "JAVA_TOOL_OPTIONS": f"-agentpath:{AGENT}=track=y,address=none,dump=a.jsonl"})
    assert not os.path.exists(t.path("a.jsonl")) and "llocations" not in run.err, run
    run = t.java("Exits", "return", agent="trakc=y", check=False, env={
        "JAVA_TOOL_OPTIONS": f"-agentpath:{AGENT}=address=none"})
    assert run.code == 1 and 'unknown option "trakc"' in run.err, run


@test(min_jdk=25)
def a_second_copy_of_the_agent_names_the_first(t):
    copy = shutil.copy(AGENT, t.path("libddmagent.so"))
    run = t.java("Exits", "return", agent="address=none,engine=bci,track=y,dump=none",
                 flags=[f"-agentpath:{copy}=address=none,engine=bci,track=y,dump=none"])
    lines = [line for line in run.err.splitlines() if "another copy of the agent" in line]
    assert len(lines) == 1 and run.out == "ready\n", run
    assert copy in lines[0] or AGENT in lines[0], run


@test()
def help_goes_to_stdout_and_the_vm_exits_with_0(t):
    run = t.java("Exits", "return", agent="help", check=False)
    assert run.code == 0 and "dump=PATH" in run.out and "ready" not in run.out, run
    assert run.err == "", run


@test()
def an_unwritable_path_costs_one_line_and_the_report_lands_elsewhere(t):
    os.mkdir(t.path("tmp"))
    run = t.java("Exits", "return", agent="engine=vm,address=none,dump=/nonexistent/r.jsonl",
                 env={"TMPDIR": t.path("tmp")})
    assert run.out == "ready\n"
    assert "/nonexistent/r.jsonl" in run.err and t.path("tmp/r.jsonl") in run.err, run
    assert sum(r["class"] == "Exits$Mark" for r in Report(t.path("tmp/r.jsonl")).records) == 10


@test()
def a_full_disk_leaves_the_former_report_and_the_new_one_lands_elsewhere(t):
    full = t.path("full")
    os.makedirs(full)
    os.mkdir(t.path("tmp"))
    # 64 KiB are less than any report of this program.
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", full],
                             capture_output=True)
    if mounted.returncode != 0:  # not root: a limit on file sizes fails the write just so
        with open(os.path.join(full, "r.jsonl"), "w") as f:
            f.write("former")
        line = ["bash", "-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "-", t.jdk.java,
                "-XX:-UsePerfData", f"-agentpath:{AGENT}=engine=vm,address=none,dump={full}/r.jsonl",
                "-cp", t.classes(), "Exits", "return"]
        run = t.command(line, env={"TMPDIR": t.path("tmp")})
        assert run.code == 0 and f"{full}/r.jsonl" in run.err, run
        with open(os.path.join(full, "r.jsonl")) as f:
            assert f.read() == "former"
        return
    try:
        with open(os.path.join(full, "r.jsonl"), "w") as f:
            f.write("former")
        run = t.java("Exits", "return", agent=f"engine=vm,address=none,dump={full}/r.jsonl",
                     env={"TMPDIR": t.path("tmp")})
        assert run.out == "ready\n"
        assert f"{full}/r.jsonl" in run.err and t.path("tmp/r.jsonl") in run.err, run
        with open(os.path.join(full, "r.jsonl")) as f:
            assert f.read() == "former"
        assert os.listdir(full) == ["r.jsonl"]
        report = Report(t.path("tmp/r.jsonl"))
        assert sum(r["class"] == "Exits$Mark" for r in report.records) == 10
    finally:
        subprocess.run(["umount", full], check=True)


@test()
def a_taken_port_costs_one_line_and_the_program_runs_on(t):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        run = t.java("Exits", "return", agent=f"address=127.0.0.1:{port}")
    assert run.out == "ready\n"
    lines = run.err.splitlines()
    assert len(lines) == 1 and str(port) in lines[0] and lines[0].startswith("ddmagent:"), run


@test()
def the_agent_says_where_it_listens_and_leaves_nothing_behind(t):
    os.mkdir(t.path("run"), 0o700)
    process = t.popen("Exits", "wait", agent="", env={**os.environ, "XDG_RUNTIME_DIR": t.path("run")})
    assert process.stdout.readline() == "ready\n"
    path = t.path(f"run/ddm/{process.pid}")
    with open(path) as f:
        facts = json.load(f)
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert facts["pid"] == process.pid and facts["app"] == "Exits"
    _, err = process.communicate("\n", timeout=30)
    assert err == f"ddmagent: pid {process.pid} listening on {facts['address']}\n", err
    assert os.listdir(t.path("run/ddm")) == []


@test()
def a_walker_that_cannot_serve_is_told_and_another_serves(t):
    run = t.java("Exits", "return", agent="walker=asgct,address=none,dump=r.jsonl")
    lines = [line for line in run.err.splitlines() if line.startswith("ddmagent:")]
    assert len(lines) == 1 and "asgct" in lines[0] and "walker=auto" in lines[0], run
    assert Report(t.path("r.jsonl")).summary["walker"] in ("vm", "jvmti")
