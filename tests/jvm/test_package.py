"""What `cmake --install` and CPack leave works without the tree that it was built in."""
import glob
import os
import re
import shlex
import shutil
import subprocess

from attached import Running
from ddm_client import Target
from harness import JDKS, PRESET, ROOT, Report, test
from tool import DDM, USAGE, ddm

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


def padded(report):
    """The strings that Gated makes."""
    return sum(s["count"] for s in report.sites if s["class"] == "java.lang.String"
               and any(f["method"] == "pad" for f in s["stack"]))


def works(t, home):
    """The first screen of the README: a report at the end, and a record by the command alone."""
    library, command = os.path.join(home, "lib/libddmagent.so"), os.path.join(home, "bin/ddm")
    assert os.path.samefile(os.path.join(home, "lib/libhprof.so"), library)
    done = t.command([t.jdk.java, f"-agentpath:{library}=dump={t.path('r.jsonl')}", "-cp",
                      os.path.join(ROOT, "build/tests/classes"), "Gated"])
    assert done.code == 0, done
    assert padded(Report(t.path("r.jsonl"))) >= 1000
    with Running(t, "Attached", flags=["-XX:+EnableDynamicAgentLoading"]) as program:
        told = t.command([command, "record", str(program.process.pid), "-d", "0.3", "-o", t.path("x.html")])
        assert told.code == 0 and os.path.getsize(t.path("x.html")) > 10_000, told
    for text in ("share/doc/ddmagent/README.md", "share/doc/ddmagent/docs/options.md", "share/java/ddm-client.jar",
                 "share/man/man1/ddm.1", "share/bash-completion/completions/ddm", "share/zsh/site-functions/_ddm",
                 "share/zsh/vendor-completions/_ddm"):
        assert os.path.getsize(os.path.join(home, text)) > 0


@test(jdks="each", queue=True, every_days=4)
def the_packages_work_where_they_are_unpacked(t):
    works(t, unpacked(t, packed(t, "TGZ")))


@test(queue=True, every_days=4)
def the_debian_package_says_what_it_needs(t):
    package = packed(t, "DEB")
    fields = subprocess.run(["dpkg-deb", "-f", package, "Package", "Depends", "Architecture"], check=True,
                            capture_output=True, text=True).stdout
    for word in ("Package: ddmagent\n", "libc6 (", "zlib1g", "Architecture: "):
        assert word in fields, fields
    works(t, unpacked(t, package))


@test(full_only=True, queue=True, timeout=900)
def the_debian_package_needs_nothing_but_what_it_says(t):
    """Installed in a system that has a JDK and nothing else, `ddm record PID` works from zero."""
    if t.jdk.major != JDKS[0].major:
        return  # the system has its own
    root, package = t.path("root"), packed(t, "DEB")
    subprocess.run(["mmdebstrap", "--variant=minbase", "--include=openjdk-17-jdk-headless", "bookworm", root],
                   check=True, capture_output=True, cwd="/")
    shutil.copy(package, os.path.join(root, "ddmagent.deb"))
    shutil.copytree(os.path.join(ROOT, "build/tests/classes"), os.path.join(root, "classes"))
    script = """
        mount -t proc proc /proc && apt-get update -q && apt-get install -y -q /ddmagent.deb || exit 1
        java -agentlib:ddmagent=dump=/end.jsonl -cp /classes Gated || exit 1
        mkfifo /never
        sleep 600 > /never & sleeper=$!
        java -cp /classes Attached < /never > /said & program=$!
        until grep -q ready /said; do sleep 0.1; done
        begin=$(date +%s)
        ddm record $program -d 2 -o /x.html; code=$?
        echo "record ended with $code after $(($(date +%s) - begin)) s"
        kill $program $sleeper
    """
    done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "chroot", root, "sh", "-c", script],
                          capture_output=True, text=True, timeout=600)
    told = re.search(r"record ended with 0 after (\d+) s", done.stdout)
    assert told and int(told[1]) < 60, done
    assert os.path.getsize(os.path.join(root, "x.html")) > 10_000
    assert padded(Report(os.path.join(root, "end.jsonl"))) >= 1000
    shutil.rmtree(root)


@test()
def help_of_a_command_is_asked_for_by_either_word(t):
    assert ddm(t, "help") == ddm(t, "--help") and ddm(t, "help", "leaks") == ddm(t, "leaks", "--help")
    assert "there is no command 'nosuch'" in t.command([DDM, "help", "nosuch"]).err
    assert re.search(r"-o FILE +The file to write \(required\)", ddm_help("dump", "--help"))
    gate = ddm_help("gate", "--help")
    assert gate.count("(required)") == 1 and "Exit code: 0 nothing grew, 1 something grew, 2 no" in gate, gate


