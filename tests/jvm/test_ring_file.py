"""ring=PATH: what was recorded outlives the program, however it ends."""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time

from ddm_client import Target
from harness import PRESET, ROOT, Report, test
from probed import PROGRAM, tell

DDM = os.path.join(ROOT, "build", PRESET, "bin", "ddm")
ENGINES = ("bci", "vm")
THREADS = 3


class Directory:
    """One on tmpfs."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="ddm-ring-", dir="/dev/shm")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def file(self, name):
        return os.path.join(self.path, name)


def recover(t, ring, report=None):
    """What `ddm recover --json` says; with `report`, also the report that it writes there."""
    done = t.command([DDM, "recover", ring, "--json"] + (["-o", report] if report else []))
    assert done.code == 0 and not done.err, done
    return json.loads(done.out)


def recovered_in(t, ring, report=None):
    """(what recover() says, the CPU seconds that it took)."""
    before = os.times()
    facts = recover(t, ring, report)
    after = os.times()
    return facts, (after.children_user + after.children_system - before.children_user
                   - before.children_system)


def check_against_notes(facts, report, notes):
    """Each thread's long[]: none missing between oldest and newest, the newest what it noted."""
    assert facts["state"] == "killed" and facts["damaged"] == 0 and facts["names_lost"] == 0, facts
    assert facts["unfinished"] <= THREADS, facts
    made = {}
    for record in report.records:  # newest first
        top = record["stack"][0] if record["stack"] else {}
        if record["class"] == "long[]" and top.get("class") == "Killed":
            assert (top["method"], top["line"], top["file"]) == ("allocate", 21, "Killed.java"), top
            made.setdefault(record["thread"]["name"], []).append((record["size"] - 16) // 8)
    for name, lengths in made.items():
        noted = struct.unpack_from("<q", notes, int(name.rpartition("-")[2]) * 64)[0]
        assert lengths[0] in (noted % 50, (noted + 1) % 50), (name, lengths[0], noted)
        for newer, older in zip(lengths, lengths[1:]):
            assert newer == (older + 1) % 50, f"{name}: {newer} behind {older}"
    return sum(map(len, made.values()))


def check_whole_run(facts, report, noted):
    """Of each thread's last long[] the note may be missing."""
    made = sum(site["count"] for site in report.sites
               if site["class"] == "long[]" and site["stack"] and site["stack"][0]["class"] == "Killed")
    assert made <= noted + THREADS, (made, noted)
    assert made >= noted or facts.get("seen_at_least"), (made, noted, facts)


def kill_at_a_random_moment(t, directory, engine, seed):
    ring, notes = directory.file("killed.ring"), directory.file("notes")
    process = t.popen("Killed", "notes", notes, str(THREADS),
                      agent=f"engine={engine},track=y,records=4096,address=none,ring={ring}")
    assert process.stdout.readline() == "ready\n", process.stderr.read()
    time.sleep(random.Random(seed).uniform(0.0, 0.4))
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close(), process.stderr.close(), process.stdin.close()
    facts = recover(t, ring, t.path("r.jsonl"))
    assert facts["pid"] == process.pid and facts["engine"] == engine and facts["app"] == "Killed"
    with open(notes, "rb") as f:
        noted, report = f.read(), Report(t.path("r.jsonl"))
    found = check_against_notes(facts, report, noted)
    check_whole_run(facts, report, sum(struct.unpack_from("<q", noted, i * 64)[0] for i in range(THREADS)))
    os.remove(ring)
    os.remove(notes)
    return found


@test(every_days=4)
def after_kill_9_every_finished_record_is_recovered(t):
    with Directory() as directory:
        found = sum(kill_at_a_random_moment(t, directory, ENGINES[i % 2], i) for i in range(5))
        assert found > 1000, f"only {found} records of the workers"


@test(full_only=True, timeout=3000)
def after_kill_9_every_finished_record_is_recovered_a_hundred_times(t):
    with Directory() as directory:
        for i in range(100):
            kill_at_a_random_moment(t, directory, ENGINES[i % 2], 1000 + i)


@test()
def a_crashed_program_leaves_its_records(t):
    for sent in (signal.SIGSEGV, signal.SIGABRT):
        with Directory() as directory:
            ring, notes = directory.file("a.ring"), directory.file("notes")
            process = t.popen("Killed", "notes", notes, str(THREADS),
                              flags=["-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"],
                              agent=f"engine=vm,track=y,records=2048,address=none,ring={ring}")
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.2)
            process.send_signal(sent)
            process.communicate(timeout=60)
            assert process.returncode != 0
            facts = recover(t, ring, t.path("r.jsonl"))
            assert facts["state"] == "killed" and facts["recorded"] > 2000, facts
            report = Report(t.path("r.jsonl"))
            assert report.count_by_class()["long[]"] > 1000
            assert "a killed program" in report.summary["recovered"], report.summary


