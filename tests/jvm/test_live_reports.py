"""Every report of one exit tells the same of what is alive; each is read by a reader of its own."""
import json
import os
import re
from collections import Counter

from asked_reports import report_of
from browser import data_of, document_of, open_in_browser, stacks_of
from ddm_client import Target
from harness import AGENT, Report, test
from pprof import Profile
from tool import ddm

DHAT_VIEWER = "/usr/libexec/valgrind/dh_view.js"


class Dhat:
    """By the rules of valgrind's dh_view.js: what it asks for is there, no location comes twice."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.data = data = json.load(f)
        assert data["dhatFileVersion"] == 2 and data["bklt"] and not data["bkacc"]
        for field in ("mode", "verb", "tu", "Mtu", "cmd", "pid", "te", "tg", "tuth"):
            assert field in data, field
        assert data["ftbl"][0] == "[root]" and 0 <= data["tg"] <= data["te"]
        assert len(set(data["ftbl"])) == len(data["ftbl"])
        seen = set()
        for point in data["pps"]:
            for field in ("tb", "tbk", "tl", "mb", "mbk", "gb", "gbk", "eb", "ebk", "fs"):
                assert field in point, field
            location = tuple(point["fs"])
            assert location and location not in seen and min(location) > 0
            assert max(location) < len(data["ftbl"])
            seen.add(location)
            assert 0 <= point["eb"] <= point["mb"] <= point["tb"], point
            assert 0 <= point["ebk"] <= point["mbk"] <= point["tbk"], point
            assert 0 <= point["gb"] <= point["tb"]
            # Estimates: what is not a whole object is in the lifetimes.
            assert 0 <= point["tl"] <= (data["te"] + 8) * (point["tbk"] + 0.5), point

    def sum(self, field, kind=None, method=""):
        return sum(p[field] for p in self.data["pps"]
                   if kind is None or (self.frame(p, 0) == f"new {kind}" and
                                       len(p["fs"]) > 1 and method in self.frame(p, 1)))

    def frame(self, point, i):
        return self.data["ftbl"][point["fs"][i]]


class Firefox:
    """The processed format's version 70: columns of one length, indexes that lead somewhere, the
    caller of a stack before it."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
        assert data["meta"]["preprocessedProfileVersion"] == 70
        shared, (thread,) = data["shared"], data["threads"]
        for table in ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols",
                      "sources", "sourceLocationTable"):
            for column, values in shared[table].items():
                assert column == "length" or len(values) == shared[table]["length"], (table, column)
        for table in ("samples", "markers", "nativeAllocations"):
            for column, values in thread[table].items():
                assert column in ("length", "weightType") or values is None or \
                    len(values) == thread[table]["length"], (table, column)
        texts, stacks = shared["stringArray"], shared["stackTable"]
        frames, functions = shared["frameTable"], shared["funcTable"]
        assert set(frames["lib"]) <= {-1} and "lib" not in shared["resourceTable"]
        assert all(f < frames["length"] for f in stacks["frame"])
        assert all(0 <= offset <= i for i, offset in enumerate(stacks["prefixOffset"]))
        assert all(f < functions["length"] for f in frames["func"])
        assert all(c < len(data["meta"]["categories"]) for c in frames["category"])
        assert all(s is None or s < shared["sources"]["length"] for s in functions["source"])
        assert all(n < len(texts) for n in functions["name"] + shared["sources"]["filename"])
        self.events = list(zip(thread["nativeAllocations"]["time"],
                               thread["nativeAllocations"]["weight"],
                               thread["nativeAllocations"]["stack"]))
        times = [time for time, _, _ in self.events]
        assert times == sorted(times) and thread["nativeAllocations"]["weightType"] == "bytes"
        assert all(weight != 0 for _, weight, _ in self.events)
        self.name = lambda stack: texts[functions["name"][frames["func"][stacks["frame"][stack]]]]
        self.caller = lambda stack: None if stacks["prefixOffset"][stack] == 0 else \
            stack - stacks["prefixOffset"][stack]

    def sum(self, kind=None, method=None, which=lambda weight: True):
        return sum(weight for _, weight, stack in self.events if which(weight) and (
            kind is None or (self.name(stack) == f"new {kind}" and self.caller(stack) is not None
                             and self.name(self.caller(stack)) == method)))


