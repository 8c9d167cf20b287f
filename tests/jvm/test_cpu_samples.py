"""cpu=samples: what is sampled, held against the CPU clock of the program's own thread."""
import os

from cpu_shares import PARTS, shares_come_to, truth_of
from harness import Report, test
from measured import best_of
from pprof import Profile


def shares(report, thread="main"):
    counts = dict.fromkeys(PARTS, 0)
    for sample in report.samples:
        methods = {frame["method"] for frame in sample["stack"]}
        for part in PARTS:
            if sample["thread"] == thread and part in methods:
                counts[part] += sample["count"]
    return counts


@test(timing=True, timeout=180)
def samples_share_the_cpu_as_the_program_did(t):
    def measure(delay):
        run = t.java("CpuShares", "2500",
                     agent=f"address=none,cpu=samples,interval_ms=1,budget=20,delay={delay},"
                           "dump=r.jsonl,dump=r.collapsed,dump=r.txt")
        report = Report(t.path("r.jsonl"))
        counts, cpu_ms = shares(report), int(run.out.split()[3])
        count = sum(counts.values())
        # A sample is a millisecond of CPU, however seldom the sampler could look.
        assert abs(count - cpu_ms) <= 0.05 * cpu_ms, (count, cpu_ms)
        sampler = report.summary["sampler"]
        assert sampler["asked_ns"] == 1_000_000 and sampler["budget"] == 20
        assert sampler["own_ns"] + sampler["others_ns"] <= 0.20 * sampler["on_ns"], sampler
        assert not [s for s in report.samples if s["thread"].startswith("ddmagent")]
        assert report.summary["seen"] == 0
        return counts, truth_of(run.out)

    for delay in ("exponential", "varied"):
        shares_come_to(3, lambda: best_of(3, lambda: measure(delay)))
    with open(t.path("r.collapsed"), encoding="utf-8") as f:
        stacks = dict(line.rsplit(" ", 1) for line in f)
    assert any(stack.startswith("CpuShares.main;CpuShares.seventy;CpuShares.spin")
               for stack in stacks), stacks
    with open(t.path("r.txt"), encoding="utf-8") as f:
        text = f.read()
    assert "CPU samples" in text and "CpuShares.spin" in text and "at CpuShares.seventy" in text


@test()
def the_cpu_of_threads_that_live_for_milliseconds_is_sampled_or_told_as_missed(t):
    run = t.java("ShortLived", "300", "4",
                 agent="address=none,cpu=samples,interval_ms=10,dump=r.jsonl")
    report, used_ms = Report(t.path("r.jsonl")), int(run.out)
    sampled_ms = 10 * sum(s["count"] for s in report.samples if s["thread"].startswith("Thread-"))
    missed_ms = report.summary["sampler"]["missed_ns"] / 1e6
    assert abs(sampled_ms + missed_ms - used_ms) < 0.1 * used_ms, (sampled_ms, missed_ms, used_ms)


def two_thousand_waiting_threads(t, options):
    """Their report, and what it says of the sampler, which kept within its budget."""
    t.java("CpuShares", "1500", "2000", flags=["-Xss256k"],
           agent=f"address=none,{options},budget=5,dump=r.jsonl")
    report = Report(t.path("r.jsonl"))
    sampler = report.summary["sampler"]
    assert sampler["own_ns"] + sampler["others_ns"] <= 0.06 * sampler["on_ns"], sampler
    return report, sampler


@test(timeout=180)
def two_thousand_waiting_threads_are_sampled_within_the_budget(t):
    report, sampler = two_thousand_waiting_threads(t, "cpu=samples,interval_ms=1")
    assert sampler["looks"] >= 10 and not sampler["failed"], sampler
    assert sum(shares(report).values()) >= 1000, shares(report)
    # Threads that only wait have next to no samples.
    idle = sum(s["count"] for s in report.samples if s["thread"].startswith("idle-"))
    assert idle <= 600, idle