@test()
def what_a_program_without_standard_descriptors_prints_goes_into_no_file_of_the_agents(t):
    def without():
        os.closerange(0, 3)
    with Directory() as directory:
        ring, notes = directory.file("a.ring"), directory.file("notes")
        process = t.popen("Killed", "notes", notes, str(THREADS), preexec_fn=without,  # prints "ready"
                          agent=f"engine=vm,track=y,records=2048,ring={ring}")
        end = time.monotonic() + 30
        while not (os.path.exists(notes) and os.path.getsize(notes)) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.2)
        standard = {fd: os.readlink(f"/proc/{process.pid}/fd/{fd}") for fd in (0, 1, 2)
                    if os.path.exists(f"/proc/{process.pid}/fd/{fd}")}
        process.kill()
        process.communicate(timeout=60)
        assert ring not in standard.values() and not any(":" in path for path in standard.values()), standard
        facts = recover(t, ring)
        assert facts["state"] == "killed" and facts["recorded"] > 100 and facts["damaged"] == 0, facts


@test()
def samples_that_outlive_the_program_are_told_as_estimates(t):
    with Directory() as directory:
        ring = directory.file("a.ring")
        process = t.popen("Killed", "notes", directory.file("notes"), "1",
                          agent=f"track=y,interval=64k,address=none,ring={ring}")
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.5)  # its figures are written once a second
        process.kill()
        process.communicate(timeout=60)
        facts = recover(t, ring, t.path("r.sites.jsonl"))
        assert facts["interval"] == 65536 and facts["seen"] > 10 * facts["recorded"] > 0, facts
        assert "estimated" in t.command([DDM, "recover", ring]).out
        assert "estimated: one sample every 64.0 KiB" in t.command([DDM, "allocs", t.path("r.sites.jsonl")]).out
        recover(t, ring, t.path("r.collapsed"))
        with open(t.path("r.collapsed")) as f:
            assert "[estimated" in f.readline()
        gate = t.command([DDM, "gate", t.path("r.sites.jsonl"), "--baseline", t.path("b.txt"), "--update"])
        assert gate.code == 2 and "interval" in gate.err, gate


@test(min_jdk=21)
def what_are_stacks_of_virtual_threads_at_most_is_known_after_a_kill(t):
    with Directory() as directory:
        ring = directory.file("a.ring")
        with Target(t, agent=f"track=y,dump=none,ring={ring}", program=PROGRAM) as p:
            tell(p, "virtuals 200 200")  # each waits twenty times
            time.sleep(2.5)  # its figures are written once a second
            p.process.kill()
            p.process.wait()
        facts = recover(t, ring)
        assert 10_000 < facts["virtual_thread_stack_bytes"] <= facts["unattributed_bytes"], facts
        assert "virtual thread stacks" in t.command([DDM, "recover", ring]).out


