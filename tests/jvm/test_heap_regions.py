"""What the pieces of the heap are for, against what the VM itself says of them."""
import re
import subprocess
import time

from browser import document_of
from ddm_client import Target
from harness import test
from tool import DDM, ddm, ddm_json

MIB = 1 << 20
G1 = ("-Xmx128m", "-XX:G1HeapRegionSize=1m", "-Xlog:gc+heap=info:file=gc.log")


def young_regions(text):
    """How many regions are young, and survivors of these: from JDK 26 on each role is told."""
    if told := re.search(r"(\d+) young \(.*?(\d+) survivors", text):
        return int(told[1]), int(told[2])
    told = re.search(r"(\d+) eden \(.*?(\d+) survivor ", text)
    return int(told[1]) + int(told[2]), int(told[2])


def by_role(regions):
    sums = {}
    for region in regions:
        count, size, used = sums.get(region["role"], (0, 0, 0))
        sums[region["role"]] = count + 1, size + region["bytes"], used + region["used"]
    return sums


def check_sums(out):
    """Regions lie side by side or apart, and what is used of them is what the map has."""
    end = 0
    for region in out["regions"]:
        assert region["at"] >= end and region["used"] <= region["bytes"], region
        end = region["at"] + region["bytes"]
    assert sum(r["used"] for r in out["regions"]) == out["used"]
    assert sum(r["bytes"] for r in out["regions"]) == out["committed"]