def show_in_viewer(t, path):
    """What valgrind's own viewer makes of the file, in a browser: (total bytes, at the end, its first lines)."""
    assert os.path.exists(DHAT_VIEWER), "valgrind is not installed"
    with open(path, encoding="utf-8") as f:
        text = json.dumps(f.read()).replace("<", "\\u003c")
    with open(t.path("dhat.html"), "w", encoding="utf-8") as f:
        f.write(f"""<!DOCTYPE html><meta charset="utf-8"><script src="file://{DHAT_VIEWER}"></script><body><script>
addEventListener('load', () => {{
  onLoad();
  gFilename = 'x';
  gData = JSON.parse({text});
  buildTree();
  displayTree();
  document.body.dataset.root = gRoot._totalBytes + ' ' + gRoot._atTEndBytes;
}});
</script></body>""")
    document = document_of(t, "file://" + t.path("dhat.html"))
    root = re.search(r'data-root="(\d+) (\d+)"', document)
    assert root, document[-2000:]
    shown = re.sub(r"<[^>]*>", "", document[document.rindex("</script>"):])
    return int(root[1]), int(root[2]), shown[:3000]


@test(timeout=240, every_days=5)
def all_reports_of_one_exit_tell_the_same_of_what_is_alive(t):
    for engine in ("vm", "bci"):
        names = ["x.jsonl", "x.dhat.json", "x.firefox.json", "x.pb.gz", "x.txt", "x.html"]
        dumps = ",".join(f"dump={name}" for name in names)
        options = f"engine={engine},live=y,records=1k,sites_depth=16,{dumps}"
        with Target(t, options, program=("Live",)) as p, p.client() as client:
            for line in ("nodes 20000", "drop 10000", "half 5000", "gc", "forget", "nodes 10000", "gc",
                         "arrays 1000", "gc"):
                p.tell(line)
                if line == "gc":
                    report_of(t, client)  # which waits until the dead of this collection are known
        report = Report(t.path("x.jsonl"))
        summary = report.summary
        assert summary["live_followed_ms"] > 0 and summary["gc"] >= 3

        dhat = Dhat(t.path("x.dhat.json"))
        assert dhat.sum("tb") == summary["seen_bytes"] and dhat.sum("tbk") == summary["seen"]
        assert dhat.sum("eb") == summary["live_bytes"] and dhat.sum("ebk") == summary["live_count"]
        assert dhat.sum("tbk", "Live$Node", "keepNodes") == 30_000
        assert dhat.sum("ebk", "Live$Node", "keepNodes") == 10_000
        # As many as there were after a collection that was looked at before the next one; more, if the
        # collector leaves what is dead and old for later.
        assert 10_000 <= dhat.sum("mbk", "Live$Node", "keepNodes") <= 30_000
        assert dhat.sum("tbk", "Live$Dropped", "drop") == 10_000
        assert dhat.sum("ebk", "Live$Dropped", "drop") == 0
        *sums, shown = show_in_viewer(t, t.path("x.dhat.json"))
        assert sums == [summary["seen_bytes"], summary["live_bytes"]], (sums, summary)
        assert f"{summary['seen_bytes']:,} bytes" in shown and "Command: Live" in shown, shown

        firefox = Firefox(t.path("x.firefox.json"))
        assert firefox.sum(which=lambda weight: weight > 0) == summary["seen_bytes"]
        assert firefox.sum() == summary["live_bytes"]
        for kind, method in (("Live$Node", "keepNodes"), ("Live$Half", "keepHalf"),
                             ("Live$Dropped", "drop"), ("char[]", "keepArrays")):
            mine = [s for s in report.sites if s["class"] == kind and s["stack"] and
                    s["stack"][0]["method"] == method]
            assert firefox.sum(kind, f"Live.{method}") == sum(s["live_bytes"] for s in mine)
            assert firefox.sum(kind, f"Live.{method}", lambda w: w > 0) == \
                sum(s["bytes"] for s in mine)
        nodes = Counter()
        for time, weight, stack in firefox.events:
            if firefox.name(stack) == "new Live$Node":
                nodes[time] += weight
        assert len(nodes) >= 2 and max(nodes.values()) > 0  # at collections, and not all at once

        profile = Profile(t.path("x.pb.gz"))
        for name, value in (("alloc_objects", "seen"), ("alloc_space", "seen_bytes"),
                            ("inuse_objects", "live_count"), ("inuse_space", "live_bytes")):
            assert sum(values[name] for _, values in profile.samples) == summary[value], name
        page = data_of(t.path("x.html"))
        assert (page["live"]["bytes"], page["live"]["count"]) == (summary["live_bytes"],
                                                                  summary["live_count"])
        alive = list(stacks_of(page, "live"))
        nodes = sum(count for path, (_, count, _) in alive if path[-2:] == ("Live.keepNodes", "Live$Node"))
        assert nodes == 10_000, alive
        for _, (_, count, ages) in alive:
            assert sum(ages) == count, (count, ages)
        if engine == "vm":
            shown, _, sites = open_in_browser(
                t, t.path("x.html"), ("table", "sites"), of="live", sort="age", tab="sites")
            *_, ages = open_in_browser(t, t.path("x.html"), ("table", "ages"), of="live", tab="ages")
            assert shown["self-check"] == "ok" and sites["sort"] == "age", (shown, sites)
            assert (int(ages["rows"]), ages["sort"]) == (len(summary["live_ages"]), "survived"), ages
        with open(t.path("x.txt"), encoding="utf-8") as f:
            text = f.read()
        assert re.search(r"^alive +[\d,]+ allocations +"
                         + re.escape(f"{summary['live_bytes']:,}") + " bytes", text, re.M)
        table = text.split(f"by live bytes, as of collection {summary['gc']}")[1]
        assert re.search(r"^ +\d+,\d+ +[\d.]+% +10,000 +[\d,]+(-[\d,]+)?  Live\$Node$", table,
                         re.M), table[:2000]