@test(flags=[("-XX:+ExitOnOutOfMemoryError",), ("-XX:+CrashOnOutOfMemoryError",)])
def a_program_that_the_vm_ends_out_of_memory_leaves_its_records(t):
    with Directory() as directory:
        ring = directory.file("a.ring")
        run = t.java("Killed", "oom", check=False,
                     flags=["-Xmx32m", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"],
                     agent=f"engine=vm,track=y,address=none,dump=none,ring={ring}")
        assert run.code != 0, run
        facts = recover(t, ring, t.path("r.jsonl"))
        assert facts["state"] == "killed", facts
        big = [r for r in Report(t.path("r.jsonl")).records if r["class"] == "long[]" and r["size"] == 800_016]
        assert len(big) > 10 and big[0]["stack"][0]["method"] == "main"


@test()
def a_running_programs_ring_is_read_and_gone_when_it_ends(t):
    with Directory() as directory:
        ring = directory.file("a.ring")
        process = t.popen("Exits", "wait", agent=f"engine=vm,track=y,dump=r.jsonl,ring={ring}")
        assert process.stdout.readline() == "ready\n"
        assert os.stat(ring).st_mode & 0o777 == 0o600
        facts = recover(t, ring, t.path("saved.jsonl"))
        assert facts["state"] == "running" and facts["recorded"] > 100, facts
        saved = t.command([DDM, "allocs", t.path("saved.jsonl")]).out
        assert f"{facts['seen']:,} allocations, " in saved and "tracking is off" not in saved, saved
        done = t.command([DDM, "allocs", t.path("saved.jsonl"), "--by", "thread"])
        assert done.code == 1 and "has no totals by thread" in done.err, done
        for ending in ("jsonl", "txt", "html", "collapsed"):
            done = t.command([DDM, "recover", ring, "-o", t.path("x." + ending)])
            assert done.code == 0 and f"written to {t.path('x.' + ending)}" in done.out, done
            assert ("one by one" in done.out) == (ending in ("html", "txt", "jsonl")), done
            with open(t.path("x." + ending)) as f:
                assert "Exits$Mark" in f.read()
        done = t.command([DDM, "recover", ring, "-o", "-"])
        assert done.code == 0 and "Exits$Mark" in done.out and "written to" not in done.out, done
        with open(ring, "rb") as f:
            content = bytearray(f.read())
        used = [at for at in range(0, len(content), 4096) if any(content[at:at + 4096])]
        middle = used[len(used) // 2]
        content[middle:middle + 4096] = b"\xff" * 4096
        with open(t.path("damaged.ring"), "wb") as f:
            f.write(content)
        done = t.command([DDM, "recover", t.path("damaged.ring"), "-o", "-"])
        assert done.code == 0 and "damaged or cut off" in done.err, done
        assert done.out.startswith("Allocations of ") and "damaged or cut off" not in done.out, done
        live = Report(t.path("x.jsonl"))
        marks = [r for r in live.records if r["class"] == "Exits$Mark"]
        assert len(marks) == 10 and marks[0]["stack"][0]["line"] == 11
        assert marks[0]["thread"]["name"] == "main"
        summary = t.command([DDM, "recover", ring]).out
        assert "ring file of a running program" in summary and "Exits" in summary, summary
        assert all(len(line) <= 80 for line in summary.splitlines()), summary
        process.communicate("\n", timeout=30)
        assert process.returncode == 0
        assert os.listdir(directory.path) == [], os.listdir(directory.path)
        # The program's own report has the same records, and those of its end.
        own = {r["seq"]: (r["class"], r["size"]) for r in Report(t.path("r.jsonl")).records}
        for r in live.records:
            assert own.get(r["seq"], (r["class"], r["size"])) == (r["class"], r["size"])


@test()
def a_full_ring_is_recovered_quickly_while_the_program_runs_and_after_it(t):
    """A second is what people are promised, on a machine that has time."""
    with Directory() as directory:
        ring = directory.file("a.ring")
        with Target(t, agent=f"track=y,dump=none,ring={ring}") as p:
            p.tell("marks 70000")
            for state in ("running", "killed"):
                facts, cpu = recovered_in(t, ring)
                assert facts["state"] == state and facts["recorded"] > 65_000, facts
                _, with_page = recovered_in(t, ring, t.path("r.html"))
                print(f"     {facts['recorded']} records of a {state} program: {cpu:.2f} s of CPU, "
                      f"with a flame graph {with_page:.2f} s", flush=True)
                assert cpu < 3 and with_page < 5, (cpu, with_page)
                p.process.kill()
                p.process.wait()


@test()
def what_is_recovered_has_whole_stacks(t):
    for engine in ENGINES:
        with Directory() as directory:
            ring = directory.file("a.ring")
            with Target(t, agent=f"engine={engine},track=y,dump=none,ring={ring}") as p:
                p.tell("deepmarks 1000")
                p.process.kill()
                p.process.wait()
            assert recover(t, ring, t.path("r.jsonl"))["damaged"] == 0
            listed = [r for r in Report(t.path("r.jsonl")).records if r["class"] == "DdmTarget$Mark"]
            assert len(listed) == 1000 and all(len(r["stack"]) == 16 for r in listed), listed[0]
            recover(t, ring, t.path("r.collapsed"))
            with open(t.path("r.collapsed")) as f:
                marks = [line for line in f if "DdmTarget$Mark" in line]
            assert marks, "no line"
            for line in marks:
                frames = line.rpartition(" ")[0].split(";")
                assert frames[0] == "DdmTarget.main" and frames.count("DdmTarget.deepMarks") == 21, line


def site_readings(ring):
    """How often the agent has written the sites into the file (docs/ring-format.md)."""
    with open(ring, "rb") as f:
        header = f.read(128)
        frames_at, = struct.unpack_from("<Q", header, 104)
        frames, = struct.unpack_from("<I", header, 116)
        f.seek((frames_at + 8 * frames + 63) // 64 * 64)
        return struct.unpack("<Q", f.read(8))[0] // 2


@test()
def the_whole_run_is_recovered_to_the_object(t):
    """Many times the ring, and what came after the agent's last reading of the sites."""
    for engine in ENGINES:
        with Directory() as directory:
            ring = directory.file("a.ring")
            with Target(t, agent=f"engine={engine},track=y,dump=none,ring={ring},records=1024") as p:
                p.tell("deepmarks 100000")
                marks, before = 100_500, site_readings(ring)
                while site_readings(ring) < before + 2:  # the second one began after the marks
                    p.tell("deepmarks 1")
                    marks += 1
                    time.sleep(0.02)
                p.tell("deepmarks 500")
                p.process.kill()
                p.process.wait()
            facts = recover(t, ring, t.path("r.sites.jsonl"))
            assert "seen_at_least" not in facts and facts["recorded"] == 1024, facts
            report = Report(t.path("r.sites.jsonl"))
            of_marks = [site for site in report.sites if site["class"] == "DdmTarget$Mark"]
            assert sum(site["count"] for site in of_marks) == marks, (marks, of_marks)
            assert sum(site["count"] for site in report.sites) == facts["seen"], facts
            assert sum(site["bytes"] for site in report.sites) == facts["seen_bytes"], facts
            for site in of_marks:
                methods = [frame["method"] for frame in site["stack"]]
                assert methods.count("deepMarks") == 21 and methods[-1] == "main", methods
            rows = json.loads(t.command([DDM, "recover", ring, "--by", "app", "--json"]).out)
            assert sum(row["count"] for row in rows) == facts["seen"], rows
            mark = next(row for row in rows if row["class"] == "DdmTarget$Mark")
            assert mark["count"] == marks and mark["app"].startswith("DdmTarget."), mark
            table = t.command([DDM, "recover", ring, "--by", "app", "--top", "1"])
            assert f"{facts['seen']:,} allocations, " in table.out and table.code == 0, table
            written = [DDM, "recover", ring, "-o", t.path("w.sites.jsonl")]
            assert t.command(written).out.startswith(f"{facts['seen']:,} allocations of the killed program")
            # With a record lost, what was seen is a lower bound.
            with open(ring, "r+b") as f:
                f.seek(struct.unpack_from("<Q", f.read(80), 72)[0] + 16)  # the size in the first slot
                f.write(b"\xff" * 8)
            told = t.command(written).out
            assert re.match(r"at least [0-9,]+ allocations of the killed program ", told), told
            assert recover(t, ring)["seen_at_least"] is True


@test()
def a_vm_that_inherits_the_options_leaves_the_ring_alone(t):
    with Directory() as directory:
        ring = directory.file("a.ring")
        from harness import AGENT
        env = dict(os.environ)
        env["JAVA_TOOL_OPTIONS"] = f"-agentpath:{AGENT}=engine=vm,track=y,dump=none,address=none,ring={ring}"
        process = subprocess.Popen(
            [t.jdk.java, "-cp", t.classes(), "Killed", "child", t.jdk.java], env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=t.dir)
        assert process.stdout.readline() == "ready\n"  # the child's
        assert process.stdout.readline() == "child ended with 0\n"
        facts = recover(t, ring)
        assert facts["pid"] == process.pid and facts["state"] == "running", facts
        assert len(os.listdir(directory.path)) == 1
        _, err = process.communicate("\n", timeout=30)
        told = [line for line in err.splitlines() if "in use" in line]
        assert len(told) == 1 and f"process {process.pid}" in told[0], err
        assert "stay in memory" in told[0], err


@test()
def a_ring_without_room_or_on_a_disk_is_told_in_one_line(t):
    with Directory() as directory:
        small = directory.file("small")
        os.mkdir(small)
        for size, told in (("4m", "the records stay in memory"),
                           ("58m", "no room for the sites of the whole run, only for records")):
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", small],
                              capture_output=True).returncode != 0:
                print("  skipped: mounting a small file system needs to be root")
                break
            try:
                run = t.java("Exits", "return",
                             agent=f"engine=vm,track=y,dump=none,address=none,ring={small}/a.ring")
                assert run.err.count("\n") == 1 and "no room" in run.err, run
                assert told in run.err and not os.listdir(small), run
            finally:
                subprocess.run(["umount", small], check=True)
        run = t.java("Exits", "return", agent=f"engine=vm,track=y,dump=none,address=none,"
                                              f"ring={directory.file('none')}/a.ring")
        assert run.err.count("\n") == 1 and "No such file" in run.err, run
    disk = t.path("disk.ring")  # a warning, or a refusal where the file system keeps no promise
    run = t.java("Exits", "return", agent=f"engine=vm,track=y,dump=none,address=none,ring={disk}")
    assert run.err.count("\n") <= 1 and not os.path.exists(disk), run
    assert "on a disk" in run.err or "promised" in run.err or "tmpfs" in run.err or not run.err, run


@test()
def a_bare_name_goes_to_memory_and_is_found_there(t):
    with Directory() as directory:
        env = {"XDG_RUNTIME_DIR": directory.path}
        process = t.popen("Exits", "wait", agent="engine=vm,track=y,dump=none,ring=%p-x.ring",
                          env={**os.environ, **env})
        assert process.stdout.readline() == "ready\n"
        process.kill()
        process.communicate()
        name = f"{process.pid}-x.ring"
        assert os.path.exists(directory.file(f"ddm-rings/{name}"))
        path = directory.file(f"ddm-rings/{name}")
        with open(directory.file("ddm-rings/notes.txt"), "w") as f:
            f.write("no ring file")
        # Without its name it is listed, though it is the only one here, and left to be deleted.
        done = t.command([DDM, "recover", "--json"], env=env)
        listed = [one for one in json.loads(done.out) if one["file"].startswith(directory.path)]
        assert [one.pop("written_ms") > 1_700_000_000_000 for one in listed] == [True], done
        assert listed == [{"file": path, "pid": process.pid, "app": "Exits", "state": "killed",
                           "bytes": os.path.getsize(path)}], done
        lines = t.command([DDM, "recover"], env=env).out.splitlines()
        assert lines[0].split() == ["PID", "STATE", "WRITTEN", "(UTC)", "SIZE", "APP", "FILE"], lines
        assert any(line.split()[:2] == [str(process.pid), "killed"] and line.endswith(path)
                   for line in lines), lines
        assert lines[-1].endswith("delete that of a killed program once it is read: rm FILE"), lines
        done = t.command([DDM, "recover", name, "--json"], env=env)
        assert json.loads(done.out)["state"] == "killed", done
        # The next program under the same name does not destroy what the killed one left.
        run = t.java("Exits", "return", agent=f"track=y,engine=vm,dump=none,address=none,ring={path}")
        assert "kept as" in run.err and os.path.exists(path + ".old") and not os.path.exists(path), run


@test()
def recover_says_in_one_line_what_is_wrong(t):
    with open(t.path("notes.txt"), "w") as f:
        f.write("just a text")
    for words, code, expected in (
            (["recover", t.path("notes.txt")], 1, "is no ring file"),
            (["recover", t.path("none")], 1, "No such file"),
            (["recover", t.path("notes.txt"), "-o", "x.pdf"], 2, "a report ends in"),
            (["recover", ""], 2, "RING: it is empty"),
            (["recover", "-o", "x.txt"], 2, "RING is missing")):
        done = t.command([DDM, *words])
        assert done.code == code and expected in done.err and done.err.count("\n") == 1, done
