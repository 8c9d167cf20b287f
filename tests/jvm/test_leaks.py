"""ddm leaks, paths and sites --retained: what grows, what holds it, and how much it holds."""
import json
import os
import re
import signal
import subprocess
import time

from adb_bridge import wait_for
from ddm_client import Target
from harness import JDKS, ROOT, test
from leaking import Leaking
from tool import DDM, REFUSED, ddm, ddm_json, shown_on_terminal

MIB = 1 << 20
VISUALVM = "/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"


def only(rows, kind):
    found = [row for row in rows if row["class"] == kind]
    assert len(found) == 1, (kind, rows)
    return found[0]


TO_SESSION = ["java.util.HashMap.table", "java.util.HashMap$Node[]", "java.util.HashMap$Node.value"]


@test(jdks="each")
def a_leak_is_named_with_its_rate_its_holder_and_its_stack(t):
    with Leaking(t, 6000, flags=["-Xmx3g"]) as target:
        found = ddm_json(t, "leaks", target.pid, "--for", "6")
        assert found["collections"] == 3 and 6 <= found["seconds"] < 30, found
        session = only(found["rows"], "Leaks$Session")
        assert [frame["method"] for frame in session["stack"]] == ["login", "main"]
        path, = session["paths"]
        assert (path["root"], path["kind"], path["via"]) == ("static Leaks.SESSIONS", "static", TO_SESSION)
        assert path["count"] >= session["live_count"] > 300
        # 24 bytes an object; what each of them alone holds is an array of 1,016, a text and its bytes.
        of_one = session["live_bytes"] / session["live_count"]
        assert abs(session["bytes_per_minute"] / of_one / 6000 - 1) < 0.1, session
        assert session["retained_bytes"] > path["count"] * 1016 and not found["estimated"], session
        assert found["sites"] == len(found["rows"]), found
        rate = sum(row["bytes_per_minute"] for row in found["rows"])
        full, limit = found["seconds_to_full"], 3072 * MIB
        assert 60 < full <= 60 * limit / rate + 1, (full, rate)
        # A cache that is full is none, though all that lives of it was allocated meanwhile.
        assert not [row for row in found["rows"] if row["class"] in ("Leaks$Cached", "int[]")], found["rows"]
        assert "off" in ddm(t, "track", target.pid, "status")


@test(jdks="each")
def of_two_sites_on_one_line_the_one_that_grows_is_named_with_its_holder(t):
    with Target(t, "dump=none,log=error", program=("OneLine",)) as target:
        rows = ddm_json(t, "leaks", target.pid, "--for", "6")["rows"]
    for kind in ("OneLine$Item", "java.lang.Integer"):
        row = only(rows, kind)
        path, = row["paths"]
        assert path["root"] == "static OneLine.GROWS" and path["count"] >= row["live_count"] > 500, row


@test(jdks="each", gc=("serial", "parallel"), daily=2)
def a_leak_is_found_where_the_vm_hides_a_collection_from_agents(t):
    with Leaking(t, 60_000) as target:
        session = only(ddm_json(t, "leaks", target.pid, "--for", "4")["rows"], "Leaks$Session")
        assert session["live_count"] > 1000, session


@test(every_days=3)
def what_a_leak_holds_is_estimated_where_objects_are_sampled(t):
    with Leaking(t, 60_000, "track=y,interval=8k,live=y,dump=none,log=error") as target:
        found = ddm_json(t, "leaks", target.pid, "--for", "3")
        assert found["estimated"], found
        arrays = max((row for row in found["rows"] if row["class"] == "byte[]"), key=lambda row: row["live_bytes"])
        assert abs(arrays["retained_bytes"] / arrays["live_bytes"] - 1) < 0.1, arrays


@test(jdks="each", every_days=4)
def leaks_are_told_for_people_by_what_holds_them(t):
    with Leaking(t, 60_000, "live=y,dump=none,log=error") as target:
        told = ddm(t, "leaks", target.pid, "--for", "2")
        assert told.count("the heap is full in ") <= 1, told
        head = "\n1. static Leaks.SESSIONS: "
        assert head in told and told.index(head) < told.index("\n   Leaks$Session: "), told
        assert told.count("\n1. ") == 1 and "allocated at Leaks$Session.<init>(Leaks.java:" in told, told
        lines, _ = shown_on_terminal(t, "leaks", target.pid, "--for", "2")
        assert max(map(len, lines)) <= 80, "\n".join(lines)
        assert "on" in ddm(t, "track", target.pid, "status")


