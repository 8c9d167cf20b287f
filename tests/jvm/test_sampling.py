"""engine=vm,interval=: samples are weighed, so that sizes and sites have their true shares."""
import math

from ddm_client import Target
from harness import Report, test
from tool import ddm


def sizes_of(out):
    return {int(size): int(count) for size, count in (line.split() for line in out.splitlines())}


@test(jdks="each", every_days=4)
def samples_of_mixed_sizes_add_up_to_what_was_allocated(t):
    """24 bytes to 256 KiB in one thread, finely mixed, as many bytes of each: 24,000 samples of
    each of those that are small for the interval, so 3 % is four standard deviations."""
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
    off = {size: estimated[size] / made - 1 for size, made in sizes_of(run.out).items()}
    told = "estimated and made differ by " + \
        ", ".join(f"{share:+.1%} of {size} bytes" for size, share in off.items())
    print(f"     {t.name}: {told}", flush=True)
    assert max(map(abs, off.values())) < 0.03, told


@test(jdks="each")
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


def check_old_threads(t):
    for turns, interval_kib, arrays in ((1, 16, 120), (2, 16, 120), (1, 4096, 120), (2, 4096, 60)):
        with Target(t, agent=f"engine=vm,interval={interval_kib}k,track=n,depth=1,records=64k,"
                             "dump=r.jsonl",
                    program=("OldThreads", "100", "1500")) as p:
            with p.client() as ddm:
                for turn in range(turns):  # the second one with what the first has left
                    ddm.track(True)
                    made = int(p.ask(str(arrays)))
                    if turn + 1 < turns:
                        ddm.track(False)
                        p.ask("30")
            p.process.stdin.close()
            assert p.ended()[0] == 0
        samples = sum(r["stack"][:1] != [] and r["stack"][0]["class"] == "OldThreads"
                      and r["class"] == "long[]" for r in Report(t.path("r.jsonl")).records)
        expected = made * -math.expm1(-1016 / (interval_kib << 10))
        told = f"every {interval_kib} KiB, turn {turns}: {samples} samples of {made} arrays, " \
               f"{expected:.1f} expected"
        print(f"     {t.name}: {told}", flush=True)
        assert abs(samples - expected) <= 5 * expected ** 0.5 + 4, told


@test(jdks="each", every_days=4)
def old_threads_are_sampled_from_the_moment_of_switching_on(t):
    """What the VM drew for them was for another interval, and has been used up for long on 25: MBs
    would pass without a sample, or each thread become one at once."""
    check_old_threads(t)


@test(jdks="each", gc="all", full_only=True)
def old_threads_are_sampled_from_switching_on_with_every_collector(t):
    check_old_threads(t)


@test()
def what_came_since_a_mark_is_called_an_estimate_where_it_is_one(t):
    for agent, estimated in (("engine=vm,interval=16k", True), ("engine=vm", False)):
        with Target(t, agent=f"{agent},track=y,dump=none") as p:
            ddm(t, "allocs", p.pid, "--mark", "m")
            p.tell("keepbytes 5")
            told = ddm(t, "allocs", p.pid, "--since", "m")
            assert "since mark 'm'" in told and ("estimated: one sample every 16.0 KiB" in told) == estimated, told
