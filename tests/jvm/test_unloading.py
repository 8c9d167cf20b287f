"""Classes and loaders that come and go while tracking: right names, flat memory."""
import os
import re

from harness import HERE, Report, test


def drop_a_thousand_loaders(t):
    run = t.java("Loaders", "1000", agent="engine=vm,dump=r.jsonl")
    quarter, end = (int(line.split()[1]) for line in run.out.splitlines())
    plain = t.java("Loaders", "1000")
    plain_quarter, plain_end = (int(line.split()[1]) for line in plain.out.splitlines())
    # The VM itself grows a little (it never frees jmethodIDs); we may add 6 MiB of names and ring.
    grown, plain_grown = end - quarter, plain_end - plain_quarter
    assert grown - plain_grown < 16 * 1024, f"{grown} KiB with, {plain_grown} KiB without the agent"
    report = Report(t.path("r.jsonl"))
    payloads = [r for r in report.records if r["class"] == "Loaders$Payload"]
    assert len(payloads) >= 5
    for record in payloads:
        top = record["stack"][0]
        assert top["class"] in ("Loaders$Loaded", "Loaders"), top
        assert top["line"] > 0 and top["file"] == "Loaders.java"
    assert not any(r["class"] == "unknown" for r in report.records)
    assert not any(f["class"] == "unknown" for r in report.records for f in r["stack"])


@test(jdks="each", gc=("g1",), flags=[("-Xmx256m",)], daily=1)
def a_thousand_dropped_loaders_leave_right_names_and_flat_memory(t):
    drop_a_thousand_loaders(t)


@test(jdks="each", gc=("serial", "parallel", "zgc"), flags=[("-Xmx256m",)], full_only=True)
def dropped_loaders_leave_right_names_with_other_collectors(t):
    drop_a_thousand_loaders(t)


@test(jdks="each", flags=[("-Xmx256m", "-XX:+UseSerialGC")], every_days=5, daily=1)
def names_of_classes_that_come_and_go_are_dropped(t):
    def growth(run):
        quarter, end = (int(line.split()[1]) for line in run.out.splitlines())
        return end - quarter

    by_itself = growth(t.java("Churn", "9000"))
    for engine in ("bci", "vm"):
        run = t.java("Churn", "9000",
                     agent=f"engine={engine},records=2000,sites=0,dump=r.jsonl,log=debug,address=none")
        sweeps = [tuple(map(int, found)) for found in
                  re.findall(r"(\d+) names before a sweep, (\d+) after it", run.err)]
        # Three names a class, and a sweep at 8,192 of them.
        assert len(sweeps) >= 2 and all(after < before for before, after in sweeps), run.err
        assert sweeps[-1][1] < 8192, sweeps
        assert growth(run) < by_itself + 24 * 1024, f"{run.out}, without the agent {by_itself} KiB more"
        report = Report(t.path("r.jsonl"))
        classes = {r["class"] for r in report.records}
        frames = [f for r in report.records for f in r["stack"]]
        assert "unknown" not in classes and not any(f["class"] == "unknown" for f in frames)
        assert len([c for c in classes if re.fullmatch(r"Churn\$Template\d{5}", c)]) > 5
        assert len([c for c in classes if c.startswith("Churn$$Lambda")]) == 1, classes
        lines = {f["line"] for f in frames if re.fullmatch(r"Churn\$Template\d{5}", f["class"])
                 and f["method"] == "run"}
        assert len(lines) == 1 and lines.pop() > 0


@test(jdks="each")
def classes_of_one_name_from_two_loaders_keep_their_lines_apart(t):
    for place in ("a", "b"):
        done = t.command([os.path.join(t.jdk.home, "bin", "javac"), "-g", "-d", t.path(place),
                          os.path.join(HERE, "programs", "twins", place, "Twin.java")])
        assert done.code == 0, done
    for order in (("a", "b"), ("b", "a")):
        t.java("Twins", *map(t.path, order), agent="engine=bci,dump=r.jsonl,address=none")
        lines, places = {}, {}
        for r in Report(t.path("r.jsonl")).records:
            if r["class"] == "java.lang.Object" and r["stack"][0]["class"] == "Twin":
                at = r["stack"][1]
                lines[at["line"]] = lines.get(at["line"], 0) + 1
                places[at["line"]] = at["bci"]
        assert lines == {line: 100 for line in (9, 10, 11, 19, 20, 21)}, lines
        assert places == {9: 6, 10: 9, 11: 12, 19: 0, 20: 3, 21: 6}, places
