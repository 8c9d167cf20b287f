"""engine=bci tells every allocation's frames as Java itself would; the VM's own engine the same."""
import collections
import os
import re

from harness import Report, test

DEPTH = 16


def agent(engine, more="dump=r.jsonl"):
    return f"engine={engine},track=y,address=none,{more}"


# Tracks, and says nothing of it.
QUIET = "dump=none"


def plain_name(name):
    """Without what differs from run to run: a hidden class's address."""
    return re.sub(r"/0x.*", "", name)


def truths_of(out):
    """[(class, ((method, line), ...))] of a program's AT lines."""
    truths = []
    for line in out.splitlines():
        word, kind, *frames = line.split(" ")
        assert word == "AT", line
        truths.append((kind, tuple((name, int(number)) for name, _, number in
                                   (frame.rpartition(":") for frame in frames))))
    return truths


# Java's own traces leave it out; JVMTI does not say so of any method.
HIDDEN = "jdk.internal.reflect.DirectConstructorHandleAccessor.invokeImpl"


def stack_of(record):
    frames = [(f"{plain_name(f['class'])}.{f['method']}", f["line"]) for f in record["stack"]]
    return tuple(f for f in frames if f[0] != HIDDEN)


def made_by(record, program):
    return record["stack"] and record["stack"][0]["class"].partition("$")[0] == program


def from_program(frames, program):
    """Without the JDK's frames on top."""
    for i, (method, _) in enumerate(frames):
        if re.split(r"[.$]", method)[0] == program:
            return frames[i:]
    return ()


def compare_frames(t, program, engine, truths):
    exact = engine == "bci"  # the VM's own engine also shows the native methods on top

    def key(kind, frames, cut):
        return (kind, frames if exact else from_program(frames, program), cut)

    expected = collections.Counter(
        key(kind, frames[:DEPTH], len(frames) > DEPTH) for kind, frames in truths)
    report = Report(t.path("r.jsonl"))
    got = collections.Counter(
        key(plain_name(r["class"]), stack_of(r), r.get("truncated", False)) for r in report.records)
    for wanted, count in expected.items():
        assert got[wanted] >= count, \
            f"{engine}: {wanted}: {got[wanted]} of {count}; recorded instead:\n" + \
            "\n".join(str(k) for k in got if k[0] == wanted[0])
    # Of the program's own classes there are no others.
    kinds = {kind for kind, _ in truths if kind.startswith(program) and "$$Lambda" not in kind}
    for found, count in got.items():
        assert found[0] not in kinds or count == expected[found], \
            f"{engine}: {found}: {count}, not {expected[found]}"
    return report


@test(jdks="each", daily=1, every_days=4)
def frames_are_those_of_java_s_own_stack_traces(t):
    truths = truths_of(t.java("Frames").out)
    assert len(truths) > 120
    for engine in ("bci", "vm"):
        run = t.java("Frames", agent=agent(engine))
        assert truths_of(run.out) == truths, "the rewritten program's own stack traces changed"
        report = compare_frames(t, "Frames", engine, truths)
        for r in report.records:
            assert not any("DdmTracker" in f["class"] for f in r["stack"]), r


class Disassembly:
    """What javap says of a program's class files: {(class, method, descriptor): Code}."""

    class Code:
        def __init__(self):
            self.instructions, self.lines = {}, {}

        def line_of(self, bci):
            return self.lines[max(at for at in self.lines if at <= bci)]

    def __init__(self, t, program):
        javap = os.path.join(t.jdk.home, "bin", "javap")
        files = [os.path.join(t.classes(), n) for n in os.listdir(t.classes())
                 if re.match(rf"{program}(\$.*)?\.class", n)]
        text = t.command([javap, "-p", "-c", "-l", "-s", *files]).out
        self.methods = {}
        owner = name = code = None
        for line in text.splitlines():
            if found := re.match(r"(?:\S+ )*(?:class|interface|enum) (\S+).* \{$", line):
                owner = found.group(1).partition("<")[0]
            elif found := re.match(r"  (?! )(?:.* )?(\S+)\(.*\)(?: throws .*)?;$", line):
                name = found.group(1)
                name = "<init>" if name == owner else name
            elif line == "  static {};":
                name = "<clinit>"
            elif found := re.match(r"    descriptor: (\S+)", line):
                code = self.methods[owner, name, found.group(1)] = self.Code()
            elif found := re.match(r" +(\d+): ([a-z_0-9]+)(.*)", line):
                code.instructions[int(found.group(1))] = (found.group(2), found.group(3))
            elif found := re.match(r" +line (\d+): (\d+)", line):
                code.lines[int(found.group(2))] = int(found.group(1))