@test(gc=("g1",), flags=(G1,), jdks="each")
def regions_and_what_is_lost_behind_humongous_objects_are_the_vms_own(t):
    with Target(t, "log=error", program=("Humongous",), flags=[]) as p:
        before = t.jcmd(p.pid, "GC.heap_info")
        out = ddm_json(t, "heap", p.pid)
        after = t.jcmd(p.pid, "GC.heap_info")
        check_sums(out)
        sums = by_role(out["regions"])
        young, survivors = zip(*map(young_regions, (before, after)))
        eden_and_survivors = sums["eden"][0] + sums.get("survivor", (0,))[0]
        assert young[0] <= eden_and_survivors <= young[1], (young, sums)
        assert survivors[0] <= sums.get("survivor", (0,))[0] <= survivors[1], (survivors, sums)
        with open(t.path("gc.log"), encoding="utf-8") as f:
            log = f.read()
        for role, name in (("old", "Old"), ("humongous", "Humongous"), ("archive", "Archive")):
            told = re.findall(name + r" regions: \d+->(\d+)", log)
            assert sums.get(role, (0,))[0] == (int(told[-1]) if told else 0), (role, told, sums)
        # Three arrays of three regions each.
        held = [2_500_000 + 16 * i for i in (0, 2, 4)]
        assert sums["humongous"][0] == 9
        assert out["humongous_waste"] == sum(3 * MIB - (16 + n + 7) // 8 * 8 for n in held)
        # Where the two were that are no more, three regions side by side are free.
        humongous = [r["at"] for r in out["regions"] if r["role"] == "humongous"]
        starts = humongous[::3]
        free = {r["at"] for r in out["regions"] if r["role"] == "free"}
        between = [{starts[i] + (3 + k) * MIB for k in range(3)} for i in (0, 1)]
        assert [gap <= free for gap in between].count(True) >= 1, (humongous, sorted(free))
        said = ddm(t, "heap", p.pid)
        assert "lost behind humongous objects" in said
        widest = run = 0
        for region in out["regions"]:
            run = run + 1 if region["role"] == "free" else 0
            widest = max(widest, run)
        fits = re.search(r"an object of ([\d.]+) MiB fits into the committed heap: (\d+) region", said)
        assert abs(int(fits[2]) - widest) <= 2 and float(fits[1]) == int(fits[2]), (fits, widest)


@test(gc=("serial", "parallel"), flags=(("-Xmx128m",),), jdks="each")
def spaces_are_where_the_vm_says(t):
    with Target(t, "log=error", flags=[]) as p:
        p.tell("keepbytes 8")
        said = t.jcmd(p.pid, "GC.heap_info")
        out = ddm_json(t, "heap", p.pid)
        check_sums(out)
        spaces = re.findall(r"(eden|from|to|the|object) +space (\d+)K, +\d+% used \[0x(\w+)", said)
        base = min(int(at, 16) for *_, at in spaces)
        roles = {"eden": "eden", "from": "survivor", "to": "survivor", "the": "old", "object": "old"}
        told = sorted((int(at, 16) - base, int(size) << 10, roles[name]) for name, size, at in spaces)
        assert [(r["at"], r["bytes"], r["role"]) for r in out["regions"]] == \
            [(at, size, role) for at, size, role in told if size], (said, out["regions"])
        assert out["humongous_waste"] == 0


@test(gc=("zgc",), flags=(("-Xmx256m",),), jdks="each")
def pages_of_zgc_are_as_many_as_it_uses(t):
    with Target(t, "log=error", flags=[]) as p:
        p.tell("keepbytes 40")
        mib = [int(re.search(r"ZHeap +used (\d+)M", t.jcmd(p.pid, "GC.heap_info"))[1])]
        out = ddm_json(t, "heap", p.pid)
        mib.append(int(re.search(r"ZHeap +used (\d+)M", t.jcmd(p.pid, "GC.heap_info"))[1]))
        sums = by_role(out["regions"])
        if t.jdk.major == 21:
            assert not sums, sums  # docs/heap-map.md: its pages are not told
            return
        assert set(sums) <= {"small page", "medium page", "large page"}, sums
        assert min(mib) << 20 <= sum(size for _, size, _ in sums.values()) <= max(mib) << 20, (sums, mib)
        wide = [sums[role][2] for role in ("medium page", "large page") if role in sums]
        assert sum(wide) >= 40 * (MIB - 64), sums


@test(gc=("zgc", "shenandoah"))
def holes_and_a_map_are_not_shown_where_nobody_knows_what_lies_where(t):
    with Target(t, flags=["-Xmx128m"]) as p:  # which says nothing of it on its own stderr
        out = ddm_json(t, "heap", p.pid)
        assert out["holes"] is None and out["used"] > 0, out
        said = ddm(t, "heap", p.pid, "-o", "heap.html")
        assert "no holes, no map: where objects lie is not known" in said, said
        assert "the largest" not in said and "|" not in said, said
        shown = re.search(r'<p id="said">(.*?)</p>', document_of(t, "file://" + t.path("heap.html")))[1]
        assert "not known" in shown and "hole" not in shown, shown
        watching = subprocess.Popen([DDM, "heap", str(p.pid), "--watch", "1"],
                                    stdout=subprocess.PIPE, text=True, cwd=t.dir)
        time.sleep(2)
        p.tell("gc")
        head, row, *rest = watching.communicate(timeout=60)[0].splitlines()
        assert watching.returncode == 0 and row.split().count("-") == 2, (head, row)
        assert "not known" in rest[-1], rest


@test(gc=("g1",), flags=(("-Xmx128m", "-XX:G1HeapRegionSize=1m"),))
def a_page_tells_classes_and_has_a_slider_over_collections(t):
    with Target(t, "log=error", program=("Humongous",), flags=[]) as p:
        assert "page written" in ddm(t, "heap", p.pid, "-o", "heap.html")
        shown = document_of(t, "file://" + t.path("heap.html"))
        assert re.search(r"<td>humongous</td><td>9</td><td>9.0 MiB</td>", shown), shown[-3000:]
        assert '"byte[]"' in shown and "lost behind humongous objects" in shown
        assert '<div class="row" id="time" hidden' in shown
        assert re.search(r"<h1[^>]*>Java heap of Humongous \(pid \d+\)</h1>", shown)
        assert not re.search(r"\d bytes", re.search("<body>.*?<script", shown, re.S)[0])
        watching = subprocess.Popen([DDM, "heap", str(p.pid), "--watch", "3", "-o", "watch.html"],
                                    stdout=subprocess.PIPE, text=True, cwd=t.dir)
        time.sleep(2)  # before the first collection: not part of the seconds since it
        begin = time.monotonic()
        while watching.poll() is None:
            p.process.stdin.write("c")
            p.process.stdin.flush()
            p.expect("collected")
            time.sleep(0.1)
        out = watching.communicate()[0].splitlines()
        assert watching.returncode == 0 and out[0].split()[:2] == ["SECONDS", "USED"], out
        assert len(out) == 6, out  # head, three collections, a gap, where it is
        seconds = [float(line.split()[0]) for line in out[1:4]]
        assert seconds[0] == 0 and seconds[2] <= time.monotonic() - begin, seconds
        shown = document_of(t, "file://" + t.path("watch.html"))
        assert "collection 1 of 3" in shown and 'max="2"' in shown
        assert '<div class="row" id="time">' in shown
