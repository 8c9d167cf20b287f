"""What `cmake --install` and CPack leave works without the tree that it was built in."""
import glob
import os
import subprocess

from attached import Running
from harness import PRESET, ROOT, Report, test
from tool import DDM, ddm

BUILD = os.path.join(ROOT, "build", PRESET)


def packed(t, generator):
    subprocess.run(["cpack", "-G", generator, "-B", t.path("packages"), "--config",
                    os.path.join(BUILD, "CPackConfig.cmake")], check=True, capture_output=True, cwd=t.dir)
    found = [path for path in glob.glob(t.path("packages/*")) if path.endswith((".deb", ".tar.gz"))]
    assert len(found) == 1 and os.path.exists(found[0] + ".sha256"), found
    return found[0]


def unpacked(t, package):
    if package.endswith(".deb"):
        subprocess.run(["dpkg-deb", "-x", package, t.path("root")], check=True)
        return t.path("root/usr")
    os.mkdir(t.path("root"))
    subprocess.run(["tar", "xf", package, "-C", t.path("root")], check=True)
    top, = os.listdir(t.path("root"))
    return t.path(os.path.join("root", top))


def works(t, home):
    """The first screen of the README: a report at the end, and a record by the command alone."""
    library, command = os.path.join(home, "lib/libddmagent.so"), os.path.join(home, "bin/ddm")
    assert os.path.samefile(os.path.join(home, "lib/libhprof.so"), library)
    done = t.command([t.jdk.java, f"-agentpath:{library}=dump={t.path('r.jsonl')}", "-cp",
                      os.path.join(ROOT, "build/tests/classes"), "Gated"])
    assert done.code == 0, done
    assert sum(s["count"] for s in Report(t.path("r.jsonl")).sites if s["class"] == "java.lang.String"
               and any(f["method"] == "pad" for f in s["stack"])) >= 1000
    with Running(t, "Attached", flags=["-XX:+EnableDynamicAgentLoading"]) as program:
        told = t.command([command, "record", str(program.process.pid), "-d", "0.3", "-o", t.path("x.html")])
        assert told.code == 0 and os.path.getsize(t.path("x.html")) > 10_000, told
    for text in ("share/doc/ddmagent/README.md", "share/doc/ddmagent/docs/options.md", "share/java/ddm-client.jar"):
        assert os.path.getsize(os.path.join(home, text)) > 0


@test(jdks="each", queue=True, every_days=2)
def the_packages_work_where_they_are_unpacked(t):
    works(t, unpacked(t, packed(t, "TGZ")))


@test(queue=True, every_days=2)
def the_debian_package_says_what_it_needs(t):
    package = packed(t, "DEB")
    fields = subprocess.run(["dpkg-deb", "-f", package, "Package", "Depends", "Architecture"], check=True,
                            capture_output=True, text=True).stdout
    for word in ("Package: ddmagent\n", "libc6 (", "zlib1g", "Architecture: "):
        assert word in fields, fields
    works(t, unpacked(t, package))


@test()
def help_of_a_command_is_asked_for_by_either_word(t):
    assert ddm(t, "help") == ddm(t, "--help") and ddm(t, "help", "leaks") == ddm(t, "leaks", "--help")
    assert "there is no command 'nosuch'" in t.command([DDM, "help", "nosuch"]).err
