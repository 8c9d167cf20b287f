"""JVMs in containers, here namespaces made by unshare(1): found, attached to, asked, and left as they were."""
import json
import os
import re
import shlex
import signal
import subprocess
import time

from adb_bridge import wait_for
from attached import Running
from container import Container
from harness import ROOT, Report, test
from tool import DDM, REFUSED, ddm, ddm_json

KUBERNETES = os.path.join(ROOT, "examples", "kubernetes")


def row_of(t, pid, *words):
    return next((row for row in ddm_json(t, "ps", *words) if row["pid"] == pid), None)


def attach_ask_and_leave(t, kinds, options=""):
    with Container(t, kinds, "Attached") as c:
        assert row_of(t, c.pid) is None
        row = row_of(t, c.pid, "--all")
        assert row["container"] and not row["agent"] and row["why"] == "no agent", row
        assert row["app"] == "Attached" and str(t.jdk.major) in row["vm"], row
        said = ddm(t, "attach", c.pid, "track=y" + options)
        assert re.search(rf"pid {c.pid} listens on (127.0.0.1:\d+|unix:/tmp/s), in its container\n", said), said
        assert "tracking is on" in said
        # Nothing is left in there but what the VM and the agent have themselves.
        assert not [name for name in c.files("/tmp") if name.startswith((".ddm-agent", ".attach_pid"))], \
            c.files("/tmp")
        row = row_of(t, c.pid)
        assert row["container"] and row["app"] == "Attached" and row["address"], row
        c.tell("before 300")
        sites = ddm_json(t, "allocs", c.pid, "--by", "class")
        assert [s["count"] for s in sites if s["class"] == "Attached$Before"] == [600], sites[:5]
        assert ddm_json(t, "info", c.pid)["app"] == "Attached"
        # The second load finds the library that is loaded, whose file is gone.
        assert "tracking is off" in ddm(t, "attach", c.pid, "track=n")
        assert len(c.libraries()) == 1, c.libraries()
        said = ddm(t, "record", c.pid, "-d", "0.2", "-o", "r.html")
        assert "report written to r.html" in said and os.path.getsize(t.path("r.html")) > 10_000


@test()
def a_jvm_with_processes_and_files_of_its_own_is_attached_to(t):
    attach_ask_and_leave(t, ("pid", "mnt"))


def ended_meanwhile(c, tool):
    """(stdout, stderr) of a command whose program ends now; it has told the program before where its result goes."""
    time.sleep(2)
    c.tell("before 300")
    out, _ = c.process.communicate(timeout=60)  # end of input ends the program
    assert out == "ends\n", out
    out, err = tool.communicate(timeout=60)
    assert tool.returncode == 0, (out, err)
    return out, err


