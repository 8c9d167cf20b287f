#!/usr/bin/env python3
"""What tools say of the same programs: objects, bytes, the top 15 classes and CPU, beside the VM's own counters.

Usage: bench/truth.py [--runs 3] [--programs fop,h2,...] [--ways vm,bci,...] [--jdk 17]
       (after: cmake --build --preset release; the programs and libjava-allocation-instrumenter-java are Debian's)

vm, bci, 512k: this agent, exact by either engine, and sampled. debian: java-allocation-instrumenter. shim: its
names over this agent. jfr: ObjectAllocationSample with the rate of its `profile` settings, weights added up. jfr-tlab:
each allocation outside of an allocation buffer and the first in each new one, which is as exact as JFR goes: the
object has the size of the buffer. Truth of bytes: the counters of all threads that are alive at the end, taken by the
program itself (bench/programs/Truth.java) in a run without any tool, and in the same run, which is that of a program with its compiler and a tool. The list of a way is held against that of vm by
what is in both, and by Kendall's tau of what is; and the lists of its own runs against each other, in the same way.
CPU is of the whole process, over the lowest of all runs without a tool; ways take turns.
"""
import argparse
import collections
import itertools
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from debian_programs import CLOJURE, GROOVY, SQL
from paired import cpu_of_children
from target import HERE, JDKS

sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402

JAVA = "/usr/share/java"
DEBIANS = f"{JAVA}/java-allocation-instrumenter.jar"
SHIM = os.path.join(os.path.dirname(harness.AGENT), "ddm-instrumenter.jar")
TOP = 15


def agent(options):
    return f"-agentpath:{harness.AGENT}=address=none,track=y,{options}"


def jars(*names):
    return ":".join(f"{JAVA}/{name}.jar" for name in names)


FO = """<?xml version="1.0"?><fo:root xmlns:fo="http://www.w3.org/1999/XSL/Format"><fo:layout-master-set>
<fo:simple-page-master master-name="a" page-height="29.7cm" page-width="21cm"><fo:region-body margin="2cm"/>
</fo:simple-page-master></fo:layout-master-set><fo:page-sequence master-reference="a"><fo:flow flow-name="xsl-region-body">
%s</fo:flow></fo:page-sequence></fo:root>""" % "".join(
    f"<fo:block font-size='{8 + n % 7}pt' space-after='3pt'>Item {n}: {'some words of a line ' * 6}</fo:block>\n"
    for n in range(400))
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="800">%s</svg>' % "".join(
    f'<circle cx="{n * 37 % 800}" cy="{n * 91 % 800}" r="{5 + n % 40}" fill="rgb({n % 256},{n * 7 % 256},90)" '
    f'stroke="black"/><text x="{n * 53 % 760}" y="{n * 29 % 780}" font-size="12">t{n}</text>' for n in range(300))
XML = "<shop>%s</shop>" % "".join(f'<item id="{n}" kind="k{n % 13}"><name>item {n}</name></item>' for n in range(8000))
XSL = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
<html><xsl:for-each select="shop/item"><xsl:sort select="@kind"/><p><xsl:value-of select="concat(@kind, ': ', name)"/>
</p></xsl:for-each></html></xsl:template></xsl:stylesheet>"""

PYTHON = """h = {}
for i in range(60000):
    k = 'k%d' % (i % 1000)
    h[k] = h.get(k, 0) + len(str(i))
