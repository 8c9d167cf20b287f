"""ddm gate: a run against a baseline, exactly."""
import json
import os
import subprocess
import xml.etree.ElementTree as xml

from harness import test
from tool import DDM, REFUSED, ddm

GROWN, USAGE = 1, 2
MODES = ((), ("-Xint",), ("-XX:TieredStopAtLevel=1",), ("-XX:-TieredCompilation", "-Xbatch"))


def left_by(t, name, *arguments, flags=()):
    """The report of a run, by the name of its file."""
    path = t.path(f"{name}.sites.jsonl")
    t.java("Gated", *arguments, agent=f"track=y,engine=bci,address=none,dump={path}", flags=list(flags))
    return path


def gate(t, *words, code=0):
    done = t.command([DDM, "gate", *map(str, words)])
    assert done.code == code, (words, done)
    return done.out


@test(jdks="each", every_days=4)
def the_same_program_passes_however_its_code_runs(t):
    baseline = ("--baseline", t.path("allocations.txt"), "--below", "Gated.work")
    gate(t, left_by(t, "first"), *baseline, "--update")
    with open(t.path("allocations.txt"), encoding="utf-8") as f:
        lines = f.read().splitlines()
    assert lines[:2] == [f"# jdk {t.jdk.major}", "# below Gated.work"]
    array = 16000 if t.jdk.compact_headers else 24000  # a byte[] of 2 to 4 letters
    # A lambda's class has another name in each run.
    assert lines[2:] == ["Gated$$Lambda @ Gated.lambda\t1\t16", f"byte[] @ Gated.pad\t1000\t{array}",
                         "java.lang.String @ Gated.pad\t1000\t24000"], lines
    for number, flags in enumerate(MODES):
        out = gate(t, left_by(t, f"again{number}", flags=flags), *baseline)
        assert out.startswith("0 grew, 0 new, 0 shrank, 0 gone, 3 as in "), (flags, out)


@test(jdks="each", every_days=4)
def one_more_new_in_a_helper_fails_the_gate_with_its_place(t):
    baseline = ("--baseline", t.path("allocations.txt"), "--below", "Gated.work")
    gate(t, left_by(t, "before"), *baseline, "--update")
    after = left_by(t, "after", "more")
    out = gate(t, after, *baseline, "--junit", t.path("j.xml"), "--markdown", t.path("m.md"), code=GROWN)
    made = 24_000 if t.jdk.compact_headers else 32_000
    assert f"new: int[] @ Gated.pad: 1,000 (+1,000) objects, {made:,} (+{made:,}) bytes\n" in out, out
    assert "        at Gated.pad(Gated.java:7)\n        by Gated.work(Gated.java:12)\n" in out, out
    found = json.loads(gate(t, after, *baseline, "--json", code=GROWN))
    new, = found["new"]
    assert (new["name"], new["objects_before"], new["objects"], new["bytes"]) == (
        "int[] @ Gated.pad", 0, 1000, made)
    assert new["sites"][0]["stack"][0]["line"] == 7 and not found["grown"] and not found["gone"]
    suite = xml.parse(t.path("j.xml")).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("4", "1")
    with open(t.path("m.md"), encoding="utf-8") as f:
        assert f"| `int[] @ Gated.pad` | 1,000 | 0 | {made:,} | 0 |" in f.read()
    # Where the sources are, the annotation names the file.
    os.makedirs(t.path("project/src"))
    with open(t.path("project/src/Gated.java"), "w", encoding="utf-8"):
        pass
    shown = subprocess.run([DDM, "gate", after, *baseline, "--annotations"], cwd=t.path("project"),
                           capture_output=True, text=True, check=False)
    assert "\n::error file=src/Gated.java,line=7::allocates more: int[] @ Gated.pad" in shown.stdout, shown
    gate(t, after, *baseline, "--update")
    gate(t, after, *baseline)
    # What is less passes, and is told where the limit guards nothing any more.
    assert "gone: int[] @ Gated.pad" in gate(t, left_by(t, "less"), *baseline)


