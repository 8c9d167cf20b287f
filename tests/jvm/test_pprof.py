"""The report for pprof, read by pprof itself (Go's) and by a reader from profile.proto's text."""
import re
from collections import Counter

from harness import Report, test
from pprof import Profile


def pprof(t, *words):
    done = t.command(["go", "tool", "pprof", *words, t.path("r.pb.gz")], env={"HOME": t.dir})
    assert done.code == 0, done
    return done.out


@test(every_days=4)
def pprof_itself_shows_what_the_jsonl_report_has(t):
    t.java("Sites", "live", "3000", agent="live=y,address=none,records=1k,dump=r.jsonl,dump=r.pb.gz")
    report = Report(t.path("r.jsonl"))
    raw = pprof(t, "-raw")
    head, body = raw.split("\nSamples:\n")
    samples, locations = body.split("\nLocations\n")
    types, *rows = samples.split("\n")
    types = [word.split("/")[0] for word in types.split()]
    assert types == ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"], types
    assert f"inuse: as of collection {report.summary['gc']}" in head, head
    names = {id: name for id, name in re.findall(r"^ *(\d+): 0x[0-9a-f]+ M=\d+ (\S+) ", locations, re.M)}
    shown = {kind: Counter() for kind in types}
    for row in rows:
        if match := re.fullmatch(r"((?: *\d+)+): ([\d ]+?) *", row):
            leaf = names[match[2].split()[0]]
            for kind, value in zip(types, match[1].split()):
                shown[kind][leaf] += int(value)
    for kind, field in zip(types, ("count", "bytes", "live_count", "live_bytes")):
        expected = Counter()
        for site in report.sites:
            expected[site["class"] + "_[new]"] += site[field]
        assert +shown[kind] == +expected, kind
    for kind, total in (("alloc_space", "seen_bytes"), ("inuse_space", "live_bytes")):
        top = pprof(t, "-top", f"-sample_index={kind}", "-unit=bytes")
        assert f"Total samples = {report.summary[total]}B" in top or f"of {report.summary[total]}B total" in top, top
    own = pprof(t, "-peek", r"^Sites\.live$", "-sample_index=alloc_objects")
    assert re.search(r"^ +9000 .*\| +Sites\$Leaf_\[new\]$", own, re.M), own


@test()
def the_pprof_report_has_what_the_jsonl_report_has(t):
    t.java("Sites", "kinds", "1000", agent="track=y,address=none,records=1k,dump=r.jsonl,dump=r.pb.gz")
    report, profile = Report(t.path("r.jsonl")), Profile(t.path("r.pb.gz"))
    assert profile.types == ["alloc_objects", "alloc_space"]
    for kind, total in (("alloc_objects", "seen"), ("alloc_space", "seen_bytes")):
        assert sum(values[kind] for _, values in profile.samples) == report.summary[total]
    shown, expected = Counter(), Counter()
    for stack, values in profile.samples:
        shown[stack[0][0]] += values["alloc_space"]
    for site in report.sites:
        expected[site["class"] + "_[new]"] += site["bytes"]
    assert shown == expected
    # Stacks are told apart by their addresses alone, too.
    assert len(set(zip(profile.addresses, (tuple(s) for s, _ in profile.samples)))) == len(set(profile.addresses))
    assert all(0 < address < 1 << 48 for stack in profile.addresses for address in stack)
    own = [s for s, _ in profile.samples if len(s) > 1 and s[1][0].startswith("Sites.")]
    assert own and all(line > 0 for s in own for _, line in s[1:2])


@test(gc=("g1",), flags=[("-Xmx64m",)])
def an_out_of_memory_error_leaves_a_pprof_report_under_its_own_name(t):
    t.java("Exits", "leak", agent="dump=r.pb.gz,address=none", check=False)
    for name in ("r.pb.gz", "r-oom.pb.gz"):
        assert any(stack[0][0] == "byte[]_[new]" for stack, _ in Profile(t.path(name)).samples), name