# What may stand at frame 0 of a record, by the engine that tells it.
ARRAY_INSTRUCTIONS = {"newarray", "anewarray", "multianewarray"}


def check_instruction(record, code, frame, engine):
    instruction, comment = code.instructions[frame["bci"]]
    where = f"{engine}: {record['class']} at {frame}: {instruction}{comment}"
    if "clone:()" in comment or "$$Lambda" in record["class"]:
        assert instruction.startswith("invoke"), where
    elif record["class"].endswith("[]"):
        assert instruction in ARRAY_INSTRUCTIONS, where
    elif engine == "vm":
        assert instruction == "new", where
    else:
        assert instruction == "invokespecial" and '"<init>":' in comment, where


@test(jdks="each", daily=1, every_days=4)
def bcis_are_those_of_the_original_class_file(t):
    disassembly = Disassembly(t, "Frames")
    assert len(disassembly.methods) > 60
    for engine in ("bci", "vm"):
        t.java("Frames", agent=agent(engine))
        tops, calls = set(), set()
        for r in Report(t.path("r.jsonl")).records:
            callee = None
            for f in r["stack"]:
                code = disassembly.methods.get((f["class"], f["method"], f["signature"]))
                if code is None:
                    callee = None
                    continue
                assert f["bci"] in code.instructions, f"{engine}: within an instruction: {f}"
                assert f["line"] == code.line_of(f["bci"]), f"{engine}: {f}"
                if f is r["stack"][0] and r["class"].startswith("Frames$"):
                    check_instruction(r, code, f, engine)
                    tops.add((f["method"], f["bci"]))
                if callee is not None and callee["method"] != "<clinit>":
                    instruction, comment = code.instructions[f["bci"]]
                    called = callee["method"]
                    if not called.startswith("lambda$"):
                        assert instruction.startswith("invoke") and f"{called}" in comment, \
                            f"{engine}: {f} does not call {called}: {instruction}{comment}"
                        calls.add((f["method"], f["bci"]))
                callee = f
        assert len(tops) > 60 and len(calls) > 60, (len(tops), len(calls))


def ran_the_same(t, *command, agents=None, flags=()):
    """Runs a program without the agent and with each of `agents`: it must say the same."""
    plain = t.java(*command, flags=flags, check=False)
    for options in agents or (agent("bci", QUIET),):
        run = t.java(*command, agent=options, flags=flags, check=False)
        assert run.code == plain.code, f"{options}: exit code {plain.code} without\n{run}"
        assert run.out == plain.out and run.err == plain.err, f"{options}\n{plain}\n--- but\n{run}"
    return plain


@test(jdks="each", timeout=300, daily=1, every_days=4)
def a_program_of_everything_runs_as_without_the_agent(t):
    plain = ran_the_same(t, "Mixed", agents=(agent("bci", QUIET), agent("vm", QUIET)))
    assert plain.code == 7 and plain.out.endswith("hook 3\n"), plain


@test(jdks="each", flags=[("-Xint",), ("-Xcomp",), ("-XX:TieredStopAtLevel=1",)], full_only=True, timeout=900)
def a_program_of_everything_runs_as_without_the_agent_in_every_compilation_mode(t):
    ran_the_same(t, "Mixed")


@test(jdks="each", gc="all", full_only=True, timeout=600)
def a_program_of_everything_runs_as_without_the_agent_on_every_collector(t):
    ran_the_same(t, "Mixed")


@test(jdks="each", min_jdk=21, timeout=300, daily=1, every_days=5)
def virtual_threads_run_as_without_the_agent_and_are_counted_exactly(t):
    plain = ran_the_same(t, "VirtualThreads", agents=(
        agent("vm", QUIET), agent("bci", "dump=r.jsonl,records=200k")))
    assert plain.code == 0 and plain.out.count("\n") == 4, plain
    report = Report(t.path("r.jsonl"))  # of the last run
    items = [r for r in report.records if r["class"] == "VirtualThreads$Item"]
    assert len(items) == 20_000
    assert len({r["thread"]["id"] for r in items}) == 2000
    for r in items:
        top = r["stack"][0]
        assert (top["class"], top["method"]) == ("VirtualThreads", "work"), r
        assert r["stack"][1]["method"] == "lambda$main$0", r
    recursion = [r for r in report.records if r["stack"] and r["stack"][0]["method"] == "recursion"]
    assert len(recursion) > 500 and {r["thread"]["name"] for r in recursion} == {"named"}


