"""The html report in a real browser: what the page shows agrees with the other reports of the run.

The page is loaded by a headless chromium, which prints the document as its script left it; the
facts to compare stand in data- attributes. The truth comes from the jsonl and collapsed reports.
"""
import re

from browser import document_of, open_in_browser
from harness import JDKS, Report, test

CUT = "[deeper frames cut]"


def paths_of(report):
    """Per record its path in the graph, outermost first; the class is a bar of its own kind."""
    for r in report.records:
        frames = [f"{f['class']}.{f['method']}" if f["method"] != "unknown" else "unknown"
                  for f in reversed(r["stack"])]
        yield ([(CUT, "cut")] if r.get("truncated") else []) + \
            [(f, "frame") for f in frames] + [(r["class"], "class")], r


def all_bars(report):
    return {tuple(path[:n]) for path, _ in paths_of(report) for n in range(1, len(path) + 1)}


def share(part, whole):
    return f"{100 * part / whole:.1f}%"


def collapsed_bytes(path, wanted=lambda name: True):
    """Bytes of the lines of which some frame, or the class, is wanted."""
    total = 0
    with open(path, encoding="utf-8") as f:
        for line in f.read().splitlines():
            stack, _, size = line.rpartition(" ")
            names = stack.split(";")
            names[-1] = names[-1].removesuffix("_[new]")
            if any(map(wanted, names)):
                total += int(size)
    return total


def records_with(report, wanted):
    return [r for path, r in paths_of(report) if any(wanted(name) for name, _ in path)]


def run_and_check(t, options, searches):
    """Runs the program once, then looks at its page with each search (a pattern of lower case)."""
    if t.jdk.major not in (JDKS[0].major, JDKS[-1].major):
        return None
    t.java("Exits", "return", agent=f"address=none,{options}," +
           ",".join(f"dump=r.{e}" for e in ("html", "jsonl", "collapsed")))
    report = Report(t.path("r.jsonl"))
    whole = sum(r["size"] for r in report.records)
    assert whole == collapsed_bytes(t.path("r.collapsed")) > 0
    bars = all_bars(report)
    for pattern in searches:
        shown, match = open_in_browser(t, t.path("r.html"), q=pattern)
        assert shown["self-check"] == "ok", shown
        assert int(shown["records"]) == int(shown["total-count"]) == len(report.records)
        assert int(shown["total-bytes"]) == whole
        assert int(shown["seen"]) == report.summary["seen"]
        assert int(shown["seen-bytes"]) == report.summary["seen_bytes"]
        assert int(shown["nodes"]) == len(bars) + 1, "the root is a node too"

        def wanted(name, found=re.compile(pattern, re.IGNORECASE).search):
            return found(name) is not None

        found = collapsed_bytes(t.path("r.collapsed"), wanted)
        assert int(match["bytes"]) == found, f"{pattern}: {match}, collapsed has {found}"
        assert match["share"] == share(found, whole), f"{pattern}: {match}"
        assert int(match["count"]) == len(records_with(report, wanted))
        assert int(match["bars"]) == sum(wanted(bar[-1][0]) for bar in bars)
    return report


@test(every_days=4)
def the_flame_graph_agrees_with_the_other_reports(t):
    report = run_and_check(t, "depth=64", [r"Exits\$Mark", r"^Exits\.mark$", r"hash|byte\[\]$",
                                           "no such name"])
    if report is None:
        return
    marks = [r["size"] for r in report.records if r["class"] == "Exits$Mark"]
    assert len(marks) == 10
    shown, match = open_in_browser(t, t.path("r.html"), q=r"Exits\$Mark", by="count", view="icicle")
    assert (int(match["bytes"]), int(match["count"]), int(match["bars"])) == (sum(marks), 10, 1)
    assert match["share"] == share(10, len(report.records)), "by=count: the share of the count"
    assert (shown["by"], shown["view"], shown["self-check"]) == ("count", "icicle", "ok")


