"""Every way of making an object, counted by class, against the program's own count."""
from harness import FULL, Report, test

# Few enough objects that a ring of 1m records keeps them all, many enough that C2 compiles.
GROUPS = [
    ["Kinds$Plain", "Kinds$Derived", "Kinds$Outer$Inner", "Kinds$Reflected", "Kinds$ByHandle",
     "Kinds$Copied", "Kinds$Pair", "Kinds$Color[]", "Kinds$MadeByDefault", "Kinds$MadeByStatic",
     "LAMBDA", "Kinds$OwnException"],
    ["Kinds$Elem[]", "Kinds$CopyElem[]", "Kinds$RangeElem[]", "Kinds$CloneElem[]",
     "Kinds$NewInstanceElem[]", "Kinds$HandleElem[]", "Kinds$VarargElem[]", "Kinds$ListElem[]",
     "java.lang.Character", "java.lang.Float", "Kinds$InThread"],
    ["boolean[]", "char[]", "float[]", "double[]", "short[]", "CONCAT",
     "Kinds$ThrowsInConstructor"],
    ["Kinds$MultiElem[][]", "Kinds$JaggedElem[][][]", "Kinds$MultiInstanceElem[][]"],
]
# C2 makes one String and one array of such a chain, unless hooks keep it from that. The VM's own
# engine is no judge: where C2's code gives up halfway, the interpreter makes them once more.
CHAINS = [["CHAIN", "CHAIN_VALUE"]]
# With the thresholds scaled down, C2 has compiled each kind's loop long before the last round.
WARM, EACH = 4, 900
C2_SOON = "-XX:CompileThresholdScaling=0.05"


def kind_of(record):
    """The name under which the program counts this record."""
    name = record["class"]
    if not record["stack"]:  # the VM's own, outside of any Java method
        return None
    if name.startswith("Kinds$$Lambda"):
        made = any(f["method"] == "lambda" for f in record["stack"])
        return "LAMBDA" if made else None
    if name == "byte[]":
        made = any(f["method"] == "concat" for f in record["stack"])
        return "CONCAT" if made and record["size"] >= 1000 else None
    if name == "java.lang.String":
        made = {f["method"] for f in record["stack"]} & {"chain", "chainValue"}
        return {"chain": "CHAIN", "chainValue": "CHAIN_VALUE"}[made.pop()] if made else None
    if name.endswith("[]") and "." not in name and not name.startswith("Kinds$"):
        return name if record["stack"][0]["class"] == "Kinds" else None
    if name.startswith("java.lang."):
        box = name in ("java.lang.Character", "java.lang.Float")
        return name if box and any(f["class"] == "Kinds" for f in record["stack"]) else None
    return name


def check_kinds(t, engine, warm=WARM, each=EACH, groups=GROUPS):
    checked = 0
    for group in groups:
        run = t.java("Kinds", str(warm), str(each), *group,
                     agent=f"track=y,engine={engine},records=1m,depth=6,dump=k.jsonl", flags=["-Xmx2g"])
        counts = {}

        def count(record):
            kind = kind_of(record)
            counts[kind] = counts.get(kind, 0) + 1

        report = Report(t.path("k.jsonl"), count)
        assert report.summary["dropped"] == 0, report.summary
        assert report.summary["recorded"] == report.summary["seen"], "the ring was too small"
        assert report.summary["engine"] == engine
        for line in run.out.splitlines():
            _, name, made = line.split()
            assert counts.get(name, 0) == int(made), \
                f"{engine}: {name}: {counts.get(name, 0)} recorded, {made} made\n{run.err}"
            checked += 1
    assert checked >= sum(len(g) for g in groups), "the program told too few truths"


BOTH = ("bci", "vm")


@test(jdks="each", flags=[(C2_SOON,)], timeout=300, daily=1, every_days=4)
def every_kind_is_counted_exactly_when_warm(t):
    for engine in BOTH:  # each group with one of them, in the quick set
        for group in GROUPS if FULL else GROUPS[(t.turn() + BOTH.index(engine)) % 2::2]:
            check_kinds(t, engine, groups=[group])
    check_kinds(t, "bci", groups=CHAINS)


