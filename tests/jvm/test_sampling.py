"""engine=vm,interval=: samples are weighed, so that sizes and sites have their true shares."""
from harness import Report, test


def sizes_of(out):
    return {int(size): int(count) for size, count in (line.split() for line in out.splitlines())}


@test()
def samples_of_mixed_sizes_add_up_to_what_was_allocated(t):
    """24 bytes to 256 KiB in one thread, finely mixed, as many bytes of each: 12,000 samples and
    more of those that are small for the interval, so 3 % is four standard deviations."""
    run = t.java("Sampled", "800000000",
                 agent="address=none,engine=vm,interval=32k,depth=1,records=128k,dump=r.jsonl")
    report = Report(t.path("r.jsonl"))
    summary = report.summary
    assert summary["interval"] == 32768
    assert 50000 < summary["samples"] == len(report.records) + summary["dropped"]
    assert abs(summary["seen_bytes"] / summary["allocated_bytes"] - 1) < 0.03, summary
    assert summary["unattributed_bytes"] is None
    estimated = {}
    for record in report.records:
        estimated[record["size"]] = estimated.get(record["size"], 0) + record["weight"]
    for size, made in sizes_of(run.out).items():
        assert abs(estimated[size] / made - 1) < 0.03, \
            f"{size} bytes: {estimated[size]:.0f} estimated, {made} made"


@test()
def two_sites_with_half_the_bytes_each_are_shown_so(t):
    """The interval in use, and every report: sums of sizes would show 99 % and 1 %."""
    t.java("Sampled", "1500000000",
           agent="address=none,engine=vm,interval=512k,dump=r.txt,dump=r.collapsed,dump=r.html")
    bytes_of = {"small": 0, "array": 0}
    with open(t.path("r.collapsed")) as lines:
        for line in lines:
            stack, _, size = line.rpartition(" ")
            assert stack.startswith("[estimated:_one_sample_every_512.0_KiB"), line
            for site in bytes_of:
                if f"Sampled.{site};" in stack:
                    bytes_of[site] += int(size)
    small = bytes_of["small"] / sum(bytes_of.values())  # a quarter; some 2,800 of 11,000 samples
    assert abs(small - 0.25) < 0.025, bytes_of
    with open(t.path("r.txt")) as text:
        head = text.read(3000)
    assert "one sample every 512.0 KiB of a thread" in head, head
    with open(t.path("r.html")) as page:
        assert '"interval":524288' in page.read()