def figures_of_sites(report, wanted):
    """(bytes, count) of the sites of which some frame, or the class, is wanted."""
    found = [s for s in report.sites if any(map(wanted, [s["class"], *(
        f"{f['class']}.{f['method']}" for f in s["stack"])]))]
    return sum(s["bytes"] for s in found), sum(s["count"] for s in found)


@test(every_days=4)
def search_and_classes_are_of_all_stacks_however_small(t):
    """Of millions of Marks: what the VM allocates as it starts has no bars of its own then."""
    if t.jdk.major not in (JDKS[0].major, JDKS[-1].major):
        return
    t.java("Exits", "marks", "3000000", agent="address=none,track=y,records=1k,dump=r.html,dump=r.jsonl")
    report = Report(t.path("r.jsonl"))
    for pattern in (r"^byte\[\]$", r"^java\.lang\.String$", r"^java\.", r"Exits\$Mark|HashMap|jdk",
                    r"^sun\.launcher\.LauncherHelper\.[a-z]", "no such name"):
        shown, match = open_in_browser(t, t.path("r.html"), q=pattern)
        assert shown["self-check"] == "ok", shown
        assert int(shown["drawn"]) < int(shown["nodes"]) / 4, "nothing is small"
        truth = figures_of_sites(report, re.compile(pattern, re.IGNORECASE).search)
        assert (int(match["bytes"]), int(match["count"])) == truth, (pattern, match, truth)
        assert (truth == (0, 0)) == (pattern == "no such name"), pattern
    document = document_of(t, f"file://{t.path('r.html')}#tab=classes")
    table = re.search(r'<table id="classes".*?</table>', document, re.S)[0]
    rows = re.findall(r'<td class="number" title="([\d,]+) bytes">.*?<td class="number">([\d,]+)</td>'
                      r'<td><a [^>]* title="([^"]*)"', table)
    assert len(rows) == 25 and rows[0][2] == "Exits$Mark", rows
    for size, count, kind in rows:
        truth = figures_of_sites(report, lambda name: name == kind)
        assert (int(size.replace(",", "")), int(count.replace(",", ""))) == truth, (kind, truth)


@test(every_days=4)
def a_search_that_is_no_pattern_is_plain_text_and_says_so(t):
    report = run_and_check(t, "depth=64", [])
    if report is None:
        return
    _, match = open_in_browser(t, t.path("r.html"), q="(")
    assert (match["bars"], match["plain"]) == ("0", "true"), match
    _, match = open_in_browser(t, t.path("r.html"), q="byte[")
    wanted = records_with(report, lambda name: "byte[" in name.lower())
    assert match["plain"] == "true" and int(match["count"]) == len(wanted) > 0, match
    _, match = open_in_browser(t, t.path("r.html"), q="byte")
    assert "plain" not in match, match


@test()
def the_table_of_sites_says_how_many_there_are(t):
    report = run_and_check(t, "depth=64", [])
    if report is None:
        return
    # Methods of one name at one line are one.
    sites = {(r["class"], *((f["class"], f["method"], f["file"], f["line"])
                            for f in r["stack"][:1])) for r in report.records}
    *_, table = open_in_browser(t, t.path("r.html"), ("table", "sites"), tab="sites")
    assert int(table["total"]) == int(table["rows"]) == len(sites) > 55, table
    assert int(table["shown"]) == 25, table


@test()
def the_flame_graph_zooms_to_a_frame(t):
    report = run_and_check(t, "depth=64", [])
    if report is None:
        return
    below = [r for path, r in paths_of(report) if path[0][0] == "Exits.main"]
    shown, _ = open_in_browser(t, t.path("r.html"), zoom="Exits.main")
    assert (shown["zoom"], shown["self-check"]) == ("Exits.main", "ok")
    assert int(shown["zoom-count"]) == len(below) >= 10
    assert int(shown["zoom-bytes"]) == sum(r["size"] for r in below)