def interval_of_cycles(t, target):
    return re.search(r"\bG1PeriodicGCInterval += (\d+)", t.jcmd(target.pid, "VM.flags", "-all"))[1]


@test(jdks="each", daily=1)
def under_g1_a_leak_is_found_without_a_full_collection(t):
    flags = ("-XX:+UseG1GC", f"-Xlog:gc:file={t.path('gc.log')}")
    with Leaking(t, 60_000, "live=y,dump=none,log=error", flags) as target:
        found = ddm_json(t, "leaks", target.pid, "--for", "6")
        session = only(found["rows"], "Leaks$Session")
        assert abs(session["objects_per_minute"] / 60_000 - 1) < 0.2, session
        assert interval_of_cycles(t, target) == "0"
    with open(t.path("gc.log"), encoding="utf-8") as f:
        full = [line for line in f if "Pause Full" in line]
    # The dump's own: before the agent looks what is alive, and the VM's.
    assert len(full) == 2 and "Heap Dump" in full[1], full


@test(every_days=4)
def where_no_cycle_can_be_had_a_leak_is_found_by_full_collections(t):
    for flags in (("-XX:+UseG1GC", "-XX:G1PeriodicGCInterval=3600000"), ("-XX:+UseG1GC", "-XX:-UsePerfData"),
                  ("-XX:+UseG1GC", "-XX:-G1PeriodicGCInvokesConcurrent"), ("-XX:+UseParallelGC",)):
        with Leaking(t, 60_000, "live=y,dump=none,log=error", flags) as target:
            before = interval_of_cycles(t, target)
            found = ddm_json(t, "leaks", target.pid, "--for", "2")
            assert only(found["rows"], "Leaks$Session") and found["seconds"] < 30, (flags, found)
            assert interval_of_cycles(t, target) == before, flags