@test()
def a_jvm_that_ends_in_its_container_leaves_its_trace_and_its_report(t):
    only_for_root = t.path("private")
    os.mkdir(only_for_root, 0o700)
    for kinds, path in ((("pid", "mnt"), "-"), (("pid", "mnt", "net", "user"), only_for_root + "/r.jsonl")):
        for words in (["record", "-o", path], ["trace", "--methods", "Attached.*", "--json"]):
            with Container(t, kinds, "Attached", agent="dump=none") as c:
                tool = subprocess.Popen([DDM, words[0], str(c.pid), *words[1:], "-d", "60"], cwd=t.dir, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": "/tmp"})
                out, err = ended_meanwhile(c, tool)
            if words[0] == "trace":
                assert "the program has ended; this is what it did until then" in err, err
                calls = {m["method"]: m["calls"] for m in json.loads(out)["methods"]}
                assert calls["before"] == 1, calls
            elif path == "-":
                assert "Attached$Before" in out and "report written to stdout" in err, err
            else:
                assert f"report written to {path}" in out.replace("\n", " ") and not err, (out, err)
                assert os.stat(path).st_uid == 0
                assert sum(s["count"] for s in Report(path).sites if s["class"] == "Attached$Before") == 600


@test()
def a_jvm_with_files_of_its_own_alone_is_attached_to(t):
    attach_ask_and_leave(t, ("mnt",))  # a debug container in the process namespace of another one


@test(flags=((), ("-Dnet=unix",)))
def a_jvm_with_a_network_and_users_of_its_own_is_attached_to(t):
    unix = ",address=unix:/tmp/s" if t.flags else ""
    attach_ask_and_leave(t, ("pid", "mnt", "net"), unix)
    attach_ask_and_leave(t, ("pid", "mnt", "net", "user"), unix)


@test()
def the_agent_of_a_containers_image_is_found(t):
    with Container(t, ("pid", "mnt", "net", "user"), "Attached", agent="track=y,name=shop") as c:
        row = row_of(t, c.pid)
        assert row["app"] == "shop" and row["container"], row

        def made():
            sites = ddm_json(t, "allocs", c.pid, "--by", "class")
            return sum(s["count"] for s in sites if s["class"] == "Attached$Before")

        before = made()
        c.tell("before 50")
        assert made() - before == 100


@test()
def places_from_which_nothing_can_be_loaded_are_told_with_what_helps(t):
    places = "/dev/shm /var/tmp /run"
    with Container(t, ("pid", "mnt"), "Attached", options="noexec", elsewhere=places) as c:
        said = ddm(t, "attach", c.pid, code=REFUSED)
        for place in ("/tmp", *places.split()):
            assert f"{place}: it is mounted noexec" in said, said
        assert "emptyDir" in said and "examples/kubernetes" in said
        c.tell("before 1")
    with Container(t, ("pid", "mnt"), "Attached", options="noexec", elsewhere="/var/tmp /run",
                   shell="mount -t tmpfs none /dev/shm") as c:
        assert "in its container" in ddm(t, "attach", c.pid)  # the next place is taken
        assert c.files("/dev/shm") == []
    with Container(t, ("pid", "mnt"), "Attached", elsewhere=places, options="mode=1777",
                   shell="for d in /tmp /dev/shm /var/tmp /run; do mount -o remount,ro none $d; done") as c:
        assert "/tmp: it is read-only" in ddm(t, "attach", c.pid, code=REFUSED)
        c.tell("before 1")


@test()
def an_attach_that_is_interrupted_leaves_nothing_in_the_container(t):
    with Container(t, ("pid", "mnt"), "Attached") as c:
        t.jcmd(c.pid, "VM.version")  # from then on it listens
        os.kill(c.pid, signal.SIGSTOP)
        try:
            for sent, words in ((signal.SIGINT, ("attach", c.pid)), (signal.SIGTERM, ("record", c.pid)),
                                (signal.SIGHUP, ("attach", c.pid))):
                tool = subprocess.Popen([DDM, *map(str, words)], cwd=t.dir, text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
                wait_for(lambda: any(name.startswith(".ddm-agent") for name in c.files("/tmp")), "the copy")
                tool.send_signal(sent)
                out, err = tool.communicate(timeout=60)
                assert tool.returncode == REFUSED and not out and "interrupted before process" in err, (out, err)
                left = c.files("/tmp") + os.listdir(t.dir)
                assert not [name for name in left if name.startswith((".ddm-agent", ".attach_pid"))], left
        finally:
            os.kill(c.pid, signal.SIGCONT)
        c.tell("before 1")
        assert "in its container" in ddm(t, "attach", c.pid)


@test()
def a_jvm_below_another_root_is_attached_to(t):
    if os.getuid() != 0 or ROOT.startswith("/tmp/"):
        print("  skipped: it needs root, and another /tmp than this one")
        return
    jail = t.path("jail")
    os.mkdir(jail)
    script = (f"cd {shlex.quote(jail)}; mount -t tmpfs none .; cd $PWD; mkdir -m 1777 tmp\n"
              "for d in /*; do if [ -L $d ]; then cp -P $d .; elif [ -d $d ] && [ $d != /tmp ]; then "
              "mkdir .$d; mount --rbind $d .$d; fi; done\n"
              f"exec chroot . {shlex.join([t.jdk.java, *t.vm_flags(), '-cp', t.classes(), 'Attached'])}")
    process = subprocess.Popen(["unshare", "--mount", "sh", "-ec", script], cwd=t.dir, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def beside(*words):
        """ddm, with the JVM's mounts but not its root."""
        line = ["nsenter", f"--mount=/proc/{process.pid}/ns/mnt", DDM, *map(str, words)]
        done = t.command(line)
        assert done.code == 0 and not done.err, done
        return done.out

    try:
        assert process.stdout.readline() == "ready\n", process.communicate()
        said = beside("attach", process.pid, "track=y,dump=none")
        assert re.search(rf"pid {process.pid} listens on 127.0.0.1:\d+, in its container\n", said), said
        assert re.search(rf"^ *{process.pid} +127", beside("ps"), re.M)
        assert "Attached" in beside("info", process.pid)
        assert "tracking is off" in beside("attach", process.pid, "track=n")  # it finds what is loaded
    finally:
        process.kill()
        process.communicate()


@test(min_jdk=28)
def a_jvm_with_another_temporary_directory_is_attached_to(t):
    with Running(t, "Attached", flags=[f"-XX:AltTempDir={t.dir}"]) as program:
        assert "tracking is on" in ddm(t, "attach", program.process.pid, "track=y,dump=none")
        assert "tracking is off" in ddm(t, "attach", program.process.pid, "track=n")


@test()
def a_link_in_a_container_leads_nowhere_out_here(t):
    os.mkdir(t.path("outside"))
    with Container(t, ("pid", "mnt"), "Attached", options="noexec", elsewhere="/dev/shm /run",
                   shell=f"mount -t tmpfs none /var; ln -s {t.path('outside')} /var/tmp; "
                         f"mount -t tmpfs none {t.path('outside')}") as c:
        assert "in its container" in ddm(t, "attach", c.pid)  # through the link, in there
        assert os.listdir(t.path("outside")) == [] and c.files(t.path("outside")) == []


@test()
def other_users_jvms_are_listed_with_the_reason(t):
    with Running(t, "Attached") as program:
        pid = program.process.pid
        other_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", DDM]
        done = t.command([*other_user, "ps", "--all"])
        assert done.code == 0, done
        line = next(line for line in done.out.splitlines() if line.split()[0] == str(pid))
        assert "(belongs to uid 0 (root))" in line and line.endswith("Attached"), line
        for words in (["ps"], ["top", "--once", "-d", "100ms"]):
            done = t.command([*other_user, *words])
            assert done.code == 0 and len(done.out.splitlines()) == 1, done
            assert done.err.startswith("ddm: no program here has the agent; `ddm ps --all` lists"), done


@test(min_jdk=25)
def the_files_for_kubernetes_do_what_they_say(t):
    import yaml
    with open(os.path.join(KUBERNETES, "init-container.yaml"), encoding="utf-8") as f:
        deployment = yaml.safe_load(f)
    assert deployment["kind"] == "Deployment" and deployment["apiVersion"] == "apps/v1"
    pod = deployment["spec"]["template"]["spec"]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    volumes = {volume["name"] for volume in pod["volumes"]}
    containers = {c["name"]: c for c in pod["containers"] + pod["initContainers"]}
    for one in containers.values():
        assert {m["name"] for m in one["volumeMounts"]} <= volumes, one
    mounted = containers["app"]["volumeMounts"][0]["mountPath"]
    copy = containers["copy-agent"]["command"]
    assert copy[0] == "cp" and copy[2].rstrip("/") == mounted and copy[1] == "/usr/lib/libddmagent.so"
    env = {e["name"]: e["value"] for e in containers["app"]["env"]}
    assert env["JAVA_TOOL_OPTIONS"].startswith(f"-agentpath:{mounted}/libddmagent.so")
    users = {containers[name]["securityContext"]["runAsUser"] for name in ("app", "ddm")}
    assert len(users) == 1 and pod["shareProcessNamespace"] is True
    # The library copied like that, and the variables as they stand there.
    library = os.path.join(ROOT, "build", "release", "lib", "libddmagent.so")
    subprocess.run(["cp", library, t.dir], check=True)
    env = {name: value.replace(mounted, t.dir) for name, value in env.items()}
    with Running(t, "Attached", env={**os.environ, **env}) as program:
        assert row_of(t, program.process.pid)["app"] == "shop"
        assert os.path.exists(t.path(f"ddm/{program.process.pid}"))  # where a read-only root does not matter
    # What the script hands to kubectl.
    done = t.command([os.path.join(KUBERNETES, "ephemeral-container.sh"), "shop-1", "app", "info", "shop"],
                     env={"KUBECTL": "echo"})
    assert done.out.split() == ["debug", "shop-1", "--target=app", "--image=ddmagent", "--profile=general",
                                "--quiet", "--attach", "--", "ddm", "info", "shop"], done
    assert t.command([os.path.join(KUBERNETES, "ephemeral-container.sh")]).code == 2
