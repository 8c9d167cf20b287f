"""What the html report shows of time, in a real browser, held against the jsonl report of the same exit."""
from browser import data_of, open_in_browser
from harness import Report, test

ENDINGS = "dump=r.html,dump=r.jsonl"


def table_of(name):
    return ("table", name)


@test(every_days=3)
def the_page_of_method_times_adds_up_to_what_jsonl_tells(t):
    t.java("Calls", "counts", agent=f"cpu=times,methods=Calls*,address=none,{ENDINGS}")
    methods = Report(t.path("r.jsonl")).methods
    # Each path is rounded to whole nanoseconds.
    self_ns, calls = (sum(m[key] for m in methods) for key in ("self_ns", "calls"))
    page, match, found = open_in_browser(t, t.path("r.html"), table_of("methods"), q="^Calls.fib$")
    *_, table = open_in_browser(t, t.path("r.html"), table_of("methods"))
    assert 0 < int(found["total"]) < len(methods), found
    assert (page["of"], page["by"], page["self-check"]) == ("times", "ns", "ok"), page
    assert abs(int(page["total-ns"]) - self_ns) < 1000 and int(page["total-count"]) == calls
    assert (int(table["total"]), table["sort"]) == (len(methods), "ns"), table
    fib = next(m for m in methods if m["method"] == "fib")
    assert int(match["count"]) >= fib["calls"] and int(match["bars"]) > 1, (match, fib)
    # What fib calls is fib: the time below it is its own.
    assert abs(int(match["ns"]) - fib["total_ns"]) <= 0.05 * fib["total_ns"] + 1000, (match, fib)
    for more in ({"by": "count"}, {"view": "callers"}, {"view": "flame", "sort": "total"}):
        page, _, table = open_in_browser(t, t.path("r.html"), table_of("methods"), **more)
        assert page["self-check"] == "ok" and int(page["total-count"]) == calls, page
        assert table["sort"] == more.get("sort", more.get("by", "ns")), (more, table)
    page, _ = open_in_browser(t, t.path("r.html"), zoom="Calls.catcher", by="count")
    assert page["zoom"] == "Calls.catcher" and 0 < int(page["zoom-count"]) < calls, page


@test(every_days=3)
def the_page_of_samples_adds_up_to_what_jsonl_tells(t):
    t.java("CpuShares", "600", agent=f"cpu=samples,interval_ms=2,address=none,{ENDINGS}")
    samples = Report(t.path("r.jsonl")).samples
    count = sum(s["count"] for s in samples)
    page, match, _ = open_in_browser(t, t.path("r.html"), table_of("methods"), q=r"^CpuShares\.seventy$")
    *_, methods = open_in_browser(t, t.path("r.html"), table_of("methods"))
    *_, threads = open_in_browser(t, t.path("r.html"), table_of("threads"), tab="threads")
    assert (page["of"], page["by"], page["self-check"]) == ("samples", "count", "ok"), page
    assert int(page["total-count"]) == count > 0 and "total-ns" not in page
    inside = sum(s["count"] for s in samples if "seventy" in [f["method"] for f in s["stack"]])
    assert int(match["count"]) == inside > 0, (match, inside)
    names = {(f["class"], f["method"]) for s in samples for f in s["stack"]}
    assert int(methods["total"]) == len(names), (methods, names)
    assert int(threads["total"]) == len({s["thread"] for s in samples})
    page, _ = open_in_browser(t, t.path("r.html"), view="callers", zoom="CpuShares.spin")
    assert (page["zoom"], page["self-check"]) == ("CpuShares.spin", "ok"), page


@test(every_days=3)
def the_page_of_locks_adds_up_to_what_jsonl_tells(t):
    t.java("Contended", "3", "10", "20", "5", agent=f"monitor=y,address=none,{ENDINGS}")
    monitors = [m for m in Report(t.path("r.jsonl")).monitors if m["kind"] != "pin" and m["count"] > 0]
    page, match, _ = open_in_browser(t, t.path("r.html"), table_of("types"), q=r"^Contended\$Till$")
    *_, types = open_in_browser(t, t.path("r.html"), table_of("types"))
    *_, holders = open_in_browser(t, t.path("r.html"), table_of("holders"), tab="holders")
    assert (page["of"], page["by"], page["self-check"]) == ("locks", "ns", "ok"), page
    assert int(page["total-ns"]) == sum(m["ns"] for m in monitors)
    assert int(page["total-count"]) == sum(m["count"] for m in monitors)
    till = [m for m in monitors if m["class"] == "Contended$Till"]
    assert int(match["ns"]) == sum(m["ns"] for m in till) > 0, (match, till)
    assert int(types["total"]) == len({(m["kind"], m["class"]) for m in monitors}), types
    threads = {h["thread"] for m in monitors for h in m.get("holders", [])}
    assert threads and int(holders["total"]) >= len(threads), (holders, threads)
    locks = data_of(t.path("r.html"))["locks"]
    for column, figure in ((4, "ns"), (5, "count")):
        assert sum(row[column] for row in locks["holders"]) == \
            sum(h[figure] for m in monitors for h in m.get("holders", [])), locks["holders"]
    assert {row[1] for row in locks["holders"]} == threads, locks["holders"]
    for view in ("icicle", "callers"):
        page, _ = open_in_browser(t, t.path("r.html"), view=view, zoom="enter")
        assert (page["zoom"], page["self-check"]) == ("enter", "ok"), page
        assert int(page["zoom-ns"]) == sum(m["ns"] for m in monitors if m["kind"] == "enter"), page


@test()
def a_page_of_allocations_and_time_opens_on_allocations_and_switches(t):
    t.java("Calls", "counts",
           agent=f"track=y,cpu=times,methods=Calls*,monitor=y,address=none,{ENDINGS}")
    report = Report(t.path("r.jsonl"))
    page, *_ = open_in_browser(t, t.path("r.html"))
    assert (page["of"], int(page["total-bytes"])) == ("run", report.summary["seen_bytes"]), page
    # The measure of one kind is none of the other.
    page, _, table = open_in_browser(t, t.path("r.html"), table_of("methods"), of="times", by="bytes")
    assert (page["of"], page["by"], page["self-check"]) == ("times", "ns", "ok"), page
    assert int(page["total-count"]) == sum(m["calls"] for m in report.methods), page
    assert "total-bytes" not in page and int(table["total"]) == len(report.methods), page


@test()
def a_page_of_time_with_nothing_in_it_says_so(t):
    t.java("Exits", "return", agent="monitor=y,address=none,dump=r.html")
    with open(t.path("r.html"), encoding="utf-8") as f:
        page = f.read()
    assert '"time_alone":true' in page, page[-3000:]
    # The VM's own threads may have waited for each other.
    shown, *_ = open_in_browser(t, t.path("r.html"))
    assert shown.get("of", "locks") == "locks", shown