@test(jdks="each", every_days=4)
def who_asks_for_cycles_and_is_killed_leaves_the_program_as_it_was(t):
    with Leaking(t, 6000, "live=y,dump=none,log=error", ("-XX:+UseG1GC",)) as target:
        asks = subprocess.Popen([DDM, "leaks", str(target.pid), "--for", "1"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: interval_of_cycles(t, target) == "1", "a cycle")
        asks.kill()
        asks.wait()
        wait_for(lambda: interval_of_cycles(t, target) == "0", "its end")


@test(every_days=2)
def where_more_sites_grow_than_are_shown_their_number_is_told_and_why_some_have_no_root(t):
    with Target(t, "dump=none,log=error", program=("ManyLeaks",)) as target:
        found = ddm_json(t, "leaks", target.pid, "--for", "3")
        assert found["sites"] > 64 and len(found["rows"]) == 50, found
        told = ddm(t, "leaks", target.pid, "--for", "3")
        count = re.match(r"(\d+) sites had more alive", told)[1]
        assert int(count) > 64 and f"\nbelow are the 50 fastest of {count} sites\n" in told, told
        assert re.search(r"\n\d\. no root: .*\n   no path in the dump, as of ", told), told


@test(every_days=3)
def a_leak_is_found_where_collections_are_unevenly_spaced(t):
    with Leaking(t, 6000, flags=["-XX:+UseSerialGC"]) as target, target.client() as client:
        tool = subprocess.Popen([DDM, "leaks", str(target.pid), "--for", "6", "--json"], text=True,
                                stdout=subprocess.PIPE)
        wait_for(client.tracking, "tracking")
        time.sleep(3)  # the first collection has been
        os.kill(tool.pid, signal.SIGSTOP)
        time.sleep(15)
        os.kill(tool.pid, signal.SIGCONT)
        out, _ = tool.communicate(timeout=60)
        found = json.loads(out)
        session = only(found["rows"], "Leaks$Session")
        assert found["seconds"] > 15 and abs(session["objects_per_minute"] / 6000 - 1) < 0.2, found


@test()
def nothing_grows_is_an_answer(t):
    with Leaking(t, 0) as target:
        assert ddm(t, "leaks", target.pid, "--for", "2").startswith("nothing grows: ")
        assert ddm_json(t, "leaks", target.pid, "--for", "2")["rows"] == []


@test()
def what_is_no_longer_followed_is_not_said_to_grow_no_more(t):
    for again, words in ((False, "switched off meanwhile"), (True, "begun anew meanwhile")):
        with Leaking(t, 6000) as target, target.client() as client:
            tool = subprocess.Popen([DDM, "leaks", str(target.pid), "--for", "6"], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for(client.tracking, "tracking")
            time.sleep(1)  # the watch has begun
            client.track(False)
            if again:
                client.track(True)
            out, err = tool.communicate(timeout=60)
            assert tool.returncode == REFUSED and not out and words in err, (out, err)


@test()
def a_program_that_never_collects_is_refused(t):
    epsilon = ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xlog:disable"]
    with Leaking(t, 6000, flags=epsilon) as target:
        assert "Epsilon" in ddm(t, "leaks", target.pid, "--for", "2", code=REFUSED)


def path_of(t, source, kind):
    found = ddm_json(t, "paths", source, kind)
    assert (found["class"], found["count"]) == (kind, 1), found
    path, = found["paths"]
    assert path["count"] == 1
    return path


@test(jdks="each", every_days=4)
def each_object_has_the_way_from_what_holds_it(t):
    with Leaking(t, 0) as target:
        ddm(t, "dump", target.pid, "-o", t.path("x.hprof"))
        for source in (target.pid, t.path("x.hprof")):
            local = path_of(t, source, "Leaks$OfLocal")
            assert (local["kind"], local["root"], local["via"]) == (
                "local", 'local variable of Leaks.main, thread "main"', []), local
            thread = path_of(t, source, "Leaks$OfThread")
            assert thread["root"].endswith('thread "held \u00fc \u4e2d"'), thread
            assert thread["via"][-1] == (
                "java.lang.ThreadLocal$ThreadLocalMap$Entry.value (of Leaks.LOCAL)"), thread
            soft = path_of(t, source, "Leaks$OfSoft")
            assert (soft["root"], soft["via"], soft["weak"]) == (
                "static Leaks.SOFT", ["java.lang.ref.SoftReference.referent"], True), soft
            task = path_of(t, source, "Leaks$Task")
            assert task["root"] == "static Leaks.TASKS", task
            owners = ddm_json(t, "paths", source, "Leaks$Owner")
            assert sorted((path["count"], path["via"]) for path in owners["paths"]) == [
                (1, []), (9, ["Leaks$Owner.next"])], owners
            assert 10 * MIB < owners["retained_bytes"] < 10 * MIB + 2000
            # What two of them share is freed with both.
            assert MIB < ddm_json(t, "paths", source, "User")["retained_bytes"] < MIB + 2000
        for name in ("OfSoft", "Leaks.OfSoft"):
            assert "1 object of Leaks$OfSoft" in ddm(t, "paths", t.path("x.hprof"), name)
        wrong = ddm(t, "paths", t.path("x.hprof"), "Owne", code=REFUSED)
        assert "there is no class 'Owne'" in wrong and "Leaks$Owner" in wrong, wrong


@test(jdks="each")
def what_threads_of_a_pool_hold_alike_has_one_root(t):
    with Target(t, "live=y,track=y,dump=none,log=error", program=("Alike",)) as target:
        rows = ddm_json(t, "leaks", target.pid, "--for", "2")["rows"]
        paths = {kind: ddm_json(t, "paths", target.pid, kind)["paths"]
                 for kind in ("Alike$InLocal", "Alike$InVariable", "Alike$InVirtual")}
        told = ddm(t, "leaks", target.pid, "--for", "2")
    in_local, = paths["Alike$InLocal"]
    assert in_local["root"] == '5 threads "pool-1-thread-*"' and in_local["count"] > 5, in_local
    entry = "java.lang.ThreadLocal$ThreadLocalMap$Entry.value (of Alike.CONTEXT)"
    assert entry in in_local["via"], in_local
    in_variable, = paths["Alike$InVariable"]
    assert in_variable["root"] == 'local variable of Alike.hold, 2 threads "holder *"', in_variable
    only(rows, "Alike$InLocal")
    assert re.search(r'^1[.] 5 threads "pool-1-thread-[*]": ', told, re.M), told
    if t.jdk.major >= 21:
        held = {path["root"]: path["count"] for path in paths["Alike$InVirtual"]}
        # The dumps of JDK 21 have no stacks of virtual threads that wait.
        assert t.jdk.major < 24 or held == {"local variable of Alike.holdInVirtual, 50 virtual threads": 50}, held


@test()
def of_classes_that_are_loaded_anew_the_way_leads_to_who_holds_the_loader(t):
    with Target(t, "dump=none", program=("Reloads",)) as target:
        ddm(t, "dump", target.pid, "-o", t.path("x.hprof"))
        def found(kind):
            paths = ddm_json(t, "paths", t.path("x.hprof"), kind)["paths"]
            return sorted((path["count"], path["root"], tuple(path["via"])) for path in paths)
        by_list = ("java.util.ArrayList.elementData", "java.lang.Object[]")
        for kind, last in (("Reloads$Part", ()), ("Reloads$Loader", ("Reloads$Part.<class>", "Reloads$Part.<loader>"))):
            (few, of_list, via), (many, of_threads, of_thread) = found(kind)
            assert (few, of_list, via) == (3, "static Reloads.LIST", by_list + last), found(kind)
            # Threads that share the string of their name all have it.
            assert many == 4 and of_threads == '4 threads "worker"', found(kind)
            assert of_thread[len(of_thread) - len(last):] == last, found(kind)
        # What a static field of such a class holds is the loader's holder's as well.
        assert ("static Reloads.LIST", "Reloads$Part.ALL") in [
            (root, step) for _, root, via in found("int[]") for step in via], found("int[]")
        owner = ddm_json(t, "paths", t.path("x.hprof"), "Reloads$Owner")
        assert owner["paths"][0]["weak"] and 100_000 < owner["retained_bytes"] < 101_000, owner


@test(jdks="each", every_days=5)
def what_objects_hold_is_what_visualvm_says(t):
    with Leaking(t, 0, "live=y,dump=none,log=error") as target:
        ddm(t, "dump", target.pid, "--sites", "-o", t.path("x.hprof"))
    rows = ddm_json(t, "sites", t.path("x.hprof"), "--retained")["rows"]
    held = {row["class"]: row["retained_bytes"] for row in rows if row["class"].startswith("Leaks$")}
    assert held["Leaks$Owner"] >= 10 * MIB and held["Leaks$Shared"] >= MIB and held["Leaks$User"] < 1000, held
    javac = os.path.join(JDKS[0].home, "bin", "javac")
    source = os.path.join(ROOT, "tests", "e2e", "visualvm", "HeldFacts.java")
    subprocess.run([javac, "-cp", VISUALVM, "-d", t.path("judge"), source], check=True)
    kinds = ("Leaks$Owner", "Leaks$Shared", "Leaks$User")
    judged = t.command([JDKS[0].java, "-cp", f"{VISUALVM}:{t.path('judge')}", "HeldFacts",
                        t.path("x.hprof"), *kinds])
    assert judged.code == 0, judged
    theirs = {kind: [] for kind in kinds}
    for line in judged.out.splitlines():
        kind, retained, where = line.split("\t")
        assert where == "held", line
        theirs[kind].append(int(retained))
    # Of a list the first one holds all others. Their sizes of objects are guesses: some bytes each.
    assert abs(max(theirs["Leaks$Owner"]) - held["Leaks$Owner"]) < 1000, (theirs, held)
    assert abs(max(theirs["Leaks$Shared"]) - held["Leaks$Shared"]) < 1000, (theirs, held)
    assert max(theirs["Leaks$User"]) < 1000, (theirs, held)
