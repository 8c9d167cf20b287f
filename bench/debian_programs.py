"""The programs of Debian that benchmarks run, each as a script of some seconds with the CPU that it
took: libh2-java groovy scala kotlin clojure jruby tomcat10 apache2-utils.
"""
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from paired import cpu_of_children
from target import HERE, JAVAC_LARGE_PARTS, JAVAC_PARTS, compile_program, javac_sources

sys.path[:0] = [os.path.join(HERE, "..", "tests", "support")]

from soak_programs import CATALINA, H2, Tomcat  # noqa: E402

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


def request(url, times):
    subprocess.run(["ab", "-q", "-n", str(times), "-c", "4", url], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)


class Programs:
    def __init__(self, jdk, folder):
        self.jdk, self.folder, self.memory = jdk, folder, 0
        self.write("s.sql", SQL)
        self.write("Main.scala", SCALA)
        self.write("main.kt", KOTLIN)
        compile_program("Compare", folder)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def run(self, way, *command):
        """CPU seconds of a command, which may be a script that starts a JVM; None: it failed.
        The most memory that it had, in kB, is left in `memory`."""
        env = dict(os.environ, JAVA_HOME=self.jdk.home,
                   PATH=os.path.join(self.jdk.home, "bin") + ":" + os.environ["PATH"])
        if way is not None:
            env["JAVA_TOOL_OPTIONS"] = way
        before = cpu_of_children()
        child = subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.memory = used.ru_maxrss
        return cpu_of_children() - before if child.returncode == 0 else None

    def compile(self, way, folder, parts):
        folder = os.path.join(self.folder, folder)
        if not os.path.exists(folder):
            os.mkdir(folder)
            with open(os.path.join(folder, "files"), "w", encoding="utf-8") as f:
                f.write("\n".join(javac_sources(self.jdk, folder, parts)))
        return self.run(way, os.path.join(self.jdk.home, "bin", "javac"), "-nowarn",
                        "-proc:none", "-XDignore.symbol.file", "--patch-module",
                        f"java.base={folder}/java.base", "-d", folder + "/classes",
                        f"@{folder}/files")

    def javac(self, way):
        """The quickstart's, with stacks as deep as there."""
        return self.compile(way, "small", JAVAC_PARTS)

    def javac_large(self, way):
        """Some 1,350 files."""
        return self.compile(way, "large", JAVAC_LARGE_PARTS)

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

    def shapes(self, way, *shape):
        if not os.path.exists(os.path.join(self.folder, "Shapes.class")):
            compile_program("Shapes", self.folder)
        return self.run(way, self.jdk.java, "-cp", self.folder, "Shapes", *shape)

    def recursion(self, way):
        """Of up to 50,000 frames, to another depth each time."""
        return self.shapes(way, "recursion", "50000")

    def many_threads(self, way):
        """2,000 at once."""
        return self.shapes(way, "threads", "2000")

    def tomcat(self, way):
        """Under 6,000 requests of `ab`."""
        before = cpu_of_children()
        with self.tomcat_server(way) as server:
            if server is None:
                return None
            load = cpu_of_children()
            request(server.url, 6000)
            of_ab = cpu_of_children() - load
        return cpu_of_children() - before - of_ab

    @contextlib.contextmanager
    def tomcat_server(self, way):
        """The process of a Tomcat that has answered once, with the page's `url`; None: it is not
        installed."""
        home = tempfile.mkdtemp(dir=self.folder)
        program = Tomcat(self.jdk, home, way, [])
        if not program.prepare():
            yield None
            return
        server = subprocess.Popen(
            [self.jdk.java, *([] if way is None else [way]), "-cp",
             f"{CATALINA}/bin/bootstrap.jar:{CATALINA}/bin/tomcat-juli.jar",
             f"-Dcatalina.home={CATALINA}", f"-Dcatalina.base={home}",
             "org.apache.catalina.startup.Bootstrap", "start"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.url = f"http://127.0.0.1:{program.port}/page0.jsp"
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(server.url, timeout=60).read()
                    break
                except OSError:
                    time.sleep(0.2)
            yield server
        finally:
            server.terminate()
            server.wait(60)
            shutil.rmtree(home, ignore_errors=True)


PROGRAMS = ("javac", "h2", "groovy", "scalac", "kotlinc", "clojure", "jruby", "tomcat",
            "virtual_threads")