@test(jdks="each", flags=[(C2_SOON,), (C2_SOON, "-XX:-TieredCompilation"), ()], timeout=900, full_only=True)
def every_kind_is_counted_exactly_when_very_warm(t):
    for engine in BOTH:
        check_kinds(t, engine, warm=WARM, each=12_000)
    check_kinds(t, "bci", warm=WARM, each=12_000, groups=CHAINS)


@test(jdks="each", gc="all", timeout=300, daily=2, every_days=4)
def every_kind_is_counted_exactly_on_every_collector(t):
    for engine in BOTH:
        check_kinds(t, engine, warm=0, each=700, groups=[sum(GROUPS, [])])


@test(jdks="each", flags=[("-Xint",), ("-Xcomp",)], timeout=300, daily=2, every_days=4)
def every_kind_is_counted_exactly_in_every_compilation_mode(t):
    for engine in BOTH:
        check_kinds(t, engine, warm=0, each=500, groups=[sum(GROUPS, [])])


@test(jdks="each", min_jdk=25, flags=[("-XX:+UseCompactObjectHeaders",)], timeout=300, every_days=4)
def every_kind_is_counted_exactly_with_compact_headers(t):
    for engine in BOTH:
        check_kinds(t, engine, warm=0, each=700, groups=[sum(GROUPS, [])])


# How code may run: what is interpreted or compiled, and by which compiler, is no concern of a count.
MODES = [("-Xint",), ("-XX:TieredStopAtLevel=1",), (), ("-XX:-TieredCompilation", "-Xbatch")]


# What a class or a call site makes when it is used for the first time is not the program's.
FIRST_USE = {"<clinit>", "linkCallSite", "loadClass"}


def made_below(t, program, method, rounds, flags):
    """What engine=bci counts of each class below a method of the program, and the program's truths."""
    run = t.java(program, str(rounds), agent="track=y,engine=bci,records=1k,dump=m.jsonl", flags=flags)
    report = Report(t.path("m.jsonl"))
    assert report.summary["dropped"] == 0, report.summary
    counts = {}
    for site in report.sites:
        if FIRST_USE & {f["method"] for f in site["stack"]}:
            continue
        if any((f["class"], f["method"]) == (program, method) for f in site["stack"]):
            # A class that the VM makes up has another number in each run.
            name = site["class"].split("/0x")[0]
            counts[name] = counts.get(name, 0) + site["count"]
    return counts, {name: int(made) for _, name, made in map(str.split, run.out.splitlines())}


@test(timeout=300, every_days=5)
def every_class_is_counted_alike_however_the_code_runs(t):
    first = None
    for mode in MODES:
        counts, truths = made_below(t, "ManyKinds", "round", 60_000, mode)
        assert len(truths) == 11, truths
        for name, made in truths.items():
            assert counts.get(name, 0) == made, f"{mode}: {name}: {counts.get(name, 0)} of {made}"
        first = first or counts
        differ = {name: (first.get(name, 0), counts.get(name, 0))
                  for name in first.keys() | counts.keys() if first.get(name, 0) != counts.get(name, 0)}
        assert not differ, f"{MODES[0]} and {mode} differ: {differ}"


@test(flags=[("-Xint", "-XX:-OptimizeStringConcat"), ()])
def classes_from_the_shared_archive_are_counted_from_their_first_object(t):
    counts, truths = made_below(t, "LateClasses", "main", 20_000, ())
    for name, made in truths.items():
        assert counts.get(name, 0) == made, f"{name}: {counts.get(name, 0)} of {made}"


@test(jdks="each", gc=("serial", "zgc"), flags=[("-Xmx3g", "-Xmn16m")], every_days=4, alone=True)
def an_array_of_more_than_two_gigabytes_has_its_size(t):
    run = t.java("Vast", agent="track=y,engine=vm,records=1k,dump=v.jsonl")
    size = 16 + 8 * int(run.out)
    report = Report(t.path("v.jsonl"))
    sites = {s["class"]: s for s in report.sites if any(f["class"] == "Vast" for f in s["stack"])}
    for name, figures in (("long[]", (1, size)), ("short[]", (100, 100 * 216))):
        assert (sites[name]["count"], sites[name]["bytes"]) == figures, sites[name]
    assert max(r["size"] for r in report.records) == size
    assert 0 <= report.summary["unattributed_bytes"] < 1 << 20, report.summary
