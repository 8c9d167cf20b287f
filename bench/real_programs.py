#!/usr/bin/env python3
"""What recording every allocation costs real programs: CPU time of the whole process, start and exit
included, as a ratio to the same run without an agent.

Usage: bench/real_programs.py [--pairs N] [--programs javac,h2,...] [--ways vm,bci,...] [--jdk 17]
       [--markdown]                    (after: cmake --build --preset release)

Medians of paired runs, with smallest and largest. Programs from Debian: libh2-java groovy scala
kotlin clojure jruby tomcat10 apache2-utils; one that is not installed, or does not run on a JDK, is
left out and said so. The way vm-event needs the target empty_event.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from target import HERE, JDKS, compile_program, javac_sources

sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

import harness  # noqa: E402
from soak_programs import CATALINA, H2, Tomcat  # noqa: E402

def agent(options):
    return f"-agentpath:{harness.AGENT}={options},address=none,dump=none"


# vm-event: the VM tells of every allocation, and nobody listens (bench/empty_event.cpp).
WAYS = {"none": None, "idle": agent("log=warn"), "vm": agent("track=y"),
        "bci": agent("track=y,engine=bci"), "vm-512k": agent("track=y,interval=512k"),
        "vm-event": "-agentpath:" + os.path.join(os.path.dirname(harness.AGENT), "libempty_event.so")}
GROOVY = "def m = [:]; 60000.times { m['k' + (it % 1000)] = (m['k' + (it % 1000)] ?: []) + it % 7 }; " \
         "println m.values().collect { it.sum() }.sum()"
RUBY = "h = Hash.new(0); 300_000.times { |i| h[\"k#{i % 1000}\"] += i.to_s.length }; puts h.values.sum"
CLOJURE = "(println (reduce + (map count (vals (group-by #(mod % 97) (map inc (range 400000)))))))"
SCALA = """case class Item(id: Int, name: String)
object Main { def main(a: Array[String]): Unit = {
  val all = (1 to 1000).map(i => Item(i % 97, "n" + i)).groupBy(_.id).mapValues(_.map(_.name).sorted)
  println(all.values.map(_.size).sum) } }
