"""`ddm allocs`: the whole run, what came after a mark, and the difference of two reports."""
import json
import os
import re
import stat
import zipfile

from browser import data_of
from ddm_client import Target, text
from harness import AGENT, Report, test
from leaking import Leaking
from pprof import Profile
from tool import DDM, REFUSED, USAGE, ddm, ddm_json


def app_of(t, *command):
    done = t.command([t.jdk.java, f"-agentpath:{AGENT}=track=y,address=none,dump=r.jsonl", *command])
    assert done.code == 0, done
    return Report(t.path("r.jsonl")).summary["app"]


@test()
def a_program_has_the_name_of_its_class_or_of_its_own_jar(t):
    jar = t.path("my shop.jar")
    with zipfile.ZipFile(jar, "w") as out:
        out.write(os.path.join(t.classes(), "Empty.class"), "Empty.class")
        out.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Empty\n")
    assert app_of(t, "-cp", t.classes(), "Empty") == "Empty"
    assert app_of(t, "-cp", t.classes(), "Empty", "/data/lib.jar") == "Empty"
    assert app_of(t, "-cp", t.classes(), "Empty", "-x", "a.jar", "out") == "Empty"
    assert app_of(t, "-jar", jar) == "my shop.jar"
    assert app_of(t, "-jar", jar, "other.jar", "on") == "my shop.jar"


def totals(rows):
    return sum(row["count"] for row in rows), sum(row["bytes"] for row in rows)


def of_class(rows, name):
    return totals([row for row in rows if row["class"] == name])