print(sum(h.values()))"""
WORDS = "alpha beta gamma delta word index search term field query".split()

# Class path, main class, arguments; files that they read lie in the folder where they run.
PROGRAMS = {
    "fop": (jars("fop", "fop-core", "fop-util", "fop-events", "xmlgraphics-commons", "batik-all", "commons-io",
                 "commons-logging", "fontbox2", "xml-apis-ext", "xalan2", "xercesImpl", "serializer"),
            "org.apache.fop.cli.Main", "-q -fo a.fo -pdf a.pdf".split()),
    "batik": (jars("batik-rasterizer", "batik-all", "xmlgraphics-commons", "xml-apis-ext", "xalan2", "xercesImpl",
                   "commons-io", "commons-logging"),
              "org.apache.batik.apps.rasterizer.Main", "-scriptSecurityOff -d a.png a.svg".split()),
    "h2": (jars("h2"), "org.h2.tools.RunScript", "-url jdbc:h2:mem:x -script s.sql".split()),
    "xalan": (jars("xalan2", "xercesImpl", "serializer", "xml-apis"), "org.apache.xalan.xslt.Process",
              "-IN a.xml -XSL a.xsl -OUT a.html".split()),
    "groovy": (jars("groovy-all"), "groovy.ui.GroovyMain", ["-e", GROOVY]),
    "lucene": (jars("lucene-demo-4.10.4", "lucene-core-4.10.4", "lucene-analyzers-common-4.10.4",
                    "lucene-queryparser-4.10.4"),
               "org.apache.lucene.demo.IndexFiles", "-index index -docs docs".split()),
    "jython": (jars("jython"), "org.python.util.jython", ["-c", PYTHON]),
    "clojure": (jars("clojure", "core.specs.alpha", "spec.alpha"), "clojure.main", ["-e", CLOJURE]),
}
FILES = {"a.fo": FO, "a.svg": SVG, "a.xml": XML, "a.xsl": XSL, "s.sql": SQL,
         **{f"docs/{n}.txt": "\n".join(" ".join(f"{WORDS[(n + line * 7 + at) % 10]}{(n * 31 + line * at) % 500}"
                                                for at in range(12)) for line in range(60)) for n in range(300)}}

# Flags, and what counts inside of the program; the report's name is r.ENDING.
WAYS = {
    "none": ([], "-"),
    "vm": ([agent("engine=vm,sites=512k,dump=r.sites.jsonl")], "-"),
    "bci": ([agent("engine=bci,sites=512k,dump=r.sites.jsonl")], "-"),
    "512k": ([agent("interval=512k,dump=r.sites.jsonl")], "-"),
    "debian": ([f"-javaagent:{DEBIANS}"], "SampledCounts"),
    "shim": ([f"-javaagent:{SHIM}"], "SampledCounts"),
    "jfr": (["-XX:StartFlightRecording:filename=r.jfr,settings=profile"], "-"),
    "jfr-tlab": (["-XX:StartFlightRecording:filename=r.jfr,settings=default,jdk.ObjectAllocationInNewTLAB#enabled=true,"
                  "jdk.ObjectAllocationOutsideTLAB#enabled=true,jdk.ObjectAllocationSample#enabled=false"], "-"),
}


def by_class_of_report(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8") as f:
        summary = json.loads(f.readline())
        for line in f:
            one = json.loads(line)
            if one["type"] == "site":
                sums[one["class"]] += one["bytes"]
    return summary["seen"], summary["seen_bytes"], sums


# As Class.getTypeName() has it.
def type_name(name):
    dims = len(name) - len(name.lstrip("["))
    if dims == 0:
        return name.replace("/", ".")
    kinds = dict(zip("ZBCSIJFD", ("boolean", "byte", "char", "short", "int", "long", "float", "double")))
    rest = name[dims:]
    return kinds.get(rest, rest[1:].rstrip(";").replace("/", ".")) + "[]" * dims


# The event's bytes.
JFR_BYTES = {"jdk.ObjectAllocationSample": "weight", "jdk.ObjectAllocationInNewTLAB": "tlabSize",
             "jdk.ObjectAllocationOutsideTLAB": "allocationSize"}


def by_class_of_jfr(jdk, path):
    done = subprocess.run([os.path.join(jdk.home, "bin", "jfr"), "print", "--json", "--stack-depth", "1", "--events",
                           ",".join(JFR_BYTES), path], capture_output=True, text=True, check=True)
    sums = collections.Counter()
    for event in json.loads(done.stdout)["recording"]["events"]:
        sums[type_name(event["values"]["objectClass"]["name"])] += event["values"][JFR_BYTES[event["type"]]]
    return None, sum(sums.values()), sums


def run(jdk, way, program, folder, classes):
    """CPU seconds, the VM's bytes, and (objects, bytes, bytes by class) of what the way has counted; None: it failed."""
    flags, counter = WAYS[way]
    path, main, words = PROGRAMS[program]
    for left in ("r.sites.jsonl", "r.jfr", "r.txt"):
        if os.path.exists(os.path.join(folder, left)):
            os.remove(os.path.join(folder, left))
    line = [jdk.java, *flags, "-Djava.awt.headless=true", "-cp", f"{classes}:{path}", "Truth", "r.txt", counter, main, *words]
    before = cpu_of_children()
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, errors="replace", check=False, timeout=900)
    cpu = cpu_of_children() - before
    shutil.rmtree(os.path.join(folder, "index"), ignore_errors=True)
    if done.returncode != 0 or not os.path.exists(os.path.join(folder, "r.txt")):
        print(f"{program} {way}: exit code {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
        return None
    with open(os.path.join(folder, "r.txt"), encoding="utf-8") as f:
        first, *rest = f.read().splitlines()
    counted = None
    if way.startswith("jfr"):
        counted = by_class_of_jfr(jdk, os.path.join(folder, "r.jfr"))
    elif counter != "-":
        rows = [row.rsplit(" ", 2) for row in rest]
        sums = collections.Counter({name: int(size) for name, _, size in rows})
        counted = sum(int(objects) for _, objects, _ in rows), sum(sums.values()), sums
    elif way != "none":
        counted = by_class_of_report(os.path.join(folder, "r.sites.jsonl"))
    return cpu, int(first.split()[1]), counted


def top(sums):
    return [name for name, _ in sorted(sums.items(), key=lambda one: (-one[1], one[0]))[:TOP]]


def agreement(truth, other):
    """How many of the top classes are in both lists, and Kendall's tau of those."""
    both = [name for name in truth if name in other]
    pairs = list(itertools.combinations(both, 2))
    same = sum(1 if (other.index(a) < other.index(b)) else -1 for a, b in pairs)
    return len(both), same / len(pairs) if pairs else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--ways", default=",".join(way for way in WAYS if way not in ("none", "shim")))
    parser.add_argument("--jdk", type=int, default=17)
    options = parser.parse_args()
    jdk = next(jdk for jdk in JDKS if jdk.major == options.jdk)
    ways = ["none", *options.ways.split(",")]
    print("| program | way | objects | bytes | of the VM's counters | of those of the same run | top 15 of vm's | Kendall's tau | from run to run | "
          "first | CPU |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        classes = os.path.join(folder, "classes")
        subprocess.run([os.path.join(jdk.home, "bin", "javac"), "-nowarn", "-cp", DEBIANS, "-d", classes,
                        os.path.join(HERE, "programs", "Truth.java"),
                        os.path.join(HERE, "programs", "instrumenter", "SampledCounts.java")], check=True)
        for program in options.programs.split(","):
            results = collections.defaultdict(list)
            for _ in range(options.runs):
                for way in ways:
                    one = run(jdk, way, program, folder, classes)
                    if one is not None:
                        results[way].append(one)
            if not results["none"] or not results["vm"]:
                print(f"| {program} | does not run here | | | | | | | | | |")
                continue
            plain = min(cpu for cpu, _, _ in results["none"])
            truth = statistics.median(vm for _, vm, _ in results["none"])
            lists = [top(counted[2]) for _, _, counted in results["vm"]]
            dear = statistics.median(cpu for cpu, _, _ in results["none"]) / plain
            print(f"| {program} | none | | {truth:,.0f} | | | | | | | {dear:.1f} |", flush=True)
            for way in ways[1:]:
                if not results[way]:
                    print(f"| {program} | {way} | failed | | | | | | | | |")
                    continue
                cpu = statistics.median(one[0] for one in results[way]) / plain
                objects = [one[2][0] for one in results[way]]
                size = statistics.median(one[2][1] for one in results[way])
                own = [top(one[2][2]) for one in results[way]]
                held = [agreement(known, one) for known in lists for one in own]
                again = [agreement(*two) for two in itertools.combinations(own, 2)] or [(TOP, 1.0)]
                print(f"| {program} | {way} | {'' if None in objects else f'{statistics.median(objects):,.0f}'} | {size:,.0f} | "
                      f"{100 * size / truth:.1f} % | {100 * statistics.median(one[2][1] / one[1] for one in results[way]):.1f} % | "
                      f"{statistics.mean(n for n, _ in held):.1f} | "
                      f"{statistics.mean(t for _, t in held):.2f} | {statistics.mean(n for n, _ in again):.1f}, "
                      f"{statistics.mean(t for _, t in again):.2f} | {len({one[0] for one in own if one})} | {cpu:.1f} |",
                      flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
