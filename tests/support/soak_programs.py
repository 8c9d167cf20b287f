"""Real programs that soaks run under the agent, piece by piece."""
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
import zipfile

import harness

PIECE = 30  # seconds
CATALINA = "/usr/share/tomcat10"


class Program:
    """One of them on one JDK, under the agent with these options. run(seconds) is a piece of it, and
    says what was wrong, or ""."""

    def __init__(self, jdk, folder, options, flags):
        self.jdk, self.folder, self.options, self.flags = jdk, folder, options, flags

    def prepare(self):
        """False: it is not installed."""
        return True

    def start(self, *words, env=None):
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8", errors="replace")
        agent = f"-agentpath:{harness.AGENT}={self.options}"
        return subprocess.Popen(
            [self.jdk.java, "-XX:-CreateCoredumpOnCrash", *self.flags, agent, *words],
            cwd=self.folder, stdout=self.log, stderr=subprocess.STDOUT, env=env)

    def end(self, process, seconds):
        """Lets it run for so long; only what ends by itself and well, or not at all, is right."""
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            code = 0 if process.wait(60) in (0, 143) else process.returncode
        self.log.seek(0)
        text = self.log.read()
        self.log.close()
        if code in (0, 143) and "fatal error" not in text and "invalid pointer" not in text:
            return ""
        return f"exit code {code}\n{text[-1500:]}"


class Javac(Program):
    def prepare(self):
        return self.unpack_sources() is not None

    def unpack_sources(self):
        """(directory, number of files) of sources that the compiler can make, or None."""
        archives = [os.path.join(self.jdk.home, "lib", "src.zip"), "/usr/lib/jvm/openjdk-17/lib/src.zip"]
        archive = next((a for a in archives if os.path.exists(a)), None)
        if archive is None:
            return None
        with zipfile.ZipFile(archive) as zipped:
            names = [n for n in zipped.namelist() if n.startswith("java.base/java/util/concurrent/")]
            zipped.extractall(self.folder, names)
        root = os.path.join(self.folder, "java.base", "java", "util")
        self.sources = root, sum(name.endswith(".java") for name in names)
        return self.sources

    def run(self, seconds):
        root, files = self.sources
        words = ("-cp", os.path.join(harness.WORK, "classes"), "Javac", root, str(files), "1000")
        return self.end(self.start(*words), seconds)


class Maps(Program):
    def run(self, seconds):
        return self.end(self.start("-cp", os.path.join(harness.WORK, "classes"), "HashMaps",
                                   str(int(seconds * 1000))), seconds + 30)


class H2(Program):
    JAR = "/usr/share/java/h2.jar"

    def prepare(self):
        if not os.path.exists(self.JAR):
            return False
        lines = ["CREATE TABLE t(id INT PRIMARY KEY, a INT, b VARCHAR(100));",
                 "CREATE INDEX i ON t(a);"]
        for i in range(2000):
            low = i * 1000
            lines += [f"INSERT INTO t SELECT x, MOD(x * 31, 997), 'text ' || x FROM "
                      f"SYSTEM_RANGE({low}, {low + 999});",
                      f"UPDATE t SET b = b || '!' WHERE a = {i % 997};",
                      "SELECT a, COUNT(*), MAX(b) FROM t WHERE a < 50 GROUP BY a ORDER BY 2;",
                      f"DELETE FROM t WHERE id < {low - 5000};"]
        with open(os.path.join(self.folder, "soak.sql"), "w", encoding="utf-8") as f:
            f.write("\n".join(lines))
        return True

    def run(self, seconds):
        return self.end(self.start("-cp", self.JAR, "org.h2.tools.RunScript", "-url",
                                   "jdbc:h2:mem:soak", "-script", "soak.sql"), seconds)


class Tomcat(Program):
    PAGE = ("<%@ page import='java.util.*' %><% Map<String, Integer> m = new HashMap<>(); "
            "for (int i = 0; i < 500; i++) m.put(\"key\" + i, i); %><%= m.size() %> <%= m %>")

    PATIENCE = 180  # for its start, seconds

    def prepare(self):
        if not os.path.exists(f"{CATALINA}/bin/bootstrap.jar") or shutil.which("ab") is None:
            return False
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        for name in ("conf", "logs", "temp", "work", "webapps/ROOT"):
            os.makedirs(os.path.join(self.folder, name))
        shutil.copy("/etc/tomcat10/web.xml", os.path.join(self.folder, "conf"))
        with open(os.path.join(self.folder, "conf/server.xml"), "w", encoding="utf-8") as f:
            f.write(f'<Server port="-1"><Service name="Catalina"><Connector port="{self.port}" '
                    'address="127.0.0.1"/><Engine name="Catalina" defaultHost="localhost">'
                    '<Host name="localhost" appBase="webapps"/></Engine></Service></Server>')
        for i in range(20):  # each one is compiled and loaded
            path = os.path.join(self.folder, f"webapps/ROOT/page{i}.jsp")
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.PAGE + str(i))
        return True

    def run(self, seconds):
        until = time.monotonic() + self.PATIENCE  # from its first page on: so many seconds
        shutil.rmtree(os.path.join(self.folder, "work"))
        os.makedirs(os.path.join(self.folder, "work"))
        process = self.start("-cp", f"{CATALINA}/bin/bootstrap.jar:{CATALINA}/bin/tomcat-juli.jar",
                             f"-Dcatalina.home={CATALINA}", f"-Dcatalina.base={self.folder}",
                             "org.apache.catalina.startup.Bootstrap", "start")
        pages = 0
        while time.monotonic() < until and process.poll() is None:
            url = f"http://127.0.0.1:{self.port}/page{pages % 20}.jsp"
            try:
                assert b"500" in urllib.request.urlopen(url, timeout=20).read()
            except OSError:
                time.sleep(0.3)
                continue
            if pages == 0:
                until = time.monotonic() + seconds
            subprocess.run(["ab", "-q", "-t", "1", "-c", "8", url], capture_output=True, check=False)
            pages += 1
        wrong = self.end(process, 0.1)
        return wrong or ("" if pages > 0 else "it has served no page")


def soak(program, what, seconds):
    """Runs it piece by piece for so long; how many pieces ended as they should not."""
    if not program.prepare():
        print(f"{what} is not installed", flush=True)
        return 0
    begin, pieces, wrong = time.monotonic(), 0, 0
    while time.monotonic() - begin < seconds - 1:
        error = program.run(min(PIECE, seconds - (time.monotonic() - begin)))
        pieces += 1
        if error:
            wrong += 1
            print(f"{what}: {error}", flush=True)
    print(f"{what} ran for {time.monotonic() - begin:.0f} s in {pieces} pieces, "
          f"{wrong} ended as they should not", flush=True)
    return wrong
