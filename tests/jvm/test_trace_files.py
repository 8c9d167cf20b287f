"""The files of `ddm trace`: each tells what its table tells, and those for other programs keep the
rules of their readers, which are written here once more from what those readers do."""
import json
import os
import re
import struct
import time

from browser import open_in_browser
from ddm_client import Target
from harness import test
from method_traces import traced
from tool import DDM, ddm_json


def own_times(told):
    return {f"{m['class']}.{m['method']}": m["self_us"] for m in told["methods"]}


class Slices:
    """A trace as Perfetto's and the Firefox profiler's importers read it, both being strict in places:
    every call is a slice of its thread, {thread's name: [(depth, method, begin us, end us)]}."""

    def __init__(self, data):
        head, mark, body = data.partition(b"*end\n")
        assert mark and b"\r" not in head and b"\n\n" not in head and head.isascii()
        section, self.options, names, methods = "", {}, {}, {}
        for line in head.decode("ascii").splitlines():
            if line.startswith("*"):
                assert line in ("*version", "*threads", "*methods"), line
                section, first = line, True
                continue
            if section == "*version":
                if first:
                    self.version = int(line)
                else:
                    assert line.count("=") == 1, line
                    key, value = line.split("=")
                    assert key not in self.options, line
                    self.options[key] = value
            elif section == "*threads":
                assert line.count("\t") == 1, line
                number, name = line.split("\t")
                assert 1 <= int(number) <= 32767 and int(number) not in names, line
                names[int(number)] = name
            else:
                fields = line.split("\t")
                assert len(fields) == 6 and fields[0].startswith("0x"), line
                number = int(fields[0], 16)
                assert number > 0 and number % 4 == 0 and number not in methods, line
                assert fields[3].startswith("(") and ")" in fields[3], line
                methods[number] = f"{fields[1]}.{fields[2]}"
            first = False
        # Perfetto refuses thread-cpu, and reads one clock (10 bytes) or two (14).
        assert (self.version, self.options["clock"]) in ((2, "wall"), (3, "dual")), self.options
        assert int(self.options["num-method-calls"]) >= 0
        magic, version, offset, self.begin = struct.unpack_from("<4sHHQ", body)
        size = struct.unpack_from("<H", body, 16)[0] if version >= 3 else 10
        assert (magic, version, size) == (b"SLOW", self.version, 10 if version == 2 else 14)
        assert offset >= 18 and (len(body) - offset) % size == 0
        assert abs(self.begin / 1e6 - time.time()) < 3600, "begins at another time"
        self.threads, stacks, last = {}, {}, 0
        for at in range(offset, len(body), size):
            thread, method, *clocks = struct.unpack_from("<HII" if size == 10 else "<HIII", body, at)
            assert thread in names and method & ~3 in methods and method & 3 < 3
            wall = clocks[-1]
            assert wall >= last, "time goes back"
            last = wall
            stack = stacks.setdefault(thread, [])
            if method & 3 == 0:
                stack.append((methods[method & ~3], wall))
                continue
            name, begin = stack.pop()
            assert name == methods[method & ~3], "ends are not those of the innermost call"
            self.threads.setdefault(names[thread], []).append((len(stack), name, begin, wall))
        assert not any(stacks.values()), "calls without an end"
        assert last <= int(self.options["elapsed-time-usec"])

    def calls(self, method):
        return sum(name == method for slices in self.threads.values() for _, name, _, _ in slices)