def commands():
    """The names of all commands, and of each its options, as help tells them."""
    names = re.findall(r"(?m)^  ([a-z]+) ", ddm_help("--help").split("Programs:")[1])
    assert len(names) > 20, names
    return {name: re.findall(r"(?m)^  (-[^ ]+)", ddm_help("help", name)) for name in names}


def ddm_help(*words):
    return subprocess.run([DDM, *words], check=True, capture_output=True, text=True).stdout


@test()
def the_help_of_each_command_shows_command_lines_that_it_takes(t):
    for name, options in commands().items():
        page = ddm_help("help", name)
        assert max(map(len, page.splitlines())) <= 80, page
        examples = page.split("\nExamples:\n")[1].strip().splitlines()
        for part in "; ".join(line.split(" #")[0] for line in examples).split("; "):
            tool, command, *words = shlex.split(part)
            assert tool == "ddm" and command == name, part
            known = {one for option in options for one in option.split(",")}
            assert {word for word in words if word.startswith("-")} <= known, part
            if name in ("serve", "bridge"):
                continue  # they would run
            words = ["99999999" if word == "4711" else word for word in words]
            done = t.command([DDM, name, *words])
            # Without its files, gate has no answer: 2, too.
            assert done.code != USAGE or name == "gate" and "--help" not in done.err, (part, done)


@test()
def the_manual_page_has_every_command_and_option_of_the_help(t):
    with open(t.path("ddm.1"), "w", encoding="utf-8") as f:
        f.write(ddm_help("help", "--man"))
    # Every warning that groff has: unknown requests, fonts and escapes.
    shown = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", t.path("ddm.1")], capture_output=True,
                           text=True)
    assert shown.returncode == 0 and not shown.stderr, shown.stderr
    text = " ".join(shown.stdout.replace("\u2010", "-").replace("\u2212", "-").split())
    for name, options in commands().items():
        assert f"ddm {name} [options]" in text, name
        for option in options:
            assert option == "-h,--help" or option.replace(",", ", ") in text, (name, option)
    assert "Ctrl-C ends it early, and still writes" in text


def completed(t, *words):
    """What bash offers for the last word."""
    script = f"""
        PATH={os.path.dirname(DDM)}:$PATH
        source {t.path("ddm.bash")}
        COMP_WORDS=(ddm {" ".join(f"'{word}'" for word in words)}) COMP_CWORD={len(words)}
        _ddm
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    out = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=t.dir)
    assert out.returncode == 0 and not out.stderr, out.stderr
    return out.stdout.split()


@test()
def bash_completes_commands_options_values_programs_and_files(t):
    with open(t.path("ddm.bash"), "w", encoding="utf-8") as f:
        f.write(ddm_help("help", "--bash"))
    assert set(completed(t, "")) == {*commands(), "help", "--help", "--version"}
    assert completed(t, "rec") == ["record", "recover"] or completed(t, "rec") == ["recover", "record"]
    for name, options in commands().items():
        assert set(completed(t, name, "-")) == {part for one in options for part in one.split(",")}, name
    assert completed(t, "help", "lea") == ["leaks"]
    assert completed(t, "locks", "--kind", "") == ["enter", "park", "wait", "pin"]
    assert completed(t, "track", "1", "st") == ["status"]
    with open(t.path("some.hprof"), "w", encoding="utf-8"):
        pass
    assert completed(t, "sites", "some") == ["some.hprof"] == completed(t, "record", "-o", "some")
    assert not completed(t, "record", "-d", "")
    with Target(t) as p:
        assert str(p.pid) in completed(t, "record", "")
        assert completed(t, "record", str(p.pid)) == [str(p.pid)]
        assert {str(p.pid), "some.hprof"} <= set(completed(t, "paths", ""))


@test()
def zsh_takes_its_completion(t):
    with open(t.path("_ddm"), "w", encoding="utf-8") as f:
        f.write(ddm_help("help", "--zsh"))
    # A terminal on which zsh lists what there is for the words, as with Tab.
    script = f"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'PS1=; fpath=({t.dir} $fpath); autoload -U compinit; compinit -u -D; LISTMAX=1000; stty columns 200; print -r - ${{:-rea}}dy'
        zpty -r shell seen '*ready*'
        zpty -w -n shell $'ddm record --\\t\\t'
        zpty -r shell seen '*--interval*'
        print -r -- "$seen"
        zpty -d shell
    """
    out = subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, timeout=t.timeout, cwd=t.dir)
    assert out.returncode == 0 and "Also sample running threads (cpu=samples)" in out.stdout, out