@test(every_days=4)
def allocs_shows_the_whole_run_and_all_rows_together_are_what_was_seen(t):
    size = 16 if t.jdk.major < 25 else None
    for engine in ("vm", "bci"):
        with Target(t, agent=f"track=y,engine={engine},records=1k,dump=none") as p:
            p.tell("marks 50000")
            ddm(t, "track", p.pid, "off")
            with p.client() as client:
                assert "allocation-report" in client.features()
            ddm(t, "allocs", p.pid, "-o", t.path("r.jsonl"))
            report = Report(t.path("r.jsonl"))
            whole = report.summary["seen"], report.summary["seen_bytes"]
            for by in ("class", "site", "app", "thread"):
                rows = ddm_json(t, "allocs", p.pid, "--by", by)
                assert totals(rows) == whole, (by, totals(rows), whole)
                assert [r["bytes"] for r in rows] == sorted((r["bytes"] for r in rows), reverse=True)
            count, found = of_class(ddm_json(t, "allocs", p.pid), "DdmTarget$Mark")
            assert count == 50000 and found == (size or found // count) * 50000
            (site,) = [r for r in ddm_json(t, "allocs", p.pid, "--by", "site")
                       if r["class"] == "DdmTarget$Mark"]
            assert site["site"] == site["app"] == "DdmTarget.marks(DdmTarget.java:23)", site
            copied = [r for r in ddm_json(t, "allocs", p.pid, "--by", "app")
                      if r["class"] == "byte[]" and r["app"].startswith("DdmTarget.main")]
            assert copied, "byte[] are allocated in the JDK, for main"
            assert len(ddm_json(t, "allocs", p.pid, "--recent")) < len(ddm_json(t, "allocs", p.pid))
            assert totals(ddm_json(t, "allocs", p.pid, "--recent"))[0] == 1024
            text = " ".join(ddm(t, "allocs", p.pid, "--by", "site", "--top", 1).split())
            assert "in the whole run" in text and "which is off now" in text, text
            assert "the recent ones" in ddm(t, "allocs", p.pid, "--recent")
            check_recent_reports(t, p.pid)


def check_recent_reports(t, pid):
    for ending in ("jsonl", "collapsed", "pb.gz", "txt", "html"):
        ddm(t, "allocs", pid, "--recent", "-o", t.path(f"recent.{ending}"))
    recent = Report(t.path("recent.jsonl"))
    assert not recent.sites and len(recent.records) == 1024
    whole = sum(r["size"] for r in recent.records)
    with open(t.path("recent.collapsed"), encoding="utf-8") as f:
        assert sum(int(line.rpartition(" ")[2]) for line in f) == whole
    assert sum(v["alloc_space"] for _, v in Profile(t.path("recent.pb.gz")).samples) == whole
    with open(t.path("recent.txt"), encoding="utf-8") as f:
        assert "of what is recorded" in f.read()


@test()
def seventy_big_arrays_are_one_row(t):
    with t.popen("Sites", "big", "70", agent="track=y,records=1k,dump=r.jsonl,address=none",
                 flags=["-Xmx320m"]) as p:
        p.communicate()
    rows = json.loads(ddm(t, "allocs", "--diff", empty_report(t), t.path("r.jsonl"), "--by", "site",
                          "--json"))
    assert rows[0]["bytes"] == rows[0]["bytes_after"] == 4697620480 and rows[0]["count"] == 70
    assert rows[0]["site"].startswith("Sites.big(")


def empty_report(t):
    with open(t.path("empty.jsonl"), "w", encoding="utf-8") as f:
        f.write('{"type":"summary","sites":0}\n')
    return t.path("empty.jsonl")


@test()
def a_mark_remembers_a_moment_and_since_shows_what_came_after(t):
    run = os.environ["XDG_RUNTIME_DIR"] if "XDG_RUNTIME_DIR" in os.environ else None
    with Target(t, agent="track=y,records=1k,dump=none") as p:
        p.tell("marks 1000")
        assert "mark 'a' set" in ddm(t, "allocs", p.pid, "--mark", "a")
        p.tell("marks 20000")
        marked = ddm_json(t, "allocs", p.pid, "--mark", "b")
        assert marked["mark"] == "b" and marked["seen"] > 21000
        p.tell("marks 300")
        rows = ddm_json(t, "allocs", p.pid, "--since", "a", "--by", "site")
        assert of_class(rows, "DdmTarget$Mark")[0] == 20300, rows
        rows = ddm_json(t, "allocs", p.pid, "--since", "b", "--by", "app")
        assert of_class(rows, "DdmTarget$Mark")[0] == 300, rows
        assert all(r["bytes"] > 0 for r in rows)
        assert "since mark 'b'" in ddm(t, "allocs", p.pid, "--since", "b")
        assert "it has these: a, b" in ddm(t, "allocs", p.pid, "--since", "c", code=REFUSED)
        assert "letters, digits" in ddm(t, "allocs", p.pid, "--mark", "../x", code=USAGE)
        if run:
            path = f"{run}/ddm/marks/{p.pid}-a.jsonl"
            assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        ddm(t, "track", p.pid, "off")
        assert of_class(ddm_json(t, "allocs", p.pid, "--since", "b"), "DdmTarget$Mark")[0] == 300
        ddm(t, "track", p.pid, "on")
        assert "switched off and on" in ddm(t, "allocs", p.pid, "--since", "a", code=REFUSED)
        former = p.pid
    with Target(t, agent="track=y,dump=none") as p:
        said = ddm(t, "allocs", p.pid, "--since", "a", code=REFUSED)
        # Another test may have set a mark meanwhile: this one's is gone, or there are two of this name.
        assert "which has ended" in said or "has no mark 'a'" in said, said
        ddm(t, "allocs", p.pid, "--mark", "x")
        assert not run or not os.path.exists(f"{run}/ddm/marks/{former}-a.jsonl")


@test()
def a_page_since_a_mark_says_how_much_came_between_the_marks_figures_and_its_page(t):
    with Leaking(t, 6_000_000, "track=y,dump=none,log=error") as p:
        marked = ddm_json(t, "allocs", p.pid, "--mark", "m")
        ddm(t, "allocs", p.pid, "--since", "m", "-o", t.path("d.html"))
    data = data_of(t.path("d.html"))
    between = data["before"]["seen"] - marked["seen"]
    assert between >= 0 and data["changes"]["count_before"] == data["before"]["seen"], data["words"]
    said = re.search(r"from [\d.]+ m?s after its figures: ([\d,]+) allocations between count as before", data["words"])
    assert (int(said[1].replace(",", "")) if said else 0) == between, (data["words"], between)


@test()
def a_program_that_counts_no_sites_shows_its_recent_allocations_and_says_so(t):
    with Target(t, agent="track=y,sites=0,dump=none") as p:
        p.tell("marks 10")
        text = " ".join(ddm(t, "allocs", p.pid).split())
        assert "the recent ones. The whole run is not counted (sites=0 was given)" in text, text
        assert of_class(ddm_json(t, "allocs", p.pid, "--by", "app"), "DdmTarget$Mark")[0] == 10
        assert "no marks here" in ddm(t, "allocs", p.pid, "--mark", "a", code=REFUSED)
    with Target(t, agent="dump=none") as p:
        assert "tracking is off" in ddm(t, "allocs", p.pid)
        assert ddm_json(t, "allocs", p.pid) == []
        assert "nothing to mark" in ddm(t, "allocs", p.pid, "--mark", "a", code=REFUSED)


@test(every_days=4)
def two_reports_are_compared_growth_first_and_both_ways(t):
    for name, marks in (("a", 3000), ("b", 8000)):
        with Target(t, agent=f"track=y,dump={name}.jsonl") as p:
            p.tell(f"marks {marks}")
            p.tell("keepbytes 2" if name == "a" else "marks 1")
    a, b = t.path("a.jsonl"), t.path("b.jsonl")
    before, after = Report(a), Report(b)
    rows = json.loads(ddm(t, "allocs", "--diff", a, b, "--json"))
    (mark,) = [r for r in rows if r["class"] == "DdmTarget$Mark"]
    assert (mark["count"], mark["count_before"], mark["count_after"]) == (5001, 3000, 8001)
    assert rows[0]["bytes"] > 0 > rows[-1]["bytes"] == min(r["bytes"] for r in rows)
    assert rows[-1]["class"] == "byte[]" and rows[-1]["bytes"] < -2000000
    assert sum(r["bytes"] for r in rows) == after.summary["seen_bytes"] - before.summary["seen_bytes"]
    text = ddm(t, "allocs", "--diff", a, b, "--by", "site", "--top", 2)
    assert "+5,001" in text and "DdmTarget.marks(DdmTarget.java:23)" in text, text
    assert "\n-2," in text or " -2," in text, text
    assert "is no whole jsonl report" in ddm(t, "allocs", "--diff", a, DDM, code=REFUSED)
    assert "PID" in ddm(t, "allocs", 1, "--diff", a, b, code=USAGE)


def written(t, name, total, add, sites=2, **facts):
    """A report of two sites, in Cart.total and Cart.add."""
    lines = [{"type": "summary", "sites": sites, "period": 1, "threads": [], **facts}]
    lines += [{"type": "site", "class": class_name, "count": count, "bytes": 16 * count,
               "stack": [{"class": "shop.Cart", "method": method, "file": "Cart.java", "line": 3}]}
              for class_name, method, count in (("int[]", "total", total), ("long[]", "add", add))]
    with open(t.path(name), "w", encoding="utf-8") as f:
        f.write("".join(json.dumps(line) + "\n" for line in lines))
    return t.path(name)


@test(every_days=3)
def a_compilers_report_which_sums_up_what_is_beyond_its_bound_is_a_whole_one(t):
    """Of one file: twice as many sites as lines."""
    with open(t.path("Empty.java"), "w", encoding="utf-8") as f:
        f.write("class Empty { }\n")
    done = t.command([os.path.join(t.jdk.home, "bin", "javac"), "-d", t.dir, f"-J-agentpath:{AGENT}=dump=r.sites.jsonl,address=none",
                      t.path("Empty.java")])
    assert done.code == 0, done
    with open(t.path("r.sites.jsonl"), encoding="utf-8") as f:
        summary = json.loads(f.readline())
        assert sum(line.startswith('{"type":"site"') for line in f) < summary["sites"]
    assert f"{summary['seen']:,} allocations" in ddm(t, "allocs", t.path("r.sites.jsonl"))


@test()
def a_report_that_was_cut_is_not_read_as_a_whole_one(t):
    whole = written(t, "whole.jsonl", 1, 10)
    cut = written(t, "cut.jsonl", 1, 10, sites=3, seen=12)
    # Where there are very many stacks lines stand for several sites.
    assert "11 allocations" in ddm(t, "allocs", written(t, "fewer.jsonl", 1, 10, sites=300, seen=11))
    for words in ((cut,), (cut, "--below", "Cart.add"), ("--diff", whole, cut), ("--diff", cut, whole, "-o", t.path("d.html"))):
        said = ddm(t, "allocs", *words, code=REFUSED)
        assert "it is cut: sites of 11 of its 12 allocations are there" in said.replace("\n", " "), (words, said)
    assert not os.path.exists(t.path("d.html"))
    # A summary that tells how many lines its sites have shows a cut of estimates, too.
    told = written(t, "told.jsonl", 1, 10, site_lines=3, interval=512, seen=300)
    for words in ((told,), ("--diff", whole, told), ("--diff", told, whole, "-o", t.path("d.html"))):
        assert "it is cut: it has 2 of its 3 lines of sites" in ddm(t, "allocs", *words, code=REFUSED).replace("\n", " ")
    assert "it has 2 of its 3 lines of sites" in ddm(t, "gate", written(t, "exact.jsonl", 1, 10, site_lines=3), "--baseline", whole,
                                                     code=USAGE).replace("\n", " ")


@test()
def two_reports_in_one_file_are_not_added_up(t):
    one, other = written(t, "one.jsonl", 1, 10), written(t, "other.jsonl", 1, 10)
    with open(t.path("both.jsonl"), "w", encoding="utf-8") as both:
        for path in (one, other):
            with open(path, encoding="utf-8") as f:
                both.write(f.read() + '{"type":"record","seq":1}\n')
    both = t.path("both.jsonl")
    for code, *words in ((REFUSED, "allocs", both), (REFUSED, "allocs", "--diff", one, both),
                         (REFUSED, "allocs", "--diff", both, one, "-o", t.path("d.html")), (USAGE, "gate", both, "--baseline", one)):
        assert "a second report begins in it" in ddm(t, *words, code=code).replace("\n", " "), words


@test()
def lower_bounds_are_called_so_in_a_difference(t):
    exact, least = written(t, "exact.jsonl", 1, 10), written(t, "least.jsonl", 3, 40, seen_at_least=True)
    note = f"{least} has lower bounds: the end of the run is missing"
    assert note in ddm(t, "allocs", "--diff", exact, least).replace("\n", " ")
    ddm(t, "allocs", "--diff", exact, least, "-o", t.path("d.html"))
    with open(t.path("d.html"), encoding="utf-8") as f:
        assert note in f.read()


@test()
def a_difference_has_only_what_is_below_a_method(t):
    reports = (written(t, "a.jsonl", 1, 10), written(t, "b.jsonl", 3, 40))
    rows = json.loads(ddm(t, "allocs", "--diff", *reports, "--below", "Cart.total", "--json"))
    assert [(row["class"], row["count"], row["count_after"]) for row in rows] == [("int[]", 2, 3)], rows
    out = ddm(t, "allocs", "--diff", *reports, "--below", "Cart.total")
    assert "+2 allocations, +32 B (32 bytes) below Cart.total from " in out.replace("\n", " "), out
    # What cannot be had below a method is refused.
    ddm(t, "allocs", "--diff", *reports, "--below", "Cart.total", "-o", t.path("d.html"), code=USAGE)
    for words in (reports[:1], ("--diff", *reports)):
        told = ddm(t, "allocs", *words, "--below", "Cart.total", "--by", "thread", code=USAGE)
        assert "threads have no stacks" in told, told


@test(full_only=True, timeout=400)
def a_report_that_is_big_even_when_packed_comes_whole(t):
    """More than the agent keeps in memory of it."""
    with Target(t, agent="track=y,records=1m,depth=64,dump=none") as p:
        for _ in range(5):
            p.tell("deepmarks 200000")
        ddm(t, "track", p.pid, "off")
        with p.client() as client:
            packed = client.request("REPT", text("jsonl"))
        assert len(packed) > 8 << 20, len(packed)
        ddm(t, "allocs", p.pid, "-o", t.path("r.jsonl"))
        with open(t.path("r.jsonl"), "rb") as f:
            summary = json.loads(f.readline())
            records = sum(line.startswith(b'{"type":"record"') for line in f)
        assert records == summary["recorded"] > 1000000, (records, summary["recorded"])