class FirefoxTrace:
    """A profile in the processed format's version 70, with weights in milliseconds."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            profile = json.load(f)
        meta, shared = profile["meta"], profile["shared"]
        assert meta["preprocessedProfileVersion"] == 70 and meta["interval"] > 0
        assert abs(meta["startTime"] / 1e3 - time.time()) < 3600
        for table in ("stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols",
                      "sources", "sourceLocationTable"):
            for column, values in shared[table].items():
                assert column == "length" or len(values) == shared[table]["length"], (table, column)
        texts, stacks = shared["stringArray"], shared["stackTable"]
        frames, functions = shared["frameTable"], shared["funcTable"]
        assert set(frames["lib"]) <= {-1} and "lib" not in shared["resourceTable"]
        assert len(texts) == len(set(texts)) and all(isinstance(text, str) for text in texts)
        assert all(0 <= offset <= at for at, offset in enumerate(stacks["prefixOffset"]))
        for values, end in ((stacks["frame"], frames["length"]), (frames["func"], functions["length"]),
                            (functions["name"], len(texts)), (frames["category"], len(meta["categories"])),
                            (shared["sources"]["filename"], len(texts))):
            assert all(0 <= value < end for value in values), (values[:10], end)
        assert all(s is None or 0 <= s < shared["sources"]["length"] for s in functions["source"])
        self.own_us, self.threads = {}, {}
        assert sum(thread["isMainThread"] for thread in profile["threads"]) == 1
        tids = [thread["tid"] for thread in profile["threads"]]
        assert len(tids) == len(set(tids)) and len({t["pid"] for t in profile["threads"]}) == 1
        self.tids = dict(zip((thread["name"] for thread in profile["threads"]), tids))
        for thread in profile["threads"]:
            for table in ("samples", "markers"):
                for column, values in thread[table].items():
                    assert column in ("length", "weightType") or values is None or \
                        len(values) == thread[table]["length"], (table, column)
            samples = thread["samples"]
            assert samples["weightType"] == "tracing-ms" and samples["time"] == sorted(samples["time"])
            self.threads[thread["name"]] = set()
            for stack, at, weight, then in zip(samples["stack"], samples["time"], samples["weight"],
                                               samples["time"][1:] + samples["time"][-1:]):
                assert abs(at + weight - then) < 1e-6, "a span ends where the next one begins"
                if stack is None:
                    continue
                assert 0 <= stack < stacks["length"] and weight > 0
                name = texts[functions["name"][frames["func"][stacks["frame"][stack]]]]
                self.own_us[name] = self.own_us.get(name, 0) + weight * 1000
                self.threads[thread["name"]].add(name)


@test()
def a_trace_keeps_the_rules_of_perfetto_and_the_firefox_profiler(t):
    with Target(t, program=("Calls", "serve")) as p:
        for words in ((), ("--cpu",)):
            told, truth = traced(p, t.path("x.trace"), *words)
            with open(t.path("x.trace"), "rb") as f:
                slices = Slices(f.read())
            assert slices.version == (3 if words else 2)
            for method, (calls, _) in truth.items():
                assert slices.calls(method) == calls, method
            for n in range(4):
                leaves = [s for s in slices.threads[f"caller-{n}"] if s[1] == "Calls.leaf"]
                assert len(leaves) == 20_000
            for method, own in own_times(told).items():
                spent = sum(end - begin for depth, name, begin, end in
                            sum(slices.threads.values(), []) if name == method)
                assert spent >= own, (method, spent, own)


@test()
def a_trace_for_the_firefox_profiler_has_the_times_of_its_table(t):
    with Target(t, program=("Calls", "serve")) as p:
        for name in ("x.json", "x.firefox.json"):
            told, _ = traced(p, t.path(name))
            profile = FirefoxTrace(t.path(name))
            assert "Calls.leaf" in profile.threads["caller-1"], profile.threads.keys()
            java_ids = {row["name"]: row["id"] for row in ddm_json(t, "threads", p.pid)}
            assert profile.tids["main"] == java_ids["main"], (profile.tids, java_ids)
            assert all(tid > java_ids["ddmagent"] for name, tid in profile.tids.items() if name != "main")
            for method, own in own_times(told).items():
                assert abs(profile.own_us.get(method, 0) - own) < 1, (method, own)


@test()
def the_page_and_the_stacks_of_a_trace_have_the_figures_of_its_table(t):
    with Target(t, program=("Calls", "serve")) as p:
        told, truth = traced(p, t.path("x.html"), "--cpu")
        page, match = open_in_browser(t, t.path("x.html"), q=r"^Calls\.leaf$", by="count")
        *_, table = open_in_browser(t, t.path("x.html"), ("table", "methods"))
        assert (page["of"], page["self-check"]) == ("times", "ok"), page
        assert int(page["total-ns"]) == 1000 * sum(own_times(told).values())
        assert int(page["total-count"]) == sum(m["calls"] for m in told["methods"])
        assert int(match["count"]) == truth["Calls.leaf"][0] == 80_000, match
        assert int(table["total"]) == len(told["methods"]), table
        assert all(m["cpu_us"] <= m["total_us"] * 1.1 + 1000 for m in told["methods"]), told
        told, _ = traced(p, t.path("x.collapsed"))
        with open(t.path("x.collapsed"), encoding="utf-8") as f:
            lines = [line.rsplit(" ", 1) for line in f.read().splitlines()]
        found = {}
        for stack, micros in lines:
            assert int(micros) > 0
            found[stack.split(";")[-1]] = found.get(stack.split(";")[-1], 0) + int(micros)
        assert found == {method: own for method, own in own_times(told).items() if own > 0}
        told, truth = traced(p, t.path("x.txt"))
        with open(t.path("x.txt"), encoding="utf-8") as f:
            table, tree = f.read().split("\n\n")
        rows = [line.split() for line in table.splitlines()[1:]]
        assert {row[-1]: int(row[0].replace(",", "")) for row in rows} == \
            {f"{m['class']}.{m['method']}": m["calls"] for m in told["methods"]}
        titles, *ways = tree.splitlines()
        assert titles.split() == ["TOTAL", "ms", "%", "CALLS", "CALL", "TREE"] and ways, tree
        whole = sum(float(way.split()[0]) for way in ways if not way[32:].startswith(" "))
        assert abs(whole * 1000 - sum(own_times(told).values())) <= 0.01 * whole * 1000 + 1, tree


@test()
def a_trace_of_samples_opens_as_a_page_and_in_the_firefox_profiler(t):
    with Target(t, "budget=50", program=("SharesServed",)) as p:
        for name in ("s.html", "s.json"):
            done = t.command([DDM, "trace", p.address, "--sample", "2", "-d", "1", "-o", t.path(name),
                              "--json"])
            assert done.code == 0, done
            told = own_times(json.loads(done.out))
            assert told["CpuShares.spin"] > 0, told
        assert abs(FirefoxTrace(t.path("s.json")).own_us["CpuShares.spin"] - told["CpuShares.spin"]) < 1
        with open(t.path("s.html"), encoding="utf-8") as f:
            assert re.search(r"Told from stacks taken every [\d.]+ ms", f.read())
        page, _ = open_in_browser(t, t.path("s.html"), zoom="CpuShares.seventy")
        assert (page["of"], page["zoom"]) == ("times", "CpuShares.seventy"), page
        none = t.command([DDM, "trace", p.address, "--methods", "no.such", "-d", "0.1", "-o",
                          t.path("none.html")])
        assert none.code == 1 and "no call of such a method" in none.err, none
        with open(t.path("none.html"), encoding="utf-8") as f:
            assert "No call of such a method was seen." in f.read()
        wrong = t.command([DDM, "trace", p.address, "-o", t.path("x.jpg")])
        assert wrong.code == 2 and ".trace, .html, .txt, .collapsed or .json" in wrong.err, wrong
        assert not os.path.exists(t.path("x.jpg"))
