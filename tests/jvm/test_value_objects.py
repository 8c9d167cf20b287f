"""Value objects (JEP 401: JDK 28 with --enable-preview), which have no identity: counted like others, with
their sizes and stacks, and never followed."""
import glob
import os

from harness import ENGINES, HERE, Report, test

PREVIEW = ("--enable-preview",)
MADE = 100_000


def run_values(t, options):
    sources = glob.glob(os.path.join(HERE, "programs", "preview", "*.java"))
    done = t.command([os.path.join(t.jdk.home, "bin", "javac"), "-nowarn", "-g", *PREVIEW, "--release",
                      str(t.jdk.major), "-d", t.dir, *sources])
    assert done.code == 0, done
    run = t.java("-cp", t.dir, "Values", str(MADE), agent=f"track=y,address=none,{options},dump=v.jsonl",
                 flags=PREVIEW)
    assert run.out.startswith(f"made {MADE} "), run
    return Report(t.path("v.jsonl")), run


def made_in(report, kind, method):
    found = [s for s in report.sites if s["class"] == kind and
             any((f["class"], f["method"]) == ("Values", method) for f in s["stack"]) and
             all(f["method"] != "<clinit>" for f in s["stack"])]  # Optional's own, at its first use
    return sum(s["count"] for s in found), sum(s["bytes"] for s in found)


@test(min_jdk=28, flags=[PREVIEW])
def value_objects_are_counted_like_others(t):
    for engine in ENGINES:
        report, run = run_values(t, f"engine={engine}")
        for kind, method in (("Values$P", "pairs"), ("Values$Branchy", "branchy"),
                             ("java.lang.Integer", "boxes"), ("java.util.Optional", "optionals"),
                             ("Values$Holder", "holders")):
            count, size = made_in(report, kind, method)
            # Where C2's code gives up halfway, the interpreter makes the object once more.
            again = count - MADE if engine == "vm" else 0
            assert count == MADE + again and 0 <= again <= 10, (engine, kind, count, run.err)
            assert size % count == 0 and size > 0, (engine, kind, count, size)
        unattributed = abs(report.summary["unattributed_bytes"])
        assert unattributed < report.summary["seen_bytes"] / 100, (engine, report.summary)
        assert "unknown-frame" not in report.summary["methods_skipped"], report.summary


@test(min_jdk=28, flags=[PREVIEW])
def objects_without_an_identity_are_counted_and_never_followed(t):
    for engine in ENGINES:
        report, run = run_values(t, f"engine={engine},live=y")
        count, _ = made_in(report, "Values$Holder", "holders")
        assert MADE <= count <= MADE + 10, (engine, count, run.err)
        lost = report.summary["live_not_followed"]
        # Five kinds of them, but for what the VM's own start makes.
        assert set(lost) == {"value class"} and lost["value class"] >= 5 * MADE, (engine, lost)
        assert not any(s["class"].endswith("IdentityException") for s in report.sites), engine
        assert abs(report.summary["unattributed_bytes"]) < report.summary["seen_bytes"] / 100
