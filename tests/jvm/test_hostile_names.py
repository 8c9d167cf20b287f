"""Whatever names a program has and whatever messages it writes: no byte of it commands the terminal of
who looks at it, and none forges a line."""
import glob
import json
import os
import re
import signal
import subprocess
import unicodedata

from ddm_client import Target
from harness import ROOT, test
from tool import DDM

# What the program is called. Its classes, threads, files and messages are worse (HostileNames.java).
NAME = "evil\x1b]0\x07\r\nFORGED\x7f\u0085\u009b\u202e\u2066\u2028"

# As Unicode sorts them: Cc are C0, DEL and C1, Cf the bidi controls among others, Zl and Zp separators.
BIDI = {*range(0x202a, 0x202f), *range(0x2066, 0x206a)}


def commands_in(shown, kept="\n"):
    text = shown.decode("utf-8")  # no byte that is no character, and no half of a pair
    return [hex(ord(c)) for c in set(text) if c not in kept and (
        unicodedata.category(c) in ("Cc", "Zl", "Zp", "Cs") or ord(c) in BIDI)]


def assert_harmless(where, shown, kept="\n"):
    bad = commands_in(shown, kept)
    assert not bad, f"{where}: {sorted(set(bad))} in {shown[:2000]!r}"
    assert not re.search(rb"^FORGED", shown, re.M), f"{where}: a forged line in {shown[:2000]!r}"


def run(t, *words, signal_after=None):
    """stdout of `ddm` words, once looked at; and what it said on stderr."""
    line = [DDM, *map(str, words)]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=t.dir)
    if signal_after:
        ready = (process.stderr if words[0] == "serve" else process.stdout).readline()
        assert_harmless(" ".join(line), ready)
        process.send_signal(signal_after)
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, 1, 2, -signal.SIGTERM), (line, process.returncode)
    assert_harmless(" ".join(line), out)
    assert_harmless(" ".join(line) + ": stderr", err)
    return out.decode(), err.decode()


def verbs_of_ddm(t):
    text, _ = run(t, "--help")
    return set(re.findall(r"^  ([a-z]+)", text[text.index("Programs:"):], re.M))