"""
KOTLIN = """data class Item(val id: Int, val name: String)
fun main() { println((1..1000).map { Item(it % 97, "n$it") }.groupBy { it.id }.mapValues { it.value.size }) }
"""
SQL = """CREATE TABLE t(id INT PRIMARY KEY, a INT, b VARCHAR(100));
CREATE INDEX i ON t(a);
""" + "".join(f"""INSERT INTO t SELECT x, MOD(x * 31, 997), 'text ' || x FROM SYSTEM_RANGE({i * 1000}, {i * 1000 + 999});
UPDATE t SET b = b || '!' WHERE a = {i};
SELECT a, COUNT(*), MAX(b) FROM t WHERE a < 50 GROUP BY a ORDER BY 2;
""" for i in range(60))


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Programs:
    def __init__(self, jdk, folder):
        self.jdk, self.folder = jdk, folder
        self.write("s.sql", SQL)
        self.write("Main.scala", SCALA)
        self.write("main.kt", KOTLIN)
        compile_program("Compare", folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, way, *command):
        """CPU seconds of a command, which may be a script that starts a JVM; None: it failed."""
        env = dict(os.environ, JAVA_HOME=self.jdk.home,
                   PATH=os.path.join(self.jdk.home, "bin") + ":" + os.environ["PATH"])
        if way is not None:
            env["JAVA_TOOL_OPTIONS"] = way
        before = cpu_of_children()
        done = subprocess.run(command, cwd=self.folder, env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
        return cpu_of_children() - before if done.returncode == 0 else None

    def javac(self, way):
        """The quickstart's, with stacks as deep as there."""
        if not os.path.exists(os.path.join(self.folder, "files")):
            self.write("files", "\n".join(javac_sources(self.jdk, self.folder)))
        return self.run(way, os.path.join(self.jdk.home, "bin", "javac"), "-nowarn",
                        "-proc:none", "-XDignore.symbol.file", "--patch-module",
                        f"java.base={self.folder}/java.base", "-d", self.folder + "/classes",
                        "@files")

    def h2(self, way):
        return self.run(way, self.jdk.java, "-cp", H2.JAR, "org.h2.tools.RunScript", "-url",
                        "jdbc:h2:mem:x", "-script", "s.sql")

    def groovy(self, way):
        return self.run(way, "groovy", "-e", GROOVY)

    def scalac(self, way):
        return self.run(way, "scalac", "-d", self.folder, "Main.scala")

    def kotlinc(self, way):
        return self.run(way, "kotlinc", "main.kt", "-d", self.folder)

    def clojure(self, way):
        return self.run(way, "clojure", "-e", CLOJURE)

    def jruby(self, way):
        return self.run(way, "jruby", "-e", RUBY)

    def virtual_threads(self, way):
        if self.jdk.major < 21:
            return None
        if not os.path.exists(os.path.join(self.folder, "TenThousand.class")):
            subprocess.run([os.path.join(self.jdk.home, "bin", "javac"), "-d", self.folder,
                            os.path.join(HERE, "programs", "TenThousand.java")], check=True)
        return self.run(way, self.jdk.java, "-cp", self.folder, "TenThousand")

    def tomcat(self, way):
        """Under 6,000 requests of `ab`."""
        home = tempfile.mkdtemp(dir=self.folder)
        server = Tomcat(self.jdk, home, way, [])
        if not server.prepare():
            return None
        before = cpu_of_children()
        process = subprocess.Popen(
            [self.jdk.java, *([] if way is None else [way]), "-cp",
             f"{CATALINA}/bin/bootstrap.jar:{CATALINA}/bin/tomcat-juli.jar",
             f"-Dcatalina.home={CATALINA}", f"-Dcatalina.base={home}",
             "org.apache.catalina.startup.Bootstrap", "start"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{server.port}/page0.jsp"
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(url, timeout=60).read()
                    break
                except OSError:
                    time.sleep(0.2)
            load = cpu_of_children()
            subprocess.run(["ab", "-q", "-n", "6000", "-c", "4", url], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            of_ab = cpu_of_children() - load
        finally:
            process.terminate()
            process.wait(60)
            shutil.rmtree(home, ignore_errors=True)
        return cpu_of_children() - before - of_ab


PROGRAMS = ("javac", "h2", "groovy", "scalac", "kotlinc", "clojure", "jruby", "tomcat",
            "virtual_threads")


def ratios(program, ways, pairs):
    """{way: [ratio of each pair]} and the seconds without an agent; None: it does not run."""
    if program(WAYS["none"]) is None:
        return None
    series = {way: [] for way in ways}
    bare = []
    for _ in range(pairs):
        none = program(WAYS["none"])
        bare.append(none)
        for way in ways:
            used = program(WAYS[way])
            if used is None:
                raise SystemExit(f"{program.__name__} fails under {way}")
            series[way].append(used / none)
    return series, statistics.median(bare)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--ways", default="vm,bci,vm-512k")
    parser.add_argument("--jdk", type=int, default=0)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    ways = options.ways.split(",")
    for jdk in JDKS:
        if options.jdk not in (0, jdk.major):
            continue
        if options.markdown:
            print(f"| JDK {jdk.major} | none | " + " | ".join(ways) + " |")
            print("|---" * (len(ways) + 2) + "|")
        with tempfile.TemporaryDirectory() as folder:
            programs = Programs(jdk, folder)
            for name in options.programs.split(","):
                found = ratios(getattr(programs, name), ways, options.pairs)
                if found is None:
                    print(f"{name} does not run here on JDK {jdk.major}", file=sys.stderr)
                    continue
                series, bare = found
                cells = [f"{statistics.median(s):.2f} ({min(s):.2f}..{max(s):.2f})"
                         for s in series.values()]
                if options.markdown:
                    print(f"| {name} | {bare:.2f} s | " + " | ".join(cells) + " |", flush=True)
                else:
                    print(f"JDK {jdk.major} {name:16} none {bare:6.2f} s  " +
                          "  ".join(f"{w} {c}" for w, c in zip(ways, cells)), flush=True)


main()