SCRIPT = """
def words = (1..200).collect { "w${it % 7}" }
println words.groupBy { it }.collectEntries { k, v -> [k, v.size()] }.sort()
class Animal { String name; def speak(Object... to) { "$name to ${to.join(',')}" } }
println new Animal(name: 'rex').speak(1, 'two', [3])
def memo
memo = { n -> n < 2 ? n : memo(n - 1) + memo(n - 2) }
println memo(15)
println ([1, 2, 3].inject(0) { a, b -> a + b } as BigDecimal)
def matrix = new int[3][4]
matrix[1][2] = 5
println matrix.collect { it.sum() }
try { [].missing() } catch (MissingMethodException e) { println e.message.readLines()[0] }
println (("a".."e").permutations().size())
"""


@test(jdks="each", timeout=300, daily=1, every_days=4)
def a_groovy_script_runs_as_without_the_agent(t):
    with open(t.path("script.groovy"), "w") as f:
        f.write(SCRIPT)
    plain = ran_the_same(t, "-cp", "/usr/share/java/groovy-all.jar", "groovy.ui.GroovyMain",
                         t.path("script.groovy"))
    assert plain.code == 0 and plain.out.endswith("\n120\n"), plain


@test(jdks="each", gc=("serial", "g1", "zgc"), flags=[("-Xmx256m",)], timeout=300, daily=2, every_days=4)
def a_report_is_right_though_the_classes_were_unloaded(t):
    t.java("Loaders", "300", agent=agent("bci"))
    report = Report(t.path("r.jsonl"))
    assert report.summary["dropped"] == 0, report.summary
    payloads = [r for r in report.records if r["class"] == "Loaders$Payload"]
    loaded = [r for r in payloads if r["stack"][0]["class"] == "Loaders$Loaded"]
    assert len(payloads) == len(loaded) + 3  # the last three are main's own
    assert len(loaded) == 5 * 300 or report.summary["recorded"] < report.summary["seen"]
    assert len(loaded) > 50
    for r in loaded:
        assert [f["method"] for f in r["stack"]] == ["run", "main"], r
        assert r["stack"][0]["line"] > 0 and r["stack"][0]["file"] == "Loaders.java", r
    assert not any(name == "unknown" for r in report.records
                   for name in [r["class"], *(f["class"] for f in r["stack"])])


def checked_jni(text):
    """What -Xcheck:jni found, without addresses and where it was."""
    return {re.sub(r"0x[0-9a-f]+", "", line) for line in text.splitlines()
            if re.match(r"(\[.*\] ?)?(WARNING|FATAL|Warning)", line)}


@test(jdks="each", flags=[("-Xcheck:jni",)], timeout=300, daily=1, every_days=4)
def the_checked_jni_finds_no_more_than_without_the_agent(t):
    for command in (("Mixed", "reflection", "exceptions", "arrays", "threads"), ("Frames",)):
        plain = t.java(*command, check=False)
        run = t.java(*command, agent=agent("bci"), check=False)
        assert run.code == plain.code, run
        more = checked_jni(run.out + run.err) - checked_jni(plain.out + plain.err)
        assert not more, more
    assert Report(t.path("r.jsonl")).summary["seen"] > 1000


@test(jdks="each", flags=[("-Xint",), ("-Xcomp",), ("-XX:-TieredCompilation",)], timeout=300, daily=2, every_days=4)
def frames_are_the_same_in_every_compilation_mode(t):
    truths = truths_of(t.java("Frames").out)
    t.java("Frames", agent=agent("bci"))
    compare_frames(t, "Frames", "bci", truths)


@test(jdks="each", min_jdk=21, every_days=4)
def a_virtual_thread_keeps_its_name_whatever_reports_are_written(t):
    for engine in ("bci", "vm"):
        t.java("LongVirtualThread", "r.jsonl", flags=["-Djdk.virtualThreadScheduler.parallelism=1"],
               agent=f"engine={engine},records=200,every=1,dump=r.jsonl,address=none")
        late = [r for r in Report(t.path("r.jsonl")).records if r["class"] == "LongVirtualThread$Late"]
        assert len(late) == 50 and {r["thread"]["name"] for r in late} == {"the long one"}, late[:1]
        os.remove(t.path("r.jsonl"))
