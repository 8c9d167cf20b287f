"""Classes and loaders that come and go while tracking: right names, flat memory."""
from harness import Report, test


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


@test(gc=("g1",), flags=[("-Xmx256m",)])
def a_thousand_dropped_loaders_leave_right_names_and_flat_memory(t):
    drop_a_thousand_loaders(t)


@test(gc=("serial", "parallel", "zgc"), flags=[("-Xmx256m",)], full_only=True)
def dropped_loaders_leave_right_names_with_other_collectors(t):
    drop_a_thousand_loaders(t)