@test()
def the_flame_graph_shows_where_stacks_were_cut(t):
    report = run_and_check(t, "depth=2,sites_depth=2", ["java"])
    if report is None:
        return
    cut = [r for r in report.records if r.get("truncated")]
    assert cut and all(len(r["stack"]) == 2 for r in cut)
    _, match = open_in_browser(t, t.path("r.html"), q=re.escape(CUT))
    assert int(match["count"]) == len(cut) and match["bars"] == "1", match
    assert int(match["bytes"]) == sum(r["size"] for r in cut)


@test(every_days=4)
def the_flame_graph_opens_on_the_whole_run_and_switches_to_the_recent_records(t):
    for engine in ("vm", "bci"):
        t.java("Exits", "return", agent=f"address=none,records=100,engine={engine},"
               "dump=r.html,dump=r.jsonl,dump=r.collapsed,dump=r.txt")
        report = Report(t.path("r.jsonl"))
        seen = report.summary["seen_bytes"]
        run, *_ = open_in_browser(t, t.path("r.html"))
        assert (run["of"], int(run["total-bytes"]), run["self-check"]) == ("run", seen, "ok"), run
        assert int(run["total-count"]) == report.summary["seen"] > 100
        recent, *_, table = open_in_browser(t, t.path("r.html"), ("table", "sites"), of="recent", tab="sites")
        assert (recent["of"], recent["total-count"], recent["self-check"]) == ("recent", "100", "ok")
        assert int(table["total"]) < len(report.sites)
        with open(t.path("r.html"), encoding="utf-8") as page:
            assert f'"seen_bytes":{seen}' in page.read()
        assert collapsed_bytes(t.path("r.collapsed")) == seen
        with open(t.path("r.txt"), encoding="utf-8") as text:
            assert "by bytes, of the whole run" in text.read(20_000)


@test()
def the_flame_graph_says_so_when_its_numbers_disagree(t):
    report = run_and_check(t, "depth=64", [])
    if report is None:
        return
    whole = sum(r["size"] for r in report.records)
    with open(t.path("r.html"), encoding="utf-8") as f:
        page = f.read()
    changed = page.replace(f'"recorded_bytes":{whole}', f'"recorded_bytes":{whole + 8}')
    assert changed != page
    with open(t.path("changed.html"), "w", encoding="utf-8") as f:
        f.write(changed)
    shown, _ = open_in_browser(t, t.path("changed.html"), of="recent")
    assert str(whole) in shown["self-check"] and str(whole + 8) in shown["self-check"], shown


@test()
def callers_are_the_same_bytes_with_the_class_first(t):
    report = run_and_check(t, "depth=64", [])
    if report is None:
        return
    whole = sum(r["size"] for r in report.records)
    shown, match = open_in_browser(t, t.path("r.html"), q=r"Exits\$Mark", view="callers")
    marks = [r["size"] for r in report.records if r["class"] == "Exits$Mark"]
    assert (shown["self-check"], shown["view"], shown["of"]) == ("ok", "callers", "run"), shown
    assert int(shown["total-bytes"]) == whole and int(match["bytes"]) == sum(marks)
    shown, _ = open_in_browser(t, t.path("r.html"), view="callers", of="recent", by="count",
                               zoom="Exits$Mark;Exits.mark")
    assert (shown["self-check"], shown["zoom"]) == ("ok", "Exits.mark"), shown
    assert int(shown["zoom-count"]) == len(marks) == 10, shown


@test(every_days=4)
def the_table_of_sites_is_sorted_by_the_head_that_the_url_names(t):
    if run_and_check(t, "depth=64", []) is None:
        return
    for wanted, kept in (("type", "type"), ("count", "count"), ("", "bytes"), ("no such", "bytes")):
        *_, table = open_in_browser(t, t.path("r.html"), ("table", "sites"), sort=wanted, tab="sites")
        assert table["sort"] == kept, (wanted, table)