def crowd_is_sampled_fairly(t, threads, processors=None):
    """Each of more threads than processors has the samples of the CPU that it used."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(everywhere)[:processors])  # the program's, too
    try:
        run = t.java("CpuCrowd", str(threads), "400",
                     agent="address=none,cpu=samples,interval_ms=1,budget=5,dump=r.jsonl")
    finally:
        os.sched_setaffinity(0, everywhere)
    report = Report(t.path("r.jsonl"))
    sampler = report.summary["sampler"]
    assert sampler["own_ns"] + sampler["others_ns"] <= 0.06 * sampler["on_ns"], sampler
    for name, cpu_ms in (line.split() for line in run.out.splitlines()):
        spinning = sum(s["count"] for s in report.samples if s["thread"] == name
                       and any(frame["method"] == "spin" for frame in s["stack"]))
        # What it used after it was last met has no samples.
        assert 0.5 * int(cpu_ms) <= spinning <= int(cpu_ms) + 1, (name, spinning, cpu_ms, sampler)
    met = sum(s["count"] for s in report.samples if s["thread"].startswith("busy-"))
    assert met >= 0.7 * 400 * threads, (met, sampler)


@test(timeout=180, every_days=4)
def more_busy_threads_than_processors_are_sampled_fairly_within_the_budget(t):
    crowd_is_sampled_fairly(t, 4 * (os.cpu_count() or 2))


@test(timeout=180)
def busy_threads_on_one_processor_are_sampled_fairly_within_the_budget(t):
    crowd_is_sampled_fairly(t, 4, processors=1)


@test(min_jdk=21)
def virtual_threads_are_sampled_and_not_their_carriers(t):
    t.java("VirtualShares", "1500",
           agent="address=none,cpu=samples,interval_ms=1,budget=20,dump=r.jsonl")
    report = Report(t.path("r.jsonl"))
    spinning = [s for s in report.samples if s["thread"] == "spinner"]
    count = sum(s["count"] for s in spinning)
    in_spin = sum(s["count"] for s in spinning
                  if any(frame["method"] == "spin" for frame in s["stack"]))
    assert count >= 100 and in_spin >= 0.9 * count, (count, in_spin, report.summary["sampler"])


class WallSamples:
    """What WallShares says of itself, in milliseconds, and what the samples of it come to."""

    def __init__(self, t, spinners, processors=None):
        everywhere = os.sched_getaffinity(0)
        os.sched_setaffinity(0, sorted(everywhere)[:processors])  # the program's, too
        try:
            run = t.java("WallShares", "2000", str(spinners),
                         agent="address=none,cpu=wall,dump=r.jsonl,dump=r.txt,dump=r.pb.gz,dump=r.html")
        finally:
            os.sched_setaffinity(0, everywhere)
        self.working, self.resting = (int(run.out.split()[i]) for i in (1, 3))
        self.report = Report(t.path("r.jsonl"))
        self.sampler = self.report.summary["sampler"]
        assert self.sampler["clock"] == "wall" and not self.sampler["failed"], self.sampler
        # What came after the last look is missing, and looks are the later the more the machine has to
        # do; the sampler is on before main is, and until the report. One sample is what is left over.
        self.late = 100 + (2 * self.sampler["longest_ns"] + self.sampler["asked_ns"] + self.sampler["missed_ns"]) / 1e6

    def ms(self, thread, *methods):
        return self.sampler["asked_ns"] / 1e6 * sum(
            s["count"] for s in self.report.samples
            if s["thread"] == thread and any(f["method"] in methods for f in s["stack"]))

    def judge(self, spinners):
        all_ms = self.working + self.resting
        told = {name: self.ms(name, method) for name, method in
                [("idle", "idle"), ("blocked", "enter"), *((f"busy-{i}", "spin") for i in range(spinners))]}
        told["main"] = self.ms("main", "main")
        on_ms = self.sampler["on_ns"] / 1e6 + self.late
        for name, ms in told.items():
            # Where main last worked without being met at it, that has no sample yet.
            unmet = self.working / 2 if name == "main" else 0
            assert all_ms - self.late - unmet <= ms <= on_ms, (name, told, all_ms, self.sampler)
        near = max(0.1 * all_ms, 2 * self.sampler["longest_ns"] / 1e6)
        assert abs(self.ms("main", "rest") - self.resting) <= near, (
            self.ms("main", "rest"), self.resting, self.sampler)


@test()
def samples_of_wall_time_share_the_time_of_threads_that_wait_too(t):
    samples = WallSamples(t, 0)
    samples.judge(0)
    with open(t.path("r.txt"), encoding="utf-8") as f:
        assert "Wall-clock samples: " in f.read()
    assert Profile(t.path("r.pb.gz")).types == ["samples", "wall"]


@test()
def threads_that_wait_for_a_processor_are_told_where_they_run(t):
    WallSamples(t, 2, processors=1).judge(2)


@test()
def a_short_wait_has_its_wall_time_after_a_long_one_too(t):
    # One in four waits of 10 ms between 100 ms is looked at, by chance: of 160 seconds of turns their
    # time is told with a standard deviation of 3 %, of 40 seconds with 6 %.
    pairs = [(35, 10), (20, 5), (100, 10)]
    run = t.java("WallTurns", "10", "16", *(str(ms) for pair in pairs for ms in pair),
                 agent="address=none,cpu=wall,budget=20,dump=r.jsonl")
    report = Report(t.path("r.jsonl"))
    told = {}
    for sample in report.samples:
        for method in ("longer", "shorter"):
            if any(frame["method"] == method for frame in sample["stack"]):
                key = sample["thread"], method
                told[key] = told.get(key, 0) + sample["count"] * report.summary["sampler"]["asked_ns"]
    for line in run.out.splitlines():
        name, *truth = line.split()
        off = {method: told.get((name, method), 0) / int(ns)
               for method, ns in zip(("longer", "shorter"), truth)}
        assert 0.92 <= off["longer"] <= 1.08 and 0.8 <= off["shorter"] <= 1.2, (name, off, report.summary)


@test(timeout=180, every_days=2)
def two_thousand_waiting_threads_are_sampled_by_wall_time_within_the_budget(t):
    report, _ = two_thousand_waiting_threads(t, "cpu=wall")
    idle = {s["thread"]: s["count"] for s in report.samples if s["thread"].startswith("idle-")}
    assert len(idle) == 2000, len(idle)


@test(min_jdk=21)
def a_virtual_thread_on_a_carrier_has_its_wall_time(t):
    t.java("VirtualShares", "1500", agent="address=none,cpu=wall,dump=r.jsonl")
    report = Report(t.path("r.jsonl"))
    sampler = report.summary["sampler"]
    ms = sampler["asked_ns"] / 1e6 * sum(s["count"] for s in report.samples if s["thread"] == "spinner")
    late = 100 + 2 * sampler["longest_ns"] / 1e6
    assert 1500 - late <= ms <= sampler["on_ns"] / 1e6 + late, (ms, sampler)