@test()
def every_report_of_an_exit_is_of_one_moment_while_threads_allocate(t):
    t.java("Exits", "allocating", agent="address=none,live=y,records=1k," + ",".join(
        f"dump=x.{ending}" for ending in ("jsonl", "dhat.json", "firefox.json")))
    summary = Report(t.path("x.jsonl")).summary
    dhat, firefox = Dhat(t.path("x.dhat.json")), Firefox(t.path("x.firefox.json"))
    assert (dhat.sum("tbk"), dhat.sum("tb")) == (summary["seen"], summary["seen_bytes"])
    assert (dhat.sum("ebk"), dhat.sum("eb")) == (summary["live_count"], summary["live_bytes"])
    assert firefox.sum(which=lambda weight: weight > 0) == summary["seen_bytes"]
    # Nothing was allocated before it was followed: that would come and go at the start.
    assert not [event for event in firefox.events if event[0] == 0 and event[1] < 0]


@test(every_days=4)
def what_a_profile_adds_and_takes_away_is_what_was_seen_and_what_lives(t):
    commands = "nodes 20000\ndrop 30000\nhalf 5000\ngc\nforget\nnodes 7000\ngc\n"
    for options in ("live=1/4", "live=1/4,interval=4k", "live=y,sites=8"):
        t.java("Live", agent=f"track=y,{options},address=none,records=1k,dump=x.jsonl,dump=x.firefox.json,"
                             "dump=x.dhat.json", stdin=commands)
        summary, firefox = Report(t.path("x.jsonl")).summary, Firefox(t.path("x.firefox.json"))
        assert firefox.sum(which=lambda weight: weight > 0) == summary["seen_bytes"], options
        assert firefox.sum() == summary["live_bytes"], options
        Dhat(t.path("x.dhat.json"))
    with Target(t, "track=y,dump=none", program=("Live",)) as p:  # followed from the middle on
        p.tell("nodes 3000")
        p.attach(AGENT, "live=y")
        p.tell("nodes 1000")
        p.tell("drop 500")
        p.tell("gc")
        for name in ("x.jsonl", "x.firefox.json"):
            ddm(t, "allocs", p.pid, "-o", t.path(name))
        summary, firefox = Report(t.path("x.jsonl")).summary, Firefox(t.path("x.firefox.json"))
        assert firefox.sum(which=lambda weight: weight > 0) == summary["seen_bytes"]
        assert firefox.sum() == summary["live_bytes"]
        assert firefox.sum("Live$Node", "Live.keepNodes") == 1000 * 16


@test()
def reports_about_what_lives_say_so_where_live_is_off(t):
    failed = t.java("Live", agent="address=none,dump=x.dhat.json", check=False, stdin="")
    assert failed.code != 0 and "dump=x.dhat.json needs live=y" in failed.err, failed
    with Target(t, "track=y,dump=none", program=("Live",)) as p:
        for ending in ("dhat.json", "firefox.json"):
            said = ddm(t, "allocs", p.pid, "-o", t.path(f"x.{ending}"), code=1)
            assert "live= is off" in said and not os.path.exists(t.path(f"x.{ending}")), said
        p.attach(AGENT, "live=y")
        p.tell("nodes 1000")
        p.tell("gc")
        ddm(t, "allocs", p.pid, "-o", t.path("x.dhat.json"))
        ddm(t, "allocs", p.pid, "-o", t.path("x.firefox.json"))
        assert Dhat(t.path("x.dhat.json")).sum("ebk", "Live$Node", "keepNodes") == 1000
        Firefox(t.path("x.firefox.json"))