@test(timeout=300, every_days=5)
def no_verb_lets_a_program_write_to_the_terminal(t):
    ring, report = t.path("ring"), t.path(f"{NAME}.txt")
    options = (f"name={NAME},track=y,records=2000,live=y,monitor=y,ring={ring},dump={report},"
               "log=debug")
    with Target(t, options, program=["HostileNames"]) as p:
        pid = p.pid
        done = set()

        def shows(*words, shown=True, json_too=True, **how):
            """The verb shows hostile names, and shows them escaped."""
            done.add(words[0])
            for words in [words, (*words, "--json")] if json_too else [words]:
                out, err = run(t, *words, **how)
                if words[-1] == "--json":
                    json.loads(out)
                assert not shown or "u20" in out + err, (words, out[:2000], err)

        shows("ps")
        shows("ps", "--all")
        shows("info", pid)
        shows("threads", pid)
        shows("stack", pid, "--all")
        threads = json.loads(run(t, "threads", pid, "--json")[0])
        calls = next(thread["id"] for thread in threads if thread["name"].startswith("calls"))
        shows("stack", pid, calls)
        shows("stack", pid, 64999, shown=False, json_too=False)
        shows("top", pid, "--once", "--top", 1000, shown=False)
        shows("top", "--once")
        shows("native", pid, shown=False, json_too=False)
        shows("heap", pid, "-o", t.path("heap.png"), shown=False)
        shows("gc", pid, shown=False)
        shows("track", pid, shown=False)
        for by in ("class", "site", "app", "thread"):
            shows("allocs", pid, "--by", by, "--top", 1000)
            shows("allocs", pid, "--by", by, "--recent", "--top", 1000)
        for ending in ("txt", "collapsed", "hprof.txt", "jsonl"):
            shows("allocs", pid, "-o", t.path(f"a.{ending}"), shown=False, json_too=False)
        shows("allocs", "--diff", t.path("a.jsonl"), t.path("a.jsonl"), shown=False)
        shows("live", pid, "--gc", "--top", 1000)
        shows("dump", pid, "--sites", "-o", t.path("d.hprof"), shown=False, json_too=False)
        shows("sites", t.path("d.hprof"), "--top", 1000)
        shows("sites", t.path("d.hprof"), "--retained", "--by", "class", "--top", 1000)
        shows("paths", t.path("d.hprof"), "java.lang.Thread", "--top", 1000)
        shows("paths", t.path("d.hprof"), NAME, shown=False, json_too=False)
        shows("leaks", pid, "--for", "1", shown=False)
        shows("gate", t.path("a.jsonl"), "--baseline", t.path("gate.baseline"), "--update", shown=False,
              json_too=False)
        with open(t.path("gate.baseline"), "w", encoding="utf-8") as f:
            kind = NAME.replace("\n", "").replace("]", "")  # with a bracket it would be a test's name
            f.write(f"{kind} @ shop.Main.work\t1\t1\n")
        shows("gate", t.path("a.jsonl"), "--baseline", t.path("gate.baseline"), "--annotations", json_too=False)
        shows("gate", t.path("a.jsonl"), "--baseline", t.path("gate.baseline"), "--json", json_too=False)
        shows("record", pid, "-d", "0.3", "-o", t.path("rec.txt"), shown=False, json_too=False)
        shows("trace", pid, "--methods", "HostileNames*", "-d", "0.5", "-o", t.path("t.txt"))
        shows("trace", pid, "--sample", "1", "-d", "0.5", "-o", t.path("s.collapsed"), shown=False)
        shows("probe", pid, "HostileNames*.*call", "--args", "--return", "--throws", "--stack",
              "--time", "--for", "500ms")
        shows("probe", pid, f"{NAME}.none", "--for", "100ms", shown=False,
              json_too=False)
        shows("locks", pid, "--top", 1000)
        shows("dyper", pid, "<DYPER COMMAND='SHOWSTACK' />", json_too=False)
        shows("dyper", pid, f"<DYPER COMMAND='{NAME}' />", shown=False, json_too=False)
        shows("attach", pid, f"track={NAME}", json_too=False)
        shows("attach", pid, "track=y", shown=False, json_too=False)
        shows("send", pid, "HELO", "0000000100000000")
        shows("send", pid, "THEN", "01", "--listen", "0.5")
        shows("send", pid, "REAL")
        shows("recover", ring)
        shows("recover", ring, "-o", t.path("ring.txt"), shown=False, json_too=False)
        shows("bridge", "--port", 0, shown=False, json_too=False, signal_after=signal.SIGTERM)
        shows("serve", "--address", "127.0.0.1:0", shown=False, json_too=False, signal_after=signal.SIGTERM)
        # Nothing is right about these.
        for words in ([NAME], ["info", NAME], ["allocs", pid, "--by", NAME], ["sites", NAME],
                      ["record", pid, "-o", NAME], ["allocs", pid, "--since", NAME],
                      ["recover", NAME], ["trace", pid, "-o", NAME], ["send", pid, NAME]):
            run(t, *words)
        left = verbs_of_ddm(t) - done
        assert not left, f"verbs that nobody has tried with hostile names: {left}"

        p.process.stdin.close()
        assert p.process.wait(20) == 0
        said = p.stderr()
        assert_harmless("the agent's lines", said.encode("utf-8", "surrogateescape"))
        assert "u202e" in said, said
        p.process.said.lines().clear()
        p.process.said_before.clear()
    for path in glob.glob(t.path("*.txt")) + glob.glob(t.path("*.collapsed")):
        with open(path, "rb") as f:
            text = f.read()
        assert_harmless(path, text, "\n\t" if path.endswith(".hprof.txt") else "\n")
        assert path.endswith(("ring.txt", "t.txt", "s.collapsed")) or rb"EVIL" in text, path
    assert os.path.exists(report)


def sources_that_write():
    """Files of `ddm` that write to a terminal by themselves, past output.cpp."""
    writes = re.compile(r"\b(fmt::print|f?printf|fputs|puts|fwrite|putchar)\s*\(|std::(cout|cerr|clog)"
                        r"|STD(OUT|ERR)_FILENO")
    for path in glob.glob(os.path.join(ROOT, "tools", "ddm", "**", "*.cpp"), recursive=True):
        with open(path) as f:
            # make_glyphs runs when `ddm` is built.
            if writes.search(f.read()) and os.path.basename(path) not in ("output.cpp", "make_glyphs.cpp"):
                yield path


@test()
def all_that_ddm_prints_passes_one_place(t):
    assert not list(sources_that_write())