@test()
def what_cannot_be_compared_is_told_with_exit_code_2(t):
    report = left_by(t, "a")
    for words, told in (((report, "--baseline", t.path("none")), "--update makes it"),
                        ((t.path("none"), "--baseline", report), "No such file"),
                        ((report, "--baseline", __file__), "line 1: a line is a name, objects and bytes"),
                        ((report, "--baseline", report, "--update"), "line 1: a line is a name, objects and bytes"),
                        ((report, "--baseline", t.path("none"), "--tolerance", "x"), "a share (5%, 0.5%)")):
        assert told in ddm(t, "gate", *words, code=USAGE), words


@test(every_days=3)
def a_run_whose_stacks_are_cut_below_what_is_compared_does_not_pass(t):
    whole = left_by(t, "whole", "more")
    t.java("Gated", "more", agent=f"track=y,engine=bci,address=none,sites_depth=1,dump={t.path('cut.sites.jsonl')},"
                                  f"dump={t.path('cut.pb.gz')}")
    for cut in ("cut.sites.jsonl", "cut.pb.gz"):
        told = ddm(t, "gate", t.path(cut), "--baseline", whole, "--below", "Gated.work", code=USAGE)
        assert " bytes are at stacks whose outer frames are cut: whether they are below Gated.work is not known" in told, told
    told = ddm(t, "allocs", t.path("cut.sites.jsonl"), "--below", "Gated.pad")
    assert "int[]" in told and "whether they are below Gated.pad is not known" in " ".join(told.split()), told
    assert "not known" not in ddm(t, "allocs", whole, "--below", "Gated.work")
    told = ddm(t, "allocs", "--diff", *[t.path("cut.sites.jsonl")] * 2, "--below", "Gated.none", code=REFUSED)
    assert "is below Gated.none: " in told and "whether they are below Gated.none is not known" in told, told


@test(every_days=3)
def a_profile_for_pprof_is_compared_as_the_jsonl_report_of_its_run(t):
    for name, words in (("before", ()), ("after", ("more",))):
        t.java("Gated", *words, agent=f"track=y,engine=bci,address=none,dump={t.path(name)}.sites.jsonl,"
                                    f"dump={t.path(name)}.pb.gz")
    baseline = ("--baseline", t.path("allocations.txt"), "--below", "Gated.work")
    lists = []
    for ending in ("sites.jsonl", "pb.gz"):
        if os.path.exists(t.path("allocations.txt")):
            os.remove(t.path("allocations.txt"))
        gate(t, t.path(f"before.{ending}"), *baseline, "--update")
        with open(t.path("allocations.txt"), encoding="utf-8") as f:
            lists.append(f.read())
    assert lists[0] == lists[1] and lists[0].startswith(f"# jdk {t.jdk.major}\n# below Gated.work\n"), lists
    # Any of the two is a baseline of its own, too.
    told = [json.loads(gate(t, t.path(f"after.{new}"), "--baseline", t.path(f"before.{old}"), "--below", "Gated.work",
                            "--json", code=GROWN))
            for new, old in (("pb.gz", "sites.jsonl"), ("sites.jsonl", "pb.gz"))]
    for found in told:
        new, = found["new"]
        assert new["name"] == "int[] @ Gated.pad" and not found["grown"] and not found["gone"], found
        frame = new["sites"][0]["stack"][0]
        assert (frame["class"], frame["method"], frame["file"], frame["line"]) == ("Gated", "pad", "Gated.java", 7)
    gate(t, t.path("before.pb.gz"), "--baseline", t.path("before.sites.jsonl"), "--below", "Gated.work")
    # As pprof writes it again, with numbers packed otherwise.
    with open(t.path("again.pb.gz"), "wb") as again:
        subprocess.run(["go", "tool", "pprof", "-proto", t.path("before.pb.gz")], stdout=again, env={**os.environ, "HOME": t.dir},
                       stderr=subprocess.DEVNULL, check=True)
    gate(t, t.path("again.pb.gz"), "--baseline", t.path("before.sites.jsonl"), "--below", "Gated.work")
    reports = (t.path("before.sites.jsonl"), t.path("after.sites.jsonl"))
    told = gate(t, reports[1], "--baseline", reports[0], "--below", "Gated.work", code=GROWN)
    assert f"`ddm allocs --diff {reports[0]} {reports[1]} -o difference.html` draws it" in told, told
    ddm(t, "allocs", "--diff", *reports, "-o", t.path("difference.html"))
    t.java("Gated", agent=f"track=y,interval=64k,address=none,dump={t.path('s.pb.gz')}")
    assert "estimates (interval=)" in ddm(t, "gate", t.path("s.pb.gz"), *baseline, code=USAGE)
    t.java("Gated", agent=f"track=y,sites=0,address=none,dump={t.path('r.pb.gz')}")
    assert "sites=0" in ddm(t, "gate", t.path("r.pb.gz"), *baseline, code=USAGE)


@test()
def a_list_of_tests_is_compared_by_test(t):
    def write(name, *lines):
        with open(t.path(name), "w", encoding="utf-8") as f:
            f.write("# jdk 17\n" + "".join(f"{line}\n" for line in lines))
        return t.path(name)
    before = write("before.txt", "p.T.a\t1\t24", "p.T.b\t2\t48")
    after = write("after.txt", "p.T.a\t2\t48", "p.T.b\t2\t48", "p.T.c\t9\t99")
    out = gate(t, after, "--baseline", before, code=GROWN)
    assert "grew: p.T.a: 2 (+1) objects, 48 (+24) bytes" in out and "new: p.T.c" in out, out
    # A new test is not one that grew.
    gate(t, write("c.txt", "p.T.a\t1\t24", "p.T.b\t2\t48", "p.T.c\t9\t99"), "--baseline", before)
    gate(t, after, "--baseline", before, "--tolerance", "24")


def written(t, name, *lines):
    with open(t.path(name), "w", encoding="utf-8") as f:
        f.write("".join(f"{line}\n" for line in lines))
    return t.path(name)


@test()
def what_was_not_measured_does_not_pass(t):
    site = {"type": "site", "class": "int[]", "count": 1, "bytes": 16,
            "stack": [{"class": "shop.Cart", "method": "add", "file": "Cart.java", "line": 3}]}
    head = json.dumps({"type": "summary", "vm": "OpenJDK 64-Bit Server VM 17.0.21+9", "sites": 1, "seen": 9, "interval": 0})
    report = written(t, "a.sites.jsonl", head, json.dumps(site))
    baseline = written(t, "allocations.txt", "# jdk 17", "int[] @ shop.Cart.add\t1\t16")
    gate(t, report, "--baseline", baseline, "--below", "Cart.add")
    # A baseline of more has nothing that is gone, and is not offered to be replaced.
    more = written(t, "more.txt", "# jdk 17", "int[] @ shop.Cart.add\t1\t8", "int[] @ shop.Till.pay\t9\t16")
    told = gate(t, report, "--baseline", more, "--below", "Cart.add", code=GROWN)
    assert "covers more" in told and "0 gone" in told and "--update" not in told, told
    gate(t, report, "--baseline", t.path("below.txt"), "--below", "Cart.add", "--update")
    assert "covers more" not in gate(t, report, "--baseline", t.path("below.txt"), "--below", "Cart.add")
    for words, told in (((report, "--below", "Cart.total"), f"no allocation of {report} is below Cart.total: "),
                        ((written(t, "none.jsonl", head.replace('"sites": 1', '"sites": 0')),), "none.jsonl has no allocations"),
                        ((written(t, "cut.jsonl", head),), "cut.jsonl is no jsonl report to compare: it is cut: sites of 0 of its 9 allocations are there"),
                        ((written(t, "least.jsonl", head.replace('"sites": 1', '"sites": 1, "seen_at_least": true'),
                                  json.dumps(site)),), "its figures are lower bounds"),
                        ((written(t, "none.txt", "# jdk 17"),), "none.txt has no tests"),
                        ((written(t, "empty.sites.jsonl"),), "empty.sites.jsonl is empty"),
                        ((t.dir,), "is a directory")):
        for update in ((), ("--update",)):
            told_now = ddm(t, "gate", *words, "--baseline", baseline, *update, code=USAGE)
            assert told in told_now.replace("\n", " "), (words, told_now)
    # A baseline that was never written, or is of something else, guards nothing.
    tests = written(t, "tests.txt", "# jdk 17", "shop.CartTest.adds\t1\t16")
    for measured, of, told in ((report, written(t, "never.txt"), "never.txt is empty: "),
                               (tests, t.path("never.txt"), "never.txt is empty: "),
                               (report, written(t, "ours.txt", "# ours"), "ours.txt is empty: "),
                               (tests, written(t, "head.txt", "# jdk 17"), "head.txt has no tests"),
                               (tests, baseline, "is a baseline of sites of a report, and "),
                               (report, tests, "is a baseline of tests, and ")):
        assert told in ddm(t, "gate", measured, "--baseline", of, code=USAGE).replace("\n", " "), (measured, of)
    ddm(t, "gate", tests, "--baseline", baseline, "--update", code=USAGE)
    # A run that allocates nothing is one: all its allocations are first uses.
    once = {"class": "shop.Cart", "method": "<clinit>", "file": "Cart.java", "line": 1}
    nothing = written(t, "nothing.sites.jsonl", head, json.dumps(site | {"stack": [once]}))
    gate(t, nothing, "--baseline", t.path("never.txt"), "--update")
    gate(t, nothing, "--baseline", t.path("never.txt"))
    assert "1 new" in gate(t, report, "--baseline", t.path("never.txt"), code=GROWN)
    # Nothing that was asked for is left out in silence.
    for words in (("--junit", "j.xml"), ("--markdown", "m.md"), ("--tolerance", "5%"), ("--annotations",), ("--json",)):
        assert words[0] in ddm(t, "gate", report, "--baseline", baseline, "--update", *words, code=USAGE), words
    assert "is a list of tests" in ddm(t, "gate", tests, "--baseline", tests, "--below", "adds", code=USAGE)
    # What is below a method is compared with what is below the same one.
    told = ddm(t, "gate", report, "--baseline", t.path("below.txt"), code=USAGE)
    assert "below.txt was made with --below Cart.add: name it here, too" in told.replace("\n", " "), told
    gate(t, report, "--baseline", t.path("other.txt"), "--below", "shop.Cart.add", "--update")
    told = ddm(t, "gate", report, "--baseline", t.path("other.txt"), "--below", "Cart.add", code=USAGE)
    assert "was made with --below shop.Cart.add: it has nothing to compare below Cart.add" in told.replace("\n", " "), told
    part = written(t, "part.sites.jsonl", head.replace('"sites": 1', '"sites": 1, "below": "Cart.add", "engine": "vm"'),
                   json.dumps(site))
    assert "engine=vm: without what the JIT optimises away" in gate(t, part, "--baseline", t.path("below.txt"))
    gate(t, part, "--baseline", t.path("part.txt"), "--update")
    with open(t.path("part.txt"), encoding="utf-8") as f:
        assert f.read() == "# jdk 17\n# below Cart.add\nint[] @ shop.Cart.add\t1\t16\n"
    # A variable of a script that is empty does not mean the whole run.
    assert "--below: it is empty" in ddm(t, "gate", report, "--baseline", baseline, "--below", "", code=USAGE)
    # The run before may be one of a time without that method: all of it is then new.
    before = written(t, "before.sites.jsonl", head, json.dumps(site | {"stack": []}))
    assert "1 new" in gate(t, report, "--baseline", before, "--below", "Cart.add", code=GROWN)
